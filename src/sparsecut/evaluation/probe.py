"""The paper's linear probe: one-vs-rest logistic regression on the training nodes, accuracy on the test nodes.

liblinear, L2 with C = 1, the intercept regularised too, the embedding as it comes; validation nodes are not used. Since C is
fixed, the scale of an embedding changes its score: the probe is named `paper` wherever its figures appear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.errors import InputError
from sparsecut.evaluation.splits import Split, sample_splits
from sparsecut.progress import ProgressBar, Reporter


@dataclass(frozen=True)
class Scores:
    """Accuracies in percent, one a split."""

    accuracies: NDArray[np.float64]
    probe: str = "paper"

    @property
    def mean(self) -> float:
        return float(self.accuracies.mean())

    @property
    def std(self) -> float:
        return float(self.accuracies.std())

    def to_dict(self) -> dict[str, Any]:
        return {
            "probe": self.probe,
            "n_splits": len(self.accuracies),
            "accuracy": self.mean,
            "std": self.std,
            "accuracies": self.accuracies.tolist(),
        }

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.std:.1f}"


def evaluate(
    embedding: ArrayLike,
    labels: ArrayLike,
    *,
    per_class: int = 20,
    n_splits: int = 50,
    random_state: int = 0,
    progress: Reporter | None = None,
) -> Scores:
    """Probe an embedding over random splits with `per_class` labels of each class."""
    return probe(embedding, labels, sample_splits(labels, per_class, n_splits, random_state), progress=progress)


def probe(embedding: ArrayLike, labels: ArrayLike, splits: Sequence[Split], *, progress: Reporter | None = None) -> Scores:
    """Probe an embedding over given splits."""
    Z, labels = np.asarray(embedding), np.asarray(labels)
    if Z.ndim != 2 or len(Z) != len(labels):
        raise InputError(f"An embedding and its labels need one row a node. Got shape {Z.shape} and {len(labels):,} labels.")
    if not np.isfinite(Z).all():
        raise InputError(f"The embedding must be finite. Row {int(np.argmax(~np.isfinite(Z).all(axis=1)))} is not.")
    with ProgressBar(is_enabled=None if progress is None else False) as bar:
        report = progress or bar
        accuracies = []
        for number, split in enumerate(splits, start=1):
            accuracies.append(_accuracy(Z, labels, split))
            report("probe", number, len(splits))
    return Scores(np.array(accuracies))


def _accuracy(Z: NDArray[Any], labels: NDArray[Any], split: Split) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear", C=1.0))
    classifier.fit(Z[split.train], labels[split.train])
    return 100 * float((classifier.predict(Z[split.test]) == labels[split.test]).mean())
