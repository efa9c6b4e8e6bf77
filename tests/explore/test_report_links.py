"""Recommendations in the page are those of `Links.recommend`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from report_blocks import blocks_of, meta_of
from sparsecut.base.errors import InputError
from sparsecut.explore.report_links import find_links

GRAPH = sc.datasets.load("digits").subgraph(positions=range(0, 1797, 12))


def test_every_node_has_its_recommendations_in_the_order_of_the_page(tmp_path: Path) -> None:
    Z = np.asarray(GRAPH.features)
    links = sc.Links(Z, GRAPH)
    order = np.random.default_rng(0).permutation(GRAPH.n_nodes)
    ids = GRAPH.node_ids[order]
    path = sc.report(Z[order], tmp_path / "r.html", ids=ids, links=links, layout_method="pca")
    k = meta_of(path)["recommended"]["k"]
    found = np.frombuffer(blocks_of(path)["recommended"], "<u4").reshape(-1, k)
    shares = np.frombuffer(blocks_of(path)["recommended-shares"], "<f4").reshape(-1, k)
    for row in (0, 17, 149):
        wanted = links.recommend(ids[row], k)
        assert ids[found[row]].tolist() == wanted.ids.tolist()
        np.testing.assert_allclose(shares[row], wanted.probabilities, rtol=1e-5)


def test_fewer_candidates_than_places_are_none(tmp_path: Path) -> None:
    A = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
    A[3, 4] = A[4, 3] = 1
    graph = sc.Graph(A)
    path = sc.report(np.eye(8), tmp_path / "r.html", links=sc.Links(np.eye(8), graph), graph=graph, layout_method="pca")
    found = np.frombuffer(blocks_of(path)["recommended"], "<u4").reshape(8, -1)
    assert (found == 8).sum(axis=1).tolist() == [1, 1, 1, 2, 2, 1, 1, 1]  # 4 or 3 nodes are not linked yet


def test_too_many_nodes_and_another_graph_are_refused(tmp_path: Path) -> None:
    links = sc.Links(np.asarray(GRAPH.features), GRAPH)
    with pytest.raises(InputError, match="must be of the graph that was embedded"):
        sc.report(np.eye(3), tmp_path / "r.html", ids=["x", "y", "z"], links=links)
    with pytest.raises(InputError, match=r"at most 2 nodes\. Got 3"):
        find_links(links, GRAPH.node_ids[:3], most_nodes=2)
