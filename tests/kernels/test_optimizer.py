"""Adam against torch's own, step for step."""

from __future__ import annotations

import pytest
import torch

from sparsecut.kernels.optimizer import AdamSteps


@pytest.mark.slow
@pytest.mark.parametrize("l2", [0.0, 0.3])
def test_matches_torch(l2: float) -> None:
    generator = torch.Generator().manual_seed(0)
    start = [torch.randn(3, 4, generator=generator), torch.randn(4, 2, generator=generator)]
    ours, theirs = ([tensor.clone().requires_grad_() for tensor in start] for _ in range(2))
    optimizer = AdamSteps(ours, learning_rate=0.05, l2=l2)
    reference = torch.optim.Adam(theirs, lr=0.05, weight_decay=l2)
    for _ in range(25):
        for first, second in (ours, theirs):
            ((first @ second).square().sum() + (first.sum() - 1) ** 4).backward()
        optimizer.step()
        reference.step()
        reference.zero_grad()
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-6)
        assert one.grad is None
