"""features="both": a graph's own features and its structure, each embedded by itself, side by side.

    Z = [Z_features, w·Z_structure],   w² · mean ‖z_structure‖² = ½ · mean ‖z_features‖²

Each part is what features="given" and features="structure" give alone, sharpened and scaled by its own spectrum. The part of
the features keeps its length, at which a logistic regression works untuned, and structure has half its mean square length.
Over 28 graphs, real and spoiled, with 20 labels per class: real features lose at most 3.0 points to themselves alone (equal
lengths 4.4, a quarter 2.0), spoiled ones at most 4.7 to the better part (2.1 and 9.1). `benchmarks/doubt.py` measures it.

Structure belongs to its graph, so the whole does: no other graph can be embedded by it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.encoding.encoder import Encoder as FeatureEncoder
from sparsecut.errors import InputError
from sparsecut.features.structure import STRUCTURE_NOTE, fingerprint
from sparsecut.graph import Graph
from sparsecut.model.fit import Fitted, fit
from sparsecut.model.history import History, effective_rank
from sparsecut.model.recipe import Recipe
from sparsecut.model.settings import Settings
from sparsecut.progress import Reporter, reporting

STRUCTURE_SHARE = 0.5  # of the mean square length of the features' part

PARTS, NAMES = ("given", "structure"), ("features", "structure")


@dataclass(frozen=True)
class Both:
    """What an estimator keeps of the two parts."""

    weights: list[NDArray[np.float32]]
    offset: NDArray[np.float32]
    embedding: NDArray[np.float32]
    recipe: Recipe
    history: History
    encoder: FeatureEncoder | None


def fit_both(settings: Settings, graph: Graph, progress: Reporter | None) -> Both:
    """Each part fitted by itself, then side by side."""
    parts: list[Fitted] = []
    with reporting(progress) as report:
        for features, dimension in zip(PARTS, _dimensions(settings.dimension), strict=True):
            part = replace(settings, features=features, dimension=dimension)
            parts.append(fit(part, graph, output=None, on_epoch=None, progress=report))
    own, other = parts
    assert own.embedding is not None
    assert other.embedding is not None
    weight = np.float32(structure_weight(own.embedding, other.embedding))
    matrices, offsets = [], []
    for fitted, factor in ((own, np.float32(1)), (other, weight)):
        matrices += [matrix.cpu().numpy() * factor for matrix in fitted.projection.weights]
        assert fitted.projection.offset is not None
        offsets.append(fitted.projection.offset.cpu().numpy() * factor)
    embedding = np.concatenate([own.embedding, other.embedding * weight], axis=1)
    reasons = [f"{name}: {reason}" for name, part in zip(NAMES, parts, strict=True) for reason in part.recipe.reasons]
    history = _history(own.history, other.history, embedding)
    history.notes.append(
        f"The features are the first {own.embedding.shape[1]} columns, structure is the last {other.embedding.shape[1]}, "
        f"times {weight:.3g}: it has {STRUCTURE_SHARE:g} of their mean square length. "
        "The embedding belongs to this graph alone."
    )
    recipe = replace(own.recipe, reasons=reasons)
    return Both(matrices, np.concatenate(offsets), embedding, recipe, history, own.graph.encoder)


def check_both(settings: Settings, graph: Graph, *, with_output: bool) -> None:
    """Refuse, before any work, what cannot be put side by side."""
    name, engine = settings.caller, settings.engine
    if "structure" not in engine.supports:
        raise InputError(
            f"{name}(engine={engine.word!r}) cannot put structure beside the features. Use features='given', or use "
            "engine='memory'."
        )
    if with_output:
        raise InputError(f"{name}(features='both') writes no file. Write what it returns with sparsecut.write_embedding.")
    if not graph.has_features:
        raise InputError(
            f"{name}(features='both') needs node features beside the structure, and the graph has none. Use features='auto'."
        )
    if not settings.solver.chooses_from_graph:
        raise InputError(f"{name}(features='both') is solved in closed form, not trained. Use solver='closed_form'.")
    if settings.dimension is not None and settings.dimension < 2:
        raise InputError(f"{name}(features='both') needs a dimension for each of its two parts. Got {settings.dimension}.")


def structure_weight(features: NDArray[np.float32], structure: NDArray[np.float32], share: float = STRUCTURE_SHARE) -> float:
    """w of the module's equation; 1 where one of the parts is zero."""
    own, other = (float(np.einsum("ij,ij->", part, part, dtype=np.float64)) for part in (features, structure))
    return (share * own / other) ** 0.5 if own > 0 and other > 0 else 1.0


def fingerprint_of_both(graph: Graph) -> int:
    """A number that tells graphs apart by their edges and their features."""
    checksum, features = fingerprint(graph.adjacency), cast("Any", graph.features)
    arrays = (features.indptr, features.indices, features.data) if sp.issparse(features) else (features,)
    for array in (part for part in arrays if part is not None):
        checksum = zlib.crc32(np.ascontiguousarray(array).tobytes(), checksum)
    return checksum


def _dimensions(dimension: int | None) -> tuple[int | None, int | None]:
    """Half of a given dimension each, the odd one to the features."""
    return (None, None) if dimension is None else (dimension - dimension // 2, dimension // 2)


def _history(own: History, other: History, embedding: NDArray[np.float32]) -> History:
    history = History(route=own.route, rows=own.rows, reason=f"features: {own.reason}; structure: {other.reason}")
    for name, part in zip(NAMES, (own, other), strict=True):
        history.stages |= {f"{name}: {stage}": seconds for stage, seconds in part.stages.items()}
    history.notes = [*own.notes, *(note for note in other.notes if note != STRUCTURE_NOTE)]
    history.effective_rank = effective_rank(torch.from_numpy(embedding))
    return history
