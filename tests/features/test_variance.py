"""A column that outweighs all others, by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from as_tensors import CPU
from sparsecut.features import dominant_column
from sparsecut.graph.placing import features_on


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
        ours, theirs = dominant_column(features_on(features, CPU)), dominant_column(features)
        assert (ours is None) == (theirs is None) == (scale == 1)
        assert ours is None or ours == pytest.approx(theirs)
