"""An array that grows by rows, against one that is concatenated."""

from __future__ import annotations

import numpy as np

from sparsecut.updates.growing import GrowingArray


def test_rows_are_those_of_an_array_that_is_concatenated() -> None:
    generator = np.random.default_rng(0)
    expected = generator.normal(size=(3, 2))
    growing = GrowingArray(expected.copy())
    for n_rows in (0, 1, 5, 1, 40, 2):
        more = generator.normal(size=(n_rows, 2))
        growing.extend(more)
        expected = np.concatenate([expected, more])
        growing.rows[0] += 1
        expected[0] += 1
        np.testing.assert_array_equal(growing.rows, expected)
        assert len(growing) == len(expected)


def test_adding_a_row_does_not_copy_the_others_each_time() -> None:
    growing, held = GrowingArray(np.zeros((10, 1))), set()
    for _ in range(1000):
        growing.extend(np.ones((1, 1)))
        held.add(growing.rows.__array_interface__["data"][0])
    assert len(held) < 10
