"""Columns of features that hold the labels: vectors made of them have seen the answer.

A column holds the labels where it has one value for each class and one class for each value, at all nodes that have a label.
Without labels, a column that is named as labels are is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.features.arrow_values import has_lists
from sparsecut.features.feature_tables import FeatureTable
from sparsecut.features.numbers import LeftOut
from sparsecut.features.typed_features import TypedFeatures

NAMES = ("label", "labels", "class", "target")
MIN_LABELLED = 10  # nodes: in fewer a column may agree by chance


def leaks_of(source: Any, classes: NDArray[np.int64] | None) -> tuple[str, ...]:
    """Sentences on the columns of a graph's features that hold its labels; `classes` has −1 where a node has no label."""
    if isinstance(source, TypedFeatures):
        said: list[str] = []
        for name, part in source.sources.items():
            here = np.flatnonzero(source.codes == source.node_types.index(name))
            own = None if classes is None or (classes[here] < 0).all() else classes[here]
            said += [f"{name}: {sentence}" for sentence in _leaks(part, source.rows[here], own)]
        return tuple(said)
    return tuple(_leaks(source, getattr(source, "rows", None), classes))


def _leaks(source: Any, rows: NDArray[np.int64] | None, classes: NDArray[np.int64] | None) -> list[str]:
    if not isinstance(source, FeatureTable) or rows is None:
        return []
    names = [fitted.name for fitted in source.encoder.columns if not isinstance(fitted, LeftOut)]
    if classes is None:
        named = [name for name in names if name.lower() in NAMES]
        return [
            f"Column {name!r} of the features is named as labels are. If it holds what the vectors will be asked for, they "
            "have seen the answer: leave it out of the features (feature_columns=…, --feature-columns)."
            for name in named
        ]
    at = np.flatnonzero((classes >= 0) & (rows >= 0))
    if len(at) < MIN_LABELLED:
        return []
    return [
        f"Column {name!r} of the features holds the labels, so the vectors have seen the answer. Leave it out of the "
        "features (feature_columns=…, --feature-columns)."
        for name in names
        if _is_same(source.columns[name], rows[at], classes[at])
    ]


def _is_same(column: Any, rows: NDArray[np.int64], classes: NDArray[np.int64]) -> bool:
    """Whether values and classes stand for each other, one for one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if has_lists(column.type):
        return False
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    values = encoded.indices.to_numpy()[rows]
    n_values, n_classes = len(np.unique(values)), len(np.unique(classes))
    if n_values != n_classes or not 4 <= 2 * n_classes <= len(classes):
        return False
    return len(np.unique(values.astype(np.int64) * (classes.max() + 1) + classes)) == n_classes
