"""Labels as they come, of any type, and as numbers. −1, None, NaN and "" mean that a node has none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.errors import InputError


def labelled_nodes(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The nodes that have a label: not −1, None, NaN or ""."""
    if labels.dtype.kind == "f":
        return np.flatnonzero(~np.isnan(labels) & (labels != -1))
    if labels.dtype.kind in "iu":
        return np.flatnonzero(labels != -1)
    return np.flatnonzero([label is not None and label == label and label != "" for label in labels.tolist()])


def encode_labels(labels: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes in order, and the position of each node's class among them: −1 for a node without a label."""
    if hasattr(labels, "adjacency"):
        raise InputError("The labels must be one value a node. Got a Graph: pass graph.labels.")
    values = np.asarray(labels)
    if values.ndim != 1:
        raise InputError(f"The labels must be one value a node. Got shape {values.shape}.")
    known = labelled_nodes(values)
    named = values[known]
    classes, class_of = np.unique(named.astype(np.str_) if values.dtype == object else named, return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[known] = class_of
    return classes, codes
