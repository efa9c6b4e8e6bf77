"""The weighting that is chosen from the numbers and from the lengths of rows, on made and on real graphs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import load_or_skip, random_graph
from cut_blocks import cut
from sparsecut import Graph
from sparsecut.engines.in_process import InProcess
from sparsecut.model.auto.constants import WeightingCost
from sparsecut.model.auto.weighting_choice import choose_weighting, length_agreement


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
    assert choose_weighting(InProcess(words(graph, is_shared=False))).chosen == "tf-idf"
    assert choose_weighting(InProcess(words(graph, is_shared=True))).chosen == "none"
    amounts = Graph(graph.adjacency, features=words(graph, is_shared=False).features / np.float32(7))
    assert choose_weighting(InProcess(amounts)).chosen == "l2"
    assert choose_weighting(InProcess(random_graph())).chosen == "none"  # signed


@pytest.mark.parametrize(
    ("name", "agreement", "weighting"),
    [("digits", 0.82, "none"), ("facebook", 0.41, "none"), ("pubmed", 0.33, "l2"), ("cora", 0.16, "tf-idf")],
)
def test_real_graphs_lie_on_both_sides_of_the_length_that_agrees(name: str, agreement: float, weighting: str) -> None:
    """The threshold 0.35 stands between Pubmed's pages and Facebook's: their lengths belong to the place, or do not."""
    graph = load_or_skip(name)
    assert length_agreement(InProcess(graph)) == pytest.approx(agreement, abs=0.005)
    reason = choose_weighting(InProcess(graph))
    assert reason.chosen == weighting
    assert reason.figures == {"correlation": round(length_agreement(InProcess(graph)), 3)}


def test_the_agreement_is_the_correlation_with_the_neighbours() -> None:
    graph = words(two_sides(), is_shared=False)
    logs = np.log(np.linalg.norm(graph.features, axis=1))
    A = graph.adjacency.toarray()
    has_neighbours = A.sum(axis=1) > 0
    around = (A @ logs)[has_neighbours] / A.sum(axis=1)[has_neighbours]
    expected = np.corrcoef(logs[has_neighbours], around)[0, 1]
    assert length_agreement(InProcess(graph)) == pytest.approx(expected, abs=1e-6)
    alike = Graph(graph.adjacency, features=np.ones((200, 3)))
    assert length_agreement(InProcess(alike)) == 0  # lengths that do not differ say nothing
    assert length_agreement(InProcess(Graph(sp.csr_array((4, 4)), features=np.arange(8).reshape(4, 2)))) == 0


def test_nodes_without_neighbours_do_not_count_in_the_agreement() -> None:
    """They have nobody to agree with: the number is that of the graph without them, however long their rows are."""
    graph = words(two_sides(), is_shared=True)
    n_alone = 100
    adjacency = sp.block_diag([graph.adjacency, sp.csr_array((n_alone, n_alone))]).tocsr()
    alone = np.random.default_rng(3).poisson(np.linspace(0.2, 60, n_alone)[:, None], (n_alone, 30))
    more = Graph(adjacency, features=np.vstack([graph.features, alone.clip(max=np.abs(graph.features).max())]))
    expected = length_agreement(InProcess(graph))
    assert expected > 0.5
    assert length_agreement(InProcess(more)) == pytest.approx(expected, abs=1e-6)
    assert length_agreement(cut(more, (50, 200, 250))) == length_agreement(InProcess(more))


CUTS = [7, 8, 30]


def graph_of(kind: str) -> Graph:
    graph = random_graph(60, 6, density=0.2, is_weighted=kind == "weighted", seed=3)
    numbers = np.abs(graph.features) * (1 + np.arange(60) % 5)[:, None]
    if kind == "signed":
        numbers = graph.features
    elif kind == "counts":
        numbers = np.floor(numbers)
    elif kind == "sparse":
        return graph.replace(features=sp.csr_array(np.floor(numbers).astype(np.float32)))
    return graph.replace(features=numbers.astype(np.float32))


@pytest.mark.parametrize("with_tensors", [False, True])
@pytest.mark.parametrize("kind", ["signed", "amounts", "weighted", "counts", "sparse"])
def test_the_choice_and_its_reason_are_those_of_the_whole(kind: str, with_tensors: bool) -> None:
    graph = graph_of(kind)
    parts, whole = cut(graph, CUTS, with_tensors=with_tensors), InProcess(graph)
    assert choose_weighting(parts) == choose_weighting(whole)
    assert length_agreement(parts) == pytest.approx(length_agreement(whole), abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), max_size=6), st.integers(0, 3), st.booleans())
def test_the_correlation_is_numpys_in_any_blocks(cuts: list[int], seed: int, with_tensors: bool) -> None:
    generator = np.random.default_rng(seed)
    features = generator.lognormal(3, 1, (60, 4)).astype(np.float32)
    graph = random_graph(60, seed=seed, density=0.03).replace(features=features)  # some nodes have no neighbour
    correlation = length_agreement(cut(graph, cuts, with_tensors=with_tensors))
    A, logs = graph.adjacency.toarray().astype(np.float64), np.log(np.linalg.norm(features.astype(np.float64), axis=1))
    linked = A.sum(axis=1) > 0
    around = (A @ logs)[linked] / A.sum(axis=1)[linked]
    assert correlation == pytest.approx(np.corrcoef(logs[linked], around)[0, 1], abs=1e-9)
    assert correlation == length_agreement(cut(graph, with_tensors=with_tensors))


@pytest.mark.parametrize("with_tensors", [False, True])
def test_lengths_that_do_not_differ_say_nothing(with_tensors: bool) -> None:
    graph = random_graph(30).replace(features=np.ones((30, 2), dtype=np.float32))
    assert length_agreement(cut(graph, CUTS, with_tensors=with_tensors)) == 0
    empty = graph.replace(features=sp.csr_array((30, 2), dtype=np.float32))
    chosen = choose_weighting(cut(empty, CUTS, with_tensors=with_tensors))
    assert chosen == choose_weighting(InProcess(empty))
    assert chosen.chosen == "none"


def test_a_sign_behind_the_first_rows_is_seen() -> None:
    cost = WeightingCost(first_rows=5)
    graph = random_graph(20).replace(features=np.ones((20, 2), dtype=np.float32))
    assert choose_weighting(cut(graph, [3, 9]), cost=cost).chosen == "tf-idf"
    for value, name in ((-1.0, "none"), (0.5, "l2")):
        features = np.ones((20, 2), dtype=np.float32)
        features[17, 1] = value
        assert choose_weighting(cut(graph.replace(features=features), [3, 9]), cost=cost).chosen == name
