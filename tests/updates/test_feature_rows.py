"""Features that change row by row, against a matrix that is written to."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.updates.feature_rows import FeatureRows


@pytest.mark.parametrize("is_sparse", [False, True])
def test_rows_are_those_that_were_written_last(is_sparse: bool) -> None:
    generator = np.random.default_rng(0)
    dense = (generator.normal(size=(10, 3)) * (generator.random((10, 3)) < 0.5)).astype(np.float32)
    first = sp.csr_array(dense) if is_sparse else dense.copy()
    rows = FeatureRows(first)
    assert rows.take(np.arange(10)) is first
    for _ in range(20):
        places = np.sort(generator.choice(len(dense), 3, replace=False))
        new = generator.normal(size=(3, 3)).astype(np.float32)
        rows.replace(places, sp.csr_array(new) if generator.random() < 0.5 else new)
        dense[places] = new
        more = generator.normal(size=(1, 3)).astype(np.float32)
        rows.extend(more)
        dense = np.concatenate([dense, more])
        some = generator.permutation(len(dense))[:8]
        taken = rows.take(some)
        assert sp.issparse(taken) == is_sparse
        np.testing.assert_array_equal(taken.toarray() if is_sparse else taken, dense[some])
