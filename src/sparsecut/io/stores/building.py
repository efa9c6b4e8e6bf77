"""`build_store`: a graph on disk from edges and features larger than memory, the same graph that `read_graph` would hold.

The features are written block by block, the edges sorted by ranges of nodes (`sparsecut.io.stores.matrix_building`); those
that ask for distance are a matrix of their own. `sparsecut.io.stores.typed_building` has tables for each type of nodes and
edges.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError, ReadingWarning, check_choice
from sparsecut.base.progress import Reporter, reporting
from sparsecut.features import Scale
from sparsecut.graph import DIRECTIONS, loop_notes
from sparsecut.graph.clock import Clock
from sparsecut.io.edges.sides import check_side_ids, side_doubts
from sparsecut.io.edges.weighing import Weighing, said_of_demands
from sparsecut.io.files import refuse_url
from sparsecut.io.stores.edge_batches import EdgeFile
from sparsecut.io.stores.matrix_building import MatrixBuild, MatrixSizes, NumberedEdges, check_node_count, range_size
from sparsecut.io.stores.numbered_edges import FileEdges, look_through
from sparsecut.io.stores.numpy_files import write_npy, write_npy_header
from sparsecut.io.stores.record_batches import FeatureFile
from sparsecut.io.stores.row_positions import RowPositions, is_range
from sparsecut.io.stores.store import check_place, is_store, move_store, write_header
from sparsecut.io.stores.streamed_tables import files_of
from sparsecut.io.stores.typed_building import build_by_type, one_by_one, tables_by_type
from sparsecut.io.stores.workfolder import WorkFolder, check_room, fingerprint_of, telling_where, work_folder
from sparsecut.kernels import parse_bytes


def build_store(
    folder: str | Path,
    edges: Any = None,
    *,
    features: str | Path | None = None,
    nodes: Any = None,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    bipartite: bool | None = None,
    time: Any = None,
    half_life: Any = None,
    decay: float | None = None,
    now: Any = None,
    signed: Any = False,
    directed: str = "symmetrize",
    memory_limit: int | str = "2GiB",
    link_features: bool = False,
    scale: Scale = "auto",
    encoder: Any = None,
    id_column: str | None = None,
    overwrite: bool = False,
    progress: Reporter | None = None,
) -> None:
    """Make a folder that `open_store` opens as a graph, without ever holding the graph in memory.

    The graph is the one that `read_graph` would hold, or `from_tables` of tables by type. A build that was killed goes on
    where it was when it is called again.

    Parameters
    ----------
    folder : str or Path
        Where the store goes.
    edges : str, Path or dict of (str, str, str) to str or Path
        Parquet, Feather, Arrow, a folder of Parquet files, or .npy (m, 2). Of a graph with several types of edges such a
        file or folder for each, as `from_tables` takes them.
    features : str or Path, default=None
        .npy, whose rows are the nodes 0..n−1, or Parquet, Feather or Arrow with a column of ids. Of a graph with types the
        tables of `nodes` in its place.
    nodes : dict of str to str or Path, default=None
        For each type of nodes a file or folder, or None for nodes that only edges name. In place of `edges` and `nodes`
        `nodes` may be a folder of one table per type (`from_tables`). Columns of labels are left out.
    source, target, weight : str, default=None
        Columns of the edges; chosen by their names and values where not given (docs/files.md). With types also a dict,
        {"rates": "stars"}.
    bipartite : bool, default=None
        True: the two columns hold two kinds of nodes, and the ids of the features say which: "user:7", "movie:7" (see
        `read_graph`). False: both hold one kind.
    time, half_life, decay, now, signed : object, default=None
        Times and signs of the edges, as `from_edges` and `from_tables` take them; times are columns of the files.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        "out" and "in" keep the directions (see `Graph`).
    memory_limit : int or str, default="2GiB"
        What the build may hold at a time, in bytes or as a string. A limit that is too small raises an error naming the
        smallest one that works.
    link_features : bool, default=False
        Leave float32 features of an .npy file where they are, and only point to them. Saves a copy; the file must then stay.
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
    encoder : fitted model or Encoder, default=None
        A fitted model, or its `encoder_`: the table is encoded as the one it was fitted on, so that the model can transform
        the store.
    id_column : str, default=None
        The column of the features that holds the node ids; where not given, the one that has the nodes of the edges, as by
        `read_graph`.
    overwrite : bool, default=False
        Whether to replace a store that exists, once the new one is whole.
    progress : callable, default=None
        Called with (stage, done, total); a progress bar where not given.

    Raises
    ------
    InputError
        Where the store exists, the limit is too small, the disk has not enough room, or a file is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> folder = Path(tempfile.mkdtemp())
    >>> np.save(folder / "edges.npy", np.array([[0, 1], [1, 2]]))
    >>> np.save(folder / "features.npy", np.eye(3, dtype=np.float32))
    >>> sc.build_store(folder / "store", folder / "edges.npy", features=folder / "features.npy")
    >>> sc.open_store(folder / "store")
    Graph(3 nodes, 2 edges, 3 features)
    """
    check_choice("build_store", "directed", directed, DIRECTIONS)
    limit = parse_bytes("build_store", "memory_limit", memory_limit)
    refuse_url(folder, "The store", is_output=True)
    folder = Path(folder)
    check_place(folder, overwrite)
    columns = {"source": source, "target": target, "weight": weight}
    ageing = {"time": time, "half_life": half_life, "decay": decay, "now": now, "signed": signed}
    tables = tables_by_type(nodes, edges)
    if tables is not None:
        if features is not None or bipartite is not None:
            one = "features" if features is not None else "bipartite"
            raise InputError(f"build_store has no use for {one}=… of tables by type: nodes={{type: file}} has the features.")
        beside: dict[str, Any] = {"directed": directed, "scale": scale, "id_column": id_column, "encoder": encoder}
        with reporting(progress) as report:
            build_by_type(folder, tables, columns, ageing, beside, limit, one_by_one(report), folder.absolute().parent)
        return
    of_nodes = features, scale, encoder, id_column, link_features
    _build_of_one_table(folder, edges, columns, bipartite, ageing, directed, of_nodes, limit, progress)


def _build_of_one_table(
    folder: Path,
    edges: Any,
    columns: dict[str, Any],
    bipartite: bool | None,
    ageing: dict[str, Any],
    directed: str,
    of_nodes: tuple[Any, Scale, Any, str | None, bool],
    limit: int,
    progress: Reporter | None,
) -> None:
    """The store of a graph without types of edges."""
    features, scale, encoder, id_column, link_features = of_nodes
    if features is None or edges is None:
        raise InputError(
            "build_store needs edges and features=…, whose rows are the nodes; or, of a graph with types, "
            "edges={(type, relation, type): file} and nodes={type: file}."
        )
    given = {name: ageing[name] for name in ("time", "half_life", "decay", "now")}
    weighing = Weighing("build_store", **given, is_signed=ageing["signed"])
    encoder = getattr(encoder, "encoder_", encoder)
    edge_file = EdgeFile(edges, {**columns, "time": weighing.time}, bipartite, is_signed=weighing.is_signed)
    feature_file = FeatureFile(features, scale=scale, encoder=encoder, id_column=id_column, edge_ids=edge_file.some_ids())
    if edge_file.columns is not None:
        check_side_ids(edge_file.columns, feature_file.ids is not None, feature_file.what)
        for doubt in edge_file.columns.doubts:
            warnings.warn(doubt, ReadingWarning, stacklevel=3)
    n_nodes, n_entries = feature_file.shape[0], edge_file.n_edges * (2 if directed == "symmetrize" else 1)
    check_node_count(n_nodes, feature_file.what)
    range_entries = range_size(n_nodes, n_entries, limit)
    described = None if feature_file.encoder is None else feature_file.encoder.to_header()
    files = [files_of(edge_file.path), files_of(feature_file.path)]
    asked = (*files, *columns.values(), bipartite, feature_file.id_name, ageing, directed, limit, link_features, described)
    with (
        reporting(progress) as report,
        work_folder(folder.absolute().parent, fingerprint_of("store", *asked, str(folder))) as work,
    ):
        is_linked = link_features and feature_file.is_as_stored
        feature_bytes = 0 if is_linked else 4 * n_nodes * feature_file.shape[1]
        check_room(
            {work.path: max(0, (20 if edge_file.has_weights else 12) * n_entries + feature_bytes - work.n_bytes)},
            "build the store on another disk",
        )
        (work / "store").mkdir(exist_ok=True)
        doubts = _Build(work, edge_file, feature_file, directed, weighing, range_entries, report).run(is_linked)
        move_store(work / "store", folder)
    for doubt in doubts:
        warnings.warn(doubt, ReadingWarning, stacklevel=3)


class _Build:
    """The store of a graph without types of edges."""

    def __init__(
        self,
        work: WorkFolder,
        edges: EdgeFile,
        features: FeatureFile,
        directed: str,
        weighing: Weighing,
        range_entries: int,
        report: Reporter,
    ) -> None:
        self.work, self.file, self.features, self.directed = work, edges, features, directed
        self.weighing, self.range_entries, self.report = weighing, range_entries, report
        self.n_nodes = features.shape[0]

    def run(self, is_linked: bool) -> tuple[str, ...]:
        """Write the store; what is doubtful about its sides."""
        if is_store(self.work / "store"):  # killed between its last line and its move
            return ()
        self._write_features(is_linked)
        places = RowPositions(self.features, self.file)
        edges = FileEdges(self.file, look_through(self.file, self.report), (places, places), self.directed, self.report)
        clock, notes = self._clock(edges)
        columns = self.file.columns
        sizes = self._matrix(edges.numbered(clock, with_meeting=columns is not None and columns.may_be_sides))
        doubts = side_doubts(columns, sizes.meeting, self.file.is_integer, self.file.what)
        n_loops, n_demands = sizes.n_loops, None
        if self.weighing.is_signed:
            n_demands = 0
            if edges.scan.has_negative:
                found = self._matrix(edges.numbered(clock, is_demand=True), "demands")
                n_demands, n_loops = found.n_entries, n_loops + found.n_loops
            notes = (*notes, said_of_demands(n_demands, is_directed=self.directed != "symmetrize"))
        with telling_where(self.work.path):
            write_header(
                self.work / "store",
                n_nodes=self.n_nodes,
                n_entries=sizes.n_entries,
                directed=self.directed,
                encoder=self.features.encoder,
                notes=(*self.file.notes, *doubts, *loop_notes(n_loops), *notes),
                sides=None if columns is None else columns.sides,
                clock=clock,
                n_demands=n_demands,
            )
        return doubts

    def _matrix(self, edges: NumberedEdges, place: str = "") -> MatrixSizes:
        return MatrixBuild(self.work, edges, self.n_nodes, self.directed, self.range_entries, self.report, place).run()

    def _clock(self, edges: FileEdges) -> tuple[Clock | None, tuple[str, ...]]:
        if edges.scan.times is None:
            return None, ()
        scan = edges.scan.times
        clock, notes = self.weighing.clock_of([scan.last], lambda: [edges.latest_edges()], scan.is_calendar)
        return clock, (*notes, f"Edges {clock}.")

    def _write_features(self, is_linked: bool) -> None:
        path = self.work / "store" / "features.npy"
        if self.features.ids is not None and not is_range(self.features.ids):
            with self.work.writing("store/ids.npy") as file:
                ids = self.features.ids
                write_npy(file, ids.astype(np.str_) if ids.dtype == object else ids)
        if is_linked:
            path.unlink(missing_ok=True)
            path.symlink_to(self.features.path.absolute())
        elif not path.exists():
            with self.work.writing("store/features.npy") as file:
                write_npy_header(file, np.dtype(np.float32), self.features.shape)
                n_rows = 0
                for block in self.features.blocks():
                    file.write(block.data)
                    n_rows += len(block)
                    self.report("reading features", n_rows, self.n_nodes)
        if is_linked:
            for _ in self.features.blocks():  # looked through all the same
                pass
