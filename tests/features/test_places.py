"""Places and the rows that follow from them: against dense definitions, on graphs that grow, with sides, in any order."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from conftest import random_graph
from reference import dense_log_proximity, dense_propagation
from sparsecut.features.places import (
    EFFECTIVE_RANK,
    ROUNDING,
    ROW_LENGTH,
    Places,
    averaged,
    centred,
    filled,
    is_placed,
)
from sparsecut.features.proximity import MIN_SHARE
from sparsecut.kernels.spectrum import sharpening


def undirected(n_nodes: int, pairs: list[tuple[int, int]], weights: list[float] | None = None) -> sp.csr_array:
    i, j = np.array(pairs, dtype=int).reshape(-1, 2).T
    values = np.ones(len(i)) if weights is None else np.array(weights)
    upper = sp.coo_array((values.astype(np.float32), (i, j)), shape=(n_nodes, n_nodes)).tocsr()
    return sp.csr_array(upper + upper.T)


def communities(n_nodes: int = 120, n_parts: int = 3, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    generator = np.random.default_rng(seed)
    part = np.arange(n_nodes) % n_parts
    upper = np.triu(generator.random((n_nodes, n_nodes)) < np.where(part[:, None] == part, 0.25, 0.01), 1)
    return sp.csr_array((upper | upper.T).astype(np.float32)), part


def users_and_items(n_users: int = 60, n_items: int = 40, seed: int = 0) -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    """A graph with two sides and two tastes, popular items, its sides and its tastes."""
    generator = np.random.default_rng(seed)
    taste = np.arange(n_users + n_items) % 2
    popular = np.linspace(0.5, 1.5, n_items)
    across = np.where(taste[:n_users, None] == taste[n_users:], 0.35, 0.03) * popular
    A = np.zeros((n_users + n_items, n_users + n_items), dtype=np.float32)
    A[:n_users, n_users:] = generator.random(across.shape) < across
    return sp.csr_array(A + A.T), (np.arange(len(A)) >= n_users).astype(np.int8), taste


def fitted(A: sp.csr_array, node_ids: np.ndarray | None = None, **options: object) -> Places:
    return Places.fit(A, np.arange(A.shape[0]) if node_ids is None else node_ids, **options)  # type: ignore[arg-type]


def dense_rows(A: np.ndarray, place: np.ndarray, side: np.ndarray) -> np.ndarray:
    """The rows of a graph all of whose nodes have a place, from their definition."""
    rows = dense_propagation(A) @ place
    degrees = A.sum(axis=1)
    for number in np.unique(side):
        rows[side == number] -= np.average(rows[side == number], axis=0, weights=degrees[side == number])
    return rows * (ROW_LENGTH / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), ROUNDING))


GRAPHS: dict[str, Callable[[], sp.csr_array]] = {
    "random": lambda: random_graph(density=0.25).adjacency,
    "weighted": lambda: random_graph(density=0.25, is_weighted=True).adjacency,
    "two sides": lambda: users_and_items()[0],
    "communities": lambda: communities()[0],
}


@pytest.mark.parametrize("name", GRAPHS)
def test_places_are_the_weighted_eigenvectors_of_the_dense_matrix(name: str) -> None:
    """Compared by V·diag(λ^2p)·Vᵀ, which has no signs and does not depend on the basis of equal eigenvalues."""
    A = GRAPHS[name]()
    eigenvalues, vectors = np.linalg.eigh(dense_log_proximity(A.toarray(), MIN_SHARE))
    sizes = np.maximum(eigenvalues, 0)
    power = sharpening(torch.from_numpy(sizes**2), EFFECTIVE_RANK)
    weights = np.where(sizes > 0, (sizes / sizes.max()) ** power, 0)
    found = fitted(A)
    place = found.vectors[found.groups].astype(np.float64)
    assert np.allclose(place @ place.T, vectors * weights**2 @ vectors.T, atol=2e-3)


@pytest.mark.parametrize("name", GRAPHS)
def test_rows_of_the_fitted_graph_are_means_over_closed_neighbourhoods(name: str) -> None:
    A = GRAPHS[name]()
    found = fitted(A)
    expected = dense_rows(A.toarray().astype(np.float64), found.vectors[found.groups].astype(np.float64), found.sides)
    assert np.allclose(found.rows(A, np.arange(A.shape[0])), expected, atol=1e-4)


def test_a_new_node_is_at_the_mean_of_its_known_neighbours() -> None:
    """Of nodes 0 and 7 with weights 1 and 3; the node next to it, which has no other neighbour, is where it is."""
    A = communities()[0]
    n_nodes = A.shape[0]
    found = fitted(A)
    edges = [(0, n_nodes), (7, n_nodes), (n_nodes, n_nodes + 1)]
    grown = sp.block_diag([A, sp.csr_array((2, 2))]).tocsr() + undirected(n_nodes + 2, edges, [1, 3, 2])
    rows = found.rows(sp.csr_array(grown), np.arange(n_nodes + 2))
    place = found.vectors[found.groups]
    expected = (place[0] + 3 * place[7]) / 4 - found.means[0]
    expected *= ROW_LENGTH / np.linalg.norm(expected)
    assert np.allclose(rows[n_nodes], expected, atol=1e-4)
    assert np.allclose(rows[n_nodes + 1], expected, atol=1e-4)
    untouched = np.setdiff1d(np.arange(n_nodes), [0, 7])
    assert np.allclose(rows[untouched], found.rows(A, np.arange(n_nodes))[untouched], atol=1e-5)


def test_new_nodes_are_near_their_own_community() -> None:
    """A tenth of the nodes are left out of the fit and come back with the whole graph."""
    A, part = communities(300)
    known = np.arange(300) % 10 != 3
    found = fitted(sp.csr_array(A[known][:, known]), np.flatnonzero(known))
    rows = found.rows(A, np.arange(300))
    centres = np.stack([rows[known & (part == number)].mean(axis=0) for number in range(3)])
    assert ((rows @ centres.T).argmax(axis=1) == part)[~known].mean() > 0.95


def test_nodes_that_nothing_leads_to_are_at_the_mean() -> None:
    """Without edges, fitted or not, and beyond two new nodes: zeros."""
    A = communities()[0]
    n_nodes = A.shape[0]
    with_lonely = sp.csr_array(sp.block_diag([A, sp.csr_array((1, 1))]))
    found = fitted(with_lonely)
    assert n_nodes not in found.ids
    chain = undirected(n_nodes + 5, [(0, n_nodes + 1), (n_nodes + 1, n_nodes + 2), (n_nodes + 2, n_nodes + 3)])
    rows = found.rows(sp.csr_array(sp.block_diag([A, sp.csr_array((5, 5))]).tocsr() + chain), np.arange(n_nodes + 5))
    is_zero = ~rows.any(axis=1)
    assert np.flatnonzero(is_zero).tolist() == [n_nodes, n_nodes + 3, n_nodes + 4]
    assert np.allclose(np.linalg.norm(rows[~is_zero], axis=1), ROW_LENGTH, rtol=1e-4)


@pytest.mark.parametrize("n_nodes", [1, 2, 200])
def test_a_graph_without_edges_has_rows_of_zeros(n_nodes: int) -> None:
    A = sp.csr_array((n_nodes, n_nodes), dtype=np.float32)
    found = fitted(A)
    assert len(found.ids) == 0
    rows = found.rows(A, np.arange(n_nodes))
    assert rows.shape == (n_nodes, min(n_nodes, 128))
    assert not rows.any()


@pytest.mark.parametrize("n_groups", [4096, 40])
@pytest.mark.parametrize("kind", ["integers", "words"])
def test_the_order_of_the_nodes_does_not_change_a_bit(kind: str, n_groups: int) -> None:
    A = communities()[0]
    generator = np.random.default_rng(1)
    ids = generator.choice(10_000, 120, replace=False)
    ids = ids if kind == "integers" else np.array([f"node {number}" for number in ids])
    order = generator.permutation(120)
    one = fitted(A, ids, n_groups=n_groups)
    other = fitted(sp.csr_array(A[order][:, order]), ids[order], n_groups=n_groups)
    for field in ("ids", "groups", "sides", "vectors", "means"):
        assert np.array_equal(getattr(one, field), getattr(other, field))
    assert np.allclose(one.rows(A, ids)[order], one.rows(sp.csr_array(A[order][:, order]), ids[order]), atol=1e-5)


def test_a_large_graph_is_contracted_and_its_communities_stay_apart() -> None:
    A, part = communities(300)
    found = fitted(A, n_groups=30)
    assert found.vectors.shape == (30, 128)
    assert len(found.ids) == 300
    rows = found.rows(A, np.arange(300))
    means = np.stack([rows[part == number].mean(axis=0) for number in range(3)])
    assert ((rows @ means.T).argmax(axis=1) == part).mean() > 0.98


def test_components_beyond_the_number_of_groups_have_no_place() -> None:
    """Pairs are contracted to single groups, which no walk leaves; the rest of the graph keeps its groups."""
    A = communities(60)[0]
    pairs = undirected(20, [(2 * number, 2 * number + 1) for number in range(10)])
    found = fitted(sp.csr_array(sp.block_diag([A, pairs])), n_groups=50)
    assert found.ids.tolist() == list(range(60))
    assert len(found.vectors) == 50


def test_two_sides_have_their_own_means_which_hops_keep_at_zero() -> None:
    A, side, _ = users_and_items()
    found = fitted(A)
    assert found.means.shape == (2, 100)
    assert len(np.unique(found.sides[side == 0])) == len(np.unique(found.sides[side == 1])) == 1
    dense, place = A.toarray().astype(np.float64), found.vectors[found.groups].astype(np.float64)
    rows = dense_propagation(dense) @ place - found.means[found.sides]
    degrees = dense.sum(axis=1)
    for _ in range(3):
        for number in (0, 1):
            assert np.allclose(degrees[side == number] @ rows[side == number], 0, atol=1e-3)
        rows = dense @ rows / degrees[:, None]


def test_near_means_near_across_sides() -> None:
    A, side, taste = users_and_items(120, 80)
    rows = fitted(A).rows(A, np.arange(200))
    cosines = (rows @ rows.T)[side == 0][:, side == 1] / ROW_LENGTH**2
    is_alike = (taste[side == 0][:, None] == taste[side == 1]).astype(bool)
    assert cosines[is_alike].mean() > 0.3
    assert cosines[~is_alike].mean() < -0.3


def test_a_new_node_is_on_the_side_that_its_neighbours_are_not_on() -> None:
    """A new user by its items, and a new item by the new user alone."""
    A, side, _ = users_and_items()
    found = fitted(A, sides=np.array(["user", "item"])[side])
    n_nodes, first_item = A.shape[0], int(side.argmax())
    edges = [(first_item, n_nodes), (first_item + 1, n_nodes), (n_nodes, n_nodes + 1)]
    grown = sp.csr_array(sp.block_diag([A, sp.csr_array((2, 2))]).tocsr() + undirected(n_nodes + 2, edges))
    rows = found.rows(grown, np.arange(n_nodes + 2))
    mean = found.vectors[found.groups][[first_item, first_item + 1]].mean(axis=0)
    user, item = (1, 0)  # in the order of the words
    for node, number in ((n_nodes, user), (n_nodes + 1, item)):
        expected = mean - found.means[number]
        assert np.allclose(rows[node], expected * ROW_LENGTH / np.linalg.norm(expected), atol=1e-4)


def test_given_sides_are_the_sides_that_are_found() -> None:
    A, side, _ = users_and_items()
    given, found = fitted(A, sides=np.array(["user", "item"])[side]), fitted(A)
    assert np.array_equal(given.vectors, found.vectors)
    assert np.allclose(given.rows(A, np.arange(100)), found.rows(A, np.arange(100)), atol=1e-5)
    assert fitted(A, sides=np.full(100, "user")).means.shape == (1, 100)  # one word is no sides


def test_a_directed_graph_takes_the_mean_over_the_nodes_it_points_to() -> None:
    A = communities()[0].toarray()
    A[np.tril_indices(120)] *= np.random.default_rng(0).random(120 * 121 // 2) < 0.3
    directed = sp.csr_array(A)
    found = fitted(directed, is_directed=True)
    assert len(found.ids) == 120
    rows = dense_propagation(A) @ found.vectors[found.groups]
    rows -= np.average(rows, axis=0, weights=(A + A.T).sum(axis=1))
    rows *= ROW_LENGTH / np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.allclose(found.rows(directed, np.arange(120)), rows, atol=1e-4)
    assert not np.allclose(found.vectors, fitted(sp.csr_array(A.T), is_directed=True).vectors, atol=1e-3)


@pytest.mark.parametrize("n_sides", [1, 2])
def test_arrays_tensors_and_blocks_of_rows_give_the_same(n_sides: int) -> None:
    generator = np.random.default_rng(0)
    own = generator.random((40, 5 + n_sides)).astype(np.float32)
    own[:, 5:] = np.eye(n_sides)[generator.integers(0, n_sides, 40)]
    own[generator.random(40) < 0.5] = 0
    around = (np.linalg.qr(generator.random((40, 40)))[0] ** 2).astype(np.float32) * (generator.random((40, 1)) < 0.7) @ own
    means = generator.random((n_sides, 5)).astype(np.float32)
    for step in (averaged, filled):
        whole = step(own, around, 5)
        blocks = np.concatenate([step(own[rows], around[rows], 5) for rows in (slice(0, 7), slice(7, 40))])
        tensors = step(torch.from_numpy(own), torch.from_numpy(around), 5)
        assert np.array_equal(whole, blocks)
        assert np.allclose(whole, tensors.numpy(), atol=1e-6)
        assert np.array_equal(is_placed(whole, 5), is_placed(tensors, 5).numpy())
        assert np.allclose(centred(whole, means), centred(tensors, means).numpy(), atol=1e-5)
    assert not np.array_equal(averaged(own, around, 5), own)


def test_columns_are_made_by_id_in_blocks_and_travel() -> None:
    A = users_and_items()[0]
    ids = np.array([f"n{number}" for number in range(100)])
    found = fitted(A, ids)
    wanted = np.array(["n3", "a stranger with a longer name", "n99", "n0"])
    columns = pickle.loads(pickle.dumps(found.on(wanted)))  # noqa: S301 - what was written in this line
    rows = found.of_ids(wanted)
    assert columns.shape == rows.shape == (4, found.n_columns + 2)
    assert np.array_equal(np.asarray(columns), rows)
    assert np.array_equal(columns[1:3], rows[1:3])
    assert not rows[1].any()
    position = found.find(wanted)[[0, 2, 3]]
    assert found.ids[position].tolist() == ["n3", "n99", "n0"]
    assert np.array_equal(rows[[0, 2, 3], : found.n_columns], found.vectors[found.groups[position]])
    assert np.array_equal(rows[[0, 2, 3], found.n_columns :], np.eye(2)[found.sides[position]])


def test_what_it_weighs() -> None:
    A = communities(300)[0]
    found = fitted(A)
    assert found.nbytes == 300 * (8 + 4 + 1) + 300 * 128 * 4 + 128 * 4
