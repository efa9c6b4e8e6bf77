"""Roles against dense formulas; blocks, tensors and the order of nodes change no bit; what a fitted model keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from conftest import random_graph
from cut_blocks import cut
from sparsecut.engines import InProcess, MemoryEngine
from sparsecut.features.roles import FURTHEST, GRID, NodeRoles, RoleKind, count_roles, kind_of
from sparsecut.graph import Graph
from sparsecut.graph.undirected import without_directions
from sparsecut.kernels.either import on_host

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def columns_of(graph: Graph, cuts: Any = (), *, with_tensors: bool = False) -> tuple[NodeRoles, np.ndarray]:
    around = cut(without_directions(graph), cuts, with_tensors=with_tensors)
    roles, columns = NodeRoles.fit_columns(cut(graph, cuts, with_tensors=with_tensors), around)
    return roles, np.asarray(columns)


def counts_of(graph: Graph, kind: RoleKind | None = None) -> np.ndarray:
    """Counts, before they are standardised."""
    passes = cut(graph)
    kind = kind_of(passes) if kind is None else kind
    return np.asarray(on_host(count_roles(passes, cut(without_directions(graph)), kind)))


def dense_counts(graph: Graph) -> np.ndarray:
    """The definition, node by node."""
    A = graph.adjacency.toarray().astype(float)
    B = A > 0
    S = B | B.T
    rows = []
    for node in range(len(A)):
        around = np.flatnonzero(S[node])
        links = S[np.ix_(around, around)].sum() / 2
        pairs = len(around) * (len(around) - 1) / 2
        clustering = links / pairs if pairs else 0.0
        if graph.is_directed:
            leave, arrive = np.log1p(B[node].sum()), np.log1p(B[:, node].sum())
            answered = (B[node] & B[:, node]).sum() / max(len(around), 1)
            row = [leave, arrive, leave - arrive, answered, np.log1p(links), clustering]
        else:
            row = [np.log1p(len(around)), np.log1p(links), clustering]
        if graph.is_weighted:
            unit = 2.0 ** np.floor(np.floor(np.log2(A[B])).mean())
            leave, arrive = np.log1p(A[node].sum() / unit), np.log1p(A[:, node].sum() / unit)
            row += [leave, arrive, leave - arrive] if graph.is_directed else [leave]
        rows.append(row)
    return np.array(rows)


@settings(deadline=None)
@given(graph=graphs())
def test_counts_follow_their_definition(graph: Graph) -> None:
    np.testing.assert_allclose(counts_of(graph), dense_counts(graph), rtol=0, atol=2 * GRID)


@settings(deadline=None)
@given(graph=graphs(), cuts=st.lists(st.integers(1, 8), max_size=3), with_tensors=st.booleans())
def test_blocks_and_tensors_change_no_bit(graph: Graph, cuts: list[int], with_tensors: bool) -> None:
    roles, columns = columns_of(graph)
    others, found = columns_of(graph, cuts, with_tensors=with_tensors)
    assert roles.to_arrays()["mean"].tobytes() == others.to_arrays()["mean"].tobytes()
    np.testing.assert_array_equal(found, columns)


@settings(deadline=None)
@given(graph=graphs(), seed=st.integers(0, 9))
def test_the_order_of_nodes_changes_no_bit(graph: Graph, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(graph.n_nodes)
    directed = "out" if graph.is_directed else "symmetrize"
    shuffled = Graph(graph.adjacency[order][:, order], node_ids=order, directed=directed)
    np.testing.assert_array_equal(columns_of(shuffled)[1], columns_of(graph)[1][order])


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")
@pytest.mark.parametrize("directed", ["symmetrize", "out"])
def test_a_gpu_changes_no_bit(directed: str) -> None:
    A = random_graph(2000, 4, density=0.02, is_weighted=True).adjacency
    graph = Graph(A, directed=directed)
    on_device = graph.to("cuda")
    passes = [MemoryEngine(torch.device("cuda"), graph=one) for one in (on_device, without_directions(on_device))]
    np.testing.assert_array_equal(np.asarray(NodeRoles.fit_columns(*passes)[1]), columns_of(graph)[1])
    # As a fit of a graph of the host has it: what has no directions is passed over there.
    in_fit = NodeRoles.fit_columns(passes[0], InProcess(without_directions(graph)))
    np.testing.assert_array_equal(np.asarray(in_fit[1]), columns_of(graph)[1])


def test_a_path_by_hand() -> None:
    graph = Graph(PATH)
    one, two = np.log(2), np.log(3)  # log(1 + degree) of an end and of the middle
    found = counts_of(graph)
    np.testing.assert_allclose(found[:, 0], [one, two, one], atol=GRID)
    assert not found[:, 1:].any()  # no triangles


def test_names_are_those_of_the_columns() -> None:
    roles, columns = columns_of(Graph(PATH))
    assert roles.names == ("log degree", "log triangles", "clustering", "log degree, squared")
    for graph in (Graph(PATH), Graph(PATH * 2), Graph(PATH, directed="out"), Graph(PATH * 2, directed="out")):
        roles, columns = columns_of(graph)
        assert columns.shape == (3, len(roles.names)) == (3, len(set(roles.names)))
    assert [len(RoleKind(*kind).names) for kind in ((False, None), (False, 1.0), (True, None), (True, 1.0))] == [4, 5, 8, 11]


def test_columns_are_standardised_and_constants_are_zero() -> None:
    graph = random_graph(80, 200)
    roles, columns = columns_of(graph)
    plain = columns[:, : len(roles.mean)]
    is_inside = np.abs(plain).max(axis=0) < FURTHEST
    assert is_inside.sum() >= 2
    np.testing.assert_allclose(plain.mean(axis=0)[is_inside], 0, atol=1e-5)
    np.testing.assert_allclose(plain.std(axis=0)[is_inside], 1, atol=1e-5)
    ring = Graph(np.roll(np.eye(7), 1, axis=0) + np.roll(np.eye(7), -1, axis=0))
    assert not columns_of(ring)[1].any()  # every node is like every other


def test_another_graph_is_measured_by_the_fitted_one() -> None:
    roles, _ = columns_of(Graph(PATH))
    star = Graph(np.pad(np.ones((1, 40)), ((0, 40), (1, 0))) + np.pad(np.ones((40, 1)), ((1, 0), (0, 40))))
    found = np.asarray(roles.columns(cut(star)))
    np.testing.assert_allclose(found, roles.standardised(counts_of(star, roles.kind)), atol=0)
    assert found[0, 0] == FURTHEST  # the hub: far beyond anything of the path
    assert (found[1:, 0] == columns_of(Graph(PATH))[1][0, 0]).all()  # a leaf is what the end of the path is


def test_the_unit_of_weights_does_not_matter() -> None:
    graph = random_graph(60, 200)
    weighted = graph.adjacency.copy()
    drawn = np.random.default_rng(0).lognormal(size=(60, 60)).astype(np.float32)
    weighted.data = (drawn + drawn.T)[weighted.nonzero()]
    np.testing.assert_array_equal(columns_of(Graph(weighted))[1], columns_of(Graph(weighted * np.float32(1024)))[1])


@pytest.mark.parametrize("directed", ["symmetrize", "out"])
def test_a_file_holds_all_of_it(directed: str) -> None:
    roles, _ = columns_of(Graph(PATH * 3.0, directed=directed))
    again = NodeRoles.from_arrays(roles.to_arrays())
    assert again.kind == roles.kind
    assert again.names == roles.names
    np.testing.assert_array_equal(again.mean, roles.mean)
    np.testing.assert_array_equal(again.scale, roles.scale)


def test_rows_are_those_of_the_whole() -> None:
    graph = random_graph(50, 120)
    passes = cut(graph, (20,))
    _, columns = NodeRoles.fit_columns(passes)
    whole = np.asarray(columns)
    np.testing.assert_array_equal(columns[10:30], whole[10:30])
    np.testing.assert_array_equal(columns[np.array([3, 49, 3])], whole[[3, 49, 3]])


def test_edges_without_weights_weigh_one_in_any_unit() -> None:
    """A graph without weights may hold none, or a one for each edge."""
    graph = random_graph(30)
    ones = Graph((graph.adjacency > 0).astype(np.float32))
    one_for_all = ones.adjacency.copy()
    one_for_all.data = np.broadcast_to(np.float32(1), one_for_all.data.shape)
    for unit in (2.0**-30, 4.0, 2.0**20):
        kind = RoleKind(is_directed=False, unit=unit)
        np.testing.assert_array_equal(counts_of(Graph(one_for_all), kind), counts_of(ones, kind))


def test_a_directed_graph_needs_its_links_without_directions() -> None:
    with pytest.raises(ValueError, match="without directions"):
        NodeRoles.fit(cut(Graph(np.triu(np.ones((3, 3)), 1), directed="out")))
