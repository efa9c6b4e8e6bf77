"""Two sides against a colouring by hand, on graphs with and without odd cycles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sparsecut.features.two_sides import two_sides


def undirected(n_nodes: int, pairs: list[tuple[int, int]]) -> sp.csr_array:
    i, j = np.array(pairs, dtype=int).reshape(-1, 2).T
    upper = sp.coo_array((np.ones(len(i)), (i, j)), shape=(n_nodes, n_nodes)).tocsr()
    return sp.csr_array(upper + upper.T)


def ring(nodes: range) -> list[tuple[int, int]]:
    return [*pairwise(nodes), (nodes[-1], nodes[0])]


@pytest.mark.parametrize(
    ("n_nodes", "pairs", "expected"),
    [
        (5, [(0, 1), (0, 2), (0, 3), (3, 4)], [0, 1, 1, 1, 0]),  # the node of highest degree is on side 0
        (4, ring(range(4)), "alternating"),
        (5, ring(range(5)), None),
        (7, [(0, 1), (0, 2), (0, 3), *ring(range(4, 7))], None),  # the odd cycle is in another component
        (7, [(0, 1), (0, 2), (0, 3), (4, 5), (4, 6)], [0, 1, 1, 1, 0, 1, 1]),
        (3, [], None),
        (4, [(0, 1), (0, 2)], [0, 1, 1, 0]),  # a node without neighbours
        (2, [(0, 0), (0, 1)], None),  # an edge from a node to itself
    ],
)
def test_by_hand(n_nodes: int, pairs: list[tuple[int, int]], expected: object) -> None:
    sides = two_sides(undirected(n_nodes, pairs), np.arange(n_nodes))
    if expected is None:
        assert sides is None
    elif expected == "alternating":
        assert sides is not None
        assert sides.tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])
    else:
        assert sides is not None
        assert sides.tolist() == expected


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 12), st.floats(0.05, 0.6), st.booleans())
def test_every_edge_crosses_and_one_edge_within_a_side_is_found(
    seed: int, n_left: int, n_right: int, density: float, with_odd_cycle: bool
) -> None:
    generator = np.random.default_rng(seed)
    n_nodes = n_left + n_right
    across = generator.random((n_left, n_right)) < density
    across[0, 0] = True
    A = np.zeros((n_nodes, n_nodes))
    A[:n_left, n_left:] = across
    if with_odd_cycle:  # two nodes on the left with a neighbour in common, and an edge between them
        A[:2, n_left] = 1
        A[0, 1] = 1
    order = generator.permutation(n_nodes)
    A = (A + A.T)[order][:, order]
    sides = two_sides(sp.csr_array(A), np.arange(n_nodes))
    if with_odd_cycle:
        assert sides is None
    else:
        assert sides is not None
        i, j = A.nonzero()
        assert (sides[i] != sides[j]).all()


def test_the_order_of_the_nodes_decides_nothing() -> None:
    generator = np.random.default_rng(1)
    A = undirected(80, [(i, j + 40) for i, j in generator.integers(0, 40, (60, 2))])
    ids, order = np.array([f"n{number}" for number in range(80)]), generator.permutation(80)
    sides, other = two_sides(A, ids), two_sides(sp.csr_array(A[order][:, order]), ids[order])
    assert sides is not None
    assert other is not None
    assert np.array_equal(sides[order], other)
