"""Rows in half precision: products against float64, scales that need not be near 1."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sparsecut.engines import MemoryEngine
from sparsecut.engines.rows import Rows
from sparsecut.kernels.halves import halved, is_half, times
from sparsecut.operators.negatives import complete_graph

EPSILON = 2.0**-11  # half the distance of two neighbouring float16 near 1


@pytest.mark.parametrize("scale", [1e-9, 1.0, 3e7])
@pytest.mark.parametrize("shape", [(1, 1), (40, 7), (20_000, 3)])
def test_products_of_halves_are_near_those_of_the_features(shape: tuple[int, int], scale: float) -> None:
    generator = np.random.default_rng(0)
    F = (generator.normal(size=shape) * scale).astype(np.float32)
    W, G = generator.normal(size=(shape[1], 5)), generator.normal(size=(shape[0], 4))
    halves, factor = halved(torch.from_numpy(F))
    assert is_half(halves)
    kept = halves.double().numpy() * factor
    # Numbers below 2⁻¹⁴ of the largest lose more bits; they lose no more than those would.
    assert (np.abs(kept - F) <= EPSILON * np.maximum(np.abs(F), np.abs(F).max() * 2.0**-13)).all()
    rows = Rows(halves, coefficients=(factor,))
    assert np.allclose(rows @ torch.from_numpy(W).float(), kept @ W, rtol=1e-5, atol=1e-5 * scale)
    written = torch.full((shape[0], 7), torch.nan)
    times(halves, torch.from_numpy(W).float(), out=written[:, 1:6])
    assert np.allclose(written[:, 1:6] * factor, kept @ W, rtol=1e-5, atol=1e-5 * scale)
    product = rows.transpose_times(torch.from_numpy(G).float())
    assert np.allclose(product, kept.T @ G, rtol=1e-5, atol=1e-4 * scale * shape[0] ** 0.5)
    assert np.allclose(rows.columns(0, 1), kept[:, :1])


def test_zeros_and_the_gram() -> None:
    halves, factor = halved(torch.zeros(5, 3))
    assert factor == 1
    assert not halves.any()
    F = torch.randn(200, 6, generator=torch.Generator().manual_seed(0)) * 50
    halves, factor = halved(F)
    engine = MemoryEngine(torch.device("cpu"))
    expected = engine.moments([Rows(halves.float() * factor)], complete_graph(200)).M
    M = engine.moments([Rows(halves, coefficients=(factor,))], complete_graph(200)).M
    assert np.allclose(M, expected, rtol=1e-4, atol=1e-6 * float(expected.abs().max()))


def test_a_batch_of_halves_keeps_the_scale() -> None:
    halves, factor = halved(torch.tensor([[8.0, 2.0], [0.5, 4.0], [1.0, 1.0]]))
    taken = Rows(halves, coefficients=(factor,)).take(torch.tensor([1, 0]))
    assert torch.equal(taken @ torch.eye(2), torch.tensor([[0.5, 4.0], [8.0, 2.0]]))
