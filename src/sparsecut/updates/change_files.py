"""Changes of a graph as files and streams hold them, one per row or line, in the order in which they are made.

    op,source,target,weight      add, remove or change (the weight of) an edge; the weight is 1 where it is left out;
                                 `relation` names the type of an edge where the types of its ends do not tell it
    op,node,features             add, remove or change (the features of) a node

CSV, TSV and Parquet have one table for both: what does not belong to a row is empty. Lines of JSON (.ndjson, .jsonl,
standard input) have one object each. Features are a list of numbers, in CSV as JSON, or an object of named columns; columns
of a table beside these are features by their names. Of a node that changes, columns that are empty or not there stay as they
are; of a node that is added an empty cell is a gap, and so is null in JSON. `time` is anything, and is carried through.
"""

from __future__ import annotations

import csv
import io
import json
import os
import select
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError, first_few
from sparsecut.io.edges.node_lookup import spelt_integer
from sparsecut.io.files import check_readable
from sparsecut.io.hostile.guards import reading
from sparsecut.io.opening import (
    MAX_LINE_BYTES,
    PACKED_SUFFIXES,
    check_encoding,
    lines_of,
    long_line,
    open_bytes,
    refuse_packed,
    table_suffix,
)

OPS = ("add", "remove", "change")
OWN_COLUMNS = ("op", "source", "target", "weight", "node", "features", "time")
RELATION = "relation"  # of an edge; of a node it is a column of features like any other
NEEDS_FEATURES = "op {op} of a node needs features"
LINES_SUFFIXES = (".ndjson", ".jsonl")
CHANGE_SUFFIXES = (".csv", ".tsv", ".parquet", *LINES_SUFFIXES)
READ_BYTES = 1 << 16


@dataclass(frozen=True)
class Change:
    """One change; of an edge where `source` is there, of a node otherwise."""

    op: str
    source: Any = None
    target: Any = None
    weight: float | None = None
    node: Any = None
    features: Any = None
    time: Any = None
    relation: str | None = None


@dataclass(frozen=True)
class Line:
    """Where a change stands, and what stands there; parsed when it is needed, since a bad line may be skipped."""

    number: int  # from 1; of CSV, with the header
    parse: Callable[[type], Change]
    end: int = 0  # of a stream: the byte behind it


def read_changes(path: str | Path, encoding: str | None = None) -> Iterator[Line]:
    """The changes of a file, one by one."""
    path, encoding = check_readable(path, "changes"), check_encoding("read_changes", encoding)
    suffix = table_suffix(path)
    if suffix in LINES_SUFFIXES:
        with reading(path, "changes"), open_bytes(path, "changes", encoding) as file:
            lines = enumerate(lines_of(file, f"The changes file {path}"), start=1)
            yield from (line_of(number, line) for number, line in lines if line.strip())
    elif suffix in (".csv", ".tsv"):
        yield from _read_text(path, encoding)
    elif suffix == ".parquet":
        refuse_packed(path, "changes")
        yield from _read_parquet(path)
    else:
        raise InputError(
            f"The changes file {path} must end in {', '.join(CHANGE_SUFFIXES)}; text may be packed "
            f"({', '.join(PACKED_SUFFIXES)})."
        )


def pass_over(handle: int, n_bytes: int) -> None:
    """Read past the first bytes of a stream."""
    n_left = n_bytes
    while n_left:
        n_read = len(os.read(handle, min(n_left, READ_BYTES)))
        if not n_read:
            raise InputError(
                f"Standard input ends {n_left:,} bytes before the last change that the model holds. It must be the stream "
                "that the model has followed, from the byte that --start-at names on."
            )
        n_left -= n_read


def follow_lines(handle: int, n_most: int, *, after: tuple[int, int] = (0, 0)) -> Iterator[list[Line]]:
    """Lines as they come over a file handle, at most so many at a time and no later than they are there.

    Nothing is read while the caller works, so that whoever writes waits once the pipe is full. Lines and bytes are counted
    from those that came before (`after`).
    """
    waiting: list[Line] = []
    rest, is_open = b"", True
    number, end = after
    while is_open or waiting:
        is_ready = is_open and _has_more(handle, is_idle=not waiting)
        if is_ready and len(waiting) < n_most:
            read = os.read(handle, READ_BYTES)
            is_open = bool(read)
            *lines, rest = (rest + read).split(b"\n") if read else (rest, b"")
            if len(rest) > MAX_LINE_BYTES:
                raise long_line("Standard input", number + len(lines) + 1)
            for line in lines:
                number += 1
                end += len(line) + bool(read)  # and its end, which the last line may lack
                if line.strip():
                    waiting.append(line_of(number, line, end))
        if waiting and (not is_ready or not is_open or len(waiting) >= n_most):
            batch, waiting = waiting[:n_most], waiting[n_most:]
            yield batch


def _has_more(handle: int, is_idle: bool) -> bool:
    """Whether there is something to read; waits for it where there is nothing else to do (`is_idle`).

    Windows cannot say that of a pipe. There each read, which waits for the next bytes, is handed over before another begins.
    """
    if sys.platform == "win32":
        return is_idle
    return bool(select.select([handle], [], [], None if is_idle else 0)[0])


def line_of(number: int, line: bytes, end: int = 0) -> Line:
    """A line of JSON."""

    def parse(takes: type) -> Change:
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputError(f"it is not JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputError(f"it must be an object such as {{'op': 'add', 'source': 1, 'target': 2}}. Got {record!r}")
        return change_of(record, takes)

    return Line(number, parse, end)


def change_of(record: Mapping[str, Any], takes: type) -> Change:
    """A change as a record has it; `takes` is what the graph's ids are, int or str."""
    values = {
        name: value for name, value in record.items() if name not in OWN_COLUMNS or (value is not None and value != "")
    }
    op = values.get("op")
    if op not in OPS:
        raise InputError(f"op must be one of {', '.join(OPS)}. Got {op!r}")
    is_edge = "source" in values or "target" in values
    if is_edge == ("node" in values):
        raise InputError("it must have source and target (an edge) or node")
    if not is_edge:
        features = _features_of(values)
        if features is not None and op == "remove":
            raise InputError("a node that is removed has no features")
        if features is None and op == "change":
            raise InputError(NEEDS_FEATURES.format(op=op))
        own = {name: values.get(name) for name in ("weight", "time")}
        return Change(op, node=_id_of(values["node"], takes), features=features, **own)
    if not {"source", "target"} <= set(values):
        raise InputError("an edge needs source and target")
    others = [name for name in values if name not in (*OWN_COLUMNS, RELATION) and values[name] not in (None, "")]
    if others:
        raise InputError(
            f"an edge has source, target, weight, relation and time, and nothing else is read. Got {first_few(others)}"
        )
    relation = values.get(RELATION) or None
    if not isinstance(relation, str | None):
        raise InputError(f"relation must be the name of a type of edges. Got {relation!r}")
    weight = values.get("weight")
    try:
        weight = None if weight is None else float(str(weight) if isinstance(weight, bool) else weight)
    except (TypeError, ValueError):
        raise InputError(f"weight must be a number. Got {weight!r}") from None
    if op == "change" and weight is None:
        raise InputError("op change of an edge needs its new weight")
    source, target = (_id_of(values[name], takes) for name in ("source", "target"))
    return Change(op, source, target, None if op == "remove" else weight, time=values.get("time"), relation=relation)


def _id_of(value: Any, takes: type) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"a node id is an integer or a word. Got {value!r}")
    if isinstance(value, float) and value.is_integer():  # integers beside empty cells are floats in Parquet
        value = int(value)
    if takes is str:
        return str(value)
    number = spelt_integer(value.strip() if isinstance(value, str) else value)
    if number is None:
        raise InputError(f"the graph's node ids are integers. Got {value!r}")
    return number


def _features_of(values: Mapping[str, Any]) -> Any:
    features = values.get("features")
    if isinstance(features, str):
        try:
            features = json.loads(features)
        except ValueError:
            raise InputError(f"features must be a list of numbers as JSON. Got {features!r}") from None
    named = {name: value for name, value in values.items() if name not in OWN_COLUMNS}
    if features is None:
        return named or None
    twice = [name for name, value in named.items() if value not in (None, "")]
    if twice:
        raise InputError(f"a node has either features or columns by their names. Got {first_few(['features', *twice])}")
    return features


def _read_text(path: Path, encoding: str | None) -> Iterator[Line]:
    with reading(path, "changes"), open_bytes(path, "changes", encoding or "utf-8") as file:
        text = io.TextIOWrapper(file, "utf-8-sig", newline="")
        lines = lines_of(text, f"The changes file {path}")
        rows = csv.DictReader(lines, delimiter="\t" if table_suffix(path) == ".tsv" else ",", restkey="\0")
        _check_columns(path, rows.fieldnames or ())
        for row in rows:
            yield _record_line(rows.line_num, row)


def _read_parquet(path: Path) -> Iterator[Line]:
    import pyarrow.parquet

    with reading(path, "changes"):
        file = pyarrow.parquet.ParquetFile(path)
        _check_columns(path, file.schema_arrow.names)
        number = 0
        for batch in file.iter_batches(10_000):
            for record in batch.to_pylist():
                number += 1
                yield _record_line(number, record)


def _check_columns(path: Path, names: Any) -> None:
    if "op" not in names or not ({"source", "target"} <= set(names) or "node" in names):
        raise InputError(
            f"The changes file {path} must have the columns op, source, target, weight or op, node, features. "
            f"It has: {', '.join(map(str, names)) or 'none'}."
        )


def _record_line(number: int, record: Mapping[Any, Any]) -> Line:
    def parse(takes: type) -> Change:
        if "\0" in record:
            raise InputError("it has more cells than the header")
        return change_of(_without_empty(record), takes)

    return Line(number, parse)


def _without_empty(record: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row of a table less the cells that hold nothing; an added node's are gaps where it has any features."""
    cells = {name: None if value == "" else value for name, value in record.items()}
    has_features = any(value is not None for name, value in cells.items() if name not in OWN_COLUMNS)
    keeps_gaps = cells.get("op") == "add" and has_features
    return {name: value for name, value in cells.items() if value is not None or (keeps_gaps and name not in OWN_COLUMNS)}
