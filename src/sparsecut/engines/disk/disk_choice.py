"""`Disk`: the parameters of the engine for rows on disk, and what it checks and plans before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError, parameter_error
from sparsecut.base.package_version import __version__
from sparsecut.base.parameters import Option
from sparsecut.engines.contract import EngineChoice, Job
from sparsecut.engines.costs import Cost, Machine, Workload
from sparsecut.engines.disk.disk_engine import DiskEngine
from sparsecut.engines.disk.sizes import (
    BASE_BYTES,
    MAX_BLOCK,
    N_BLOCKS,
    N_PANELS,
    NODE_BYTES,
    SPARE_COLUMNS,
    check_in_memory,
    gram_bytes,
    plan_sizes,
    product_bytes,
)
from sparsecut.io import build_store, is_streamed, reads_by_type
from sparsecut.io.files import check_writable
from sparsecut.io.stores.background_sync import boot_id
from sparsecut.io.stores.workfolder import WorkFolder, check_room, fingerprint_of, unfinished, work_folder
from sparsecut.kernels.streaming import in_words, parse_bytes

PASS_STEPS = 1e6  # of the interpreter, for the files of a pass
N_KEPT = 2  # products with the rows on disk at a time, for each level and for their images: before their hops, and after
HOP_TIMES = 2.5  # of a hop in memory: entries are copied block by block, and rows scaled in passes of their own
PANEL_READS = 8  # of what lies on disk, as a rule from the system's cache: cut into panels, summed, projected


class Disk(EngineChoice, word="disk"):
    """Rows on disk, for graphs and features larger than memory. It runs on the CPU, in single precision.

    What it has finished is kept in a folder, so a process that was killed goes on from there when it is called again.

    Parameters
    ----------
    memory_limit : int or str, default="2GiB"
        What the process may take, the interpreter and its libraries included: "500MB", "8GiB" or a number of bytes. A limit
        that is too small raises an error naming the smallest one that works.
    scratch : str or Path, optional
        A folder for unfinished work, with room for the features once and for each level once more. By default it is the
        folder of the output, or where the system keeps temporary files.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(engine=sc.Disk(memory_limit="1GiB")).fit(sc.datasets.load("digits"))
    """

    supports = DiskEngine.supports
    keeps_files = True
    writes = (".npy",)
    options = (
        Option("memory_limit", "what the process may take, e.g. 500MB", metavar="SIZE", default="2GiB"),
        Option("scratch", "a folder for unfinished work", metavar="FOLDER", type="path", default="the output's"),
    )

    def __init__(self, *, memory_limit: int | str = "2GiB", scratch: str | Path | None = None) -> None:
        self.memory_limit = memory_limit
        self.scratch = scratch

    def check(self) -> None:
        parse_bytes("Disk", "memory_limit", self.memory_limit)
        if self.scratch is not None and not isinstance(self.scratch, str | Path):
            raise parameter_error("Disk", "scratch", "a folder's path or None", self.scratch)

    def estimate(self, work: Workload, machine: Machine) -> Cost:
        limit = parse_bytes("Disk", "memory_limit", self.memory_limit)
        disk = work.feature_bytes * (1 + work.n_levels)
        written = disk + 4 * work.n_nodes * (work.pass_columns + work.dimension)
        read = PANEL_READS * disk + work.graph_bytes * work.n_passes
        seconds = machine.seconds(work) + written / machine.disk + read / machine.streams
        of_samples = (work.n_entries + work.n_nodes) * work.sampled_columns  # panels are hopped whole
        seconds += (HOP_TIMES * (work.gathered + of_samples) - work.gathered) / machine.gathers
        seconds += PASS_STEPS * work.n_passes / machine.steps
        panels = 4 * N_PANELS * work.n_nodes * work.n_features + N_BLOCKS * MAX_BLOCK
        memory = min(limit, BASE_BYTES + NODE_BYTES * work.n_nodes + panels)
        why = "" if disk <= machine.room else f"{in_words(machine.room)} of disk are free"
        try:
            plan_sizes(work.n_nodes, limit, matrix_bytes=gram_bytes(work.n_nodes, work.n_solved))
        except InputError as error:
            why = str(error)
        return Cost("disk", seconds, memory, disk, fits=not why, why=why)

    def reads_in_parts(
        self, edges: str | Path | Mapping[Any, Any], features: str | Path | Mapping[str, Any] | None, **columns: Any
    ) -> bool:
        if isinstance(edges, Mapping):
            return reads_by_type(features if isinstance(features, Mapping) else {}, edges)
        files = [path for path in (edges, features) if path is not None]
        return len(files) == 2 and all(is_streamed(str(path)) for path in files)

    def build_store(self, folder: Path, edges: Any = None, **options: Any) -> None:
        """As `sparsecut.build_store`, within the engine's limit; features are linked to where they can be."""
        build_store(folder, edges, memory_limit=self.memory_limit, link_features=True, **options)

    def check_output(self, path: Path) -> None:
        if path.suffix != ".npy":
            raise InputError(f"The output {path} must end in .npy: it is written row by row.")
        check_writable(path)

    @contextmanager
    def open(self, job: Job) -> Iterator[DiskEngine]:
        self.refuse_unsupported(job)
        graph, limit, output = job.graph, parse_bytes("Disk", "memory_limit", self.memory_limit), job.output
        n_nodes, n_columns = graph.n_nodes, graph.n_features * job.n_levels
        if output is not None:
            self.check_output(output)
        matrix_bytes = 0
        if job.with_moments:
            of_products = product_bytes(n_nodes, n_columns, job.n_columns)
            matrix_bytes = gram_bytes(n_nodes, n_columns) if job.with_whole_gram else of_products
        sizes = plan_sizes(n_nodes, limit, is_series=job.is_series, n_pairs=job.n_pairs, matrix_bytes=matrix_bytes)
        if output is None:
            check_in_memory(n_nodes, job.n_columns, limit, job.caller)
        mark = fingerprint_of(__version__, graph.adjacency, graph.features, job.key, self.memory_limit, str(output))
        parent = self.scratch if self.scratch is not None else (None if output is None else output.parent)
        with work_folder(parent, mark, boot=boot_id()) as work:
            if output is not None:
                work.beside.append(unfinished(output, work))
            self._check_room(work, job)
            yield DiskEngine(job, work, sizes)

    def _check_room(self, work: WorkFolder, job: Job) -> None:
        n_nodes, columns = job.graph.n_nodes, 2 * job.n_columns
        if job.with_moments:
            columns = job.graph.n_features * (1 + job.n_levels)
            if job.graph.has_sparse_features and not job.with_whole_gram:  # F stays where it lies: products with it are kept
                columns = min(columns, N_KEPT * (1 + job.n_levels) * (job.n_columns + SPARE_COLUMNS))
        scratch = 4 * n_nodes * columns
        needed = {work.path: max(0, scratch - work.n_bytes)}
        if job.output is not None:
            needed[job.output.parent] = 4 * n_nodes * job.n_columns
        check_room(needed, "name a folder on another disk (scratch)")
