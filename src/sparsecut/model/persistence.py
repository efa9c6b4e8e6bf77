"""Fitted models on disk: one safetensors file, weights as tensors and everything else as JSON in its header.

No code is ever stored or run. A file is written under a temporary name and moved into place, so it is whole or absent.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.choice import Choice
from sparsecut.base.errors import InputError
from sparsecut.base.package_version import __version__
from sparsecut.graph import Graph
from sparsecut.graph.pair_lists import pack_pairs
from sparsecut.io.files import check_readable, sync_folder, write_whole
from sparsecut.io.result_files import save_tensors
from sparsecut.io.stores.mapped_tensors import map_tensors
from sparsecut.operators.recipe import Recipe

if TYPE_CHECKING:
    from sparsecut.model.embedding_model import SparsestCutEmbedding
    from sparsecut.updates.owed_fit import OwedFit

FORMAT = "sparsecut-model"
FORMAT_VERSION = 7


def write_fitted(
    model: SparsestCutEmbedding, path: str | Path, key: bytes | None, *, overwrite: bool, number: int | None = None
) -> None:
    """Write the file; with a key also the state, with the `number` of the last update alone where it has no hops."""
    parameters, arrays = stored_parameters(model)
    tensors = {f"weights.{level}": matrix for level, matrix in enumerate(model.weights_)} | {"offset": model.offset_}
    recipe, held = model.recipe_.to_header()
    columns, kept = model.columns_.to_header()
    header = {
        "estimator": type(model).__name__,
        "parameters": parameters,
        "history": model.history_.to_dict(),
        "columns": columns,
        "graph": None if model.kind_ is None else model.kind_.to_header(),
        "recipe": recipe,
        "encoder": None if model.encoder_ is None else model.encoder_.to_header(),
    }
    if key is not None:
        from sparsecut.updates.state_files import state_tensors

        state, state_arrays = state_tensors(model._live()) if number is None else _without_hops(model, number)
        header["state"] = _header_of_state(model, state, key)
        arrays = arrays | state_arrays
    write_model(path, header, tensors | arrays | held | kept, overwrite=overwrite)


def write_owed(model: SparsestCutEmbedding, owed: OwedFit, path: Path, key: bytes, number: int) -> None:
    """Write the file of a model that owes a fit in the earlier one's place: graph, features, choices, nothing learned."""
    from sparsecut.updates.state_files import fitted_tensors

    parameters, arrays = stored_parameters(model)
    choices, held = owed.to_header()
    graph = _embedded(model.graph_, owed.recipe)
    state, state_arrays = fitted_tensors(graph, None, number)
    header = {
        "estimator": type(model).__name__,
        "parameters": parameters,
        "owed": choices,
        "graph": None if model.kind_ is None else model.kind_.to_header(),
        "encoder": None if graph.encoder is None else graph.encoder.to_header(),
        "state": _header_of_state(model, state, key),
    }
    write_model(path, header, arrays | held | state_arrays, overwrite=True)


def stored_parameters(model: SparsestCutEmbedding) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The parameters as a file holds them: JSON, and arrays by the name of the parameter."""
    values: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, value in model.get_params(deep=False).items():
        if isinstance(value, Choice):
            values[name], held = value.to_header()
            arrays |= {f"{name}.{key}": array for key, array in held.items()}
        elif name == "apart" and value is not None:
            arrays["apart"] = pack_pairs(value)
        elif name == "relations" and isinstance(value, Mapping):
            values[name] = {key if isinstance(key, str) else ":".join(key): weight for key, weight in value.items()}
        else:
            values[name] = value.item() if isinstance(value, np.generic) else value
    return values, arrays


def write_model(
    path: str | Path, header: dict[str, Any], tensors: dict[str, NDArray[Any]], *, overwrite: bool = False
) -> None:
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "version": __version__,
        "model": json.dumps(header, allow_nan=True),
    }
    with write_whole(path, overwrite) as temporary:
        save_tensors(temporary, tensors, metadata)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())  # before it takes the place of another
    sync_folder(path)


def read_model(path: str | Path, *, mapped: bool = False) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the tensors of a file that `write_model` wrote; anything else is an error that says what it is.

    With `mapped` large tensors stay in the file until they are needed; it may be replaced then, but not written to.
    """
    from safetensors import SafetensorError, safe_open

    path = check_readable(path, "model")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise InputError(f"{path} is a safetensors file, but not a model saved by sparsecut.")
            if int(metadata["format_version"]) > FORMAT_VERSION:
                raise InputError(
                    f"{path} was saved by sparsecut {metadata.get('version', 'of a later version')}, which is newer than "
                    f"this one ({__version__}). Upgrade: pip install --upgrade sparsecut."
                )
            if int(metadata["format_version"]) < FORMAT_VERSION:
                raise InputError(
                    f"{path} was saved by an earlier sparsecut ({metadata.get('version', 'unknown')}), whose models have "
                    "other parameters. Fit the model and save it again."
                )
            header = json.loads(metadata["model"])
            tensors = map_tensors(path) if mapped else {}
            small = [name for name in file.keys() if name not in tensors]  # noqa: SIM118 - not a mapping
            return header, tensors | {name: file.get_tensor(name) for name in small}
    except SafetensorError as error:
        problem = "cut short" if _is_cut_short(path) else "not a safetensors file"
        raise InputError(f"{path} is {problem}: no model could be read from it. Save the model again.") from error
    except (KeyError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} has a damaged header: no model could be read from it. Save the model again.") from error


def _is_cut_short(path: Path) -> bool:
    """Whether a file starts like safetensors (a length, then JSON) but ends before it should."""
    with path.open("rb") as file:
        start = file.read(9)
    return len(start) < 9 or (start[8:] == b"{" and struct.unpack("<Q", start[:8])[0] < 100_000_000)


def _without_hops(model: SparsestCutEmbedding, number: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    from sparsecut.updates.state_files import fitted_tensors

    return fitted_tensors(_embedded(model.graph_, model.recipe_), model._vectors(), number)


def _embedded(graph: Graph, recipe: Recipe) -> Graph:
    """The graph with features where they are embedded."""
    return graph if "features" in recipe.sources else graph.replace(features=None)


def _header_of_state(model: SparsestCutEmbedding, state: dict[str, Any], key: bytes) -> dict[str, Any]:
    return {**state, "key": key.hex(), "position": model._position, "renewed_at": model._renewed_at}
