"""Weightings by hand and against scikit-learn's, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.features.weighting import learn_weighting, row_lengths


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
