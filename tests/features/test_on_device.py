"""Weighting of tensors, against that of arrays."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from as_tensors import CPU
from sparsecut.base.errors import OverflowInputError
from sparsecut.features import on_device
from sparsecut.features.weighting import learn_weighting, row_lengths
from sparsecut.graph.placing import features_on


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 6), st.sampled_from(["none", "l2", "tf-idf"]), st.booleans(), st.integers(0, 99))
def test_weights_and_lengths(n_rows: int, n_columns: int, name: str, is_sparse: bool, seed: int) -> None:
    generator = np.random.default_rng(seed)
    X = (generator.random((n_rows, n_columns)) < 0.4) * generator.integers(1, 5, (n_rows, n_columns)).astype(np.float32)
    features = sp.csr_array(X) if is_sparse else X
    tensor = features_on(features, CPU)
    ours, theirs = learn_weighting(name, tensor), learn_weighting(name, features)
    assert (ours.columns is None) == (theirs.columns is None)
    assert ours.columns is None or np.array_equal(ours.columns, theirs.columns)
    weighted, expected = ours.apply(tensor), theirs.apply(features)
    assert (weighted.layout == torch.strided) != is_sparse
    assert np.allclose(weighted.to_dense(), expected.toarray() if is_sparse else expected, atol=1e-6)
    assert np.allclose(row_lengths(tensor), row_lengths(features))


def test_what_overflows_is_named() -> None:
    with pytest.raises(OverflowInputError):
        learn_weighting("l2", torch.ones(2, 2)).apply(torch.full((2, 2), 3e38) * 10)


def test_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "NUMBERS_AT_ONCE", 6)
    X = torch.randn(11, 3, generator=torch.Generator().manual_seed(0)).clamp(min=0)
    assert np.allclose(on_device.row_lengths(X), X.norm(dim=1))
    assert np.array_equal(on_device.column_counts(X), (X > 0).sum(dim=0))
    assert torch.equal(torch.cat(list(on_device.values_of(X))), X)
