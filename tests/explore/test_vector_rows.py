"""Vectors that are refused, and fingerprints that change with every number, id and order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsecut.base.errors import InputError
from sparsecut.explore.vector_rows import check_vectors, fingerprint

Z = np.arange(6, dtype=np.float32).reshape(3, 2)


def test_numbers_of_any_kind_become_float32() -> None:
    assert check_vectors([[1, 2], [3, 4]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert check_vectors(np.eye(2, dtype=bool)).dtype == np.float32


@pytest.mark.parametrize("wrong", [np.arange(3), np.empty((0, 2)), [["a"]], np.zeros((2, 0))], ids=str)
def test_what_is_no_matrix_of_numbers_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="must be a matrix of numbers, one row per node"):
        check_vectors(wrong)


def test_rows_that_are_not_finite_are_counted_and_the_first_is_named() -> None:
    with pytest.raises(InputError, match=r"2 are not, the first in row 1\."):
        check_vectors([[0.0, 1.0], [np.nan, 1.0], [np.inf, 2.0]])


def test_a_fingerprint_is_of_every_number_every_id_and_their_order() -> None:
    ids = ["a", "b", "c"]
    mark = fingerprint(Z, ids)
    assert fingerprint(np.asfortranarray(Z), np.array(ids)) == mark
    changed = Z.copy()
    changed[2, 1] = np.nextafter(changed[2, 1], np.float32(9))
    others = [(changed, ids), (Z[::-1], ids), (Z, ["b", "a", "c"]), (Z.reshape(2, 3), ids[:2]), (Z, [0, 1, 2])]
    assert len({mark, *(fingerprint(*other) for other in others)}) == 6
