"""What numpy and torch spell differently, in one spelling for arrays and tensors: what functions of a block are written in.

Arithmetic, comparison, slices and indices need nothing of this: both spell them alike. torch is imported only for tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_tensor(values: Any) -> bool:
    return hasattr(values, "is_cuda")


def doubles(values: Any) -> Any:
    """The numbers in float64."""
    return values.double() if is_tensor(values) else values.astype(np.float64)


def longs(values: Any) -> Any:
    """The numbers in int64."""
    return values.long() if is_tensor(values) else values.astype(np.int64, copy=False)


def singles(values: Any) -> Any:
    """The numbers in float32."""
    return values.float() if is_tensor(values) else values.astype(np.float32)


def log(values: Any) -> Any:
    """The natural logarithm of each number."""
    return values.log() if is_tensor(values) else np.log(values)


def stack(numbers: Sequence[Any]) -> Any:
    """Single numbers as a vector."""
    if is_tensor(numbers[0]):
        import torch

        return torch.stack(list(numbers))
    return np.array(numbers)


def side_by_side(columns: Sequence[Any]) -> Any:
    """Vectors as the columns of a matrix."""
    if is_tensor(columns[0]):
        import torch

        return torch.stack(list(columns), dim=1)
    return np.stack(columns, axis=1)


def filled(shape: tuple[int, ...], value: int, like: Any) -> Any:
    """An array of one whole number, of the type of another array or tensor and where it is."""
    return like.new_full(shape, value) if is_tensor(like) else np.full(shape, value, dtype=like.dtype)


def counts_of(places: Any, n_places: int, weights: Any = None) -> Any:
    """How often each of 0 … n_places − 1 is among some places; the sums of their weights in float64 where given."""
    if is_tensor(places):
        return places.bincount(weights, minlength=n_places)
    return np.bincount(places, weights, n_places)


def concatenate(parts: Sequence[Any], axis: int = 0) -> Any:
    """Vectors one after another, or matrices side by side along an axis; a single one is not copied."""
    if len(parts) == 1:
        return parts[0]
    if is_tensor(parts[0]):
        import torch

        return torch.cat(list(parts), dim=axis)
    return np.concatenate(parts, axis=axis)


def places_of(is_there: Any) -> Any:
    """The positions of what is true, ascending."""
    return is_there.nonzero()[:, 0] if is_tensor(is_there) else np.flatnonzero(is_there)


def take(values: Any, places: Any) -> Any:
    """values[places], for rows as well: numpy's own indices are slow at those."""
    return np.take(values, places, axis=0) if isinstance(values, np.ndarray) else values[places]


def positions(rows: slice, like: Any) -> Any:
    """start … stop − 1, int64, where another array or tensor is."""
    if is_tensor(like):
        import torch

        return torch.arange(rows.start, rows.stop, device=like.device)
    return np.arange(rows.start, rows.stop)


def on_device_of(like: Any, values: NDArray[Any]) -> Any:
    """An array of the host where another array or tensor is."""
    if is_tensor(like):
        from sparsecut.kernels.transfer import as_tensor

        return as_tensor(values, like.device)
    return values


def on_host(values: Any) -> NDArray[Any]:
    """An array over the memory of the host's own values, a copy of those of a GPU."""
    if is_tensor(values):
        from sparsecut.kernels.transfer import as_array

        return as_array(values)
    return np.asarray(values)


def repeat(values: Any, counts: Any, total: int) -> Any:
    """Each value as often as its count says, `total` in all."""
    if is_tensor(values):
        import torch

        return torch.repeat_interleave(values, counts, output_size=total)
    return np.repeat(values, counts)


def last_not_above(ascending: Any, values: Any) -> Any:
    """For each value the position of the last number of an ascending list that is no larger."""
    if is_tensor(ascending):
        import torch

        return torch.searchsorted(ascending, values.to(ascending.dtype), right=True) - 1
    return np.searchsorted(ascending, values, side="right") - 1


def stable_order(values: Any) -> Any:
    """The positions of the values by their size; equal ones stay in their order."""
    return values.argsort(stable=True) if is_tensor(values) else np.argsort(values, kind="stable")


def segment_sums(terms: Any, starts: Any) -> Any:
    """The sums of consecutive terms, numbers or rows, from each start to the next, (b,) or (b, c) for b + 1 starts."""
    if is_tensor(terms):
        import torch

        return torch.segment_reduce(terms, "sum", offsets=starts.long())
    sums = np.zeros_like(terms, shape=(len(starts) - 1, *terms.shape[1:]))
    filled = np.flatnonzero(np.diff(starts))  # reduceat has no empty segments
    if len(filled):
        sums[filled] = np.add.reduceat(terms, starts[filled], axis=0)
    return sums
