"""k parts: planted ones, bounds on sizes, and what is measured of them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

import sparsecut as sc
from cut_graphs import barbell, grid, planted, random_weights
from sparsecut.base.errors import InputError


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(random_weights(1, 14), st.data())
def test_parts_are_as_many_and_as_large_as_asked(A: np.ndarray, data: st.DataObject) -> None:
    graph = sc.Graph(A)
    parts = data.draw(st.integers(1, len(A)))
    share = data.draw(st.sampled_from([0.0, 0.5, 0.97]))
    found = sc.partition(graph, parts, balance=share / parts)
    n = graph.n_nodes
    assert sorted(set(found.parts.tolist())) == list(range(parts))
    assert found.sizes.tolist() == sorted(np.bincount(found.parts).tolist(), reverse=True)
    assert found.sizes.min() >= max(1, min(n // parts, np.ceil(share * n / parts - 1e-9)))
    if share:
        assert found.sizes.max() <= max(-(-n // parts), n / parts / share)


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


def test_planted_parts_are_found() -> None:
    graph = planted(1000, 5, 12, 2, seed=1)
    found = sc.partition(graph, 5, balance=0.9 / 5)
    assert normalized_mutual_info_score(found.parts, graph.labels) > 0.95


def test_a_tight_balance_on_a_grid() -> None:
    """A 12 × 32 grid in four equal parts: blocks of 12 × 8 have three straight borders of 12."""
    found = sc.partition(grid(12, 32), 4, balance=0.25)
    assert found.sizes.tolist() == [96, 96, 96, 96]
    assert found.cut <= 40


def test_components_become_parts() -> None:
    graph = sc.Graph(sp.block_diag([grid(5, 5).adjacency] * 3))
    found = sc.partition(graph, 3)
    assert found.cut == 0
    assert found.sizes.tolist() == [25, 25, 25]


def test_without_bounds_a_small_part_may_be_cut_off() -> None:
    A = sp.block_diag([grid(15, 15).adjacency, np.ones((5, 5)) - np.eye(5)]).tolil()
    A[0, 225] = A[225, 0] = 1
    graph = sc.Graph(A.tocsr())
    assert sc.partition(graph, 2, balance=0).sizes.tolist() == [225, 5]
    assert sc.partition(graph, 2, balance=0.4).sizes.min() >= 92


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


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        (0, {}, "at least 1"),
        (11, {}, "at most the number of nodes"),
        (2, {"balance": 0.6}, "at most 1/parts"),
        (2, {"use": "labels"}, "one of 'structure', 'embedding', 'both'"),
        (2, {"use": "both"}, "no features"),
        (2, {"embedding": [[1.0]]}, "does not use an embedding"),
        (2, {"use": "both", "embedding": [[1.0]]}, "one row of finite numbers"),
    ],
)
def test_wrong_options_are_named(parts: int, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sc.partition(barbell(5), parts, **options)
