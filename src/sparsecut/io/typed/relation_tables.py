"""The edges of one type, from a table, a file, a folder of Parquet files or an array: the ids at both ends, and weights.

Which column holds which end:

1. those that `source=` and `target=` name, where the table has them
2. a column that is called after the type of an end: author_id, or authorId, for the type author, in whatever order
3. otherwise as in any table of edges (`sparsecut.io.edges.edge_columns`), the source first
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, ReadingWarning
from sparsecut.graph.relations import EdgeType
from sparsecut.graph.times import EdgeTimes, as_moments
from sparsecut.io.edge_objects import check_ends, columns_of_rows, edge_table
from sparsecut.io.edges.edge_columns import HEADER_NAMES, ColumnPlan, EdgeColumns, decide_by_table, plan_columns
from sparsecut.io.edges.edge_names import WEIGHTS, called_after
from sparsecut.io.edges.edge_weights import check_not_negative, edge_weights, said_of_zeros
from sparsecut.io.edges.ids import as_integers, check_present, plain_ids
from sparsecut.io.edges.table_files import TEXT_SUFFIXES, describe_table, read_parquet_folder
from sparsecut.io.edges.text import read_layout
from sparsecut.io.opening import table_suffix
from sparsecut.io.stores.numpy_files import read_npy

Named = Mapping[str, str | None]
ROLES = ("source", "target", "weight", "time")


@dataclass(frozen=True)
class RelationTable:
    """The edges of one type, with the ids of each end's own type: Arrow arrays of integers, or of words."""

    key: EdgeType
    what: str
    sources: Any
    targets: Any
    weights: NDArray[np.float32] | None
    notes: tuple[str, ...]
    table: Any = None  # all columns, as an Arrow table
    moments: EdgeTimes | None = None  # where its edges have times

    def ends(self) -> tuple[tuple[str, Any], tuple[str, Any]]:
        """(type, ids) of both ends."""
        return (self.key[0], self.sources), (self.key[2], self.targets)


def read_relation(
    key: EdgeType, edges: Any, asked: Named, encoding: str | None = None, *, is_signed: bool = False
) -> RelationTable:
    """The edges of a type as they were given; `asked` names columns of the tables that have them."""
    what = f"The table of edges {':'.join(key)}"
    if isinstance(edges, str | Path) and not Path(edges).is_dir() and table_suffix(Path(edges)) in TEXT_SUFFIXES:
        what = f"The edge file {edges}"
        table, columns = _read_text(Path(edges), key, asked, what, encoding)
        ends = [as_integers(table.column(name).combine_chunks()) for name in (columns.source, columns.target)]
    else:
        table, is_ordered = _table_of(edges, what)
        _check_rows(table, what)
        named = dict(zip(ROLES[:3], table.column_names, strict=False)) if is_ordered else {}
        columns = decide_by_table(plan_relation(table.column_names, key, {**asked, **named}, what), table)
        check_ends(table, columns, what)
        ends = [table.column(name) for name in (columns.source, columns.target)]
    _check_rows(table, what)
    for name, end in zip((columns.source, columns.target), ends, strict=True):
        if end.null_count:
            check_present(end, what, f" of column {name!r}")
    for doubt in columns.doubts:
        warnings.warn(doubt, ReadingWarning, stacklevel=4)
    weights = None if columns.weight is None else edge_weights(table.column(columns.weight), columns.weight, what)
    if not is_signed:
        check_not_negative(weights, columns.weight, what)
    in_column = f"{what}, in column {columns.time!r},"
    moments = None if columns.time is None else as_moments(table.column(columns.time), in_column)
    sources, targets = (_whole(plain_ids(end, what)) for end in ends)
    said = (
        f"Edges {':'.join(key)}: {columns}.",
        *(f"{':'.join(key)}: {note}" for note in (*columns.notes, *said_of_zeros(weights))),
        *columns.doubts,
    )
    return RelationTable(key, what, sources, targets, weights, said, table, moments)


def _check_rows(table: Any, what: str) -> None:
    """Before its columns are read: those of a frame without rows have no type."""
    if table.num_rows == 0:
        raise InputError(f"{what} has no rows. Leave this type of edges out.")


def _whole(ids: Any) -> Any:
    """Ids in one piece."""
    import pyarrow as pa

    if not isinstance(ids, pa.ChunkedArray):
        return ids
    return (ids if pa.types.is_integer(ids.type) else ids.cast(pa.large_string())).combine_chunks()


def _table_of(edges: Any, what: str) -> tuple[Any, bool]:
    """(an Arrow table, whether its columns are known by their order alone)."""
    if isinstance(edges, list | tuple):
        return edge_table(columns_of_rows(edges, what), what)[0], True
    if not isinstance(edges, str | Path):
        return edge_table(edges, what)
    path = Path(edges)
    if path.is_dir():
        return read_parquet_folder(path, "edge"), False
    if table_suffix(path) == ".npy":
        return edge_table(read_npy(path, "edge"), what)
    return describe_table(path, "edge", HEADER_NAMES)[0], False


def _read_text(path: Path, key: EdgeType, asked: Named, what: str, encoding: str | None) -> tuple[Any, EdgeColumns]:
    """(the table, its columns), with the ids as they are spelt."""
    words = {word for end in (key[0], key[2]) for word in (end, f"{end}_id", f"{end}id")}
    header_names = HEADER_NAMES | frozenset(words) | {name.lower() for name in asked.values() if name is not None}
    plan = plan_relation(read_layout(path, "edge", header_names, encoding=encoding).names, key, asked, what)
    if plan.unclear:
        columns = decide_by_table(plan, describe_table(path, "edge", header_names, encoding=encoding)[0])
    else:
        columns = plan.decide()
    ends = (columns.source, columns.target)
    return describe_table(path, "edge", header_names, words=lambda _: ends, encoding=encoding)[0], columns


def plan_relation(names: Sequence[str], key: EdgeType, asked: Named, what: str) -> ColumnPlan:
    """Which columns hold the ends, as far as names tell."""
    names = [str(name) for name in names]
    wanted = {role: asked.get(role) if asked.get(role) in names else None for role in ROLES}
    if key[0] != key[2]:
        free = [name for name in names if name not in wanted.values() and name.lower() not in WEIGHTS]
        sources, targets = (called_after(end, free) for end in (key[0], key[2]))
        for role, own, other in (("source", sources, targets), ("target", targets, sources)):
            only = [name for name in own if name not in other]
            if wanted[role] is None and len(only) == 1:
                wanted[role] = only[0]
    return plan_columns(names, wanted, what, bipartite=key[0] != key[2])
