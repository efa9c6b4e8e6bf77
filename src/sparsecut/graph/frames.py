"""Data frames as they are passed in, and how their rows meet the nodes: by the rule of `sparsecut.graph.id_columns`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import column_of
from sparsecut.graph.id_columns import (
    INDEX,
    Fit,
    IdEvidence,
    KnownIds,
    ambiguous,
    choose_ids,
    comparable,
    gather,
    positions,
)
from sparsecut.graph.id_kinds import Ids, as_id_array

NAME_IT = "Name the column, or the index, that holds the node ids: id_column=…"
NAME_OTHER = "If another column holds the ids, name it: id_column=…"
IN_ORDER = "for rows in the order of the nodes pass node_ids= too, or an array in place of the frame"


def is_frame(values: Any) -> bool:
    """Whether these are columns with names: a frame of pandas or polars, a relation of DuckDB, an Arrow table."""
    if hasattr(values, "collect") and hasattr(values, "lazy"):  # a lazy frame of polars, which warns if asked for columns
        return True
    return (hasattr(values, "columns") and hasattr(values, "dtypes")) or hasattr(values, "column_names")


def as_arrow(frame: Any, what: str) -> Any:
    """The columns of a frame as an Arrow table, without its index; values of several types in a column are their text."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "collect") and hasattr(frame, "lazy"):
        frame = frame.collect()
    if not hasattr(frame, "iloc"):  # polars, DuckDB and others that speak Arrow
        return pa.table(frame)
    names = [str(name) for name in frame.columns]
    columns: dict[str, Any] = {}
    for position, name in enumerate(names):
        if name in columns:
            raise InputError(f"{what} has two columns named {name!r}. Rename one.")
        columns[name] = column_of(frame.iloc[:, position], name, what)
    return pa.table(columns)


@dataclass(frozen=True)
class Matched:
    """A table of nodes without its ids, and the column of those; None where rows are in the order of the nodes."""

    table: Any
    column: Any = None
    by: str = ""  # what held the ids, for messages
    notes: tuple[str, ...] = ()
    found: NDArray[np.int64] | None = None  # the row of each node that was known, where every row is one of them
    covering: NDArray[np.int64] | None = None  # the row of each node that was known, where other rows are of other nodes

    @cached_property
    def ids(self) -> Ids | None:
        """The id of each row."""
        if self.column is None or isinstance(self.column, np.ndarray):
            return self.column
        return np.asarray(self.column.to_numpy())

    def extended(self, node_ids: Ids) -> tuple[Ids, Matched]:
        """(the nodes with those that only this table names, this table for them): see `with_others`."""
        if self.covering is None:
            return with_others(node_ids, self.column), self
        is_other = np.ones(self.table.num_rows, dtype=bool)
        is_other[self.covering] = False
        joined, is_sorted = _joined(node_ids, KnownIds(self.column), is_other)
        order = np.argsort(joined, kind="stable") if is_sorted else slice(None)
        return joined[order], replace(self, found=np.concatenate([self.covering, np.flatnonzero(is_other)])[order])

    def rows(self, node_ids: Ids, what: str) -> NDArray[np.int64] | None:
        """The row of each node, where the rows name just the nodes, each once; None: in the order of the nodes."""
        if self.found is not None or self.column is None:
            return self.found
        return rows_of(node_ids, self.column, f"{what}, matched by {self.by},")


def match_frame(
    frame: Any,
    node_ids: Ids,
    what: str,
    *,
    id_column: str | None = None,
    fit: Fit = "all",
    is_ordered: bool = True,
    never: tuple[str, ...] = (),
) -> Matched:
    """Which column of a frame, or its index, holds the ids of the nodes, and the rest of the frame.

    `is_ordered`: whether rows without ids may be in the order of `node_ids`; where not, only if those are consecutive
    integers. Columns in `never` (labels) are not looked at.
    """
    table = as_arrow(frame, what)
    if table.num_columns == 0:
        raise InputError(f"{what} has no columns. Leave it out if there are no features.")
    index, index_name = index_of(frame), _name_of_index(frame)
    if id_column is not None:
        return _asked(table, index, index_name, id_column, what)
    known = KnownIds(node_ids)
    columns = [name for name in table.column_names if name not in never]
    columns = columns if table.num_columns > 1 else []  # a single column is what is wanted, not its ids
    evidence = [gather(name, table.column(name), known) for name in columns]
    if index is not None:
        beside = gather(index_name, index, known, is_index=True)
        is_copied = any(one.fits(fit) and _are_same(index, table.column(one.name)) for one in evidence)
        is_dropped = is_copied or (_counts_rows(index) and not beside.fits(fit))  # 0, 1, 2, … again, after a selection
        index = None if is_dropped else index
        evidence += [] if is_dropped else [beside]
    chosen = choose_ids(evidence, fit, what)
    has_order = index is None and table.num_rows == len(node_ids) and (is_ordered or known.are_consecutive)
    if chosen is not None and chosen.may_count:
        if has_order and _are_same(node_ids, table.column(chosen.name)):
            return Matched(table, None)  # it numbers the rows: the order of the nodes either way
        raise ambiguous([chosen.spoken, "the order of its rows"], [chosen.option, INDEX], what)
    if chosen is None:
        chosen = _nearest(evidence, what, has_order)
    if chosen is None:
        return Matched(table, None)
    rows = chosen.rows if chosen.fits("all") else None
    covering = chosen.rows if rows is None and chosen.fits("cover") else None
    if chosen.is_index:
        return Matched(table, index, chosen.spoken, found=rows, covering=covering)
    column = table.column(chosen.name)
    copies = [one.name for one in evidence if one.fits(fit) and one is not chosen and not one.is_index]
    copies = [name for name in copies if _are_same(column, table.column(name))]
    notes = [f"{what}: rows matched by {chosen.spoken}."]
    notes += [f"{what}: column {name!r} holds the ids once more and was left out." for name in copies]
    _check_present(column, what)
    return Matched(table.drop_columns([chosen.name, *copies]), column, chosen.spoken, tuple(notes), rows, covering)


def _nearest(evidence: list[IdEvidence], what: str, has_order: bool) -> IdEvidence | None:
    """Where nothing fits: what was meant as ids, for the error; None where rows are in the order of the nodes."""
    meant = [one for one in evidence if one.standing == 3 or one.is_index]
    # Half of the nodes may be among the values of a column of integers by chance, but not among its words.
    meant += [one for one in evidence if one.has_much and (one.standing >= 2 or one.bounds is None or not has_order)]
    if meant:
        return max(meant, key=lambda one: (one.n_found, one.standing))
    if has_order:
        return None
    raise InputError(f"{what} has no column whose values are the node ids, and no index of them. {NAME_IT}; {IN_ORDER}.")


def _asked(table: Any, index: NDArray[Any] | None, index_name: str | None, asked: str, what: str) -> Matched:
    if asked in table.column_names:
        spoken = IdEvidence(asked, np.empty(0, dtype=bool), 0, True).spoken
        _check_present(table.column(asked), what)
        return Matched(table.drop_columns([asked]), table.column(asked), spoken)
    if asked in (INDEX, index_name):
        return Matched(table, index, "its index")
    raise InputError(f"{what} has no column {asked!r} of ids. It has: {first_few(table.column_names, 20)}.")


def index_of(values: Any) -> NDArray[Any] | None:
    """The index of a frame or a series of pandas, unless it is the default one, which names nothing."""
    index = getattr(values, "index", None)
    if index is None or callable(index):  # a list and a polars column have a method of that name
        return None
    is_default = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return None if is_default else np.asarray(index)


def rows_of(node_ids: Ids, ids: Any, what: str) -> NDArray[np.int64]:
    """The row of each node, where the rows name just the nodes, each once."""
    rows = positions(node_ids, ids)
    n_found = int(np.count_nonzero(rows >= 0))
    if n_found < len(ids):
        check_rows(node_ids, as_id_array(ids, what), what)
    if n_found < len(rows):
        absent = node_ids[rows < 0].tolist()
        raise InputError(f"{what} has no row for these nodes of the graph: {first_few(absent)}. {NAME_OTHER}")
    return rows


def check_rows(node_ids: Ids, ids: Any, what: str) -> NDArray[np.int64]:
    """The node of each row, where every row names a node and none is named twice."""
    nodes = positions(ids, node_ids)
    if (nodes < 0).any():
        unknown = list(dict.fromkeys(np.asarray(ids)[nodes < 0].tolist()))
        raise InputError(
            f"{what} names nodes that the graph does not have: {first_few(unknown)}. {NAME_OTHER} Nodes without edges are "
            "part of the graph where node_ids= names them."
        )
    counts = np.bincount(nodes, minlength=len(node_ids))
    if (counts > 1).any():
        raise InputError(f"{what} has more than one row for {first_few(node_ids[counts > 1].tolist())}.")
    return nodes


def with_others(node_ids: Ids, ids: Any) -> Ids:
    """The nodes of the edges and those that only a table names: integers ascending, words after those of the edges."""
    known = KnownIds(ids)
    joined, is_sorted = _joined(node_ids, known, positions(known.own, node_ids) < 0)
    return np.unique(joined) if is_sorted else joined


def _joined(node_ids: Ids, known: KnownIds, is_other: NDArray[np.bool_]) -> tuple[NDArray[Any], bool]:
    """(the nodes, and behind them those of a table that are others; whether they are still to be sorted)."""
    import pyarrow as pa

    others = known.own.filter(pa.array(is_other))
    if not len(others):
        return node_ids, False
    if node_ids.dtype.kind in "iu" and known.is_integer:
        return np.concatenate([node_ids, others.to_numpy()]), True
    kind = object if node_ids.dtype == object else np.str_
    words = np.array(others.cast("large_string").to_pylist(), dtype=kind)
    return np.concatenate([node_ids.astype(np.str_).astype(kind), words]), False


def _name_of_index(frame: Any) -> str | None:
    name = getattr(getattr(frame, "index", None), "name", None)
    return None if name is None else str(name)


def _counts_rows(index: NDArray[Any]) -> bool:
    return index.dtype.kind in "iu" and bool((index == np.arange(len(index))).all())


def _are_same(one: Any, other: Any) -> bool:
    """Whether two columns hold the same ids in the same rows."""
    first, second = comparable(one), comparable(other)
    if first is None or second is None:
        return False
    mine, its = KnownIds(first).alike(second)
    return bool(mine.equals(its))


def _check_present(column: Any, what: str) -> None:
    import pyarrow.compute as pc

    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py()
        raise InputError(f"{what} has an empty node id in row {row + 1:,}.")
