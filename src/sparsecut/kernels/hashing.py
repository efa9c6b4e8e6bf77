"""Hashes of node ids, the same for the same id in every graph and process, on CPU and GPU.

torch has no unsigned numbers to speak of, so all of it is in signed ones: sums and products modulo 2⁶⁴ have the same bits.
The order of hashes is that of unsigned numbers: `ordered` flips the sign bit first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.kernels.block import Block, Column, Passes
from sparsecut.kernels.either import is_tensor
from sparsecut.kernels.streaming import row_blocks

SIGN_64, SIGN_32 = -(2**63), -(2**31)


def node_hashes(passes: Passes) -> Column:
    """The hash of every node's id, as int64 of the same bits."""
    return passes.column("node-hashes", np.int64, hashes_of)


def hashes_of(block: Block) -> Any:
    ids = block.ids()
    return mixed(ids) if is_tensor(ids) else hash_ids(ids).view(np.int64)


def hash_ids(ids: NDArray[Any]) -> NDArray[np.uint64]:
    """A number for each id."""
    if ids.dtype.kind in "iu":
        return np.asarray(mixed(ids.astype(np.int64))).view(np.uint64)
    hashes = np.empty(len(ids), dtype=np.int64)
    for rows in row_blocks(len(ids), 256):
        words = np.ascontiguousarray(ids[rows].astype(str))
        letters = words.view(np.uint32).reshape(len(words), -1).astype(np.int64)
        sums = np.full(len(words), 5381, dtype=np.int64)
        for column in letters.T:  # letters are never 0, the padding of short words is: it changes nothing
            sums = np.where(column == 0, sums, mixed(sums + column))
        hashes[rows] = sums
    return hashes.view(np.uint64)


def hash_order(ids: NDArray[Any]) -> NDArray[np.int64]:
    """The positions of ids, by their hashes: the same ids in the same order, however they are listed.

    What is drawn from nodes by number is drawn from them in this order, so that shuffling them changes nothing.
    """
    return np.argsort(hash_ids(ids), kind="stable")


def mixed(numbers: Any) -> Any:
    """Splitmix64 of int64 numbers: every bit of a number changes about half of the bits of its image."""
    z = numbers + _signed(0x9E3779B97F4A7C15)
    z = (z ^ shifted(z, 30)) * _signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * _signed(0x94D049BB133111EB)
    return z ^ shifted(z, 31)


def shifted(numbers: Any, n_bits: int) -> Any:
    """A shift to the right that fills up with zeros, as that of unsigned numbers."""
    if is_tensor(numbers):
        return (numbers >> n_bits) & ((1 << (64 - n_bits)) - 1)
    return (numbers.view(np.uint64) >> np.uint64(n_bits)).view(np.int64)


def ordered(hashes: Any) -> Any:
    """Numbers whose signed order is the unsigned one of the hashes."""
    return hashes ^ SIGN_64


def low_half(hashes: Any) -> Any:
    """The lower 32 bits, int32."""
    low = ((hashes & 0xFFFFFFFF) ^ 2**31) - 2**31
    return low.int() if is_tensor(low) else low.astype(np.int32)


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number
