"""Counts of what the probe takes for what: those of scikit-learn's regression, split by split."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix as counts_of
from sklearn.multiclass import OneVsRestClassifier

from sparsecut.evaluation import sample_splits
from sparsecut.evaluation.confusion import confusion_matrix


def test_counts_are_those_of_liblinear_over_all_splits() -> None:
    generator = np.random.default_rng(0)
    labels = np.array(["b", "a", "c"])[np.arange(150) % 3]
    Z = generator.normal(size=(150, 4)) + 0.8 * np.eye(3, 4)[np.arange(150) % 3]
    splits = sample_splits(labels, 10, 3)
    expected = np.zeros((3, 3), dtype=int)
    for split in splits:
        model = OneVsRestClassifier(LogisticRegression(solver="liblinear", tol=1e-10, max_iter=10_000))
        predicted = model.fit(Z[split.train], labels[split.train]).predict(Z[split.test])
        expected += counts_of(labels[split.test], predicted, labels=["a", "b", "c"])
    classes, counts = confusion_matrix(Z, labels, splits)
    assert classes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(counts, expected)
    assert 0 < np.trace(counts) < counts.sum() == 3 * 90
