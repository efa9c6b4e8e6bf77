"""Edges a batch at a time: columns, folders, times whose unit only all of them tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from sparsecut.base.errors import InputError
from sparsecut.graph.times import as_moments, raw_moments
from sparsecut.io.stores.edge_batches import EdgeFile, TimeScan

ASKED = {"source": None, "target": None, "weight": None, "time": "at"}


def scanned(*parts: list[object]) -> TimeScan:
    scan = TimeScan("The edges")
    for part in parts:
        scan.update(raw_moments(part, "The edges", scan.n_rows))
    return scan


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([5, 20], [1_700_000_000_000, 1_800_000_000_000]),  # milliseconds, of which the first part alone has none
        ([1.5, 2.5], [3.5, 0.5]),
        (["2026-01-02", "2026-01-01"], ["2025-03-04 10:00:00"]),
        ([1_700_000_000], [1_600_000_000, 1_650_000_000]),
    ],
)
def test_the_unit_of_parts_is_that_of_the_whole(first: list[object], second: list[object]) -> None:
    whole = as_moments([*first, *second], "all")
    scan = scanned(first, second)
    assert scan.is_calendar == whole.is_calendar
    found = [scan.moments(raw_moments(part, "a part")) for part in (first, second)]
    assert np.concatenate(found).tolist() == whole.values.tolist()
    assert scan.last.time == whole.values.max()
    assert scan.last.earliest == whole.values.min()
    assert scan.last.row == int(whole.values.argmax())
    one, other = scanned(first), TimeScan("The edges", n_rows=len(first))
    other.update(raw_moments(second, "The edges", len(first)))
    one.merge(other)
    assert (one.last, one.is_calendar) == (scan.last, scan.is_calendar)


def test_times_of_two_kinds_are_refused_by_their_row() -> None:
    with pytest.raises(InputError, match=r"times of one kind. Got dates, and at row 3 dates with a zone"):
        scanned(["2026-01-02", "2026-01-01"], ["2026-01-02T10:00:00Z"])
    with pytest.raises(InputError, match="has no time in row 4"):
        scanned([1, 2], [3, None])


def test_a_folder_is_one_table(tmp_path: Path) -> None:
    for part in range(3):
        table = pa.table({"source": [part], "target": [part + 1], "at": [float(part)]})
        pyarrow.parquet.write_table(table, tmp_path / f"{part}.parquet")
    (tmp_path / "_metadata.parquet").write_bytes(b"nothing")
    file = EdgeFile(tmp_path, ASKED)
    assert file.n_edges == 3
    batches = list(file.batches())
    assert [batch.sources.tolist() for batch in batches] == [[0], [1], [2]]
    assert [batch.times.values.tolist() for batch in batches if batch.times is not None] == [[0.0], [1.0], [2.0]]
    pyarrow.parquet.write_table(pa.table({"source": [1], "target": [2]}), tmp_path / "9.parquet")
    with pytest.raises(InputError, match=r"9.parquet has no column 'at', and others of its folder have"):
        EdgeFile(tmp_path, ASKED)


def test_weights_below_zero_need_a_word(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"source": [0], "target": [1], "weight": [-1.0]}), tmp_path / "e.parquet")
    asked = {"source": None, "target": None, "weight": None}
    with pytest.raises(InputError, match=r"signed=True"):
        list(EdgeFile(tmp_path / "e.parquet", asked).batches())
    (batch,) = EdgeFile(tmp_path / "e.parquet", asked, is_signed=True).batches()
    assert batch.weights is not None
    assert batch.weights.tolist() == [-1.0]
