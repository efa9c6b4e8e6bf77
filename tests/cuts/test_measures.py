"""φ and φ′ of a set: by hand, pair by pair, as quadratic forms, and the least of them over all sets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

import sparsecut as sc
from cut_graphs import random_weights, subsets
from sparsecut.base.errors import InputError

# a ─2─ b ─1─ c ─4─ d, and a ─0.5─ d
NAMES = ["a", "b", "c", "d"]
SQUARE = sc.Graph([[0, 2, 0, 0.5], [2, 0, 1, 0], [0, 1, 0, 4], [0.5, 0, 4, 0]], node_ids=NAMES)


@pytest.mark.parametrize(
    ("nodes", "cut", "smaller", "product"),
    [
        (["a"], 2.5, 1, 3),
        (["b", "a"], 1.5, 2, 4),
        (["a", "c"], 7.5, 2, 4),
        (["b", "c", "d"], 2.5, 1, 3),
    ],
)
def test_by_hand(nodes: list[str], cut: float, smaller: int, product: int) -> None:
    assert sc.edge_expansion(SQUARE, nodes) == cut / smaller
    assert sc.sparsity(SQUARE, nodes) == cut / product
    rest = [name for name in NAMES if name not in nodes]
    assert sc.edge_expansion(SQUARE, rest) == cut / smaller
    assert sc.sparsity(SQUARE, np.array(rest)) == cut / product
    assert sc.sparsity(SQUARE, set(nodes)) == cut / product
    assert sc.sparsity(SQUARE, [*nodes, nodes[0]]) == cut / product  # a set holds a node once
    assert sc.sparsity(SQUARE, np.isin(NAMES, nodes)) == cut / product


def test_nodes_are_ids_and_not_positions() -> None:
    graph = sc.Graph(SQUARE.adjacency, node_ids=[3, 2, 1, 0])
    assert sc.sparsity(graph, [3]) == 2.5 / 3  # the node at position 0
    assert sc.sparsity(graph, [0]) == 4.5 / 3
    with pytest.raises(InputError, match="7"):
        sc.sparsity(graph, [7])


@settings(max_examples=40, deadline=None)
@given(random_weights(2, 7))
def test_every_set_of_small_graphs(A: np.ndarray) -> None:
    """Counted pair by pair, as xᵀL_G x / xᵀL_K x, and within a factor of two of one another, as in the paper."""
    n, graph = len(A), sc.Graph(A)
    L_G, L_K = np.diag(A.sum(axis=1)) - A, n * np.eye(n) - np.ones((n, n))
    found = []
    for side in subsets(np.arange(n), n)[1:-1]:
        cut = sum(A[i, j] for i, j in itertools.product(range(n), repeat=2) if side[i] and not side[j])
        phi, phi_prime = sc.edge_expansion(graph, np.flatnonzero(side)), sc.sparsity(graph, np.flatnonzero(side))
        x = side.astype(float)
        assert phi == pytest.approx(cut / min(side.sum(), n - side.sum()))
        assert phi_prime == pytest.approx((x @ L_G @ x) / (x @ L_K @ x))
        assert phi <= n * phi_prime * (1 + 1e-12)
        assert n * phi_prime <= 2 * phi * (1 + 1e-12)
        found.append(phi_prime)
    best = sc.sparsest_cut(graph)
    assert best.value == pytest.approx(n * min(found), abs=1e-9)
    assert best.value == pytest.approx(n * sc.sparsity(graph, best.nodes), abs=1e-9)


def test_agrees_with_the_prefixes_of_a_sweep(digits: sc.Graph) -> None:
    swept = sc.sweep_cut(digits, np.arange(digits.n_nodes))
    for size in (1, 300, 1500):
        assert sc.edge_expansion(digits, digits.node_ids[:size]) == pytest.approx(swept.expansion[size - 1])
        assert digits.n_nodes * sc.sparsity(digits, digits.node_ids[:size]) == pytest.approx(swept.ratio[size - 1])


@pytest.mark.parametrize("measure", [sc.edge_expansion, sc.sparsity])
def test_what_is_no_cut_is_refused(measure: object) -> None:
    for nodes, size in (([], 0), (NAMES, 4)):
        with pytest.raises(InputError, match=rf"Got {size} of the graph's 4 nodes. Name some of them"):
            measure(SQUARE, nodes)
    with pytest.raises(InputError, match="undirected"):
        measure(sc.Graph([[0, 1], [0, 0]], directed="out"), [0])
    with pytest.raises(InputError, match="list of node ids"):
        measure(SQUARE, "a")
