"""Weightings by hand and against scikit-learn's, dense and sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from as_tensors import CPU
from cut_blocks import cut
from sparsecut.base.errors import OverflowInputError
from sparsecut.features.matrices import row_lengths
from sparsecut.features.weighting import Weighting
from sparsecut.features.weighting import learn_weighting as learn_by
from sparsecut.graph import Graph
from sparsecut.graph.placing import features_on


def learn_weighting(name: str, features: Any, *, with_tensors: bool = False) -> Weighting:
    """From two blocks of rows of a graph without edges."""
    n_nodes = features.shape[0]
    graph = Graph(sp.csr_array((n_nodes, n_nodes)), features=features)
    return learn_by(name, cut(graph, [2], with_tensors=with_tensors))


@pytest.mark.parametrize("is_sparse", [False, True])
def test_weightings_by_hand(is_sparse: bool) -> None:
    F = np.array([[1.0, 2.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]], dtype=np.float32)
    given_features = sp.csr_array(F) if is_sparse else F

    def weighted(name: str) -> np.ndarray:
        result = learn_weighting(name, given_features).apply(given_features)
        return result.toarray() if is_sparse else result

    assert np.array_equal(weighted("none"), F)
    assert np.allclose(weighted("l2"), [[1 / 5**0.5, 2 / 5**0.5, 0], [0, 1, 0], [0, 0, 0]])
    idf = np.log(4 / np.array([2, 3])) + 1  # one of three nodes has the first word, two have the second
    first = np.array([idf[0], 2 * idf[1], 0])
    assert np.allclose(weighted("tf-idf"), [first / np.linalg.norm(first), [0, 1, 0], [0, 0, 0]])
    assert np.allclose(row_lengths(given_features), np.linalg.norm(F, axis=1))


def test_tf_idf_is_scikit_learns() -> None:
    from sklearn.feature_extraction.text import TfidfTransformer

    F = sp.random_array((50, 30), density=0.2, rng=np.random.default_rng(0), dtype=np.float32).tocsr()
    expected = TfidfTransformer().fit_transform(F)
    assert np.allclose(learn_weighting("tf-idf", F).apply(F).toarray(), expected.toarray(), atol=1e-6)


def test_another_graph_is_weighed_by_what_was_learned() -> None:
    F = sp.csr_array(np.eye(4, dtype=np.float32)[[0, 0, 0, 1]] + np.eye(4, dtype=np.float32)[[1, 2, 3, 2]])
    weighting = learn_weighting("tf-idf", F)
    one = sp.csr_array(np.array([[1, 1, 0, 0]], dtype=np.float32))
    assert weighting.apply(one).toarray()[0, 0] < weighting.apply(one).toarray()[0, 1]  # the first word is the common one


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 6), st.sampled_from(["none", "l2", "tf-idf"]), st.booleans(), st.integers(0, 99))
def test_tensors_are_weighed_as_arrays_are(n_rows: int, n_columns: int, name: str, is_sparse: bool, seed: int) -> None:
    generator = np.random.default_rng(seed)
    X = (generator.random((n_rows, n_columns)) < 0.4) * generator.integers(1, 5, (n_rows, n_columns)).astype(np.float32)
    features = sp.csr_array(X) if is_sparse else X
    tensor = features_on(features, CPU)
    ours, theirs = learn_weighting(name, features, with_tensors=True), learn_weighting(name, features)
    assert (ours.columns is None) == (theirs.columns is None)
    assert ours.columns is None or np.array_equal(ours.columns, theirs.columns)
    weighted, expected = ours.apply(tensor), theirs.apply(features)
    assert (weighted.layout == torch.strided) != is_sparse
    assert np.allclose(weighted.to_dense(), expected.toarray() if is_sparse else expected, atol=1e-6)


def test_what_overflows_is_named() -> None:
    for features in (torch.full((2, 2), 3e38) * 10, np.full((2, 2), np.inf, dtype=np.float32)):
        with pytest.raises(OverflowInputError):
            Weighting("l2").apply(features)
