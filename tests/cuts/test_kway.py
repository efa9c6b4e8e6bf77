"""k parts: planted ones, bounds on sizes, and what is measured of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

import sparsecut as sc
from cut_graphs import barbell, graph_of, grid, planted, random_weights
from sparsecut.base.errors import ImbalanceWarning, InputError
from tables_by_type import graph_of_tables


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(random_weights(1, 14), st.data())
def test_parts_are_as_many_and_as_large_as_asked(A: np.ndarray, data: st.DataObject) -> None:
    graph = sc.Graph(A)
    parts = data.draw(st.integers(1, len(A)))
    imbalance = data.draw(st.sampled_from([0.0, 0.03, 1.0, 20.0]))
    objective = data.draw(st.sampled_from(["cut", "conductance", "modularity"]))
    found = sc.partition(graph, parts, imbalance=imbalance, objective=objective)
    share = -(-graph.n_nodes // parts)
    assert sorted(set(found.parts.tolist())) == list(range(parts))
    assert found.sizes.tolist() == sorted(np.bincount(found.parts).tolist(), reverse=True)
    assert found.sizes.max() <= np.floor((1 + imbalance) * share + 1e-9)
    assert found.imbalance == pytest.approx(found.sizes.max() * parts / graph.n_nodes - 1)


@pytest.mark.slow
def test_what_is_measured_agrees_with_networkx() -> None:
    graph = planted(400, 4, 10, 2, seed=0)
    found = sc.partition(graph, 4)
    G = nx.from_scipy_sparse_array(graph.adjacency)
    groups = [set(np.flatnonzero(found.parts == part).tolist()) for part in range(4)]
    assert found.modularity == pytest.approx(nx.community.modularity(G, groups))
    assert found.cut == pytest.approx(sum(nx.cut_size(G, group) for group in groups) / 2)
    n = graph.n_nodes
    for part, group in enumerate(groups):
        assert found.values[part] == pytest.approx(n * nx.cut_size(G, group) / (len(group) * (n - len(group))))
        assert set(found.nodes(part).tolist()) == group


@pytest.mark.slow
def test_planted_parts_are_found() -> None:
    graph = planted(1000, 5, 12, 2, seed=1)
    found = sc.partition(graph, 5, imbalance=0.1)
    assert normalized_mutual_info_score(found.parts, graph.labels) > 0.95


def test_a_tight_balance_on_a_grid() -> None:
    """A 12 × 32 grid in four equal parts: blocks of 12 × 8 have three straight borders of 12."""
    found = sc.partition(grid(12, 32), 4, imbalance=0.0)
    assert found.sizes.tolist() == [96, 96, 96, 96]
    assert found.cut <= 40


def test_components_become_parts() -> None:
    graph = sc.Graph(sp.block_diag([grid(5, 5).adjacency] * 3))
    found = sc.partition(graph, 3)
    assert found.cut == 0
    assert found.sizes.tolist() == [25, 25, 25]


@pytest.mark.slow
def test_without_bounds_a_small_part_may_be_cut_off() -> None:
    A = sp.block_diag([grid(15, 15).adjacency, np.ones((5, 5)) - np.eye(5)]).tolil()
    A[0, 225] = A[225, 0] = 1
    graph = sc.Graph(A.tocsr())
    assert sc.partition(graph, 2, imbalance=2.0).sizes.tolist() == [225, 5]
    assert sc.partition(graph, 2, imbalance=0.2).sizes.min() >= 92


@pytest.mark.slow
def test_the_embedding_alone_and_both() -> None:
    """Edges say nothing here, the embedding says all: two clouds over a graph without communities."""
    graph = planted(300, 1, 8, 0, seed=2)
    random = np.random.default_rng(0)
    truth = np.arange(graph.n_nodes) % 2
    Z = random.normal(size=(graph.n_nodes, 4)) * 0.1
    Z[:, 0] += np.where(truth == 0, 1.0, -1.0)
    Z[:, 1] += 1.0
    found = sc.partition(graph, 2, use="embedding", embedding=Z)
    assert normalized_mutual_info_score(found.parts, truth) > 0.9
    assert sc.partition(graph, 2, use="both", embedding=Z).parts.max() == 1
    alone = sc.partition(graph, 2)
    assert normalized_mutual_info_score(alone.parts, truth) < 0.1


@pytest.mark.slow
def test_a_graph_with_features_brings_its_embedding() -> None:
    graph = sc.datasets.load("digits")
    found = sc.partition(graph, 10, use="both")
    assert normalized_mutual_info_score(found.parts, graph.labels) > 0.7


def test_no_import_hides_the_function_behind_a_module_of_its_name() -> None:
    """`sparsecut.cli.partition` and the room of cuts are imported here, and `sc.partition` still makes parts."""
    import sparsecut.cli.partition
    import sparsecut.cuts.kway  # noqa: F401 - imported to see what it binds

    assert sc.partition(barbell(5), 2).cut == 1


def least(graph: sc.Graph, parts: int, value: Callable[[np.ndarray], float], most: float = np.inf) -> float:
    """The least value over all ways to put the nodes into so many parts, none empty and none of more nodes than allowed."""
    n = graph.n_nodes
    ways = (np.array(way) for way in itertools.product(range(parts), repeat=n) if len(set(way)) == parts)
    return min(value(way) for way in ways if np.bincount(way).max() <= most)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_small_graphs_get_the_best_parts_of_every_objective(seed: int) -> None:
    """Two cliques of four with random edges between: every assignment of eight nodes to three parts is tried."""
    A = np.maximum(np.kron(np.eye(2), np.ones((4, 4))), np.random.default_rng(seed).random((8, 8)) < 0.15)
    graph = graph_of(A)
    G = nx.from_scipy_sparse_array(graph.adjacency)

    def groups(way: np.ndarray) -> list[set[int]]:
        return [set(np.flatnonzero(way == part).tolist()) for part in range(3)]

    values = {
        "cut": lambda way: sum(nx.cut_size(G, group) for group in groups(way)) / 2,
        "modularity": lambda way: -nx.community.modularity(G, groups(way)),
        "conductance": lambda way: float(np.mean([nx.conductance(G, group) for group in groups(way)])),
    }
    cut = sc.partition(graph, 3, imbalance=0.0)
    assert values["cut"](cut.parts) == cut.cut == least(graph, 3, values["cut"], most=3)
    for objective in ("modularity", "conductance"):
        found = sc.partition(graph, 3, objective=objective)
        assert values[objective](found.parts) <= least(graph, 3, values[objective]) + 0.05
    assert found.conductances.mean() == pytest.approx(values["conductance"](found.parts))


@pytest.mark.slow
def test_the_other_objectives_leave_sizes_free() -> None:
    """Three cliques of 4, 8 and 20 nodes in a row: equal parts would cut the largest."""
    A = sp.block_diag([np.ones((size, size)) for size in (4, 8, 20)]).toarray()
    A[3, 4] = A[11, 12] = 1
    graph = graph_of(A)
    for objective in ("conductance", "modularity"):
        assert sc.partition(graph, 3, objective=objective).sizes.tolist() == [20, 8, 4]
    assert sc.partition(graph, 3).sizes.max() <= 11


@pytest.mark.slow
def test_weights_of_nodes_are_balanced_in_place_of_their_number() -> None:
    """A path of 40 whose first eight nodes weigh four each: half of the weight lies left of node 8."""
    graph = grid(1, 40)
    weights = np.where(np.arange(40) < 8, 4.0, 1.0)
    found = sc.partition(graph, 2, node_weights=weights, imbalance=0.0)
    assert found.sizes.tolist() == [32, 8]
    assert found.imbalance == 0
    by_id = sc.partition(graph, 2, node_weights=dict.fromkeys(range(8), 4.0), imbalance=0.0)
    np.testing.assert_array_equal(by_id.parts, found.parts)
    scaled = sc.partition(graph, 2, node_weights=weights * 0.3, imbalance=0.0)
    np.testing.assert_array_equal(scaled.parts, found.parts)


@pytest.mark.parametrize("size", [8, 30], ids=["our own search", "Mt-KaHyPar where it is installed"])
def test_fixed_nodes_stay_in_their_parts_which_keep_their_numbers(size: int) -> None:
    graph = grid(size, size)
    corners = {0: 3, size - 1: 2, size * (size - 1): 1, size * size - 1: 0}
    found = sc.partition(graph, 4, fixed=corners)
    assert {node: int(found.parts[node]) for node in corners} == corners
    assert found.sizes.max() <= 1.03 * size * size / 4
    assert found.cut <= 4 * size  # four squares cut 2·size edges
    array = np.full(size * size, -1)
    array[list(corners)] = list(corners.values())
    np.testing.assert_array_equal(sc.partition(graph, 4, fixed=array).parts, found.parts)


def test_the_fast_way_keeps_the_bound_and_says_who_it_was() -> None:
    graph = grid(30, 30)
    found = sc.partition(graph, 5, effort="fast")
    assert found.sizes.max() <= 1.03 * 180
    assert found.cut <= 200
    assert found.source == (
        "METIS" if find_spec("pymetis") else "Mt-KaHyPar" if find_spec("mtkahypar") else "recursive cuts"
    )


def test_the_parts_as_a_frame_and_as_a_picture(tmp_path: Path) -> None:
    found = sc.partition(barbell(5), 2)
    frame = found.to_frame()
    assert frame.index.tolist() == list(range(10))
    assert frame["part"].tolist() == found.parts.tolist()
    figure = found.draw(tmp_path / "parts.svg")
    assert (tmp_path / "parts.svg").stat().st_size > 0
    assert [len(dots.get_offsets()) for dots in figure.axes[0].collections[2:]] == [5, 5]


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        (0, {}, "at least 1"),
        (11, {}, "at most the number of nodes"),
        (2, {"imbalance": -0.1}, "at least 0"),
        (2, {"objective": "ratio"}, "one of 'cut', 'conductance', 'modularity'"),
        (2, {"effort": "some"}, "one of 'usual', 'best', 'fast'"),
        (2, {"node_weights": [1.0, 2.0]}, "one positive number for each of the 10 nodes"),
        (2, {"node_weights": {0: 0.0}}, "one positive number for each of the 10 nodes"),
        (2, {"fixed": {0: 2}}, "parts from 0 to 1"),
        (2, {"fixed": {"a": 1}}, "fixed names nodes that the graph does not have"),
        (2, {"use": "labels"}, "one of 'structure', 'embedding', 'both'"),
        (2, {"use": "both"}, "no features"),
        (2, {"embedding": [[1.0]]}, "does not use an embedding"),
        (2, {"use": "both", "embedding": [[1.0]]}, "one row of finite numbers"),
    ],
)
def test_wrong_options_are_named(parts: int, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sc.partition(barbell(5), parts, **options)


def test_parts_of_a_graph_with_types_have_the_nodes_of_each() -> None:
    graph = graph_of_tables()
    parts = sc.partition(graph, 2)
    frame = parts.to_frame()
    assert frame["type"].tolist() == graph.types.tolist()
    for part in range(2):
        authors = frame.index[(frame["part"] == part) & (frame["type"] == "author")]
        assert [f"author:{one}" for one in parts.nodes(part, type="author").tolist()] == authors.tolist()
        assert len(parts.nodes(part)) == sum(len(parts.nodes(part, type=name)) for name in graph.node_types)
    with pytest.raises(sc.InputError, match="The graph has no nodes of type 'editor'"):
        parts.nodes(0, type="editor")


def test_weights_and_fixed_nodes_of_a_series_are_those_it_names() -> None:
    pandas = pytest.importorskip("pandas")
    ids = np.array([f"n{node}" for node in range(40)])
    graph = grid(5, 8).replace(node_ids=ids)
    weights = np.where(np.arange(40) < 8, 20.0, 1.0)
    members = np.where(np.arange(40) < 2, np.arange(40), -1)
    named = [pandas.Series(values, index=ids).sample(frac=1, random_state=3) for values in (weights, members)]
    expected = sc.partition(graph, 2, node_weights=weights, fixed=members)
    found = sc.partition(graph, 2, node_weights=named[0], fixed=named[1][named[1] >= 0])
    assert found.parts.tolist() == expected.parts.tolist()
    assert found.parts[:2].tolist() == [0, 1]
    sums = np.bincount(found.parts, weights)
    assert sums.max() <= 1.03 * np.ceil(weights.sum() / 2)
    with pytest.raises(InputError, match=r"node_weights name nodes .* 'x'"):
        sc.partition(graph, 2, node_weights=pandas.Series([1.0], index=["x"]))


def test_fixed_nodes_that_break_the_balance_are_said() -> None:
    graph = grid(6, 6)
    with pytest.warns(ImbalanceWarning, match="left a part of weight (2[5-9]|3[0-9]), and imbalance=0.03 allows 12"):
        found = sc.partition(graph, 3, fixed=dict.fromkeys(range(25), 1))
    assert found.sizes.max() >= 25
    assert set(found.parts[:25].tolist()) == {1}
    assert sc.partition(graph, 3, fixed={0: 1, 5: 2}).sizes.tolist() == [12, 12, 12]  # without a word
    assert sc.partition(graph, 3, fixed=dict.fromkeys(range(25), 1), imbalance=1.5).sizes.max() >= 25
