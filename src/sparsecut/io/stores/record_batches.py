"""Features larger than memory, a batch of rows at a time: numbers of a table, lists of numbers, or the rows of an array.

What a batch becomes is what the readers for memory make of the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features import (
    Encoder,
    LeftOut,
    NumberColumn,
    NumberScan,
    Scale,
    TableEncoder,
    VectorColumn,
    check_names,
    check_scale,
)
from sparsecut.graph.id_columns import N_FIRST, IdEvidence, KnownIds, choose_of_parts, gather, likely_name
from sparsecut.io.edges.ids import as_ids, check_unique
from sparsecut.io.hostile.guards import reading
from sparsecut.io.stores.streamed_tables import BATCH_ROWS, check_streamed, map_array, names_and_rows, tables_in_parts
from sparsecut.kernels import are_finite, feature_error, release, row_blocks

BATCH_BYTES = 16 << 20


class FeatureFile:
    """The features of a file, one row per node, and their ids where it has them.

    A table of named columns is encoded as the whole table would be in memory, or by the encoder of a fitted model. Its id
    column is `id_column`, or the one that has `edge_ids`, a sample of the nodes that edges name: of several rather one of
    those that are `called` after the nodes. Columns of the names `without`, in lower case, are left out.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        scale: Scale = "auto",
        encoder: Encoder | None = None,
        id_column: str | None = None,
        edge_ids: Any = None,
        what: str | None = None,
        called: Callable[[Sequence[str]], Sequence[str]] = lambda names: (),
        without: Sequence[str] = (),
        may_be_empty: bool = False,
    ) -> None:
        self.encoder: TableEncoder | None = None
        self.path = check_streamed(path, "features")
        kind = "folder" if self.path.is_dir() else "file"
        self.what = f"The features {kind} {self.path}" if what is None else what
        self.left_out: tuple[str, ...] = ()
        self.ids: NDArray[Any] | None = None
        self.id_name: str | None = None
        if self.path.suffix == ".npy":
            matrix = map_array(self.path, "features")
            if matrix.ndim != 2 or matrix.dtype.kind not in "biuf" or not matrix.shape[1]:
                raise InputError(
                    f"{self.what} must hold numbers, one row per node. Got {matrix.dtype} of shape {matrix.shape}."
                )
            if isinstance(encoder, TableEncoder):
                raise InputError(f"{self.what} is an array, and the model was fitted on a table with named columns.")
            self.shape: tuple[int, int] = matrix.shape
            self.is_as_stored = matrix.dtype == np.float32 and matrix.flags.c_contiguous
            return
        self.is_as_stored = False
        names, n_rows = names_and_rows(self.path, "features")
        self.left_out = tuple(name for name in names if name.lower() in without)
        names = [name for name in names if name not in self.left_out]
        self.id_name = self._find_ids(names, encoder, id_column, edge_ids, called(names))
        self._names = [name for name in names if name != self.id_name]
        if not self._names and not may_be_empty:
            raise InputError(f"{self.what} has no column beside the ids.")
        if n_rows == 0:
            raise InputError(f"{self.what} has no rows.{' Leave this type of nodes out.' if may_be_empty else ''}")
        with reading(self.path, "features"):
            parts = [as_ids(table.column(self.id_name), self.what) for table in self._tables([self.id_name], BATCH_ROWS)]
            self.ids = np.concatenate(parts)
            check_unique(self.ids, self.what)
            if not self._names:
                self.shape = n_rows, 0
                return
            self.encoder = self._accept(encoder) if encoder is not None else self._fit_encoder(scale)
        if not self.encoder.names_out and not may_be_empty:
            raise InputError(f"{self.what} has no column that could be a feature: each holds one value throughout.")
        self.shape = n_rows, len(self.encoder.names_out)

    def _find_ids(
        self, names: list[str], encoder: Encoder | None, asked: str | None, edge_ids: Any, called: Sequence[str]
    ) -> str:
        likely = likely_name(names, asked, self.what)
        if asked is not None or edge_ids is None or len(names) == 1:
            return likely
        fitted = () if encoder is None else encoder.names_in or ()
        looked_at = [name for name in names if name == likely or name not in fitted]
        known = KnownIds(edge_ids)
        with reading(self.path, "features"):
            first = next(self._tables(looked_at, N_FIRST))
            looked_at = [one.option for one in ids_in(first, looked_at, known) if one.is_unique]
            parts = [ids_in(table, looked_at, known) for table in self._tables(looked_at, BATCH_ROWS)] if looked_at else []
        whole = [reduce(IdEvidence.merge, same) for same in zip(*parts, strict=True)]
        fitting = [one.option for one in whole if one.option in called and one.fits("cover")]
        if len(fitting) == 1:
            return str(fitting[0])
        return choose_of_parts(parts, self.what, likely) if parts else likely

    def _accept(self, encoder: Encoder) -> TableEncoder:
        accepted = accept_encoder(encoder, self._names, self.what)
        self._names = list(encoder.names_in or ())  # in the fitted order
        return accepted

    def _fit_encoder(self, scale: Scale) -> TableEncoder:
        first = self._matrix(next(self._tables(self._names, 1)))
        if first.shape[1] != len(self._names):
            return TableEncoder((VectorColumn(self._names[0], first.shape[1]),))
        check_scale(scale, tuple(self._names), self.what)
        scan = self._scanned(NumberScan(tuple(self._names)))
        logs = scan.of_logs(scale)
        return scan.encoder(scale=scale, logs=None if logs is None else self._scanned(logs))

    def _scanned(self, scan: NumberScan) -> NumberScan:
        """A scan of all blocks of the table."""
        for table in self._tables(self._names, max(1, BATCH_BYTES // (8 * len(self._names)))):
            block = self._matrix(table)
            if not are_finite(block):
                raise feature_error(block, block, scan.n_rows, self._names)
            scan.update(block)
        return scan

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """Blocks of rows in float32; a number that is not finite is refused."""
        n_rows, width = 0, self.shape[1]
        for given in self._blocks():
            with np.errstate(over="ignore"):  # a number beyond float32 becomes infinite and is refused below
                block = np.ascontiguousarray(given, dtype=np.float32)
            if block.shape[1] != width:
                raise InputError(f"{self.what} must hold rows of one length. Got {block.shape[1]} after {width}.")
            if not are_finite(block):
                raise feature_error(given, block, n_rows)
            n_rows += len(block)
            yield block

    def _blocks(self) -> Iterator[NDArray[Any]]:
        if self.path.suffix == ".npy":
            matrix = map_array(self.path, "features")
            for rows in row_blocks(len(matrix), matrix.dtype.itemsize * matrix.shape[1], BATCH_BYTES):
                yield matrix[rows]
                release(matrix, rows)
            return
        assert self.encoder is not None
        with reading(self.path, "features"):
            for table in self._tables(self._names, max(1, BATCH_BYTES // (8 * self.shape[1]))):
                block = self._matrix(table)
                is_vector = isinstance(self.encoder.columns[0], VectorColumn)
                yield block if is_vector else self.encoder.scale_numbers(block)

    def _tables(self, names: Sequence[str], n_rows: int) -> Iterator[Any]:
        return tables_in_parts(self.path, "features", names, n_rows)

    def _matrix(self, table: Any) -> NDArray[Any]:
        return numbers_of(table, self._names, self.what)


def ids_in(table: Any, names: Sequence[str], known: KnownIds) -> list[IdEvidence]:
    """What a part of a table says for each of some columns to hold the ids."""
    return [gather(name, table.column(name), known) for name in names]


def accept_encoder(encoder: Encoder, names: Sequence[str], what: str) -> TableEncoder:
    """The encoder of a fitted model, where it can be applied to a part of a table with these columns."""
    check_names(encoder.names_in or (), tuple(names), what)
    if not isinstance(encoder, TableEncoder):
        return TableEncoder(tuple(NumberColumn(name) for name in encoder.names_in or ()))
    for column in encoder.columns:
        is_plain = isinstance(column, NumberColumn) and column.is_one_number
        is_vector = isinstance(column, VectorColumn) and len(encoder.names_in or ()) == 1
        if not (is_plain or isinstance(column, LeftOut) or is_vector):
            raise InputError(
                f"{what} cannot be read in parts: the model was fitted on a table whose column {column.name!r} is "
                "more than a number. Use engine='memory'."
            )
    return encoder


def numbers_of(table: Any, names: Sequence[str], what: str) -> NDArray[Any]:
    """Numbers column by column, or one column of lists."""
    import pyarrow as pa

    columns = [table.column(name) for name in names]
    kind = columns[0].type
    if len(columns) == 1 and (pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        lists = columns[0].combine_chunks()
        lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
        if lists.null_count == 0 and len(lists) and len(lists.flatten()) % len(lists) == 0:
            return np.asarray(lists.flatten().to_numpy(zero_copy_only=False)).reshape(len(lists), -1)
    for name, column in zip(names, columns, strict=True):
        is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        if not is_number or column.null_count:
            raise InputError(
                f"{what} must hold numbers without gaps, or one column of lists, to be read in parts. "
                f"Column {name!r} holds others. Leave it out, make numbers of it, or use engine='memory'."
            )
    return np.column_stack([column.to_numpy() for column in columns])
