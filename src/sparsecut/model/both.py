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
from dataclasses import replace
from numbers import Integral
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.errors import InputError
from sparsecut.features.structure import STRUCTURE_NOTE, fingerprint
from sparsecut.graph import Graph
from sparsecut.model.parameters import given_to_adam, solver_of
from sparsecut.model.training import History, effective_rank
from sparsecut.progress import Reporter, reporting

STRUCTURE_SHARE = 0.5  # of the mean square length of the features' part

PARTS, NAMES = ("given", "structure"), ("features", "structure")


def fit_both(model: Any, graph: Graph, progress: Reporter | None) -> Any:
    """Fit an estimator that has features="both": a model of its own for each part, then side by side."""
    parts = []
    with reporting(progress) as report:
        for features, dimension in zip(PARTS, _dimensions(model), strict=True):
            part = type(model)(**{**model.get_params(deep=False), "features": features, "dimension": dimension})
            parts.append(part.fit(graph, progress=report))
    own, other = parts
    weight = np.float32(structure_weight(own.embedding_, other.embedding_))
    model.weights_ = [*own.weights_, *(matrix * weight for matrix in other.weights_)]
    model.offset_ = np.concatenate([own.offset_, other.offset_ * weight])
    model.embedding_ = np.concatenate([own.embedding_, other.embedding_ * weight], axis=1)
    reasons = [f"{name}: {reason}" for name, part in zip(NAMES, parts, strict=True) for reason in part.recipe_.reasons]
    model.recipe_ = replace(own.recipe_, reasons=reasons)
    model._know_features(own.encoder_, graph.n_features)
    model.structure_ = fingerprint_of_both(graph)
    model.history_ = _history(own.history_, other.history_, model.embedding_)
    model.history_.notes.append(
        f"The features are the first {own.embedding_.shape[1]} columns, structure is the last {other.embedding_.shape[1]}, "
        f"times {weight:.3g}: it has {STRUCTURE_SHARE:g} of their mean square length. "
        "The embedding belongs to this graph alone."
    )
    return model


def check_both(model: Any, graph: Graph) -> None:
    """Refuse, before any work, what cannot be put side by side."""
    name = type(model).__name__
    if model.engine == "disk":
        raise InputError(
            f"{name}(engine='disk') cannot put structure beside the features. Use features='given', or use engine='memory'."
        )
    if not graph.has_features:
        raise InputError(
            f"{name}(features='both') needs node features beside the structure, and the graph has none. Use features='auto'."
        )
    if solver_of(model) == "adam":
        asked = f"Leave out {', '.join(given_to_adam(model))}" if given_to_adam(model) else "Use solver='spectral'"
        raise InputError(f"{name}(features='both') is solved in closed form, not trained. {asked}.")
    if isinstance(model.dimension, Integral) and model.dimension < 2:
        raise InputError(f"{name}(features='both') needs a dimension for each of its two parts. Got {model.dimension}.")


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


def _dimensions(model: Any) -> tuple[Any, Any]:
    """Half of a given dimension each, the odd one to the features."""
    if not isinstance(model.dimension, Integral):
        return model.dimension, model.dimension
    half = int(model.dimension) // 2
    return int(model.dimension) - half, half


def _history(own: History, other: History, embedding: NDArray[np.float32]) -> History:
    history = History(route=own.route, rows=own.rows, reason=f"features: {own.reason}; structure: {other.reason}")
    for name, part in zip(NAMES, (own, other), strict=True):
        history.stages |= {f"{name}: {stage}": seconds for stage, seconds in part.stages.items()}
    history.notes = [*own.notes, *(note for note in other.notes if note != STRUCTURE_NOTE)]
    history.effective_rank = effective_rank(torch.from_numpy(embedding))
    return history
