"""A small planted graph in the place of the paper's, and a registry with room in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsecut import Graph
from sparsecut.evaluation import sample_splits
from sparsecut.lab.baselines import methods
from sparsecut.lab.paper import loss, table1, timing
from standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=600, n_classes=2, random_state=0)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A small graph in the place of the paper's; cora_full stays without features."""

    def splits_of(_: str, per_class: int, n_nodes: int) -> list[Any]:
        return sample_splits(np.asarray(GRAPH.labels), per_class, 4)

    def missing(dataset: str, needs_features: bool = True) -> str | None:
        return "its features are not at hand" if dataset == "cora_full" and needs_features else None

    for module in (table1, loss, timing):
        monkeypatch.setattr(module, "load_graph", lambda _: GRAPH, raising=False)
        monkeypatch.setattr(module, "published_splits", splits_of, raising=False)
        monkeypatch.setattr(module, "missing", missing)
    return GRAPH


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's own two alone, so that every other row is free; what a test registers is gone after it."""
    monkeypatch.setattr(methods, "METHODS", {name: methods.METHODS[name] for name in ("sce", "mosce", "raw")})
