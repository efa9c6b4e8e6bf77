"""Products of rows in blocks against those of whole matrices."""

from __future__ import annotations

import pytest
import torch

from sparsecut.kernels import products, threads


@pytest.mark.parametrize("n_rows", [0, 1, 4, 9, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_blocks_of_rows_give_the_whole_product(n_rows: int, dtype: torch.dtype) -> None:
    width = 512
    assert 4 * width**2 >= threads.WORTH  # a block is worth a thread
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(n_rows, width, generator=generator).to(dtype)
    W, G = torch.randn(width, width, generator=generator), torch.randn(n_rows, width, generator=generator)
    with threads.using(2):
        forward, back = products.times(rows, W, row_block=4), products.transpose_times(rows, G, row_block=4, n_together=3)
    assert forward.dtype == back.dtype == torch.float32
    assert torch.allclose(forward, rows.float() @ W, atol=1e-4)
    assert torch.allclose(back, rows.float().T @ G, atol=1e-4)
