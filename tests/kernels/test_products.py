"""Products of rows in blocks against those of whole matrices."""

from __future__ import annotations

import pytest
import torch

from sparsecut.kernels import products, threads


@pytest.mark.parametrize("n_rows", [0, 1, 4, 9, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_blocks_of_rows_give_the_whole_product(n_rows: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "WORTH", 1)
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(n_rows, 6, generator=generator).to(dtype)
    W, G = torch.randn(6, 3, generator=generator), torch.randn(n_rows, 3, generator=generator)
    with threads.using(2):
        forward, back = products.times(rows, W, row_block=4), products.transpose_times(rows, G, row_block=4, n_together=3)
    assert forward.dtype == back.dtype == torch.float32
    assert torch.allclose(forward, rows.float() @ W, atol=1e-5)
    assert torch.allclose(back, rows.float().T @ G, atol=1e-5)
