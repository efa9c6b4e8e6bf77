"""A column that outweighs all others, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cut_blocks import cut
from sparsecut.features import dominant_column as dominant_by
from sparsecut.graph import Graph


def dominant_column(
    features: Any, *, cuts: tuple[int, ...] = (), with_tensors: bool = False, **options: int
) -> tuple[int, float] | None:
    graph = Graph(sp.csr_array((features.shape[0],) * 2), features=features)
    return dominant_by(cut(graph, cuts, with_tensors=with_tensors), **options)


def test_a_column_of_large_numbers_is_named_with_its_share() -> None:
    features = np.column_stack([[0, 1, 0, 1], [0, 0, 100, 100]]).astype(np.float32)
    found = dominant_column(features)
    assert found is not None
    assert found[0] == 1
    assert found[1] == 2500 / 2500.25  # variances 0.25 and 2,500
    assert dominant_column(sp.csr_array(features)) == found


def test_columns_of_like_weight_have_none_that_dominates() -> None:
    assert dominant_column(np.eye(4, dtype=np.float32)) is None


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_tensor_has_the_dominant_column_of_its_array(is_sparse: bool) -> None:
    X = np.random.default_rng(0).random((200, 5)).astype(np.float32) * (np.random.default_rng(1).random((200, 5)) < 0.5)
    for scale in (1.0, 1000.0):
        X[:, 3] *= scale
        features = sp.csr_array(X) if is_sparse else X
        ours, theirs = dominant_column(features, with_tensors=True), dominant_column(features)
        assert (ours is None) == (theirs is None) == (scale == 1)
        assert ours is None or ours == pytest.approx(theirs)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("with_tensors", [False, True])
def test_rows_are_the_same_sample_however_they_are_cut(is_sparse: bool, with_tensors: bool) -> None:
    """Every fourth row: with another first row of a block another sample, in which the column would not stand out."""
    X = np.ones((40, 3), dtype=np.float32)
    X[::8, 1] = 1e4
    X[::4, 2] += np.arange(10)
    features = sp.csr_array(X) if is_sparse else X
    found = dominant_column(features, cuts=(1, 6, 7, 30), with_tensors=with_tensors, n_sampled=10)
    assert found == dominant_column(features, n_sampled=10)
    assert found is not None
    assert found[0] == 1
