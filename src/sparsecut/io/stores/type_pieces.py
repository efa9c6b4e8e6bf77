"""The steps of a store by type, each for one table of nodes or of edges: from files to files, in whatever process.

What a step leaves for others is in the work folder: the ids of a type, the nodes that edges name, a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter
from sparsecut.features import Scale, TypeColumnsOf
from sparsecut.graph import LABEL_NAMES
from sparsecut.graph.clock import Clock
from sparsecut.graph.node_types import SEPARATOR
from sparsecut.graph.relations import EdgeType
from sparsecut.graph.timeline import DatedEdges
from sparsecut.io.edges.edge_names import called_after
from sparsecut.io.edges.ids import as_array
from sparsecut.io.stores.edge_batches import EdgeFile, some_of
from sparsecut.io.stores.matrix_building import MatrixBuild, MatrixSizes
from sparsecut.io.stores.numbered_edges import EdgeScan, FileEdges, look_through
from sparsecut.io.stores.record_batches import FeatureFile
from sparsecut.io.stores.row_positions import TypePositions, is_range
from sparsecut.io.stores.streamed_tables import names_and_rows
from sparsecut.io.stores.workfolder import WorkFolder
from sparsecut.io.typed.relation_options import AskedColumns
from sparsecut.io.typed.relation_tables import plan_relation
from sparsecut.kernels import row_blocks

BLOCK_BYTES = 16 << 20


def silent(*_: object) -> None:
    """Report nothing: tasks of other processes have nobody to report to."""


@dataclass(frozen=True)
class EndIds:
    """What one end of a type of edges says about the nodes of a type: some ids, and where all of them are."""

    some: NDArray[Any]
    every: Path | None = None


@dataclass(frozen=True)
class RelationPiece:
    """A table of edges by its columns, and what all its edges say together."""

    key: EdgeType
    file: EdgeFile
    scan: EdgeScan
    ends: tuple[EndIds, EndIds]

    def ends_of(self, name: str) -> list[EndIds]:
        """The ends of its edges that are nodes of a type."""
        return [end for end, kind in zip(self.ends, (self.key[0], self.key[2]), strict=True) if kind == name]

    @property
    def doubts(self) -> tuple[str, ...]:
        return () if self.file.columns is None else self.file.columns.doubts

    @property
    def notes(self) -> tuple[str, ...]:
        columns, name = self.file.columns, SEPARATOR.join(self.key)
        if columns is None:
            return (f"Edges {name}: source and target in two columns, no weights.",)
        return (f"Edges {name}: {columns}.", *(f"{name}: {note}" for note in columns.notes), *columns.doubts)


@dataclass(frozen=True)
class TypePiece:
    """The nodes of a type: how many, where their ids are, and how its table becomes features."""

    name: str
    path: Path | None
    n_nodes: int
    ids_path: Path | None  # None for the row numbers
    id_name: str | None
    longest: int  # characters of an id with its type
    is_typed: bool  # whether the ids begin with the type already
    columns: TypeColumnsOf | None  # None without features
    notes: tuple[str, ...] = field(default=())

    def ids(self) -> NDArray[Any] | None:
        return None if self.ids_path is None else np.load(self.ids_path)


def open_relation(key: EdgeType, path: Path, asked: AskedColumns, report: Reporter = silent) -> EdgeFile:
    """The table of a type of edges, with its columns."""
    what = f"The table of edges {SEPARATOR.join(key)}"
    named = {} if path.suffix == ".npy" else dict(asked.columns)
    file = EdgeFile(
        path, named, what=what, plan=lambda names: plan_relation(names, key, named, what), is_signed=asked.is_signed
    )
    if file.columns is not None:  # ids belong to their type: they need not say it
        file.columns = replace(file.columns, sides=None)
    return file


def look_at_relation(
    work: Path, number: int, key: EdgeType, file: EdgeFile, with_all: tuple[bool, bool], report: Reporter = silent
) -> RelationPiece:
    """What the edges say together: times and signs, and, of types without a table, which nodes there are."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.feather

    first = next(file.batches())
    samples = [some_of(end, end) for end in (first.sources, first.targets)]
    every: list[Any] = [None, None]
    if any(with_all):
        n_edges = 0
        for batch in file.batches():
            for end, ids in enumerate((batch.sources, batch.targets)):
                if with_all[end]:
                    found = pc.unique(pa.array(ids) if isinstance(ids, np.ndarray) else ids)
                    found = found if pa.types.is_integer(found.type) else found.cast(pa.large_string())
                    every[end] = found if every[end] is None else pc.unique(_chunked([every[end], found]))
            n_edges += len(batch.sources)
            report("reading the nodes of edges", n_edges, file.n_edges)
    ends = []
    for end, (sample, ids) in enumerate(zip(samples, every, strict=True)):
        path = None if ids is None else work / f"named-{number}-{end}.feather"
        if path is not None:
            pyarrow.feather.write_feather(pa.table({"id": ids}), str(path), compression="uncompressed")
        ends.append(EndIds(sample, path))
    return RelationPiece(key, file, look_through(file, report), (ends[0], ends[1]))


def read_type(
    work: Path, number: int, name: str, path: Path | None, ends: Sequence[Sequence[EndIds]], scale: Scale,
    id_column: str | None, encoder: Any, report: Reporter = silent,
) -> TypePiece:  # fmt: skip
    """The ids of a type of nodes, and how its table becomes numbers."""
    of_edges = [end for of_one in ends for end in of_one]
    what = f"The table of nodes {name!r}"
    if path is None:
        ids = _named(what, [end.every for end in of_edges if end.every is not None])
        return _typed(work, number, name, ids, None, None, None, ())
    what = f"The node {'folder' if path.is_dir() else 'file'} {path}"
    sample = None
    if of_edges:
        parts = [end.some for end in of_edges]
        kinds = {part.dtype.kind in "iu" for part in parts}
        sample = np.unique(np.concatenate(parts if kinds == {True} else [part.astype(np.str_) for part in parts]))
    file = _feature_file(name, path, what, scale, id_column, encoder, sample)
    columns = None
    if file.shape[1] or file.encoder is not None:
        columns = TypeColumnsOf(name, file.shape[1], file.encoder)
    notes = () if not file.left_out else (f"{what}: labels in column {', '.join(map(repr, file.left_out))} were left out.",)
    if file.ids is None:
        digits = len(str(max(file.shape[0] - 1, 0)))
        return TypePiece(name, path, file.shape[0], None, None, len(name) + 1 + digits, False, columns, notes)
    return _typed(work, number, name, file.ids, path, file.id_name, columns, notes)


def write_type_ids(piece: TypePiece, path: Path, offset: int, longest: int, report: Reporter = silent) -> int:
    """The ids of a type to their place among those of all nodes."""
    ids = piece.ids()
    prefix = "" if piece.is_typed else f"{piece.name}{SEPARATOR}"
    with path.open("r+b") as file:
        file.seek(offset)
        for rows in row_blocks(piece.n_nodes, 8 * longest, BLOCK_BYTES):
            own = np.arange(rows.start, rows.stop) if ids is None else ids[rows]
            words = np.char.add(prefix, own.astype(np.str_)).astype(f"<U{longest}")
            file.write(np.ascontiguousarray(words).view(np.uint8).data)
    return piece.n_nodes


def write_type_features(
    piece: TypePiece, path: Path, offset: int, width: int, first: int, id_column: str | None, report: Reporter = silent
) -> int:
    """The features of a type to their rows, with zeros in the columns of other types."""
    assert piece.path is not None
    assert piece.columns is not None
    what, own = f"The node file {piece.path}", piece.columns.n_columns
    fitted = piece.columns.encoder
    source = _feature_file(piece.name, piece.path, what, "auto", piece.id_name or id_column, fitted, None)
    n_rows = 0
    with path.open("r+b") as file:
        file.seek(offset)
        for block in source.blocks():
            for rows in row_blocks(len(block), 4 * width, BLOCK_BYTES):
                whole = np.zeros((rows.stop - rows.start, width), dtype=np.float32)
                whole[:, first : first + own] = block[rows]
                file.write(whole.data)
            n_rows += len(block)
            report("writing features", n_rows, piece.n_nodes)
    return n_rows


def latest_of(
    piece: RelationPiece, ends: tuple[tuple[TypePiece, int], tuple[TypePiece, int]], directed: str, report: Reporter = silent
) -> DatedEdges:
    """The latest edges of a type, from which a half-life is chosen."""
    return _edges(piece, ends, directed, report).latest_edges()


def build_matrix(
    work: Path, piece: RelationPiece, ends: tuple[tuple[TypePiece, int], tuple[TypePiece, int]], clock: Clock | None,
    directed: str, n_nodes: int, range_entries: int, place: str, is_demand: bool, report: Reporter = silent,
) -> MatrixSizes:  # fmt: skip
    """The matrix of a type of edges, or of those of them that ask for distance, in a folder of the store."""
    numbered = _edges(piece, ends, directed, report).numbered(clock, is_demand=is_demand)
    return MatrixBuild(WorkFolder(work), numbered, n_nodes, directed, range_entries, report, place).run()


def _edges(
    piece: RelationPiece, ends: tuple[tuple[TypePiece, int], tuple[TypePiece, int]], directed: str, report: Reporter
) -> FileEdges:
    what = piece.file.what
    first, second = (TypePositions(one.name, one.ids(), one.n_nodes, start, what) for one, start in ends)
    return FileEdges(piece.file, piece.scan, (first, second), directed, report)


def _feature_file(
    name: str, path: Path, what: str, scale: Scale, id_column: str | None, encoder: Any, sample: Any
) -> FeatureFile:
    """The table of a type; `id_column` is that of the tables that have it."""
    asked = id_column
    if path.suffix != ".npy" and id_column is not None:
        asked = id_column if id_column in names_and_rows(path, "node")[0] else None
    return FeatureFile(
        path,
        scale=scale,
        encoder=encoder,
        id_column=asked,
        edge_ids=sample,
        what=what,
        called=lambda names: called_after(name, names),
        without=LABEL_NAMES,
        may_be_empty=True,
    )


def _named(what: str, paths: Sequence[Path]) -> NDArray[Any]:
    """The nodes that edges name: integers in order, words as they come."""
    import pyarrow.compute as pc
    import pyarrow.feather

    parts = [pyarrow.feather.read_table(str(path), memory_map=False).column("id").combine_chunks() for path in paths]
    if not parts:
        raise InputError(f"{what} is None, and no edge names such a node. Leave the type out, or give its ids.")
    ids = as_array(pc.unique(_chunked(parts)))
    return np.sort(ids) if ids.dtype.kind in "iu" else ids


def _chunked(parts: Sequence[Any]) -> Any:
    """Ids one after another: integers, or words where some are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not all(pa.types.is_integer(part.type) for part in parts):
        parts = [pc.cast(part, pa.large_string()) for part in parts]
    return pa.chunked_array(parts)


def _typed(
    work: Path, number: int, name: str, ids: NDArray[Any], path: Path | None, id_name: str | None, columns: Any,
    notes: tuple[str, ...],
) -> TypePiece:  # fmt: skip
    """The nodes of a type, their ids written down unless they are the row numbers."""
    prefix = f"{name}{SEPARATOR}"
    is_word = ids.dtype.kind not in "iu"
    if is_word:
        ids = ids.astype(np.str_)
        is_typed = bool(np.char.startswith(ids, prefix).all())
        digits = int(np.char.str_len(ids).max(initial=0))
    else:
        is_typed = False
        digits = max(len(str(int(ids.min(initial=0)))), len(str(int(ids.max(initial=0)))))
    longest = digits if is_typed else digits + len(prefix)
    ids_path = None
    if is_word or not is_range(ids):
        ids_path = work / f"ids-of-type-{number}.npy"
        np.save(ids_path, ids)
    return TypePiece(name, path, len(ids), ids_path, id_name, longest, is_typed, columns, notes)
