"""Hashes of ids: spread evenly, and the same however ids are stored, in numpy and in torch."""

from __future__ import annotations

import numpy as np
import torch

from hashed_ids import KINDS, ids_of
from sparsecut.kernels.hashing import hash_ids, low_half, mixed, ordered, shifted


def test_hashes_tell_ids_apart_and_do_not_depend_on_how_they_are_stored() -> None:
    for kind in KINDS:
        ids = ids_of(kind, 5000)
        hashes = hash_ids(ids)
        assert len(np.unique(hashes)) == 5000
        bits = np.unpackbits(hashes.view(np.uint8).reshape(5000, 8), axis=1)
        assert np.abs(bits.mean(axis=0) - 0.5).max() < 5 / (2 * 5000**0.5)  # five standard deviations
    words = np.array(["a", "bb", "ccc"])
    assert np.array_equal(hash_ids(words), hash_ids(words.astype("U100")))
    assert np.array_equal(hash_ids(words), hash_ids(words.astype(object)))
    assert np.array_equal(hash_ids(words[1:]), hash_ids(words)[1:])
    numbers = np.array([3, 70, 2000], dtype=np.int16)
    assert np.array_equal(hash_ids(numbers), hash_ids(numbers.astype(np.int64)))


def test_splitmix64_by_its_published_numbers_and_in_torch() -> None:
    """The first outputs of the generator for the seed 0: each is the image of a multiple of its increment."""
    increment = 0x9E3779B97F4A7C15
    states = np.array([number * increment % 2**64 for number in range(3)], dtype=np.uint64).view(np.int64)
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert mixed(states).view(np.uint64).tolist() == expected
    numbers = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 1000)
    for function in (mixed, ordered, low_half, lambda values: shifted(values, 24)):
        assert np.array_equal(function(torch.from_numpy(numbers)).numpy(), function(numbers))


def test_orders_and_halves_are_those_of_unsigned_numbers() -> None:
    numbers = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, 1000)
    unsigned = numbers.view(np.uint64)
    assert np.array_equal(np.argsort(ordered(numbers)), np.argsort(unsigned))
    assert np.array_equal(low_half(numbers).view(np.uint32), (unsigned % np.uint64(2**32)).astype(np.uint32))
    assert np.array_equal(shifted(numbers, 24).view(np.uint64), unsigned // np.uint64(2**24))
