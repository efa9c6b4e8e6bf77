"""Entries sorted by compiled loops, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsecut.io import acceleration, adjacency, sorting
from sparsecut.io.adjacency import build_adjacency

# Doubts about the header are compared by the notes.
pytestmark = pytest.mark.filterwarnings("ignore::sparsecut.base.errors.ReadingWarning")


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=120),
    st.sampled_from(["symmetrize", "out", "in"]),
    st.sampled_from([1, 3]),
    st.sampled_from([2**31 - 1, 10]),
    st.integers(0, 3),
)
def test_entries_are_sorted_as_scipy_sorts_them(pairs, directed, n_threads, max_32_bit, digit_bits):
    i, j = np.array(pairs, dtype=np.int32).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjacency, "MAX_32_BIT", max_32_bit)
        plain, n_plain = build_adjacency(i, j, None, 41, directed)
        patch.setattr(adjacency, "MIN_EDGES", 1)
        patch.setattr(sorting, "ENTRIES_PER_BLOCK", 4)
        patch.setattr(sorting, "MAX_DIGIT_BITS", 2 + digit_bits)
        patch.setattr(sorting, "n_threads", lambda: n_threads)
        patch.setattr(acceleration, "n_threads", lambda: n_threads)
        quick, n_quick = build_adjacency(i, j, None, 41, directed)
    assert n_quick == n_plain
    for name in ("data", "indices", "indptr"):
        expected, got = getattr(plain, name), getattr(quick, name)
        assert got.dtype == expected.dtype
        assert got.tolist() == expected.tolist()
