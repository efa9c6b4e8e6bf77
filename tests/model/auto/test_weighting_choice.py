"""The weighting that is chosen from the numbers and from the lengths of rows, on made and on real graphs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import load_or_skip, random_graph
from sparsecut import Graph
from sparsecut.model.auto.weighting_choice import _length_agreement, choose_weighting
from walking import walked


def words(graph: Graph, *, is_shared: bool) -> Graph:
    """Rows of word counts, long or short by the side of the graph a node is on, or at random."""
    generator = np.random.default_rng(0)
    n_nodes = graph.n_nodes
    is_long = np.arange(n_nodes) < n_nodes // 2 if is_shared else generator.random(n_nodes) < 0.5
    return Graph(graph.adjacency, features=generator.poisson(np.where(is_long, 4.0, 0.5)[:, None], (n_nodes, 30)))


def two_sides(n_nodes: int = 200) -> Graph:
    generator = np.random.default_rng(1)
    side = np.arange(n_nodes) < n_nodes // 2
    chance = np.where(side[:, None] == side, 0.1, 0.002)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < chance, 1)
    return Graph((upper + upper.T).astype(np.float32))


def test_the_weighting_follows_from_what_the_numbers_are() -> None:
    graph = two_sides()
    assert choose_weighting(words(graph, is_shared=False)).chosen == "tf-idf"
    assert choose_weighting(words(graph, is_shared=True)).chosen == "none"
    amounts = Graph(graph.adjacency, features=words(graph, is_shared=False).features / np.float32(7))
    assert choose_weighting(amounts).chosen == "l2"
    assert choose_weighting(random_graph()).chosen == "none"  # signed


@pytest.mark.parametrize(
    ("name", "agreement", "weighting"),
    [("digits", 0.82, "none"), ("facebook", 0.41, "none"), ("pubmed", 0.33, "l2"), ("cora", 0.16, "tf-idf")],
)
def test_real_graphs_lie_on_both_sides_of_the_length_that_agrees(name: str, agreement: float, weighting: str) -> None:
    """The threshold 0.35 stands between Pubmed's pages and Facebook's: their lengths belong to the place, or do not."""
    graph = load_or_skip(name)
    assert _length_agreement(graph) == pytest.approx(agreement, abs=0.005)
    reason = choose_weighting(graph)
    assert reason.chosen == weighting
    assert reason.figures == {"correlation": round(_length_agreement(graph), 3)}


def test_the_agreement_is_the_correlation_with_the_neighbours() -> None:
    graph = words(two_sides(), is_shared=False)
    logs = np.log(np.linalg.norm(graph.features, axis=1))
    A = graph.adjacency.toarray()
    has_neighbours = A.sum(axis=1) > 0
    around = (A @ logs)[has_neighbours] / A.sum(axis=1)[has_neighbours]
    expected = np.corrcoef(logs[has_neighbours], around)[0, 1]
    assert _length_agreement(graph) == pytest.approx(expected, abs=1e-6)
    alike = Graph(graph.adjacency, features=np.ones((200, 3)))
    assert _length_agreement(alike) == 0  # lengths that do not differ say nothing
    assert _length_agreement(Graph(sp.csr_array((4, 4)), features=np.arange(8).reshape(4, 2))) == 0


def test_nodes_without_neighbours_do_not_count_in_the_agreement() -> None:
    """They have nobody to agree with: the number is that of the graph without them, however long their rows are."""
    graph = words(two_sides(), is_shared=True)
    n_alone = 100
    adjacency = sp.block_diag([graph.adjacency, sp.csr_array((n_alone, n_alone))]).tocsr()
    alone = np.random.default_rng(3).poisson(np.linspace(0.2, 60, n_alone)[:, None], (n_alone, 30))
    more = Graph(adjacency, features=np.vstack([graph.features, alone.clip(max=np.abs(graph.features).max())]))
    expected = _length_agreement(graph)
    assert expected > 0.5
    assert _length_agreement(more) == pytest.approx(expected, abs=1e-6)
    assert _length_agreement(walked(more, (50, 200, 250))) == pytest.approx(expected, abs=1e-6)
