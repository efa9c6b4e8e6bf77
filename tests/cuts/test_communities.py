"""Communities that were planted are found."""

from __future__ import annotations

import numpy as np

from cut_graphs import planted
from sparsecut.cuts.communities import louvain
from sparsecut.cuts.objective import CutProblem


def test_louvain_finds_planted_communities() -> None:
    from sklearn.metrics import normalized_mutual_info_score

    graph = planted(1200, 6, 12, 2, seed=0)
    levels = louvain(CutProblem.of(graph), 1.0, np.random.default_rng(0))
    assert normalized_mutual_info_score(levels[-1], graph.labels) > 0.95
    counts = [len(np.unique(level)) for level in levels]
    assert counts == sorted(counts, reverse=True)
