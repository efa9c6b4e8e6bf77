"""Graphs whose arrays are memory maps: never copied, and refused where they would need a change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from disk_cases import community_graph, mapped
from sparsecut.graph import Graph


def test_a_graph_in_memory_maps_is_not_copied(tmp_path: Path) -> None:
    graph = community_graph()
    maps = mapped(graph, tmp_path)
    again = Graph(
        sp.csr_array((maps["data"], maps["indices"], maps["indptr"]), shape=graph.adjacency.shape), features=maps["features"]
    )
    for array, name in ((again.features, "features"), (again.adjacency.indices, "indices"), (again.adjacency.data, "data")):
        assert np.shares_memory(array, maps[name])


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("symmetric", lambda A: A.data.__setitem__(5, 2)),
        ("sorted and without repeats", lambda A: A.indices.__setitem__([0, 1], A.indices[[1, 0]])),
        ("without self-loops", lambda A: A.indices.__setitem__(0, 0)),
        ("of finite weights above zero", lambda A: A.data.__setitem__(5, -1)),
        ("whole", lambda A: A.indices.__setitem__(5, 10_000)),
        ("whole", lambda A: A.indptr.__setitem__(2, 10_000_000)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_adjacency_in_memory_maps_needs_no_change_or_is_refused(rule: str, change: Any, tmp_path: Path) -> None:
    graph = community_graph()
    A = graph.adjacency.copy()
    assert A.indices[0] > 0
    change(A)
    maps = mapped(Graph.from_canonical(A, features=graph.features, node_ids=graph.node_ids), tmp_path)
    adjacency = sp.csr_array(A.shape, dtype=np.float32)
    adjacency.data, adjacency.indices, adjacency.indptr = maps["data"], maps["indices"], maps["indptr"]
    with pytest.raises(sc.InputError, match=f"An adjacency in a memory map must be {rule}, since it is not copied"):
        Graph(adjacency)
