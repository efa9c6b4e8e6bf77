"""Parts in the report: sizes and conductances by hand, and a tree whose nodes are those of the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from report_blocks import blocks_of, meta_of, section
from sparsecut.base.errors import InputError

TRIANGLES = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
TRIANGLES[2, 3] = TRIANGLES[3, 2] = 1  # one edge between them
GRAPH = sc.Graph(TRIANGLES, node_ids=list("abcdef"))
Z = np.eye(6)


def test_parts_and_their_conductances(tmp_path: Path) -> None:
    path = sc.report(Z, tmp_path / "r.html", graph=GRAPH, cut=sc.partition(GRAPH, 2), layout_method="pca", n_neighbors=2)
    told = section(meta_of(path), "parts")
    assert told["table"]["rows"] == [[0, 3, 1.0, 0.1429], [1, 3, 1.0, 0.1429]]  # 1 of the 7 ends of each leaves
    assert told["sentences"][1].startswith("85.7% of the edges' weight is inside the 2 parts.")
    assert meta_of(path)["colorBy"] == "part"
    assert meta_of(path)["tree"] is None


def test_the_side_of_a_cut(tmp_path: Path) -> None:
    found = sc.sparsest_cut(GRAPH)
    path = sc.report(Z, tmp_path / "r.html", graph=GRAPH, cut=found, layout_method="pca", n_neighbors=2)
    block = next(one["block"] for one in meta_of(path)["columns"] if one["name"] == "side")
    sides = np.frombuffer(blocks_of(path)[block], "<u2") - 1
    assert {node for node, side in zip("abcdef", sides.tolist(), strict=True) if side} == set(found.nodes.tolist())


def test_a_tree_in_another_order_of_nodes(tmp_path: Path) -> None:
    tree = sc.hierarchy(GRAPH)
    ids = list("fbadce")
    path = sc.report(Z, tmp_path / "r.html", ids=ids, graph=GRAPH, cut=tree, layout_method="pca", n_neighbors=2)
    left, right = (np.frombuffer(blocks_of(path)[name], "<u4").tolist() for name in ("tree-left", "tree-right"))

    def members(cluster: int) -> set[str]:
        if cluster < 6:
            return {ids[cluster]}
        return members(left[cluster - 6]) | members(right[cluster - 6])

    assert {frozenset(members(left[-1])), frozenset(members(right[-1]))} == {frozenset("abc"), frozenset("def")}
    np.testing.assert_allclose(np.frombuffer(blocks_of(path)["tree-values"], "<f4"), tree.values, rtol=1e-6)


def test_a_cut_of_another_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be of the graph that was embedded"):
        sc.report(Z, tmp_path / "r.html", cut=sc.partition(GRAPH, 2))
