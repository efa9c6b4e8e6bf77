"""`Dask`: the parameters of the engine for rows on a cluster, and what it checks and plans before it starts."""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError, ReadingWarning, check_choice, check_integer, check_real, parameter_error
from sparsecut.base.package_version import __version__
from sparsecut.base.parameters import Option
from sparsecut.base.progress import Reporter, reporting
from sparsecut.engines.contract import EngineChoice, Job
from sparsecut.engines.costs import Cost, Machine, Workload
from sparsecut.engines.dask.cluster import Cluster, check_shared, local_cluster, prepare_start, remote_cluster
from sparsecut.engines.dask.cluster_building import StoreBuild
from sparsecut.engines.dask.dask_engine import DaskEngine
from sparsecut.engines.dask.feature_sources import is_partitioned, open_source, open_sources
from sparsecut.engines.dask.job_opening import make_engine
from sparsecut.engines.dask.parts import Parts, check_output
from sparsecut.engines.dask.plan import PLANS, PlanWord, estimate_cost
from sparsecut.engines.dask.running import Runner, distributed_module
from sparsecut.engines.dask.shared import share_graph
from sparsecut.features import Scale
from sparsecut.graph import DIRECTIONS
from sparsecut.graph.id_columns import likely_name
from sparsecut.io.edges.weighing import Weighing
from sparsecut.io.stores.background_sync import boot_id
from sparsecut.io.stores.store import check_place, move_store
from sparsecut.io.stores.streamed_tables import is_streamed
from sparsecut.io.stores.typed_building import TypeTables, build_by_type, reads_by_type, tables_by_type
from sparsecut.io.stores.workfolder import fingerprint_of, work_folder
from sparsecut.kernels.streaming import parse_bytes

WRITING = ("pyarrow.parquet",)  # what a worker imports to write its part of the output
ARRAYS = (".npy", ".parquet")  # files that workers read in parts
COLUMNS = ("source", "target", "weight")
TASK_SHARE = 0.7  # of a worker's limit, for a step of a store by type: Dask stops a worker above 80 %
SECURITY = ("tls_ca_file", "tls_client_cert", "tls_client_key", "require_encryption")


class Dask(EngineChoice, word="dask"):
    """Rows in blocks on the workers of a Dask cluster, for graphs larger than a machine. Solving stays in this process.

    What it has finished is kept in a folder on shared storage, so that a driver that was killed goes on from there when it
    is called again. A worker that is lost costs what it held.

    Parameters
    ----------
    scheduler : str, optional
        The address of a scheduler, "tcp://…" or "tls://…". By default a cluster of worker processes is started on this
        machine, on loopback alone, and closed again.
    workers : int, optional
        Worker processes of the cluster on this machine; by default one per core, and two at least.
    threads : int, optional
        Threads of each worker's kernels; by default the cores of its machine, shared by the workers on it.
    memory_limit : int or str, optional
        What each worker on this machine may take: "3GiB" or a number of bytes; by default an even share of most of the
        memory.
    scratch : str or Path, optional
        A folder on storage that all workers share, for what tasks read and for unfinished work. By default it is the folder
        of the output, or where the system keeps temporary files.
    plan : {"auto", "columns", "rows"}, default="auto"
        How hops are shared: "columns" where every worker can hold the neighbour lists, else "rows" with a halo.
    blocks : int, optional
        Blocks of rows; by default as many as keep one of them small beside a worker's memory.
    partition : array of int of shape (n_nodes,), optional
        The part of each node (`sparsecut.partition`). With plan="rows" blocks are made of whole parts where fewer rows are
        exchanged that way.
    timeout : float, default=600
        Seconds without any finished task after which the run stops with an error.
    security : dict, optional
        TLS: `tls_ca_file`, `tls_client_cert`, `tls_client_key`, `require_encryption`, as in Dask's configuration, which
        serves where this is not given.
    performance_report : str or Path, optional
        An HTML file for Dask's own report of what its workers did.

    Examples
    --------
    >>> import sparsecut as sc
    >>> engine = sc.Dask("tcp://scheduler:8786", scratch="/shared/scratch")
    >>> sc.SCE(engine=engine).engine.plan
    'auto'
    """

    supports = frozenset({"output"})
    keeps_files = True
    writes = ("",)
    options = (
        Option(
            "scheduler",
            "the address of a scheduler, tcp://host:8786",
            metavar="ADDRESS",
            default="a cluster on this machine",
        ),
        Option(
            "workers", "worker processes, where there is no scheduler", metavar="N", type="integer", default="one per core"
        ),
        Option("memory_limit", "what each worker on this machine may take", metavar="SIZE", default="an even share"),
        Option(
            "scratch",
            "a folder for unfinished work, which all workers must see",
            metavar="FOLDER",
            type="path",
            default="the output's",
        ),
    )

    def __init__(
        self,
        scheduler: str | None = None,
        *,
        workers: int | None = None,
        threads: int | None = None,
        memory_limit: int | str | None = None,
        scratch: str | Path | None = None,
        plan: PlanWord = "auto",
        blocks: int | None = None,
        partition: Any = None,
        timeout: float = 600.0,
        security: Mapping[str, Any] | None = None,
        performance_report: str | Path | None = None,
    ) -> None:
        self.scheduler = scheduler
        self.workers = workers
        self.threads = threads
        self.memory_limit = memory_limit
        self.scratch = scratch
        self.plan = plan
        self.blocks = blocks
        self.partition = partition
        self.timeout = timeout
        self.security = security
        self.performance_report = performance_report

    def check(self) -> None:
        check_choice("Dask", "plan", self.plan, PLANS)
        check_real("Dask", "timeout", self.timeout, above=0)
        for name in ("workers", "threads", "blocks"):
            if getattr(self, name) is not None:
                check_integer("Dask", name, getattr(self, name), 1)
        if self.memory_limit is not None:
            parse_bytes("Dask", "memory_limit", self.memory_limit)
        for name in ("scratch", "performance_report"):
            if getattr(self, name) is not None and not isinstance(getattr(self, name), str | Path):
                raise parameter_error("Dask", name, "a path or None", getattr(self, name))
        if self.scheduler is not None and not (isinstance(self.scheduler, str) and "://" in self.scheduler):
            raise parameter_error("Dask", "scheduler", "an address such as 'tcp://host:8786'", self.scheduler)
        for name in ("workers", "memory_limit"):
            if self.scheduler is not None and getattr(self, name) is not None:
                raise InputError(
                    f"Dask({name}=…) is for a cluster on this machine. The one at {self.scheduler} has its own."
                )
        unknown = [key for key in self.security or {} if key not in SECURITY]
        if unknown:
            raise parameter_error("Dask", "security", f"a dictionary of {', '.join(SECURITY)}", unknown[0])

    def estimate(self, work: Workload, machine: Machine) -> Cost:
        """For the cluster on this machine; one that is elsewhere is as fast as its workers and its network."""
        n_workers = self.workers or max(2, machine.n_cores)
        limit = None if self.memory_limit is None else parse_bytes("Dask", "memory_limit", self.memory_limit)
        return estimate_cost(
            work,
            machine,
            n_workers=n_workers,
            worker_bytes=limit or int(0.9 * machine.memory / n_workers),
            plan=self.plan,
            n_blocks=self.blocks,
        )

    @contextmanager
    def open(self, job: Job) -> Iterator[DaskEngine]:
        self.refuse_unsupported(job)
        graph, output = job.graph, job.output
        if self.scheduler is None:  # first of all: the process that workers are forked from imports for seconds
            prepare_start(*(() if output is None else WRITING))
        distributed_module("Dask")
        if output is not None:
            self.check_output(output)
        if self.partition is not None and np.shape(self.partition) != (graph.n_nodes,):
            raise parameter_error(
                "Dask", "partition", f"one part for each of {graph.n_nodes:,} nodes", np.shape(self.partition)
            )
        ids = None if graph.has_plain_ids else graph.node_ids
        own = self.blocks, self.partition, str(output)
        mark = fingerprint_of(__version__, graph.adjacency, graph.features, ids, job.key, *own)
        parent = self.scratch if self.scratch is not None else (None if output is None else output.parent)
        with ExitStack() as stack:
            work = stack.enter_context(work_folder(parent, mark, boot=boot_id()))
            shared = stack.enter_context(ThreadPoolExecutor(1)).submit(share_graph, graph, work)
            cluster = stack.enter_context(self.connected(work.path))  # which waits for processes, mostly
            shared.result()
            parts = None if output is None else Parts(output, work.path.name)
            try:
                yield make_engine(
                    job,
                    work,
                    cluster,
                    parts,
                    plan=self.plan,
                    n_blocks=self.blocks,
                    partition=self.partition,
                    timeout=self.timeout,
                )
            finally:
                if parts is not None:
                    parts.discard()

    @contextmanager
    def running(self, tell: Callable[[str], None] | None = None) -> Iterator[Dask]:
        """Start the cluster once for several calls; it is closed with the block.

        Parameters
        ----------
        tell : callable, optional
            Called with a sentence that has the dashboard's address; by default the sentence is printed on a terminal.

        Yields
        ------
        Dask
            With the address of the scheduler.

        Examples
        --------
        >>> import sparsecut as sc
        >>> engine = sc.Dask(workers=2)
        >>> def embed_all(graphs):
        ...     with engine.running() as running:
        ...         return [sc.SCE(engine=running).fit_transform(graph) for graph in graphs]
        """
        self.check()
        if self.scheduler is None:
            prepare_start(*WRITING)  # one of the calls may write files
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder, self.connected(Path(folder), tell) as cluster:
            own = {"scheduler": cluster.client.scheduler.address, "workers": None, "memory_limit": None}
            with cluster.client.as_current():
                yield Dask(**{**self.get_params(deep=False), **own})

    def reads_in_parts(
        self, edges: str | Path | Mapping[Any, Any], features: str | Path | Mapping[str, Any] | None, **columns: Any
    ) -> bool:
        if isinstance(edges, Mapping) or isinstance(features, Mapping):
            return _reads_by_type(edges, features)
        paths = [Path(edges), *([] if features is None else [Path(features)])]
        are_sources = [is_partitioned(path) or (path.suffix in ARRAYS and path.is_file()) for path in paths]
        if len(paths) < 2 or not all(are_sources):
            if not any(is_partitioned(path) for path in paths):
                return False
            if features is None:
                raise InputError(
                    f"The folder of edges {edges} needs features beside it that are read in parts too (--features): a "
                    "folder of Parquet files, a Parquet or .npy file or a Zarr array."
                )
            open_source(edges, "edge")  # one of the two says what is wrong with it
            open_source(features, "features")
        open_sources(paths[0], paths[1], {key: columns.get(key) for key in COLUMNS}, columns.get("bipartite"))
        return True

    def check_output(self, path: Path) -> None:
        check_output(path)

    def build_store(
        self,
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
        scale: Scale = "auto",
        encoder: Any = None,
        id_column: str | None = None,
        overwrite: bool = False,
        progress: Reporter | None = None,
    ) -> None:
        """Make a folder that `open_store` opens as a graph, on the cluster: no process reads the edges or features whole.

        Parameters
        ----------
        folder : str or Path
            Where the store goes, on storage that all workers share.
        edges : str, Path or dict of (str, str, str) to str or Path
            A folder of Parquet files, a Parquet file, an .npy file or a Zarr array (m, 2). Of a graph with several types of
            edges a folder of Parquet files, a Parquet, Feather or .npy file for each; a task has one of them.
        features : str or Path, optional
            Parquet files with a column of ids of any type, or an .npy file or a Zarr array whose rows are the nodes 0..n-1.
        nodes : dict of str to str or Path, optional
            In place of `features`, of a graph with types: as `sparsecut.build_store` takes them.
        source, target, weight : str, optional
            Columns of the edges; chosen by their names and values where not given (docs/files.md).
        bipartite : bool, optional
            True: the two columns hold two kinds of nodes, and the ids of the features say which: "user:7", "movie:7" (see
            `read_graph`). False: both hold one kind.
        time, half_life, decay, now, signed : object, optional
            Times and signs of the edges, as `sparsecut.build_store` takes them.
        directed : {"symmetrize", "out", "in"}, default="symmetrize"
            "out" and "in" keep the directions (see `Graph`).
        scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
            The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
            standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
            the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
        encoder : fitted model or Encoder, optional
            A fitted model, or its `encoder_`: the table is encoded as the one it was fitted on.
        id_column : str, optional
            The column of the features that holds the node ids; where not given, the one that has the nodes of the edges.
        overwrite : bool, default=False
            Whether to replace a store that exists, once the new one is whole.
        progress : callable, optional
            Called with (stage, done, total); a progress bar where not given.

        Examples
        --------
        >>> import sparsecut as sc
        >>> sc.Dask().build_store("store", "edges", features="features")
        Traceback (most recent call last):
        ...
        sparsecut.base.errors.InputError: The edge file edges does not exist. Its folder is ...
        """
        self.check()
        check_choice("build_store", "directed", directed, DIRECTIONS)
        folder = Path(folder).absolute()
        check_place(folder, overwrite)
        columns = {"source": source, "target": target, "weight": weight}
        ageing = {"time": time, "half_life": half_life, "decay": decay, "now": now, "signed": signed}
        tables = tables_by_type(nodes, edges)
        if tables is not None:
            beside: dict[str, Any] = {"directed": directed, "scale": scale, "id_column": id_column, "encoder": encoder}
            self._build_by_type(folder, tables, columns, ageing, beside, progress)
            return
        if edges is None or features is None:
            raise InputError("Dask.build_store needs edges and features, or edges={…} and nodes={…} by type.")
        weighing = Weighing("build_store", time, half_life, decay, now, signed)
        sources = open_sources(edges, features, {**columns, "time": time}, bipartite)
        if id_column is not None and sources[1].names is not None:
            likely_name(sources[1].names, id_column, sources[1].what)  # raises where there is no such column
        asked = str(edges), str(features), columns, bipartite, ageing, directed, id_column
        mark = fingerprint_of("store", *asked, str(folder))
        parent = self.scratch if self.scratch is not None else folder.parent
        with reporting(progress) as report, work_folder(parent, mark) as work, self.connected(work.path) as cluster:
            runner = Runner(cluster.client, report, self.timeout, cluster.where)
            unfinished = folder.parent / f"{work.path.name}-{folder.name}"
            try:
                shutil.rmtree(unfinished, ignore_errors=True)  # of a run that was killed
                unfinished.mkdir()
                encoder = getattr(encoder, "encoder_", encoder)
                beside = {"id_column": id_column, "encoder": encoder, "weighing": weighing}
                build = StoreBuild(unfinished, runner, *sources, directed, len(cluster.workers), **beside)
                doubts = build.run(scale=scale)
                move_store(unfinished, folder)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
        for doubt in doubts:
            warnings.warn(doubt, ReadingWarning, stacklevel=2)

    def _build_by_type(
        self, folder: Path, tables: TypeTables, columns: Any, ageing: Any, beside: Any, progress: Reporter | None
    ) -> None:
        """A store of tables by type: the steps of `sparsecut.build_store`, whose calls are tasks."""
        tables = tables.absolute()
        parent = Path(self.scratch) if self.scratch is not None else folder.parent
        mark = fingerprint_of("cluster", str(folder), dict(tables.nodes), list(tables.edges))
        with reporting(progress) as report, work_folder(parent, mark) as work, self.connected(work.path) as cluster:
            runner = Runner(cluster.client, report, self.timeout, cluster.where)
            limit = int(TASK_SHARE * cluster.worker_bytes)

            def on_workers(function: Callable[..., Any], calls: Any, stage: str) -> list[Any]:
                return runner.collect([runner.submit(function, *call) for call in calls], stage)

            build_by_type(folder, tables, columns, ageing, beside, limit, on_workers, folder.parent)

    @contextmanager
    def connected(self, folder: Path, tell: Callable[[str], None] | None = None) -> Iterator[Cluster]:
        """The cluster, whose workers all see a folder. The dashboard's address is said at the first connection."""
        limit = None if self.memory_limit is None else parse_bytes("Dask", "memory_limit", self.memory_limit)
        with ExitStack() as stack:
            if self.scheduler is None:
                cluster = stack.enter_context(local_cluster(self.workers, self.threads, limit, folder))
            else:
                cluster = stack.enter_context(remote_cluster(self.scheduler, self.threads, self.security))
            if not cluster.is_known:
                (tell or _print_on_terminal)(f"Dashboard of {cluster.where}: {cluster.dashboard}")
            check_shared(cluster, folder)
            if self.performance_report is not None:
                report = distributed_module("Dask").performance_report
                stack.enter_context(cluster.client.as_current())
                stack.enter_context(report(filename=str(self.performance_report)))
            yield cluster


def _reads_by_type(edges: Any, nodes: Any) -> bool:
    """Whether workers can read the tables of all types; folders, too large for memory, beside a text file are refused."""
    nodes = nodes if isinstance(nodes, Mapping) else {}
    if reads_by_type(nodes, edges):
        return True
    paths = [Path(path) for path in (*nodes.values(), *edges.values()) if path is not None]
    if any(is_partitioned(path) for path in paths):
        wrong = next(path for path in paths if not is_streamed(path))
        raise InputError(
            f"The table {wrong} cannot be read in parts, and others are folders. Make it a Parquet, Feather or .npy "
            "file, or a folder of Parquet files."
        )
    return False


def _print_on_terminal(message: str) -> None:
    if sys.stderr.isatty():
        print(message, file=sys.stderr, flush=True)
