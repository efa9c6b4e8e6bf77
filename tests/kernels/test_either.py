"""What is spelt once for numpy and torch gives the same of arrays and of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from sparsecut.kernels import either

KINDS = {"array": np.asarray, "tensor": torch.tensor}


@pytest.mark.parametrize("kind", KINDS)
def test_positions_places_and_order(kind: str) -> None:
    make: Any = KINDS[kind]
    values = make([5, 2, 5, 1])
    assert either.is_tensor(values) == (kind == "tensor")
    assert either.on_host(either.positions(slice(3, 6), values)).tolist() == [3, 4, 5]
    assert either.on_host(either.places_of(values == 5)).tolist() == [0, 2]
    assert either.on_host(either.stable_order(values)).tolist() == [3, 1, 0, 2]
    assert either.on_host(either.last_not_above(make([0, 2, 2, 7]), make([0, 1, 2, 6]))).tolist() == [0, 0, 2, 2]
    assert type(either.on_device_of(values, np.arange(2))) is type(values)


@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_segments_some_of_them_empty(kind: str) -> None:
    make: Any = KINDS[kind]
    sums = either.segment_sums(either.doubles(make([1, 2, 4])), make([0, 0, 2, 2, 3, 3]))
    assert either.on_host(sums).tolist() == [0, 3, 0, 4, 0]
    rows = either.segment_sums(either.doubles(make([[1, 2], [3, 4], [5, 6]])), make([0, 0, 2, 3, 3]))
    assert either.on_host(rows).tolist() == [[0, 0], [4, 6], [5, 6], [0, 0]]
    assert either.on_host(either.repeat(make([7, 8, 9]), make([2, 0, 1]), 3)).tolist() == [7, 7, 9]


@pytest.mark.parametrize("kind", KINDS)
def test_tables_and_counts(kind: str) -> None:
    make: Any = KINDS[kind]
    table = either.side_by_side([make([1.0, 2.0, 3.0]), make([4.0, 5.0, 6.0])])
    assert either.on_host(either.take(table, make([2, 0]))).tolist() == [[3, 6], [1, 4]]
    assert either.on_host(either.singles(table)).dtype == np.float32
    assert either.on_host(either.filled((2, 1), -1, make([1]))).tolist() == [[-1], [-1]]
    assert either.on_host(either.counts_of(make([2, 0, 2]), 4)).tolist() == [1, 0, 2, 0]
    assert either.on_host(either.counts_of(make([2, 0, 2]), 4, make([0.5, 1.0, 0.25]))).tolist() == [1, 0, 0.75, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_part_is_not_copied(kind: str) -> None:
    make: Any = KINDS[kind]
    part = make([1, 2])
    assert either.concatenate([part]) is part
    assert either.on_host(either.concatenate([part, make([3])])).tolist() == [1, 2, 3]
