"""The positions of ids in a long list: sorted once, so that each of many queries takes microseconds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph import Ids
from sparsecut.io.edges.ids import check_known


class Lookup:
    """The positions of ids. As in files, a number and the word that spells it are equal."""

    def __init__(self, ids: Ids) -> None:
        self._is_integer = ids.dtype.kind in "iu"
        if self._is_integer:
            self._order = np.argsort(ids, kind="stable")
            self._sorted = ids[self._order]
        else:
            self._position_of = {str(value): position for position, value in enumerate(ids.tolist())}

    def find(self, asked: NDArray[Any], what: str, where: str) -> NDArray[np.int64]:
        """The position of each id; unknown ones are refused by name."""
        values = asked.tolist()
        if self._is_integer:
            numbers = np.array([spelt_integer(value) for value in values], dtype=object)
            is_number = np.array([number is not None for number in numbers], dtype=bool)
            wanted = np.array([number if number is not None else 0 for number in numbers], dtype=np.int64)
            places = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
            positions = np.where(is_number & (self._sorted[places] == wanted), self._order[places], -1)
        else:
            positions = np.array([self._position_of.get(str(value), -1) for value in values], dtype=np.int64)
        check_known(positions, asked, what, where)
        return np.asarray(positions, dtype=np.int64)


def spelt_integer(value: Any) -> int | None:
    """The integer that a value is or spells as Python would print it: 7 and "7", but not "07"."""
    try:
        number = int(value)
    except (TypeError, ValueError):
        return None
    return number if str(number) == str(value) and -(2**63) <= number < 2**63 else None
