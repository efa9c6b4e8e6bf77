"""What is known of each node beside its vector, as the page takes it: classes, numbers and text.

A column of numbers is a class where it has few different whole values (a label, a part, a flag) and a number otherwise; a
column of words is a class where its values repeat, and text where nearly every node has its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Ids, labelled_nodes, match_frame, place_values
from sparsecut.io import ID_NAMES, check_encoding, check_known, check_unique, positions_of, read_node_table

FEW_VALUES = 30  # different whole numbers up to which they are classes
MAX_CLASSES = 2000
REPEATS = 2  # nodes per class, at least, for words to be classes


@dataclass(frozen=True)
class NodeColumn:
    """A column: kind "class" (codes from 1, 0 for none, and names), "number" (float32) or "text" (strings)."""

    name: str
    kind: str
    values: Any
    names: tuple[str, ...] = ()


def read_columns(nodes: Any, ids: Ids, encoding: str | None = None) -> list[NodeColumn]:
    """The columns of a node table (a path, a frame or a mapping), in the order of the embedding's nodes.

    A node without a row has no values; a row without a node is refused.
    """
    if isinstance(nodes, Mapping):
        n_nodes = len(ids)
        named = {str(name): place_values(values, ids, n_nodes, f"The values of {name!r}") for name, values in nodes.items()}
        return [make_column(name, values, n_nodes) for name, values in named.items()]
    if isinstance(nodes, str | Path):
        what = f"The node table {nodes}"
        spelt = check_encoding("report", encoding)
        table_ids, table = read_node_table(nodes, "node", frozenset(ID_NAMES), encoding=spelt, known=ids)
    else:
        what = "The node table"
        matched = match_frame(nodes, ids, what, fit="part")
        table, table_ids = matched.table, ids if matched.ids is None else matched.ids
        check_unique(table_ids, what)
    check_known(positions_of(table_ids, ids), table_ids, what, "the embedding")
    rows = positions_of(ids, table_ids)
    return [_from_arrow(name, table.column(name), rows) for name in table.column_names]


def make_column(name: str, values: ArrayLike, n_nodes: int) -> NodeColumn:
    """A column from one value per node; None, NaN and "" are no value."""
    array = np.asarray(values)
    if array.shape != (n_nodes,):
        raise InputError(f"The column {name!r} must have one value per node, {n_nodes:,}. Got shape {array.shape}.")
    if array.dtype.kind == "b":
        return _classes(name, np.where(array, "yes", "no").astype(object))
    if array.dtype.kind in "iuf":
        return _numbers(name, array)
    words = np.array(["" if value is None or value != value else str(value) for value in array.tolist()], dtype=object)
    return _words(name, words)


def make_label_column(name: str, labels: ArrayLike) -> NodeColumn:
    """Labels are classes whatever their type, unless there are more than a legend can hold; −1 is none."""
    values = np.asarray(labels)
    words = np.full(len(values), "", dtype=object)
    known = labelled_nodes(values)
    words[known] = [str(value) for value in values[known].tolist()]
    return _classes(name, words) if len(set(words.tolist())) <= MAX_CLASSES else NodeColumn(name, "text", words.tolist())


def _from_arrow(name: str, column: Any, rows: NDArray[np.int64]) -> NodeColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    taken = column.combine_chunks().take(pa.array(np.where(rows >= 0, rows, 0), mask=rows < 0))
    if pa.types.is_dictionary(taken.type):
        taken = taken.dictionary_decode()
    if pa.types.is_integer(taken.type) or pa.types.is_floating(taken.type) or pa.types.is_decimal(taken.type):
        return _numbers(name, np.asarray(pc.cast(taken, pa.float64(), safe=False).to_numpy(zero_copy_only=False)))
    if pa.types.is_boolean(taken.type):
        words = ["" if value is None else "yes" if value else "no" for value in taken.to_pylist()]
        return _classes(name, np.array(words, dtype=object))
    try:
        words = pc.fill_null(pc.cast(taken, pa.large_string()), "").to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        words = ["" if value is None else str(value) for value in taken.to_pylist()]  # lists and structs
    return _words(name, np.array(words, dtype=object))


def _numbers(name: str, values: NDArray[Any]) -> NodeColumn:
    numbers = values.astype(np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    known = numbers[~np.isnan(numbers)]
    distinct = np.unique(known[: 10 * FEW_VALUES])
    if len(known) and len(distinct) <= FEW_VALUES and (distinct == np.round(distinct)).all():
        distinct = np.unique(known)
        is_few = len(distinct) <= min(FEW_VALUES, len(known) / REPEATS)
        if is_few and (distinct == np.round(distinct)).all() and np.abs(distinct).max() < 2**53:
            codes = np.zeros(len(numbers), dtype=np.int64)
            codes[~np.isnan(numbers)] = np.searchsorted(distinct, known) + 1
            return NodeColumn(name, "class", codes, tuple(str(int(value)) for value in distinct))
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    return NodeColumn(name, "number", np.where(np.isinf(single), np.float32(np.nan), single))


def _words(name: str, words: NDArray[Any]) -> NodeColumn:
    n_distinct = len(set(words.tolist()) - {""})
    n_known = sum(word != "" for word in words.tolist())
    if n_distinct <= min(MAX_CLASSES, max(1, n_known // REPEATS)) or n_distinct <= 3:
        return _classes(name, words)
    return NodeColumn(name, "text", words.tolist())


def _classes(name: str, words: NDArray[Any]) -> NodeColumn:
    names = sorted(set(words.tolist()) - {""}, key=_natural)
    code_of = {"": 0, **{word: position + 1 for position, word in enumerate(names)}}
    codes = np.fromiter((code_of[word] for word in words.tolist()), dtype=np.int64, count=len(words))
    return NodeColumn(name, "class", codes, tuple(names))


def _natural(word: str) -> tuple[int, float, str]:
    """Numbers among the names in their order, before the words."""
    try:
        return (0, float(word), word) if word.strip() == word and "_" not in word else (1, 0.0, word)
    except ValueError:
        return (1, 0.0, word)


def unique_names(columns: Iterable[NodeColumn]) -> list[NodeColumn]:
    """Columns under different names: a second "degree" becomes "degree (2)"."""
    taken: set[str] = set()
    result = []
    for column in columns:
        name, count = column.name, 1
        while name in taken:
            count += 1
            name = f"{column.name} ({count})"
        taken.add(name)
        result.append(NodeColumn(name, column.kind, column.values, column.names))
    return result
