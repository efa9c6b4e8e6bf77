"""Runs of several seeds, summarised. Each seed is one fit, scored on the same splits: a table of seeds by splits.

    mean        over all of it
    split_std   the spread over the splits of one fit: root of the mean over seeds of the variance over splits
    seed_std    the spread over seeds of the mean over splits, not given for a single seed

The paper's ± is over splits, so `split_std` is the one to set beside it; `seed_std` says how far another seed may lie off.
Standard deviations are divided by the number, as everywhere here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsecut.evaluation import Scores
from sparsecut.lab.paper.results import Cell


@dataclass(frozen=True)
class Summary:
    """Accuracies in percent by seed (row) and split (column), under one probe."""

    accuracies: NDArray[np.float64]
    probe: str

    @property
    def mean(self) -> float:
        return float(self.accuracies.mean())

    @property
    def split_std(self) -> float:
        return float(np.sqrt(self.accuracies.var(axis=1).mean()))

    @property
    def seed_std(self) -> float | None:
        return float(self.accuracies.mean(axis=1).std()) if len(self.accuracies) > 1 else None

    @property
    def by_split(self) -> Scores:
        """The mean over seeds for each split, to be paired with another method's."""
        return Scores({"accuracy": self.accuracies.mean(axis=0)}, probe=self.probe)

    def counts(self) -> str:
        """How many splits and seeds."""
        n_seeds, n_splits = self.accuracies.shape
        return f"{n_splits} split{'s' * (n_splits != 1)}, {n_seeds} seed{'s' * (n_seeds != 1)}"

    def __str__(self) -> str:
        spread = f" ± {self.seed_std:.1f}" if self.seed_std is not None else ""
        return f"{self.mean:.1f} ± {self.split_std:.1f}{spread}"


def summarise(cells: Sequence[Cell], probe: str) -> Summary | None:
    """The runs of one place of a table under a probe, one cell per seed; None where no cell has that probe.

    Runs over another number of splits than the most thorough of them, left from an earlier request, do not count.
    """
    runs = [cell["scores"][probe]["accuracies"] for cell in cells if probe in cell["scores"]]
    if not runs:
        return None
    most = max(map(len, runs))
    return Summary(np.array([run for run in runs if len(run) == most]), probe)
