"""Which classes the probe takes for which: its predictions on the test nodes of some splits, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.evaluation.linear_probe import check_embedding, check_splits, fit_paper, predict
from sparsecut.evaluation.metrics import CLASSES
from sparsecut.evaluation.splits import Split
from sparsecut.evaluation.targets import read_target
from sparsecut.graph import rows_and_ids


def confusion_matrix(
    embedding: ArrayLike, labels: ArrayLike, splits: Sequence[Split]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """(classes, counts): counts[i, j] test nodes of class i that the paper's probe takes for class j, over all splits."""
    rows, ids = rows_and_ids(embedding)
    Z = check_embedding(rows)
    goal = read_target(labels, ids, Z.shape[0], CLASSES)
    classes, codes = goal.classes, goal.values
    check_splits(splits, goal, "paper")
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for split in splits:
        weights = fit_paper(Z, codes, [split], len(classes))
        (predicted,) = predict(Z, weights, [split])
        np.add.at(counts, (codes[split.test], predicted), 1)
    return classes, counts
