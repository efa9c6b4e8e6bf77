"""Which classes the probe takes for which: its predictions on the test nodes of some splits, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.evaluation.linear_probe import check_embedding, check_splits, fit_paper, labelled_rows, predict
from sparsecut.evaluation.splits import Split
from sparsecut.graph import encode_labels


def confusion_matrix(
    embedding: ArrayLike, labels: ArrayLike, splits: Sequence[Split]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """(classes, counts): counts[i, j] test nodes of class i that the paper's probe takes for class j, over all splits."""
    rows, labels = labelled_rows(embedding, labels)
    Z = check_embedding(rows)
    classes, codes = encode_labels(labels)
    check_splits(splits, codes, "paper")
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for split in splits:
        weights = fit_paper(Z, codes, [split], len(classes))
        (predicted,) = predict(Z, weights, [split])
        np.add.at(counts, (codes[split.test], predicted), 1)
    return classes, counts
