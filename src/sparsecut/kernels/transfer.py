"""Large arrays between the host's memory and a GPU, through pinned buffers.

A copy from ordinary memory runs at a seventh of what the bus carries, and one back at a tenth: the driver goes through small
buffers of its own with one core. Here all cores fill a buffer while the ones before it are on their way. torch keeps the
pinned buffers for the next time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.kernels.threads import of_torch

BUFFER_BYTES = 32 << 20
N_BUFFERS = 3
MIN_BYTES = 4 << 20  # less is not worth a buffer


def as_tensor(array: NDArray[Any], device: torch.device) -> Tensor:
    """A tensor over a numpy array's own memory on CPU, a copy elsewhere. Nothing here writes to it."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        tensor = torch.from_numpy(array)
    else:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
            tensor = torch.from_numpy(array)
    if device.type != "cuda" or array.nbytes < MIN_BYTES:
        # From ordinary memory the driver has read all of it before the call returns; only the GPU is not waited for.
        return tensor.to(device, non_blocking=device.type == "cuda")
    copied = torch.empty(tensor.shape, dtype=tensor.dtype, device=device)
    source, target = tensor.view(-1), copied.view(-1)
    sending = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    sending.wait_stream(torch.cuda.current_stream(device))
    for part, buffer, sent in _buffers(source):
        sent.synchronize()
        with of_torch():  # by all cores
            buffer.copy_(source[part])
        with torch.cuda.stream(sending):
            target[part].copy_(buffer, non_blocking=True)
            sent.record(sending)
    torch.cuda.current_stream(device).wait_stream(sending)
    copied.record_stream(sending)
    return copied


def as_array(tensor: Tensor) -> NDArray[Any]:
    """A numpy array over a CPU tensor's own memory, a copy of one that lies elsewhere."""
    if not tensor.is_cuda or tensor.numel() * tensor.element_size() < MIN_BYTES:
        return tensor.cpu().numpy()
    result = np.empty(tuple(tensor.shape), dtype=torch.empty(0, dtype=tensor.dtype).numpy().dtype)
    fetch(tensor, torch.from_numpy(result))
    return result


def fetch(tensor: Tensor, into: Tensor) -> None:
    """Copy a tensor to contiguous memory of the host."""
    if not tensor.is_cuda or tensor.numel() * tensor.element_size() < MIN_BYTES:
        into.copy_(tensor)
        return
    source, target = tensor.contiguous().view(-1), into.view(-1)
    receiving = torch.cuda.Stream(tensor.device)  # type: ignore[no-untyped-call]
    receiving.wait_stream(torch.cuda.current_stream(tensor.device))
    under_way: list[tuple[slice, Tensor, Any]] = []
    for part, buffer, received in _buffers(source):
        if len(under_way) == N_BUFFERS:
            _finish(target, under_way.pop(0))
        with torch.cuda.stream(receiving):
            buffer.copy_(source[part], non_blocking=True)
            received.record(receiving)
        under_way.append((part, buffer, received))
    for copy in under_way:
        _finish(target, copy)


def _buffers(flat: Tensor) -> Iterator[tuple[slice, Tensor, Any]]:
    """(part, pinned buffer of its size, event) for the parts of a flat tensor, the buffers in turn."""
    size = BUFFER_BYTES // flat.element_size()
    buffers = [torch.empty(size, dtype=flat.dtype, pin_memory=True) for _ in range(N_BUFFERS)]
    events = [torch.cuda.Event() for _ in buffers]  # type: ignore[no-untyped-call]
    for number, start in enumerate(range(0, len(flat), size)):
        part = slice(start, min(start + size, len(flat)))
        yield part, buffers[number % N_BUFFERS][: part.stop - part.start], events[number % N_BUFFERS]


def _finish(target: Tensor, copy: tuple[slice, Tensor, Any]) -> None:
    part, buffer, received = copy
    received.synchronize()
    with of_torch():
        target[part] = buffer
