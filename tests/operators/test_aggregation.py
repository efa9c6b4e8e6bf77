"""Aggregations by hand, and the one matrix that a linear projection is."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sparsecut.operators.aggregation import Projection, aggregate


def test_aggregations_by_hand() -> None:
    first, second = torch.tensor([[1.0, 4.0]]), torch.tensor([[3.0, 2.0]])
    assert aggregate([first, second], "concat").tolist() == [[1, 4, 3, 2]]
    assert aggregate([first, second], "mean").tolist() == [[2, 3]]
    assert aggregate([first, second], "max").tolist() == [[3, 4]]
    assert all(aggregate([first], aggregation) is first for aggregation in ("concat", "mean", "max"))


@pytest.mark.parametrize("n_levels", [1, 3])
@pytest.mark.parametrize("aggregation", ["concat", "mean"])
def test_the_whole_matrix_is_the_aggregation(aggregation: str, n_levels: int) -> None:
    generator = torch.Generator().manual_seed(0)
    S = [torch.randn(6, 4, generator=generator) for _ in range(n_levels)]
    weights = tuple(torch.randn(4, 2, generator=generator) for _ in range(n_levels))
    projection = Projection(weights, aggregation)
    expected = aggregate([level @ matrix for level, matrix in zip(S, weights, strict=True)], aggregation)
    assert projection.dimension == expected.shape[1]
    assert projection.is_linear
    assert np.allclose(torch.cat(S, dim=1) @ projection.whole(), expected, atol=1e-5)


def test_the_largest_of_several_levels_is_not_linear() -> None:
    one, two = torch.ones(4, 2), torch.zeros(4, 2)
    assert not Projection((one, two), "max").is_linear
    assert Projection((one,), "max").is_linear
    assert Projection((one, two), "max").dimension == 2
