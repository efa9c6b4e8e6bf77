"""Features without some rows: encoded as the table of the other rows is, from the table itself or from encoded numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from sparsecut.base.errors import InputError
from sparsecut.features.encoder import NamedColumns, TableEncoder, Vocabulary
from sparsecut.features.feature_tables import FeatureMatrix, FeatureTable, WordLists
from sparsecut.features.fitting_again import fitted_again

N_ROWS = 240
GENERATOR = np.random.default_rng(0)


def gaps(values: Any, share: float = 0.2) -> list[Any]:
    return [None if GENERATOR.random() < share else value for value in np.asarray(values, dtype=object).tolist()]


def days(values: Any) -> Any:
    return pa.array(np.asarray(values, dtype="datetime64[D]"))


COLUMNS: dict[str, tuple[Any, Any]] = {
    "standard": (GENERATOR.normal(40, 12, N_ROWS), "standard"),
    "standard with gaps": (pa.array(gaps(GENERATOR.normal(-3, 0.1, N_ROWS))), "standard"),
    "as they are": (GENERATOR.normal(5, 2, N_ROWS), False),
    "as they are, with gaps": (pa.array(gaps(GENERATOR.normal(5, 2, N_ROWS))), False),
    "log": (np.exp(3 * GENERATOR.normal(size=N_ROWS)), "log"),
    "log of counts": (2.0 ** GENERATOR.integers(0, 9, N_ROWS) * GENERATOR.choice([-1, 0, 1], N_ROWS), "log"),
    "log with gaps": (pa.array(gaps(np.exp(2 * GENERATOR.normal(size=N_ROWS)))), "log"),
    "rank": (np.round(np.exp(3 * GENERATOR.normal(size=N_ROWS)), 1), "rank"),
    "mark": (GENERATOR.random(N_ROWS) < 0.3, "auto"),
    "mark with gaps": (pa.array(gaps(GENERATOR.random(N_ROWS) < 0.3)), "auto"),
    "date": (days(GENERATOR.integers(18_000, 19_000, N_ROWS)), "standard"),
    "one value or a gap": (pa.array(gaps(np.full(N_ROWS, 3.0))), "auto"),
    "city": (GENERATOR.choice(["Bern", "Doha", "Kyiv", "Lima"], N_ROWS), "auto"),
    "city with gaps": (pa.array(gaps(GENERATOR.choice(["Bern", "Doha"], N_ROWS))), "auto"),
    "constant": (np.full(N_ROWS, 2.0), "auto"),
    "vector": (pa.array(GENERATOR.normal(size=(N_ROWS, 3)).tolist()), "auto"),
    "words": (pa.array([["red", "new"][: number % 3] for number in range(N_ROWS)]), "auto"),
}
KEPT = np.sort(GENERATOR.permutation(N_ROWS)[: N_ROWS - 30])


def table_of(names: list[str]) -> FeatureTable:
    table = pa.table({name: COLUMNS[name][0] for name in names})
    return FeatureTable(table, "The table", scale={name: COLUMNS[name][1] for name in names})


def assert_same(found: TableEncoder, expected: TableEncoder) -> None:
    assert [type(column) for column in found.columns] == [type(column) for column in expected.columns]
    assert found.names_out == expected.names_out
    for one, other in zip(found.columns, expected.columns, strict=True):
        for name in ("mean", "deviation", "unit", "fill", "with_missing", "is_time", "categories", "words"):
            value, wanted = getattr(one, name, 0), getattr(other, name, 0)
            assert value == (pytest.approx(wanted, rel=1e-6, abs=1e-6) if isinstance(wanted, float) else wanted), name


@pytest.mark.parametrize("names", [[name, "standard"] for name in COLUMNS if name != "standard"] + [list(COLUMNS)], ids=str)
def test_encoded_numbers_are_fitted_again_as_the_table_of_the_rows_that_are_left(names: list[str]) -> None:
    """The oracle is the encoding of the table itself, which never had the other rows."""
    table = table_of(names)
    matrix = table.matrix(table.encoder)[0]
    found: Any = fitted_again(FeatureMatrix(matrix, table.encoder), KEPT)
    raw = pa.table({name: pa.array(COLUMNS[name][0]).take(KEPT) for name in names})
    expected = FeatureTable(raw, "The table", scale={name: COLUMNS[name][1] for name in names})
    assert_same(found.encoder, expected.encoder)
    wanted = expected.matrix(expected.encoder)[0]
    assert sp.issparse(found.own) == sp.issparse(wanted)
    assert found.own.dtype == np.float32
    dense = (part.toarray() if sp.issparse(part) else part for part in (found.own, wanted))
    np.testing.assert_allclose(*dense, atol=5e-6)
    again: Any = fitted_again(table, KEPT)  # with the table at hand there is nothing to decode
    assert again.encoder == expected.encoder
    assert all(len(column) == len(KEPT) for column in again.columns.values())


def test_what_the_other_rows_alone_had_is_gone() -> None:
    """A category, gaps, a word, the only other value, and all of a column."""
    raw = pa.table(
        {
            "city": ["Bern", "Doha", "Bern", "Doha", "Atlantis"],
            "height": [1.0, 2.0, 3.0, 4.0, None],
            "tags": [["a"], ["b"], [], ["a"], ["secret"]],
            "same": [7.0, 7.0, 7.0, 7.0, 9.5],
            "lone": [None, None, None, None, 5.0],
            "mark": ["yes", "yes", "yes", "yes", "no"],
            "flag": [0, 1, 1, 0, 700],
        }
    )
    table = FeatureTable(raw, "The table", scale={"same": "standard"})
    assert "city = Atlantis" in table.encoder.names_out
    expected = FeatureTable(raw.slice(0, 4), "The table", scale={"same": "standard"})
    for source in (table, FeatureMatrix(table.matrix(table.encoder)[0], table.encoder)):
        found: Any = fitted_again(source, np.arange(4))
        assert (
            found.encoder.names_out
            == expected.encoder.names_out
            == (*("city = Bern", "city = Doha", "height", "tags has a", "tags has b", "flag"),)
        )
        np.testing.assert_allclose(
            found.matrix(found.encoder)[0].toarray(), expected.matrix(expected.encoder)[0].toarray(), atol=1e-6
        )
        assert "Atlantis" not in str(found.encoder)
        assert "secret" not in str(found.encoder)


def test_a_node_without_a_row_has_zeros_and_does_not_count() -> None:
    table = FeatureTable(pa.table({"height": [1.0, 2.0, 3.0, 8.0]}), "The table", rows=np.array([0, 1, -1, 2, 3]))
    for source in (table, FeatureMatrix(table.matrix(table.encoder)[0], table.encoder)):
        found: Any = fitted_again(source, np.arange(4))
        assert found.encoder.columns[0].mean == pytest.approx(2)
        height = np.sqrt(1.5)
        np.testing.assert_allclose(found.matrix(found.encoder)[0].ravel(), [-height, 0, 0, height], atol=1e-6)


def test_lists_lose_the_words_that_nobody_has() -> None:
    matrix = sp.csr_array(np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=np.float32))
    lists = WordLists(matrix, ("cat", "secret", "dog"), "The lists")
    for source in (lists, FeatureMatrix(matrix, Vocabulary(("cat", "secret", "dog")))):
        found: Any = fitted_again(source, np.array([0, 1]))
        assert found.encoder.words == ("cat", "dog")
        np.testing.assert_array_equal(found.matrix(found.encoder)[0].toarray(), np.eye(2))
    numbered: Any = fitted_again(FeatureMatrix(matrix, Vocabulary(3)), np.array([0, 2]))
    assert numbered.encoder.words == 2


def test_a_matrix_is_taken_as_it_is() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    for encoder in (None, NamedColumns(("a", "b"))):
        found: Any = fitted_again(FeatureMatrix(matrix, encoder), np.array([0, 2]))
        assert found.encoder == encoder
        np.testing.assert_array_equal(found.own, matrix[[0, 2]])


def test_a_table_of_which_nothing_is_left_is_refused() -> None:
    table = FeatureTable(pa.table({"height": [1.0, 1.0, 3.0]}), "The table")
    with pytest.raises(InputError, match="no column that could be a feature"):
        fitted_again(FeatureMatrix(table.matrix(table.encoder)[0], table.encoder), np.array([0, 1]))
