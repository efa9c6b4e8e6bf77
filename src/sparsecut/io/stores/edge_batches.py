"""Edges larger than memory, a batch at a time: the ids of both ends, weights and times.

What a batch becomes is what the readers for memory make of the whole file. Of times the unit is that of the largest of all,
so they are looked through first (`TimeScan`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import as_id_array
from sparsecut.graph.times import RawTimes, in_unit, raw_moments
from sparsecut.io.edges.column_evidence import evidence_of
from sparsecut.io.edges.edge_columns import ColumnPlan, EdgeColumns, plan_columns
from sparsecut.io.edges.edge_weights import check_not_negative, edge_weights
from sparsecut.io.edges.ids import check_present, plain_ids
from sparsecut.io.edges.sides import with_side
from sparsecut.io.edges.weighing import Latest
from sparsecut.io.hostile.guards import reading
from sparsecut.io.stores.streamed_tables import BATCH_ROWS, check_streamed, map_array, names_and_rows, tables_in_parts
from sparsecut.kernels import release, row_blocks

N_SAMPLED = 10_000  # edges whose ids the id column of the features must have


class EdgeBatch(NamedTuple):
    """Some edges: ids as 64-bit integers (numpy) or as words (Arrow)."""

    sources: Any
    targets: Any
    weights: NDArray[np.float32] | None
    times: RawTimes | None = None


class EdgeFile:
    """The edges of a file or of a folder of Parquet files, read in batches; each call reads them again.

    `plan` finds the columns by their names where `asked` and `bipartite` do not say it all.
    """

    def __init__(
        self,
        path: str | Path,
        asked: Mapping[str, str | None],
        bipartite: bool | None = None,
        *,
        what: str | None = None,
        plan: Callable[[Sequence[str]], ColumnPlan] | None = None,
        is_signed: bool = False,
    ) -> None:
        self.path, self.is_signed = check_streamed(path, "edge"), is_signed
        self.what = f"The edge {'folder' if self.path.is_dir() else 'file'} {self.path}" if what is None else what
        self.columns: EdgeColumns | None = None
        self.names: tuple[str, ...] = ()
        if self.path.suffix == ".npy":
            refuse_for_array({**asked, "bipartite": bipartite}, self.what)
            pairs = map_array(self.path, "edge")
            if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
                raise InputError(
                    f"{self.what} must hold integers in two columns, (m, 2). Got {pairs.dtype} of shape {pairs.shape}."
                )
            self.n_edges = len(pairs)
        else:
            names, self.n_edges = names_and_rows(self.path, "edge")
            self.names = tuple(names)
            planned = plan_columns(names, asked, self.what, bipartite) if plan is None else plan(names)
            evidence = None
            if planned.unclear:
                with reading(self.path, "edge"):
                    evidence = evidence_of(tables_in_parts(self.path, "edge", planned.unclear, BATCH_ROWS), self.n_edges)
            self.columns = planned.decide(evidence)
        if self.n_edges == 0:
            raise InputError(f"{self.what} has no rows.{'' if plan is None else ' Leave this type of edges out.'}")

    def some_ids(self) -> Any:
        """Ids that the first edges name, by which the id column of a table of nodes is found."""
        first = next(self.batches())
        return some_of(first.sources, first.targets)

    @property
    def has_weights(self) -> bool:
        return self.columns is not None and self.columns.weight is not None

    @property
    def is_integer(self) -> bool:
        """Whether the ids of both ends are integers."""
        if self.columns is None:
            return True
        ends = [self.columns.source, self.columns.target]
        with reading(self.path, "edge"):
            first_row = next(tables_in_parts(self.path, "edge", ends, 1))
        return all(str(kind).startswith(("int", "uint")) for kind in first_row.schema.types)

    @property
    def notes(self) -> tuple[str, ...]:
        form = "Parquet" if self.path.is_dir() else self.path.suffix[1:].capitalize()
        said = f"Edges: {self.path}, {form}; {self.columns or 'source and target in two columns, no weights'}."
        return (said,) if self.columns is None else (said, *self.columns.notes, *self.columns.doubts)

    def batches(self) -> Iterator[EdgeBatch]:
        """All edges, in the order of the file."""
        if self.columns is None:
            pairs = map_array(self.path, "edge")
            for rows in row_blocks(len(pairs), 1, BATCH_ROWS):
                checked = as_id_array(np.asarray(pairs[rows]), self.what)
                yield EdgeBatch(checked[:, 0].astype(np.int64), checked[:, 1].astype(np.int64), None)
                release(pairs, rows)
            return
        columns, row = self.columns, 0
        with reading(self.path, "edge"):
            for table in tables_in_parts(self.path, "edge", columns.in_order(), BATCH_ROWS):
                times = None
                if columns.time is not None:
                    times = raw_moments(table.column(columns.time), f"{self.what}, in column {columns.time!r},", row)
                yield EdgeBatch(*edges_of(table, columns, self.what, is_signed=self.is_signed), times)
                row += table.num_rows


def refuse_for_array(options: Mapping[str, Any], what: str) -> None:
    """An array of edges has two columns without names, and no use for options about columns."""
    named = next((name for name, value in options.items() if value is not None), None)
    if named is not None:
        raise InputError(f"{what} has no use for {named}={options[named]!r}: it has two columns without names.")


def edges_of(
    table: Any, columns: EdgeColumns, what: str, *, is_signed: bool = False
) -> tuple[Any, Any, NDArray[np.float32] | None]:
    """(sources, targets, weights) of a table: ids as 64-bit integers (numpy) or as words (Arrow)."""
    ends = []
    for number, name in enumerate((columns.source, columns.target)):
        column = plain_ids(table.column(name), f"{what}, in column {name!r},")
        check_present(column, what, f" of column {name!r}")
        if columns.sides is not None:
            column = with_side(column, columns.sides[number])
        ends.append(column.to_numpy() if str(column.type) == "int64" else column)
    weights = None
    if columns.weight is not None:
        weights = edge_weights(table.column(columns.weight), columns.weight, what)
        if not is_signed:
            check_not_negative(weights, columns.weight, what)
    return ends[0], ends[1], weights


def some_of(sources: Any, targets: Any) -> NDArray[Any]:
    """Some of the ids at the ends of edges, each once."""
    ends = [np.asarray(end[:N_SAMPLED]) for end in (sources, targets)]
    return np.unique(np.concatenate(ends).astype(np.str_ if any(end.dtype == object for end in ends) else ends[0].dtype))


@dataclass
class TimeScan:
    """What all times of a file say together: which numbers they are, and which is the latest."""

    what: str
    form: str = ""
    largest: float = 0.0
    latest: Latest | None = None  # in numbers as they were given
    n_rows: int = 0
    earliest: float = np.inf  # as they were given, too

    def update(self, raw: RawTimes) -> None:
        """Look at the times of the next rows."""
        self._check(raw.form, self.n_rows)
        self.form = raw.form
        if raw.form == "numbers":
            self.largest = max(self.largest, float(np.abs(raw.values).max(initial=0.0)))
        if len(raw.values):
            found = Latest.of(raw.values, self.what, self.n_rows)
            self.latest = found if self.latest is None or found.time > self.latest.time else self.latest
            self.earliest = min(self.earliest, found.earliest)
        self.n_rows += len(raw.values)

    def merge(self, later: TimeScan) -> None:
        """Look at what a scan of later rows has found."""
        self._check(later.form, later.n_rows)
        self.largest, self.n_rows = max(self.largest, later.largest), later.n_rows
        self.earliest = min(self.earliest, later.earliest)
        if later.latest is not None and (self.latest is None or later.latest.time > self.latest.time):
            self.latest = later.latest

    def _check(self, form: str, row: int) -> None:
        if self.form not in ("", form):
            raise InputError(f"{self.what} must have times of one kind. Got {self.form}, and at row {row + 1:,} {form}.")

    @property
    def is_calendar(self) -> bool:
        return self._in_unit(np.zeros(0))[1]

    def moments(self, raw: RawTimes) -> NDArray[np.float64]:
        """Times in seconds, or in a unit of their own."""
        return self._in_unit(raw.values)[0]

    @property
    def last(self) -> Latest:
        """The latest edge."""
        assert self.latest is not None
        time, earliest = self._in_unit(np.array([self.latest.time, self.earliest]))[0].tolist()
        return Latest(time, self.latest.row, self.what, earliest)

    def _in_unit(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
        return in_unit(RawTimes(values, self.form), self.largest)
