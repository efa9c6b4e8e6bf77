"""Arrays to a GPU and back, to the bit; on a CPU nothing is copied."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sparsecut.kernels import transfer
from sparsecut.kernels.transfer import as_array, as_tensor

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")


def test_on_a_cpu_the_memory_is_shared() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    array.flags.writeable = False
    tensor = as_tensor(array, torch.device("cpu"))
    assert tensor.data_ptr() == array.ctypes.data
    assert as_array(tensor).ctypes.data == array.ctypes.data


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
@pytest.mark.parametrize("n_rows", [1, 1000, 300_000, 1_234_567])
def test_there_and_back_is_the_same(n_rows: int, dtype: type) -> None:
    array = np.random.default_rng(0).integers(-9, 9, (n_rows, 7)).astype(dtype)
    tensor = as_tensor(array, torch.device("cuda"))
    assert tensor.is_cuda
    assert torch.equal(tensor.cpu(), torch.from_numpy(array))
    assert np.array_equal(as_array(tensor), array)
    assert np.array_equal(as_array(tensor.T), array.T)


@pytest.mark.cuda
@needs_cuda
def test_a_buffer_is_not_filled_before_it_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BUFFER_BYTES", 1 << 12)
    monkeypatch.setattr(transfer, "MIN_BYTES", 1)
    array = np.arange(10**6)
    for _ in range(3):
        tensor = as_tensor(array, torch.device("cuda")) * 2
        assert np.array_equal(as_array(tensor), 2 * array)
