"""The page's edges, read back from its blocks, are those of the graph: by type, direction, sign and time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sparsecut as sc
from report_blocks import blocks_of, meta_of
from sparsecut.explore.report_edges import find_edges
from timed_graphs import DAY, timed_edges


def edges_of(path: Path, n_nodes: int) -> list[tuple[int, int]]:
    """The pairs that the page holds, unpacked as its script does it."""
    blocks = blocks_of(path)
    steps = iter(np.frombuffer(blocks["edge-steps"], "<u4").tolist())
    found = []
    for node, count in enumerate(np.frombuffer(blocks["edge-counts"], "<u4").tolist()):
        other = node
        for _ in range(count):
            other += next(steps)
            found.append((node, other))
    assert next(steps, None) is None
    assert len(np.frombuffer(blocks["edge-counts"], "<u4")) == n_nodes
    return found


def page_on(graph: sc.Graph, path: Path, **options: Any) -> Path:
    Z = np.random.default_rng(0).normal(size=(graph.n_nodes, 4))
    return sc.report(Z, path, graph=graph, layout_method="pca", **options)


def test_the_edges_of_a_plain_graph(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    A = np.triu(generator.random((30, 30)) < 0.2, 1)
    path = page_on(sc.Graph((A | A.T).astype(float)), tmp_path / "r.html")
    assert edges_of(path, 30) == list(zip(*map(list, np.nonzero(A)), strict=True))
    assert meta_of(path)["edges"] == {"count": int(A.sum()), "kinds": [], "isCalendar": False}
    assert not {"edge-kinds", "edge-signs", "edge-ways", "edge-times"} & set(blocks_of(path))


def test_directions(tmp_path: Path) -> None:
    A = np.zeros((4, 4))
    A[0, 1] = A[2, 1] = A[1, 3] = A[3, 1] = 1
    path = page_on(sc.Graph(A, directed="out"), tmp_path / "r.html")
    assert edges_of(path, 4) == [(0, 1), (1, 2), (1, 3)]
    assert list(blocks_of(path)["edge-ways"]) == [1, 2, 3]


def test_signs(tmp_path: Path) -> None:
    A = np.array([[0, 1, -2, 0], [1, 0, 0, 1], [-2, 0, 0, -1], [0, 1, -1, 0]])
    path = page_on(sc.Graph(A, signed=True), tmp_path / "r.html")
    assert edges_of(path, 4) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert list(blocks_of(path)["edge-signs"]) == [0, 1, 0, 1]


def test_times_are_the_latest_of_each_pair(tmp_path: Path) -> None:
    table = timed_edges(20, 100)
    latest: dict[tuple[int, int], float] = {}
    for one, two, at in zip(table["source"].tolist(), table["target"].tolist(), table["at"].tolist(), strict=True):
        if one != two:
            pair = (min(one, two), max(one, two))
            latest[pair] = max(at, latest.get(pair, -1))
    graph = sc.from_edges(table, time="at", half_life=30)
    order = np.argsort(graph.node_ids)  # the pairs below are by id
    path = sc.report(
        np.eye(graph.n_nodes),
        tmp_path / "r.html",
        graph=graph,
        ids=graph.node_ids[order],
        layout_method="pca",
        n_neighbors=2,
    )
    pairs = edges_of(path, graph.n_nodes)
    ids = graph.node_ids[order].tolist()
    times = np.frombuffer(blocks_of(path)["edge-times"], "<f8")
    assert {(ids[one], ids[two]): at for (one, two), at in zip(pairs, times.tolist(), strict=True)} == latest


def test_times_of_a_calendar_and_types(tmp_path: Path) -> None:
    edges = {
        ("author", "writes", "paper"): {"author_id": [1, 2, 2], "paper_id": [10, 10, 11], "at": ["2024-01-02"] * 3},
        ("author", "reads", "paper"): {"author_id": [1, 1], "paper_id": [10, 11], "at": ["2024-01-03", "2024-01-04"]},
    }
    graph = sc.from_tables(edges=edges, time="at", half_life="10d")
    path = page_on(graph, tmp_path / "r.html")
    about, blocks = meta_of(path)["edges"], blocks_of(path)
    assert about == {"count": 5, "kinds": ["author writes paper", "author reads paper"], "isCalendar": True}
    kinds = np.frombuffer(blocks["edge-kinds"], "<u2")
    days = np.frombuffer(blocks["edge-times"], "<f8") / DAY - np.datetime64("2024-01-01").astype(int)
    ids = graph.node_ids.tolist()
    found = {
        (*sorted((ids[one], ids[two])), about["kinds"][kind].split()[1]): round(day)
        for (one, two), kind, day in zip(edges_of(path, 4), kinds.tolist(), days.tolist(), strict=True)
    }
    assert found == {
        ("author:1", "paper:10", "writes"): 1,
        ("author:2", "paper:10", "writes"): 1,
        ("author:2", "paper:11", "writes"): 1,
        ("author:1", "paper:10", "reads"): 2,
        ("author:1", "paper:11", "reads"): 3,
    }


def test_more_edges_than_a_page_holds_are_left_out_with_a_sentence() -> None:
    graph = sc.Graph(np.ones((4, 4)) - np.eye(4))
    assert find_edges(graph, 2) == (None, "The graph's 6 edges are not in this page, which holds at most 2.")
    assert find_edges(graph, 6)[0] is not None
