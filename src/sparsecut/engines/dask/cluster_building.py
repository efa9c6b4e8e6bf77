"""A store (`sparsecut.io.stores.store`) made on a cluster from partitioned edges and features, which no process reads whole.

    features     a task per piece writes its rows to their place; the means and deviations of tables are merged
    numbering    ids become rows (`engines.dask.numbering`)
    edges        a task per piece sorts its entries out by block of rows; a task per block merges what is its own
    writing      each block writes its neighbours to their place

The arrays are files of a known size, and tasks write to places that do not overlap. The store takes its place when it is
whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.engines.dask import id_numbering as numbering
from sparsecut.engines.dask import piece_weights as weights_of
from sparsecut.engines.dask.feature_sources import PartitionedTable, Piece
from sparsecut.engines.dask.plan import even_starts
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.shared import Target
from sparsecut.features import NumberScan, Scale, TableEncoder, VectorColumn, check_scale
from sparsecut.graph import loop_notes
from sparsecut.graph.clock import Clock
from sparsecut.graph.id_columns import choose_of_parts, likely_name
from sparsecut.graph.timeline import DatedEdges
from sparsecut.io.edges.adjacency import offset_type
from sparsecut.io.edges.column_evidence import ColumnEvidence, combined
from sparsecut.io.edges.column_evidence import part_of as evidence_in
from sparsecut.io.edges.edge_columns import ColumnPlan, EdgeColumns
from sparsecut.io.edges.sides import Meeting, check_side_ids, meeting_of, side_doubts, sum_of
from sparsecut.io.edges.weighing import Weighing, said_of_demands
from sparsecut.io.stores.matrix_building import entry_keys, merge_entries
from sparsecut.io.stores.numbered_edges import EdgeScan
from sparsecut.io.stores.record_batches import accept_encoder, numbers_of
from sparsecut.io.stores.store import write_header
from sparsecut.kernels.magnitude import are_finite, feature_error

ENTRIES_PER_BLOCK = 1 << 24  # that one task sorts
NO_NAMES = "source and target in two columns, no weights"


class StoreBuild:
    """What is known here of a store that workers write: schemas, sizes, offsets."""

    def __init__(
        self,
        folder: Path,
        runner: Runner,
        edges: PartitionedTable,
        features: PartitionedTable,
        plan: ColumnPlan | None,
        directed: str,
        n_workers: int,
        *,
        id_column: str | None = None,
        encoder: Any = None,
        weighing: Weighing,
    ) -> None:
        self.folder, self.runner, self.edges, self.features, self.directed = folder, runner, edges, features, directed
        self.plan, self.encoder, self.weighing = plan, encoder, weighing
        self.columns = self._choose_columns()  # of the edges; None where they have no names
        self.id_name = None if features.names is None else self._find_ids(features.names, id_column)
        if self.columns is not None:
            check_side_ids(self.columns, self.id_name is not None, features.what)
        self.names = [name for name in features.names or () if name != self.id_name]
        if features.names is not None and not self.names:
            raise InputError(f"{features.what} has no column beside the ids.")
        self.n_nodes, self.n_workers = features.n_rows, n_workers
        n_entries = edges.n_rows * (2 if directed == "symmetrize" else 1)
        n_blocks = max(n_workers, -(-n_entries // ENTRIES_PER_BLOCK))
        self.starts = even_starts(self.n_nodes, min(n_blocks, self.n_nodes))

    def _find_ids(self, names: Sequence[str], asked: str | None) -> str:
        """The column of the features that has the nodes of the edges (`sparsecut.graph.id_columns`)."""
        likely = likely_name(names, asked, self.features.what)
        if asked is not None or len(names) == 1:
            return likely
        runner, what = self.runner, self.features.what
        fitted = () if self.encoder is None else self.encoder.names_in or ()
        looked_at = [name for name in names if name == likely or name not in fitted]
        sample = runner.submit(numbering.some_ids, self.edges.pieces[0], self.columns, self.edges.what)
        tasks = [runner.submit(numbering.look_for_ids, piece, looked_at, sample, what) for piece in self.features.pieces]
        return choose_of_parts(runner.collect(tasks, "finding ids"), what, likely)

    def run(self, *, scale: Scale) -> tuple[str, ...]:
        """Write the store; what is doubtful about the columns of the edges."""
        fitted = self._write_features(scale, self.encoder)
        numbered = self._number()
        columns, edges = self.columns, self.edges
        scan = self._look_through()
        clock, said = self._clock(numbered, scan)
        n_entries, n_loops, meeting = self._write_edges(self._weighed(numbered, scan, clock))
        n_demands = None
        if self.weighing.is_signed:
            n_demands = 0
            if scan.has_negative:
                demands = self._weighed(numbered, scan, clock, is_demand=True)
                n_demands, n_others, _ = self._write_edges(demands, "demands")
                n_loops += n_others
            said = (*said, said_of_demands(n_demands, is_directed=self.directed != "symmetrize"))
        notes = [f"Edges: {edges.what[4:]}, {len(edges.pieces)} pieces; {columns or NO_NAMES}."]
        doubts: tuple[str, ...] = ()
        if columns is not None:
            is_integer = all(edges.is_integer(name) for name in (columns.source, columns.target))
            doubts = (*columns.doubts, *side_doubts(columns, meeting, is_integer, edges.what))
            notes += [*columns.notes, *doubts]
        write_header(
            self.folder,
            n_nodes=self.n_nodes,
            n_entries=n_entries,
            directed=self.directed,
            encoder=fitted,
            notes=(*notes, *loop_notes(n_loops), *said),
            sides=None if columns is None else columns.sides,
            clock=clock,
            n_demands=n_demands,
        )
        return doubts

    def _look_through(self) -> EdgeScan:
        """What the times and weights of all edges say together."""
        columns, edges = self.columns, self.edges
        is_signed = self.weighing.is_signed and columns is not None and columns.weight is not None
        if columns is None or not (is_signed or columns.time is not None):
            return EdgeScan()
        scans = [
            self.runner.submit(weights_of.look_at_piece, piece, first, columns, is_signed, edges.what)
            for piece, first in zip(edges.pieces, edges.starts, strict=False)
        ]
        return weights_of.merged(self.runner.collect(scans, "reading times and signs"))

    def _clock(self, numbered: Sequence[Any], scan: EdgeScan) -> tuple[Clock | None, tuple[str, ...]]:
        if scan.times is None:
            return None, ()

        def latest() -> list[DatedEdges]:
            found = [
                self.runner.submit(
                    weights_of.latest_of_piece, one, piece, first, self.columns, scan, self.directed, self.edges.what
                )
                for one, piece, first in zip(numbered, self.edges.pieces, self.edges.starts, strict=False)
            ]
            return self.runner.collect(found, "choosing the half-life")

        clock, notes = self.weighing.clock_of([scan.times.last], latest, scan.times.is_calendar)
        return clock, (*notes, f"Edges {clock}.")

    def _weighed(
        self, numbered: Sequence[Any], scan: EdgeScan, clock: Clock | None, *, is_demand: bool = False
    ) -> Sequence[Any]:
        """Futures of the edges of one sign of every piece, with their weights."""
        if clock is None and not scan.has_negative:
            return numbered
        beside = self.columns, scan, clock, self.directed, is_demand, self.edges.what
        return [
            self.runner.submit(weights_of.weigh_piece, one, piece, first, *beside)
            for one, piece, first in zip(numbered, self.edges.pieces, self.edges.starts, strict=False)
        ]

    def _choose_columns(self) -> EdgeColumns | None:
        """The columns of the edges, by what workers find in those whose names do not say what they are."""
        plan, edges = self.plan, self.edges
        if plan is None:
            return None
        evidence = None
        if plan.unclear:
            parts = [
                self.runner.submit(evidence_of_piece, piece, plan.unclear, edges.n_rows, edges.what)
                for piece in edges.pieces
            ]
            evidence = combined(self.runner.collect(parts, "reading columns"), edges.n_rows)
        return plan.decide(evidence)

    def _write_features(self, scale: Scale, encoder: Any) -> TableEncoder | None:
        table, runner = self.features, self.runner
        fitted: TableEncoder | None = None
        if table.names is None:
            if isinstance(encoder, TableEncoder):
                raise InputError(f"{table.what} is an array, and the model was fitted on a table with named columns.")
        elif encoder is not None:
            fitted = accept_encoder(encoder, self.names, table.what)
            self.names = list(encoder.names_in or ())
        else:
            fitted = self._fit_encoder(scale)
        if fitted is not None and not fitted.names_out:
            raise InputError(f"{table.what} has no column that could be a feature: each holds one value throughout.")
        width = table.n_columns if fitted is None else len(fitted.names_out)
        target = Target.make(self.folder / "features.npy", np.float32, (self.n_nodes, width))
        written = [
            runner.submit(write_features, piece, first, self.names, fitted, target, table.what)
            for piece, first in zip(table.pieces, table.starts, strict=False)
        ]
        runner.collect(written, "writing features")
        return fitted

    def _fit_encoder(self, scale: Scale) -> TableEncoder:
        """The encoder of all pieces, as `FeatureFile` fits it to a file."""
        names, table = tuple(self.names), self.features
        check_scale(scale, names, table.what)
        widths, scan = self._scanned(NumberScan(names))
        if widths:
            return TableEncoder((VectorColumn(names[0], widths.pop()),))
        logs = scan.of_logs(scale)
        return scan.encoder(scale=scale, logs=None if logs is None else self._scanned(logs)[1])

    def _scanned(self, scan: NumberScan) -> tuple[set[int], NumberScan]:
        """(the width of vectors, if the features are those; a scan of all pieces)."""
        submitted = [
            self.runner.submit(scan_piece, piece, scan, self.names, self.features.what) for piece in self.features.pieces
        ]
        scans = self.runner.collect(submitted, "scanning features")
        widths = {one for one in scans if isinstance(one, int)}
        if widths and (len(widths) > 1 or not all(isinstance(one, int) for one in scans)):
            raise InputError(f"The column {self.names[0]!r} of the features must hold rows of one length.")
        for one in () if widths else scans:
            scan.merge(one)
        return widths, scan

    def _number(self) -> list[Any]:
        """Futures of the edges of every piece by rows."""
        edges, features, runner = self.edges, self.features, self.runner
        if self.id_name is None:
            return self._by_rows()
        ends = [] if self.columns is None else [self.columns.source, self.columns.target]
        ids = [
            runner.submit(numbering.read_ids, piece, first, self.id_name, features.what)
            for piece, first in zip(features.pieces, features.starts, strict=False)
        ]
        looks = runner.collect([runner.submit(numbering.look_at, one) for one in ids], "reading ids")
        are_rows, longest = all(is_range for is_range, _ in looks), max(length for _, length in looks)
        has_sides = self.columns is not None and self.columns.sides is not None
        is_integer = longest == 0 and not has_sides and all(edges.is_integer(name) for name in ends)
        if are_rows and is_integer:
            return self._by_rows()
        n_tables = max(self.n_workers, len(self.starts) - 1)
        tables = []
        for number in range(n_tables):
            parts = [runner.submit(numbering.ids_of_table, one, number, n_tables, is_integer) for one in ids]
            tables.append(runner.submit(numbering.make_table, parts, features.what))
        if not are_rows:  # the nodes keep their ids as the features have them, however edges spell them
            kind = np.dtype(np.int64) if longest == 0 else np.dtype(f"<U{longest}")
            target = Target.make(self.folder / "ids.npy", kind, (self.n_nodes,))
            runner.collect([runner.submit(write_ids, one, target) for one in ids], "writing ids")
        numbered = []
        for piece in edges.pieces:
            named = runner.submit(
                numbering.read_ends, piece, self.columns, is_integer, n_tables, edges.what, self.weighing.is_signed
            )
            found = [
                runner.submit(numbering.look_up, table, runner.submit(numbering.wanted_ids, named, number))
                for number, table in enumerate(tables)
            ]
            numbered.append(runner.submit(numbering.numbered, named, found, edges.what, features.what, self.id_name))
        runner.wait(numbered, "numbering ids")
        return numbered

    def _by_rows(self) -> list[Any]:
        edges, features = self.edges, self.features
        return [
            self.runner.submit(
                numbering.numbered_rows,
                piece,
                self.columns,
                self.n_nodes,
                edges.what,
                features.what,
                self.weighing.is_signed,
            )
            for piece in edges.pieces
        ]

    def _write_edges(self, numbered: Sequence[Any], place: str = "") -> tuple[int, int, Meeting]:
        """The neighbours of every block; how many entries and nodes with a self-loop there are, what both ends share."""
        runner, starts, folder = self.runner, self.starts, self.folder / place
        folder.mkdir(exist_ok=True)
        may_be_sides = self.columns is not None and self.columns.may_be_sides
        entries = [runner.submit(sort_out, piece, starts, self.directed, may_be_sides) for piece in numbered]
        merged = []
        for block in range(len(starts) - 1):
            parts = [runner.submit(part_of, one, block) for one in entries]
            merged.append(runner.submit(merge_block, parts, starts[block], starts[block + 1]))
        sizes = runner.collect([runner.submit(size_of, one) for one in merged], "merging edges")
        counts = [n_block for n_block, *_ in sizes]
        n_entries = int(sum(counts))
        has_weights = any(is_weighted for _, _, is_weighted, _ in sizes)
        kinds: dict[str, Any] = {
            "indptr": offset_type(self.n_nodes, n_entries),
            "indices": offset_type(self.n_nodes, 0),
        } | ({"weights": np.float32} if has_weights or place else {})
        targets = {
            name: Target.make(folder / f"{name}.npy", kind, (self.n_nodes + 1 if name == "indptr" else n_entries,))
            for name, kind in kinds.items()
        }
        before = [0, *np.cumsum(counts).tolist()]
        written = [
            runner.submit(write_block, one, starts[block], before[block], targets) for block, one in enumerate(merged)
        ]
        runner.collect(written, "writing edges")
        return n_entries, int(sum(n_loops for _, n_loops, *_ in sizes)), sum_of(meeting for *_, meeting in sizes)


def evidence_of_piece(piece: Piece, names: Sequence[str], n_rows: int, what: str) -> dict[str, ColumnEvidence]:
    """What a piece of the edges says about some of its columns."""
    return evidence_in(piece.table(names, what), n_rows)


def scan_piece(piece: Piece, scan: NumberScan, names: Sequence[str], what: str) -> NumberScan | int:
    """What a scan that has seen no rows finds in a piece; for a column of vectors, how long they are."""
    block = numbers_of(piece.table(names, what), names, what)
    if block.shape[1] != len(names):
        return int(block.shape[1])
    if not are_finite(block):
        raise feature_error(block, block, names=names)
    found = deepcopy(scan)
    found.update(block)
    return found


def write_features(
    piece: Piece, first: int, names: Sequence[str], encoder: TableEncoder | None, target: Target, what: str
) -> int:
    """The features of a piece to their rows."""
    if piece.kind == "parquet":
        given = numbers_of(piece.table(names, what), names, what)
        if encoder is not None and not isinstance(encoder.columns[0], VectorColumn):
            given = encoder.scale_numbers(given)
    else:
        given = piece.rows(what)
    with np.errstate(over="ignore"):  # a number beyond float32 becomes infinite and is refused below
        block = np.ascontiguousarray(given, dtype=np.float32)
    if block.shape[1] != target.shape[1]:
        raise InputError(f"{what} must hold rows of one length. Got {block.shape[1]} beside {target.shape[1]}.")
    if not are_finite(block):
        raise feature_error(given, block, first)
    target.write(first, block)
    return len(block)


def write_ids(ids: numbering.Ids, target: Target) -> int:
    target.write(ids.first, ids.values)
    return len(ids.values)


def sort_out(
    edges: tuple[Any, Any, Any], starts: Sequence[int], directed: str, may_be_sides: bool
) -> list[tuple[Any, Any, Any, Any]]:
    """For every block the keys and weights of its entries, and its nodes with a self-loop.

    Where the two columns may be two sides, also the rows that they name in it.
    """
    i, j, weights = edges
    kept = np.flatnonzero(i != j)
    both = entry_keys(i[kept], j[kept], directed)
    rows = np.concatenate([rows for rows, _ in both])
    keys = np.concatenate([keys for _, keys in both])
    blocks = np.searchsorted(starts, rows, side="right") - 1
    order = np.argsort(blocks, kind="stable")
    bounds = np.searchsorted(blocks[order], np.arange(len(starts)))
    keys, values = keys[order], None if weights is None else np.tile(weights[kept], len(both))[order]
    loops = np.unique(i[i == j])
    named = [np.sort(end) for end in (i, j, i[i == j])] if may_be_sides else []
    parts = []
    for block, (first, last) in enumerate(pairwise(bounds)):
        own = loops[(loops >= starts[block]) & (loops < starts[block + 1])]
        within = [end[slice(*np.searchsorted(end, starts[block : block + 2]))] for end in named]
        parts.append((keys[first:last], None if values is None else values[first:last], own, within))
    return parts


def part_of(parts: Sequence[Any], block: int) -> Any:
    return parts[block]


def merge_block(parts: Sequence[tuple[Any, Any, Any, Any]], first: int, last: int) -> dict[str, Any]:
    """The neighbours of the nodes of a block, and what the two columns of the edges have in common there."""
    keys = np.concatenate([part[0] for part in parts])
    weights = None if parts[0][1] is None else np.concatenate([part[1] for part in parts])
    loops = np.unique(np.concatenate([part[2] for part in parts]))
    meeting = Meeting()
    if parts[0][3]:
        sources, targets, both = (np.concatenate([part[3][number] for part in parts]) - first for number in range(3))
        counted = [np.bincount(end, minlength=last - first) for end in (sources, targets)]
        meeting = meeting_of(counted[0], counted[1], len(both))
    return {**merge_entries(keys, weights, first, last), "loops": loops, "meeting": meeting}


def size_of(merged: dict[str, Any]) -> tuple[int, int, bool, Meeting]:
    """How many entries a block has, how many nodes with a self-loop, whether a weight is not 1, what both ends share."""
    weights = merged.get("weights")
    is_weighted = weights is not None and bool((weights != 1).any())
    return len(merged["indices"]), len(merged["loops"]), is_weighted, merged["meeting"]


def write_block(merged: dict[str, Any], first: int, n_before: int, targets: dict[str, Target]) -> int:
    """The neighbours of a block to their place; where those of each node end."""
    targets["indptr"].write(first + 1, np.cumsum(merged["counts"]) + n_before)
    for name in ("indices", "weights"):
        if name in targets:
            targets[name].write(n_before, merged[name])
    return len(merged["indices"])
