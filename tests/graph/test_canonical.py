"""An adjacency as it is passed in, and the canonical one it becomes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparsecut.base.errors import DirectedGraphWarning
from sparsecut.graph import Graph

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.float32)


def test_directed_input_is_symmetrised_and_says_so() -> None:
    directed = np.array([[0, 2, 0], [1, 0, 5], [0, 0, 0]])
    with pytest.warns(DirectedGraphWarning, match="made undirected"):
        graph = Graph(directed)
    assert np.array_equal(graph.adjacency.toarray(), [[0, 2, 0], [2, 0, 5], [0, 5, 0]])
    assert any("directed" in note for note in graph.notes)


def test_the_warning_points_at_the_line_that_made_the_graph() -> None:
    with pytest.warns(DirectedGraphWarning) as caught:
        Graph(np.array([[0, 1], [0, 0]]))
    assert caught[0].filename == __file__


def test_self_loops_are_dropped_and_counted() -> None:
    graph = Graph(PATH + np.diag([3, 0, 1]))
    assert np.array_equal(graph.adjacency.toarray(), PATH)
    assert graph.notes == ("2 self-loops were dropped: filters count each node in its own neighbourhood once.",)


def test_entries_given_twice_are_summed() -> None:
    twice = sp.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert np.array_equal(Graph(twice).adjacency.toarray(), [[0, 3], [3, 0]])


def test_stored_zeros_are_no_edges() -> None:
    stored = sp.csr_array(([0.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert Graph(stored).n_edges == 0


@given(hnp.arrays(np.float32, st.tuples(*[st.shared(st.integers(1, 8), key="n")] * 2), elements=st.floats(0, 9, width=32)))
def test_any_adjacency_becomes_symmetric_without_loops(adjacency: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectedGraphWarning)
        A = Graph(adjacency).adjacency.toarray()
    expected = np.maximum(adjacency, adjacency.T)
    np.fill_diagonal(expected, 0)
    assert np.array_equal(A, expected)
