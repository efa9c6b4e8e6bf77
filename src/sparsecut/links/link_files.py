"""Fitted links on disk: one safetensors file, matrices as tensors and everything else as JSON in its header."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.base.package_version import __version__
from sparsecut.io.files import check_readable, write_whole
from sparsecut.io.result_files import save_tensors
from sparsecut.links.calibration import Calibration
from sparsecut.links.fitted_spectrum import FittedSpectrum
from sparsecut.links.form_sums import FormSum
from sparsecut.links.forms import GIVEN, KINDS, SPECTRUM, LinkForm
from sparsecut.links.pair_score import PairScore

FORMAT = "sparsecut-links"
FORMAT_VERSION = 3
FIELDS = ("candidates", "of_targets")
KINDS_OF_PAIRS = ("own", "regression", "cosine", "spectrum")


def write_links(
    path: str | Path,
    header: dict[str, Any],
    forms: Mapping[str, FormSum],
    pair_score: PairScore,
    calibrations: Mapping[str, Calibration],
    spectrum: FittedSpectrum | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write the forms of every role, the score of pairs, the calibrations and the spectrum, whole or not at all."""
    tensors: dict[str, Any] = {}
    if spectrum is not None:
        tensors |= {f"spectrum.{name}": array for name, array in spectrum.to_arrays().items()}
    about: dict[str, Any] = {}
    every = {f"pairs.{name}": form for name, form in pair_score.forms.items()}
    for role, found in forms.items():
        every |= {f"{role}.{number}": form for number, form in enumerate(found.forms)}
        tensors[f"{role}.deviations"] = np.array(found.deviations)
    for role, form in every.items():
        about[role] = {"kind": form.kind, "power": form.power, "penalty": form.penalty, "basis": form.basis}
        tensors |= {f"{role}.matrix.{name}": matrix for name, matrix in form.matrices.items()}
    for role, calibration in calibrations.items():
        tensors |= {f"{role}.scores": calibration.scores, f"{role}.probabilities": calibration.probabilities}
    for name in ("scales", "centre", "weights", "direction"):
        tensors[f"pairs.{name}"] = getattr(pair_score, name)
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "version": __version__,
        "links": json.dumps(
            {
                **header,
                "forms": about,
                "with_extras": pair_score.with_extras,
                "intercept": pair_score.intercept,
                "share": pair_score.share,
            }
        ),
    }
    with write_whole(path, overwrite) as temporary:
        save_tensors(temporary, tensors, metadata)


def read_links(
    path: str | Path,
) -> tuple[dict[str, Any], dict[str, FormSum], PairScore, dict[str, Calibration], FittedSpectrum | None]:
    """What a file holds that `write_links` wrote: the header first; anything else is an error."""
    from safetensors import SafetensorError, safe_open

    path = check_readable(path, "links")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise InputError(f"{path} is a safetensors file, but not one of links saved by sparsecut.")
            if int(metadata["format_version"]) != FORMAT_VERSION:
                raise InputError(
                    f"{path} was saved by sparsecut {metadata.get('version', 'of another version')}, whose links are "
                    "written otherwise. Fit them and save them again."
                )
            header = json.loads(metadata["links"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
        start = "spectrum."
        own = {name.removeprefix(start): array for name, array in tensors.items() if name.startswith(start)}
        spectrum = FittedSpectrum.from_arrays(own) if own else None
        size = {GIVEN: int(header["dimension"]), SPECTRUM: spectrum.spectrum.n_columns if spectrum else 0}
        forms = {role: _form_sum(header, role, tensors, size) for role in FIELDS}
        calibrations = {role: _calibration(role, tensors) for role in ("pairs", *FIELDS)}
        pair_score = _pair_score(header, tensors, size)
    except SafetensorError as error:
        raise InputError(f"{path} is not a whole safetensors file: no links could be read from it.") from error
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} does not hold whole links: {error}. Save them again.") from error
    return header, forms, pair_score, calibrations, spectrum


def _form_sum(header: dict[str, Any], role: str, tensors: dict[str, Any], size: dict[str, int]) -> FormSum:
    deviations = tensors[f"{role}.deviations"]
    if deviations.ndim != 1 or not len(deviations) or not (deviations > 0).all():
        raise ValueError(f"the deviations of {role} are damaged")
    names = [f"{role}.{number}" for number in range(len(deviations))]
    forms = tuple(_form(header["forms"][name], name, tensors, size) for name in names)
    return FormSum(forms, tuple(deviations.tolist()))


def _form(about: dict[str, Any], role: str, tensors: dict[str, Any], size: dict[str, int]) -> LinkForm:
    start = f"{role}.matrix."
    matrices = {name.removeprefix(start): value for name, value in tensors.items() if name.startswith(start)}
    shapes = {one.shape for one in matrices.values()}
    n_columns = next(iter(shapes), (0,))[0] - 1
    is_given = about["basis"] == GIVEN
    fits = n_columns == size[GIVEN] if is_given else 0 < n_columns <= size.get(about["basis"], 0)
    if about["kind"] not in KINDS or shapes != {(n_columns + 1, n_columns + 1)} or not fits:
        raise ValueError(f"the matrices of {role} are not as their header says")
    return LinkForm(about["kind"], float(about["power"]), float(about["penalty"]), matrices, about["basis"])


def _pair_score(header: dict[str, Any], tensors: dict[str, Any], size: dict[str, int]) -> PairScore:
    named = [name for name in KINDS_OF_PAIRS if f"pairs.{name}" in header["forms"]]
    forms = {name: _form(header["forms"][f"pairs.{name}"], f"pairs.{name}", tensors, size) for name in named}
    scales, centre, weights = (tensors[f"pairs.{name}"] for name in ("scales", "centre", "weights"))
    if scales.shape != (len(forms),) or centre.shape != weights.shape or len(weights) < max(len(forms), 1):
        raise ValueError("the weights of pairs are not as their header says")
    direction = tensors["pairs.direction"]
    if direction.shape not in ((0,), weights.shape):
        raise ValueError("the weights of the direction are not as their header says")
    numbers = {name: float(header[name]) for name in ("intercept", "share")}
    return PairScore(forms, scales, bool(header["with_extras"]), centre, weights, direction=direction, **numbers)


def _calibration(role: str, tensors: dict[str, Any]) -> Calibration:
    scores, shares = (np.asarray(tensors[f"{role}.{name}"], dtype=np.float64) for name in ("scores", "probabilities"))
    if scores.ndim != 1 or scores.shape != shares.shape or not len(scores) or (np.diff(scores) < 0).any():
        raise ValueError(f"the calibration of {role} is damaged")
    return Calibration(scores, shares)
