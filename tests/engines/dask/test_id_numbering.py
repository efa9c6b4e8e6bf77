"""Ids looked up in tables by hash against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.engines.dask.id_numbering import Ends, Ids, ids_of_table, look_up, make_table, numbered

WORDS = st.lists(st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), min_size=1), unique=True)


@given(st.one_of(WORDS.filter(len), st.lists(st.integers(-(2**62), 2**62), unique=True, min_size=1)), st.integers(1, 5))
def test_every_id_is_found_in_its_table_and_no_other(ids: list[str] | list[int], n_tables: int) -> None:
    values = np.array(ids)
    half = len(values) // 2
    pieces = [Ids(part, first) for part, first in ((values[:half], 0), (values[half:], half)) if len(part)]
    tables = [make_table([ids_of_table(piece, table, n_tables, True) for piece in pieces], "F") for table in range(n_tables)]
    assert sum(len(table[0]) for table in tables) == len(values)
    rows = {value: row for row, value in enumerate(values.tolist())}
    for table in tables:
        assert look_up(table, table[0]).tolist() == [rows[value] for value in table[0].tolist()]
    found = np.max([look_up(table, values) for table in tables], axis=0)
    assert found.tolist() == list(range(len(values)))


def test_ids_that_no_table_has_are_named() -> None:
    ends = Ends(np.array(["a", "b"]), np.array([0, 2]), np.array([[0, 1], [1, 0]]), None)
    i, j, _ = numbered(ends, [np.array([4, 7])], "E", "F", "id")
    assert (i.tolist(), j.tolist()) == ([4, 7], [7, 4])
    with pytest.raises(sc.InputError, match="names nodes that f does not: 'b'"):
        numbered(ends, [np.array([4, -1])], "E", "F", "id")
