"""Means and scatters in blocks of rows against numpy's, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sparsecut.kernels import moments


@pytest.mark.parametrize("block", [3, 100])
@pytest.mark.parametrize("with_shares", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_mean_and_scatter(block: int, with_shares: bool, dtype: torch.dtype) -> None:
    generator = np.random.default_rng(0)
    rows = torch.from_numpy(generator.normal(size=(40, 5)) + 3).to(dtype)
    X, p = rows.double().numpy(), generator.random(40)
    p = p / p.sum() if with_shares else np.full(40, 1 / 40)
    shares = torch.from_numpy(p) if with_shares else None
    mean = p @ X
    assert np.allclose(moments.mean_of(rows, shares, row_block=block), mean, atol=1e-5)
    assert np.allclose(moments.scatter(rows, shares, row_block=block), (X - mean).T @ ((X - mean) * p[:, None]), atol=1e-4)
