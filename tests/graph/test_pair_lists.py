"""Pairs to keep close, against a dense adjacency changed by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.graph.pair_lists import keep_close
from sparsecut.operators.propagation import propagation_matrix

PATH = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=float)  # 0 - 1 - 2, 3 alone


def test_pairs_become_edges_of_the_mean_closed_strength_and_all_else_stays() -> None:
    graph = Graph(PATH, features=np.eye(4), labels=list("aabb"), node_ids=list("wxyz"), notes=("read",))
    joined = keep_close(graph, [("z", "w"), ("w", "x")])
    weight = 1 + 6 / 4
    expected = PATH.copy()
    expected[0, 3] = expected[3, 0] = weight
    expected[0, 1] = expected[1, 0] = 2 + weight
    assert np.array_equal(joined.adjacency.toarray(), expected)
    assert np.array_equal(joined.features, graph.features)
    assert joined.labels.tolist() == list("aabb")
    assert joined.node_ids.tolist() == list("wxyz")
    assert joined.notes == ("read", "2 pairs to keep close were added to the edges.")
    assert not joined.is_directed
    assert np.array_equal(graph.adjacency.toarray(), PATH)  # as it was


def test_a_node_of_average_strength_takes_half_of_its_average_from_its_partner() -> None:
    ring = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    P = propagation_matrix(keep_close(Graph(ring), [(0, 3)]).adjacency).toarray()
    assert P[0, 3] == pytest.approx(0.5)
    assert P[0, 0] == pytest.approx(0.5 / 3)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0, 0.5, 1, 4])).filter(lambda p: p[0] != p[1]),
        min_size=1,
        max_size=12,
    ),
    st.booleans(),
)
def test_weights_multiply_and_add_up_as_in_a_dense_matrix(pairs: list[tuple[int, int, float]], is_directed: bool) -> None:
    A = np.triu(np.arange(36).reshape(6, 6) % 3, 1).astype(float)
    graph = Graph(A if is_directed else A + A.T, directed="in" if is_directed else "symmetrize")
    expected = graph.adjacency.toarray()
    for i, j, own in pairs:
        expected[i, j] += 2 * own
        expected[j, i] += 2 * own
    joined = keep_close(graph, pairs, weight=2)
    assert np.array_equal(joined.adjacency.toarray(), expected)
    assert joined.is_directed == is_directed
    # What `Graph` would make of it: nothing is left to sort, sum or drop.
    again = Graph(sp.coo_array(expected), directed="out" if is_directed else "symmetrize").adjacency
    for name in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(joined.adjacency, name), getattr(again, name))
    assert joined.adjacency.dtype == np.float32


@pytest.mark.parametrize(
    ("pairs", "weight", "message"),
    [
        ([(0, 4)], None, "pairs parameter of keep_close names nodes that the graph does not have: 4. Its ids are integers "
                         "from 0 to 3"),
        ([(1, 1)], None, "two different nodes. Got the node 1 with itself"),
        ([(0, 1.5)], None, "nodes that the graph does not have: 1.5"),
        ([("0", "1")], None, "nodes that the graph does not have: '0'"),
        ([(0, True)], None, "nodes that the graph does not have: True"),
        ([(0, None)], None, "nodes that the graph does not have: None"),
        ([(0, 1, "much")], None, "weights of the pairs of keep_close must be numbers. Got others, as in 'much'"),
        ([(0, 1), (0, 1, 2)], None, r"Got shape \(2, 2 and 3\)"),
        (iter([(0, 1)]), None, "pairs parameter of keep_close must be an array of node pairs"),
        ("ab", None, "pairs parameter of keep_close must be an array of node pairs"),
        ([(0, 1)], 0, "weight parameter of keep_close must be a finite number above 0. Got 0"),
    ],
)  # fmt: skip
def test_bad_pairs_get_their_own_message(pairs: object, weight: float | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        keep_close(Graph(PATH), pairs, weight=weight)
