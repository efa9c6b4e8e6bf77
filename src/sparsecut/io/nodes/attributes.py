"""Node features and labels from files, with the ids of their rows where the file has them.

- `.npy`: one row per node, in the order of the ids 0..n−1. Never unpickled.
- `.npz`: a scipy sparse matrix; or an array `features` (or the only array), with `ids` beside it or not.
- tables: a column of ids (by the rule of `sparsecut.graph.id_columns`), and the features or the label beside it. Named
  columns stay a table, which is encoded with the model (`sparsecut.features`); numbers under no header are a matrix.
- `.json`: node id → list of words or feature ids (columns that are 1 there), list of numbers, or object of named values (a
  row of a table); node id → label.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import FeatureTable, Scale, WordLists, mark_words, table_source
from sparsecut.graph import LABEL_NAMES, as_labels, label_column_of, table_of_rows
from sparsecut.graph.id_columns import Fit, IdEvidence, KnownIds, choose_of_file, gather, likely_name
from sparsecut.io.edges.ids import ID_NAMES, as_array, as_ids, as_integers, check_unique, id_remedy, positions_of
from sparsecut.io.edges.table_files import describe_table, trim_id_column
from sparsecut.io.files import check_readable
from sparsecut.io.hostile.guards import check_claim, reading
from sparsecut.io.opening import open_bytes, refuse_packed, table_suffix
from sparsecut.io.stores.numpy_files import Archive, read_npy


def read_features(
    path: str | Path,
    columns: Sequence[str] | None = None,
    without: Sequence[str] = (),
    id_name: str | None = None,
    *,
    scale: Scale = "auto",
    encoding: str | None = None,
    table: NodeTable | None = None,
) -> tuple[NDArray[Any] | None, Any, NodeTable | None]:
    """(ids or None; a matrix, a table or lists of words; the table of the file, where it is one).

    Of a table, `columns` or all but the id and those in `without`. `table` is one that was read already.
    """
    path = check_readable(path, "features")
    if table_suffix(path) in (".npy", ".npz"):
        return *read_arrays(path, "features"), None
    if table_suffix(path) == ".json":
        return *_read_json_features(path, scale, encoding), None
    asked = frozenset((*ID_NAMES, *(name.lower() for name in columns or ())))
    if table is None:
        never = [name.lower() for name in (*(columns or ()), *without)]
        table = NodeTable.read(path, "features", asked, id_name, never, encoding)
    others = [name for name in table.others.column_names if name not in without]
    unknown = [name for name in columns or () if name not in others]
    if unknown:
        raise InputError(f"The features file {path} has no column {unknown[0]!r}. It has: {first_few(others, 20)}.")
    if not others:
        raise InputError(f"The features file {path} has no column beside the ids.")
    features = table_source(table.others.select(list(columns or others)), f"The features file {path}", scale=scale)
    # Columns that no header names are a matrix of numbers, where they are numbers.
    has_header = others[0] not in ("f0", "f1") or not is_text_file(path)
    is_matrix = not has_header and isinstance(features, FeatureTable) and features.is_numbers
    return table.likely_ids, features.matrix(None)[0] if is_matrix else features, table


def read_labels(
    path: str | Path,
    column: str | None = None,
    id_name: str | None = None,
    encoding: str | None = None,
    *,
    known: NDArray[Any] | None = None,
    table: NodeTable | None = None,
) -> tuple[NDArray[Any] | None, NDArray[Any], tuple[str, ...], NodeTable | None]:
    """(ids or None, labels, notes, the table of the file, where it is one).

    Of a table: the column that `label_column_of` chooses. `known` are nodes that the id column is found by; `table` is one
    that was read already.
    """
    path = check_readable(path, "labels")
    what = f"The labels file {path}"
    if table_suffix(path) in (".npy", ".npz"):
        return *read_arrays(path, "labels"), (), None
    if table_suffix(path) == ".json":
        names, values = read_object(path, "labels", encoding)
        return names, as_labels(values, what), (), None
    asked = () if column is None else (column.lower(),)
    never = (*LABEL_NAMES, *asked)
    if table is None:
        table = NodeTable.read(path, "labels", frozenset((*ID_NAMES, *never)), id_name, never, encoding)
    if known is not None:
        table = table.found(known, "part", never)
    chosen = label_column_of(table.others, column, what)
    column_values = table.others.column(chosen).combine_chunks().to_numpy(zero_copy_only=False)
    labels = as_labels(column_values.tolist(), what) if column_values.dtype == object else column_values
    ids = table.likely_ids if known is None else table.ids
    return ids, labels, (f"Labels: {path}, column {chosen!r}.",), table


def read_node_table(
    path: str | Path,
    kind: str,
    header_names: frozenset[str],
    id_name: str | None = None,
    encoding: str | None = None,
    known: NDArray[Any] | None = None,
) -> tuple[NDArray[Any], Any]:
    """(ids, the other columns) of a table with one row per node; `known` are nodes that the id column is found by."""
    table = NodeTable.read(path, kind, header_names, id_name, encoding=encoding)
    table = table if known is None else table.found(known, "part")
    return table.ids, table.others


@dataclass(frozen=True)
class NodeTable:
    """A table of nodes in a file, and the column that holds their ids: named, likely, or found once nodes are known."""

    path: Path
    kind: str
    header_names: frozenset[str]
    table: Any
    id_name: str
    is_named: bool = False  # by the caller: nothing is to be found
    encoding: str | None = None

    @classmethod
    def read(
        cls,
        path: str | Path,
        kind: str,
        header_names: frozenset[str],
        id_name: str | None = None,
        never: Sequence[str] = (),
        encoding: str | None = None,
    ) -> NodeTable:
        """The columns in `never` (small letters) are wanted as what they are, and do not hold the ids."""
        what = f"The {kind} file {path}"
        header_names = header_names if id_name is None else header_names | {id_name.lower()}

        def likely(names: Sequence[str]) -> str:
            allowed = [name for name in names if name.lower() not in never] or names
            return likely_name(names if id_name is not None else allowed, id_name, what)

        table, _ = describe_table(path, kind, header_names, words=lambda names: [likely(names)], encoding=encoding)
        return cls(Path(path), kind, header_names, table, likely(table.column_names), id_name is not None, encoding)

    @property
    def what(self) -> str:
        return f"The {self.kind} file {self.path}"

    @property
    def others(self) -> Any:
        """The columns beside the ids."""
        return self.table.drop_columns([self.id_name])

    @cached_property
    def ids(self) -> NDArray[Any]:
        """Spaces around an id of a text file are not part of it."""
        table = self.table
        if is_text_file(self.path):
            table = trim_id_column(table, self.id_name, self.path, self.kind, self.header_names, self.encoding)
        ids = as_ids(table.column(self.id_name), self.what, is_text=is_text_file(self.path))
        check_unique(ids, self.what, id_remedy(self.id_name))
        return ids

    @property
    def likely_ids(self) -> NDArray[Any] | None:
        """The ids, before it is known which column holds them; None where this one cannot."""
        try:
            return self.ids
        except InputError:
            return None

    def found(self, known: NDArray[Any], fit: Fit, never: Sequence[str] = ()) -> NodeTable:
        """The table with its ids in the column that holds the known nodes; where none fits, in the one that has most."""
        if self.is_named or self.table.num_columns == 1:
            return self
        evidence = self._evidence(known, never)
        chosen = choose_of_file(evidence, fit, self.what, self.id_name)
        if chosen is None:
            best = max(evidence, key=lambda one: (one.has_much, one.standing, one.n_found))
            chosen = best if best.has_much else None
        if chosen is None or chosen.name == self.id_name:
            if evidence[0].rows is not None:
                self.__dict__["_found"] = known, evidence[0].rows
            return self
        return NodeTable.read(self.path, self.kind, self.header_names, chosen.name, encoding=self.encoding)

    def places_of(self, nodes: NDArray[Any]) -> NDArray[np.int64]:
        """Where each node stands among the ids, −1 where it does not: of those that `found` looked for, as it found them."""
        known, places = self.__dict__.get("_found", (None, None))
        return places.copy() if known is nodes else positions_of(nodes, self.ids)

    def _evidence(self, known: NDArray[Any], never: Sequence[str]) -> list[IdEvidence]:
        import pyarrow as pa
        import pyarrow.compute as pc

        nodes = KnownIds(known)
        names = [name for name in self.table.column_names if name != self.id_name and name.lower() not in never]
        others = {name: gather(name, self.table.column(name), nodes) for name in names}
        if is_text_file(self.path):
            # What is spelt like a number or a date may be a word among the ids, as 007; and words have spaces around them.
            kinds = (pa.int64(), pa.float64()) if nodes.is_integer else ()
            again = [name for name in names if others[name].is_unique and self.table.column(name).type not in kinds]
            if again:
                types = dict.fromkeys(again, pa.string())
                spelt, _ = describe_table(self.path, self.kind, self.header_names, lambda _: types, encoding=self.encoding)
                trimmed = {name: pc.utf8_trim_whitespace(spelt.column(name)) for name in again}
                others.update((name, gather(name, trimmed[name], nodes)) for name in again)
        ids = self.likely_ids
        own = gather(self.id_name, self.table.column(self.id_name) if ids is None else ids, nodes)
        return [own, *others.values()]


def is_text_file(path: str | Path) -> bool:
    return table_suffix(Path(path)) not in (".parquet", ".feather", ".arrow")


def read_arrays(path: Path, kind: str) -> tuple[NDArray[Any] | None, Any]:
    refuse_packed(path, kind)
    if table_suffix(path) == ".npy":
        return None, read_npy(path, kind)
    archive = Archive(path, kind)
    ids = archive.get("ids")
    if ids is not None and (ids.ndim != 1 or ids.dtype.kind not in "iuU"):
        raise InputError(f"The {kind} file {path} must hold its ids as one list of integers or words.")
    if "format" in archive and "shape" in archive:
        matrix = archive.sparse()
    else:
        name = kind if kind in archive else next((name for name in archive.names if name != "ids"), None)
        if name is None:
            raise InputError(f"The {kind} file {path} holds no array.")
        matrix = archive[name]
    if ids is not None:
        if matrix.ndim == 0 or matrix.shape[0] != len(ids):
            raise InputError(f"The {kind} file {path} has {len(ids):,} ids for an array of shape {matrix.shape}.")
        check_unique(ids, f"The {kind} file {path}")
    return ids, matrix


def read_object(path: Path, kind: str, encoding: str | None) -> tuple[NDArray[Any], list[Any]]:
    import pyarrow as pa

    with reading(path, kind), open_bytes(path, kind, encoding) as file:
        pairs = json.loads(file.read(), object_pairs_hook=list)
    if not isinstance(pairs, list) or not pairs or not all(isinstance(pair, tuple) for pair in pairs):
        raise InputError(f"The {kind} file {path} must hold one object: node id → {kind}.")
    names, values = zip(*pairs, strict=True)
    with reading(path, kind):
        ids = as_array(as_integers(pa.array(names, pa.large_string())))
    check_unique(ids, f"The {kind} file {path}")
    return ids, list(values)


def _is_object(values: Any) -> bool:
    """Whether a JSON value is an object of named values, which is read as pairs."""
    return isinstance(values, list) and bool(values) and all(isinstance(pair, tuple) for pair in values)


def _read_json_features(path: Path, scale: Scale, encoding: str | None) -> tuple[NDArray[Any], Any]:
    ids, lists = read_object(path, "features", encoding)
    if any(_is_object(values) for values in lists) and all(_is_object(values) or not values for values in lists):
        table = table_of_rows([dict(values or ()) for values in lists], f"The features file {path}")
        return ids, table_source(table, f"The features file {path}", scale=scale)
    wrong = next((row for row, values in enumerate(lists) if not isinstance(values, list)), None)
    if wrong is not None:
        node = first_few(ids[[wrong]])
        raise InputError(f"The features file {path} must hold a list for each node. That of node {node} is none.")
    flat = list(chain.from_iterable(lists))
    words: tuple[str, ...] | int
    kinds = set(map(type, flat))
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    if kinds <= {int, float} and float in kinds and lengths.min() == lengths.max():
        return ids, np.array(flat, dtype=np.float64).reshape(len(lists), -1)
    if kinds == {int}:
        if min(flat) < 0 or max(flat) > np.iinfo(np.int32).max:
            raise InputError(
                f"The features file {path} must hold feature ids of zero or more. Got {min(flat)} to {max(flat)}."
            )
        columns = np.array(flat, dtype=np.int64)
        n_columns = words = max(flat) + 1
    elif kinds == {str}:
        vocabulary, columns = np.unique(np.array(flat, dtype=object), return_inverse=True)
        n_columns, words = len(vocabulary), tuple(vocabulary.tolist())
    else:
        raise InputError(f"The features file {path} must hold lists of feature ids: integers, or words. Got others.")
    check_claim(len(lists), n_columns, len(flat), path, "features")
    rows = np.repeat(np.arange(len(lists)), lengths)
    return ids, WordLists(mark_words(rows, columns, (len(lists), n_columns)), words, f"The features file {path}")
