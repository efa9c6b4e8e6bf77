"""A column that outweighs all others, by hand."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sparsecut.encoding import dominant_column


def test_a_column_of_large_numbers_is_named_with_its_share() -> None:
    features = np.column_stack([[0, 1, 0, 1], [0, 0, 100, 100]]).astype(np.float32)
    found = dominant_column(features)
    assert found is not None
    assert found[0] == 1
    assert found[1] == 2500 / 2500.25  # variances 0.25 and 2,500
    assert dominant_column(sp.csr_array(features)) == found


def test_columns_of_like_weight_have_none_that_dominates() -> None:
    assert dominant_column(np.eye(4, dtype=np.float32)) is None
