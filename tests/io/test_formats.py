"""The table of formats: every reader is where it says."""

from __future__ import annotations

import pytest

from sparsecut.io.formats import CELLS, DOCUMENTS, MATRICES, reader_of


@pytest.mark.parametrize("home", [*MATRICES.values(), *DOCUMENTS.values(), *CELLS.values()])
def test_a_reader_is_where_the_table_says(home: str) -> None:
    read = reader_of(home)
    assert f"{read.__module__}:{read.__name__}" == home


def test_a_suffix_has_one_reader() -> None:
    suffixes = [*MATRICES, *DOCUMENTS, *CELLS]
    assert len(suffixes) == len(set(suffixes))
