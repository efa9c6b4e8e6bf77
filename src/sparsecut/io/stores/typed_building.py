"""A store of a graph with types of nodes and edges, from files or folders of Parquet files: that of `from_tables`.

    relations    the columns of every table of edges; one pass where nodes, times or signs must be known first
    types        the ids of every type of nodes, and how its table becomes numbers
    matrices     the edges of each type by themselves, as `sparsecut.io.stores.matrix_building` makes them
    sum          the adjacency, and the edges that ask for distance, some rows at a time

Every step is a list of calls that read files and write files of their own (`sparsecut.io.stores.type_pieces`), so that
`Tasks` may be one call after another in this process, or the workers of a cluster.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import InputError, ReadingWarning
from sparsecut.base.progress import Reporter
from sparsecut.features import TypeColumnsOf, TypeEncoders
from sparsecut.graph import LABEL_NAMES, loop_notes
from sparsecut.graph.clock import Clock
from sparsecut.graph.id_columns import likely_name
from sparsecut.graph.relations import EdgeType, Relations, sum_of
from sparsecut.io.edges.edge_names import called_after
from sparsecut.io.edges.weighing import Weighing, said_of_demands
from sparsecut.io.stores.matrix_building import check_node_count, range_size
from sparsecut.io.stores.numpy_files import write_npy, write_npy_header
from sparsecut.io.stores.store import is_store, mapped_matrix, move_store, write_header
from sparsecut.io.stores.streamed_tables import check_streamed, files_of, is_streamed, schema_of
from sparsecut.io.stores.type_pieces import (
    RelationPiece,
    TypePiece,
    build_matrix,
    latest_of,
    look_at_relation,
    open_relation,
    read_type,
    write_type_features,
    write_type_ids,
)
from sparsecut.io.stores.workfolder import WorkFolder, check_room, fingerprint_of, telling_where, work_folder
from sparsecut.io.typed.relation_options import RelationOptions
from sparsecut.io.typed.typed_folders import tables_in
from sparsecut.io.typed.typed_graphs import edge_types_of, node_types_of
from sparsecut.kernels.mapped_matrices import made_by_blocks

Tasks = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]], str], list[Any]]  # [function(*call) for every call]


@dataclass(frozen=True)
class TypeTables:
    """The files of a graph with types."""

    nodes: Mapping[str, Path | None]
    edges: Mapping[EdgeType, Path]
    notes: tuple[str, ...] = ()

    def absolute(self) -> TypeTables:
        """The files by their whole paths, for processes that run in another folder."""
        nodes = {name: None if path is None else path.absolute() for name, path in self.nodes.items()}
        return TypeTables(nodes, {key: path.absolute() for key, path in self.edges.items()}, self.notes)


def tables_by_type(nodes: Any, edges: Any) -> TypeTables | None:
    """The files by type that `build_store` was given; None where it was given one table of edges."""
    notes: tuple[str, ...] = ()
    if edges is None and isinstance(nodes, str | Path):
        nodes, edges, notes = tables_in(Path(nodes))
    if not isinstance(edges, Mapping):
        if nodes is not None:
            raise InputError("build_store takes nodes={type: file} with edges={(type, relation, type): file}.")
        return None
    keys = edge_types_of(edges)
    names = node_types_of(nodes, list(keys))
    given = {name: None if nodes is None else nodes.get(name) for name in names}
    for name, path in {**given, **{":".join(key): path for key, path in keys.items()}}.items():
        if path is not None and not isinstance(path, str | Path):
            raise InputError(
                f"build_store reads files and folders of Parquet files. Got {type(path).__name__} for {name!r}. A graph of "
                "tables in memory is from_tables(…)."
            )
    paths = {name: None if path is None else check_streamed(path, "node") for name, path in given.items()}
    return TypeTables(paths, {key: check_streamed(path, "edge") for key, path in keys.items()}, notes)


def reads_by_type(nodes: Mapping[str, Any], edges: Mapping[Any, Any]) -> bool:
    """Whether all tables by type can be read in parts: none is text, and those of nodes hold numbers."""
    own = {name: Path(path) for name, path in nodes.items() if path is not None}
    if not all(is_streamed(path) for path in (*edges.values(), *own.values())):
        return False
    return all(column_of_words(name, path) is None for name, path in own.items())


def column_of_words(name: str, path: Path) -> str | None:
    """A column of a table of nodes that is more than a number, and holds neither ids nor labels, if there is one."""
    import pyarrow as pa

    if path.suffix == ".npy":
        return None
    schema = schema_of(path, "node")
    ids = {likely_name(schema.names), *called_after(name, schema.names)}
    others = [field for field in schema if field.name not in ids and field.name.lower() not in LABEL_NAMES]
    if len(others) == 1 and pa.types.is_nested(others[0].type):
        return None
    words = (one.name for one in others if not (pa.types.is_integer(one.type) or pa.types.is_floating(one.type)))
    return next(words, None)


def folder_by_type(folder: str | Path) -> tuple[Mapping[str, Any], Mapping[Any, Any]] | None:
    """The tables of nodes and of edges in a folder of one table per type; None of any other folder."""
    with suppress(InputError):
        nodes, edges, _ = tables_in(Path(folder))
        return nodes, edges
    return None


def one_by_one(report: Reporter) -> Tasks:
    """Tasks of this process."""
    return lambda function, calls, _: [function(*call, report=report) for call in calls]


def build_by_type(
    folder: Path, tables: TypeTables, columns: Mapping[str, Any], ageing: Mapping[str, Any], beside: Mapping[str, Any],
    limit: int, tasks: Tasks, scratch: Path,
) -> None:  # fmt: skip
    """Write the store. `beside` are directed, scale, id_column and encoder; a task may take so many bytes of memory."""
    options = RelationOptions(columns, ageing["time"], ageing["signed"])
    given = {name: ageing[name] for name in ("time", "half_life", "decay", "now")}
    weighing = Weighing("build_store", **given, is_signed=options.is_signed)
    encoder = getattr(beside["encoder"], "encoder_", beside["encoder"])
    if encoder is not None and not isinstance(encoder, TypeEncoders):
        raise InputError("The tables are of several types of nodes, and the model was fitted on one table for all nodes.")
    files = [files_of(path) for path in (*tables.nodes.values(), *tables.edges.values()) if path is not None]
    described = None if encoder is None else encoder.to_header()
    asked = (files, dict(tables.nodes), list(tables.edges), columns, ageing, {**beside, "encoder": described}, limit)
    with work_folder(scratch, fingerprint_of("store", *asked, str(folder))) as work:
        (work / "store").mkdir(exist_ok=True)
        if not is_store(work / "store"):  # killed between its last line and its move
            build = _TypedBuild(work, tables, options, weighing, encoder, limit, tasks, **_without_encoder(beside))
            for doubt in build.run():
                warnings.warn(doubt, ReadingWarning, stacklevel=4)
        shutil.rmtree(work / "store" / "demands-of", ignore_errors=True)
        move_store(work / "store", folder)


class _TypedBuild:
    def __init__(
        self,
        work: WorkFolder,
        tables: TypeTables,
        options: RelationOptions,
        weighing: Weighing,
        encoder: TypeEncoders | None,
        limit: int,
        tasks: Tasks,
        *,
        directed: str,
        scale: Any,
        id_column: str | None,
    ) -> None:
        self.work, self.tables, self.options, self.weighing, self.encoder = work, tables, options, weighing, encoder
        self.limit, self.tasks, self.directed, self.scale, self.id_column = limit, tasks, directed, scale, id_column
        self.names = list(tables.nodes)

    def run(self) -> tuple[str, ...]:
        """Write the store; what is doubtful about the columns of the edges."""
        relations = self._relations()
        types = self._types(relations)
        counts = {piece.name: piece.n_nodes for piece in types}
        n_nodes = sum(counts.values())
        check_node_count(n_nodes, "The graph")
        self._check_room(relations, types)
        encoder = self._write_nodes(types)
        clock, notes = self._clock(relations, types)
        loops, sizes = self._matrices(relations, types, n_nodes, clock)
        keys = [piece.key for piece in relations]
        undated = [piece.key for piece in relations if clock is not None and piece.scan.times is None]
        notes = (*notes, *(f"{':'.join(key)}: {one}" for key, n in zip(keys, loops, strict=True) for one in loop_notes(n)))
        n_entries = self._write_sum("", [f"relations/{number}" for number in range(len(keys))], n_nodes)
        n_demands = None
        if self.weighing.is_signed:
            places = [f"demands-of/{number}" for number, size in enumerate(sizes) if size is not None]
            n_demands = self._write_sum("demands", places, n_nodes) if places else 0
            notes = (*notes, said_of_demands(n_demands, is_directed=self.directed != "symmetrize"))
        doubts = tuple(doubt for piece in relations for doubt in piece.doubts)
        with telling_where(self.work.path):
            write_header(
                self.work / "store",
                n_nodes=n_nodes,
                n_entries=n_entries,
                directed=self.directed,
                encoder=encoder,
                notes=(
                    *self.tables.notes,
                    *(note for piece in relations for note in piece.notes),
                    *notes,
                    *(note for piece in types for note in piece.notes),
                ),
                types=counts,
                relations=Relations(tuple(keys), (), (1.0,) * len(keys), tuple(undated)),
                clock=clock,
                n_demands=n_demands,
            )
        return doubts

    def _relations(self) -> list[RelationPiece]:
        """The tables of edges, their columns, and what all edges of each say together."""
        asked = self.options.of_each(list(self.tables.edges))
        for key, one in asked.items():
            if one.columns["time"] is not None and not isinstance(one.columns["time"], str):
                raise InputError(f"build_store reads the times of {':'.join(key)} from a column of its file: name it.")
        calls = [(key, path, asked[key]) for key, path in self.tables.edges.items()]
        files = self.tasks(open_relation, calls, "reading columns")
        for key, file in zip(self.tables.edges, files, strict=True):
            self.options.check(key, file.what, file.names)
        self.options.check_all([file.names for file in files])
        is_named = {name for name, path in self.tables.nodes.items() if path is None}
        looks = [
            (self.work.path, number, key, file, (key[0] in is_named, key[2] in is_named))
            for number, (key, file) in enumerate(zip(self.tables.edges, files, strict=True))
        ]
        found: list[RelationPiece] = self.tasks(look_at_relation, looks, "reading edges")
        return found

    def _types(self, relations: Sequence[RelationPiece]) -> list[TypePiece]:
        calls = []
        fitted = {} if self.encoder is None else {part.type: part for part in self.encoder.parts}
        for number, (name, path) in enumerate(self.tables.nodes.items()):
            ends = [piece.ends_of(name) for piece in relations]
            part = fitted.get(name)
            own = None if part is None else part.encoder
            calls.append((self.work.path, number, name, path, ends, self.scale, self.id_column, own))
        found: list[TypePiece] = self.tasks(read_type, calls, "reading nodes")
        return found

    def _write_nodes(self, types: Sequence[TypePiece]) -> TypeEncoders | None:
        """The ids and the features of all nodes, type after type; how tables became features, None without any."""
        starts = _starts(types)
        n_nodes, store = sum(piece.n_nodes for piece in types), self.work / "store"
        longest = max(piece.longest for piece in types)
        with self.work.writing("store/ids.npy") as file:
            write_npy_header(file, np.dtype(f"<U{longest}"), (n_nodes,))
            offset = file.tell()
            file.truncate(offset + 4 * longest * n_nodes)
        self.tasks(
            write_type_ids,
            [
                (piece, store / "ids.npy", offset + 4 * longest * start, longest)
                for piece, start in zip(types, starts, strict=True)
            ],
            "writing ids",
        )
        encoder = self._encoder(types)
        if encoder is None:
            return None
        width = encoder.n_columns
        with self.work.writing("store/features.npy") as file:
            write_npy_header(file, np.dtype(np.float32), (n_nodes, width))
            offset = file.tell()
            file.truncate(offset + 4 * width * n_nodes)
        first = encoder.starts
        calls = [
            (piece, store / "features.npy", offset + 4 * width * start, width, first[piece.name], self.id_column)
            for piece, start in zip(types, starts, strict=True)
            if piece.columns is not None and piece.name in first and piece.columns.n_columns
        ]
        self.tasks(write_type_features, calls, "writing features")
        return encoder

    def _encoder(self, types: Sequence[TypePiece]) -> TypeEncoders | None:
        parts = tuple(piece.columns for piece in types if piece.columns is not None)
        if self.encoder is not None:
            self._check_fitted({part.type: part for part in parts})
            return self.encoder
        if not parts:
            return None
        if not any(part.n_columns for part in parts):
            raise InputError("No type of nodes has a column that could be a feature: each holds one value throughout.")
        return TypeEncoders(tuple(self.names), parts)

    def _check_fitted(self, found: Mapping[str, TypeColumnsOf]) -> None:
        """Refuse features that the model was not fitted with, and the lack of those it was."""
        assert self.encoder is not None
        fitted = {part.type: part for part in self.encoder.parts}
        for name in self.names:
            if name in found and name not in fitted:
                raise InputError(
                    f"Nodes of type {name!r} have features, and had none in the graph that was fitted. Leave these features "
                    "out, or fit a model on such a graph."
                )
            if name in fitted and name not in found:
                raise InputError(
                    f"Nodes of type {name!r} have no features, and had some in the graph that was fitted. Bring them, or "
                    "fit a model without."
                )
            if name in fitted and found[name].n_columns != fitted[name].n_columns:
                raise InputError(
                    f"The features of nodes of type {name!r} have {found[name].n_columns:,} columns. The model was fitted "
                    f"with {fitted[name].n_columns:,}."
                )

    def _clock(self, relations: Sequence[RelationPiece], types: Sequence[TypePiece]) -> tuple[Clock | None, tuple[str, ...]]:
        """How edges age: one clock for all types that have times."""
        dated = [piece for piece in relations if piece.scan.times is not None]
        scans = [piece.scan.times for piece in dated if piece.scan.times is not None]
        if not scans:
            return None, ()
        kinds = [scan.is_calendar for scan in scans]
        if len(set(kinds)) > 1:
            raise InputError(
                f"{scans[0].what} and {scans[kinds.index(not kinds[0])].what} must have times of one kind, as all edges age "
                "by one clock. Got dates or epochs in one of them, and plain numbers in the other."
            )
        calls = [(piece, self._ends(piece, types), self.directed) for piece in dated]
        clock, notes = self.weighing.clock_of(
            [scan.last for scan in scans], lambda: self.tasks(latest_of, calls, "choosing the half-life"), kinds[0]
        )
        those = ", ".join(":".join(piece.key) for piece in dated)
        return clock, (*notes, f"Edges {'' if len(dated) == len(relations) else f'{those} '}{clock}.")

    def _ends(self, piece: RelationPiece, types: Sequence[TypePiece]) -> tuple[tuple[TypePiece, int], ...]:
        """The nodes of both ends, and where they begin."""
        by_name = {one.name: (one, start) for one, start in zip(types, _starts(types), strict=True)}
        return by_name[piece.key[0]], by_name[piece.key[2]]

    def _matrices(
        self, relations: Sequence[RelationPiece], types: Sequence[TypePiece], n_nodes: int, clock: Clock | None
    ) -> tuple[list[int], list[Any]]:
        """Write the matrix of every type of edges; (nodes with an edge to themselves, sizes of what asks for distance)."""
        ways = 2 if self.directed == "symmetrize" else 1
        calls, places = [], []
        for number, piece in enumerate(relations):
            entries = range_size(n_nodes, piece.file.n_edges * ways, self.limit)
            own = clock if piece.scan.times is not None else None
            for is_demand in (False, True) if piece.scan.has_negative else (False,):
                place = f"{'demands-of' if is_demand else 'relations'}/{number}"
                ends = self._ends(piece, types)
                calls.append((self.work.path, piece, ends, own, self.directed, n_nodes, entries, place, is_demand))
                places.append((number, is_demand))
        sizes = dict(zip(places, self.tasks(build_matrix, calls, "sorting edges"), strict=True))
        numbers = range(len(relations))
        loops = [sum(size.n_loops for (one, _), size in sizes.items() if one == number) for number in numbers]
        return loops, [sizes.get((number, True)) for number in numbers]

    def _write_sum(self, place: str, places: Sequence[str], n_nodes: int) -> int:
        """The sum of matrices of the store in its folder `place`; of one it is that matrix."""
        store = self.work / "store"
        (store / place).mkdir(exist_ok=True)
        if len(places) == 1:
            for name in ("indptr", "indices", "weights"):
                if (store / places[0] / f"{name}.npy").exists():
                    (store / places[0] / f"{name}.npy").replace(store / place / f"{name}.npy")
            return len(np.load(store / place / "indices.npy", mmap_mode="r"))
        matrices = [mapped_matrix(store / one, n_nodes) for one in places]
        counts, n_entries = np.zeros(n_nodes + 1, dtype=np.int64), 0
        kind, row = matrices[0].indices.dtype, 0
        folder = f"store/{place}/" if place else "store/"
        with self.work.writing(f"{folder}indices.npy") as indices, self.work.writing(f"{folder}weights.npy") as weights:
            for file, of in ((indices, kind), (weights, np.dtype(np.float32))):
                write_npy_header(file, of, (1 << 60,))  # as long for any number
            for block in made_by_blocks(matrices, _added):
                indices.write(np.ascontiguousarray(block.indices, dtype=kind).data)
                weights.write(np.ascontiguousarray(block.data, dtype=np.float32).data)
                counts[row + 1 : row + 1 + block.shape[0]] = np.diff(block.indptr)
                row, n_entries = row + block.shape[0], n_entries + block.nnz
            for file, of in ((indices, kind), (weights, np.dtype(np.float32))):
                file.seek(0)
                write_npy_header(file, of, (n_entries,))
        indptr = np.cumsum(counts)
        with self.work.writing(f"{folder}indptr.npy") as file:
            write_npy(file, indptr.astype(np.int32) if n_entries <= np.iinfo(np.int32).max else indptr)
        return int(n_entries)

    def _check_room(self, relations: Sequence[RelationPiece], types: Sequence[TypePiece]) -> None:
        ways = 2 if self.directed == "symmetrize" else 1
        entries = ways * sum(piece.file.n_edges for piece in relations)
        width = sum(piece.columns.n_columns for piece in types if piece.columns is not None)
        needed = 36 * entries + sum(piece.n_nodes * (4 * width + 4 * piece.longest) for piece in types)
        check_room({self.work.path: max(0, needed - self.work.n_bytes)}, "build the store on another disk")


def _added(parts: Sequence[sp.csr_array]) -> sp.csr_array:
    return sum_of(parts, (1.0,) * len(parts))


def _starts(types: Sequence[TypePiece]) -> list[int]:
    return [0, *np.cumsum([piece.n_nodes for piece in types]).tolist()][:-1]


def _without_encoder(beside: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in beside.items() if name != "encoder"}
