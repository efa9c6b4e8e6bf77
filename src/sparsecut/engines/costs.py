"""What a fit will take: work counted from sizes, speeds measured on this machine.

    hops     (m + n)·Σ columns·hops gathered multiply-adds, m entries of the graph
    dense    n·f² for every Gram matrix, n·f·d for every product with W, c³ for the eigenvectors of M
    streams  bytes of rows that are read and written once: weighted, summed, projected
    steps    of the interpreter, for what does not grow with the graph

An engine turns them into seconds, memory, disk and bytes between machines (`EngineChoice.estimate`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from sparsecut.base.system_memory import available_memory
from sparsecut.kernels import hops
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.moments import scatter
from sparsecut.kernels.threads import using

SAMPLE_NODES, SAMPLE_DEGREE, SAMPLE_COLUMNS = 400_000, 8, 32  # so many that no panel of them stays in the cache
WIDEST_SAMPLE = 64  # columns: beyond these a number of a row costs the same
LINE = 16  # columns in a cache line: rows that are no multiple of it cost as much as wider ones
SAMPLE_ROWS = 8192
SAMPLE_BYTES = 32 << 20
SAMPLE_STEPS = 200_000
EIGENVECTORS = 10  # multiply-adds for those of a matrix, in units of its columns³
FIT_STREAMS = 12  # times that the numbers of all rows are read or written in a fit, hops aside
FIT_STEPS = 3e5  # of the interpreter in any fit …
CHOICE_STEPS = 4e6  # … and where settings are chosen from the graph
RELATION_STEPS = 1.2e7  # for each type of edges, of which few are tried, whatever the graph's size
# Places and counts of the graph: eigenvectors of at most 4,096 groups, and for every node and entry its contraction into
# these and the triangles that it is in, measured on 20,000 to 200,000 nodes.
GRAPH_STEPS, GRAPH_GROUPS, GRAPH_NODE_STEPS, GRAPH_ENTRY_STEPS = 8e6, 4096, 60.0, 12.0
BASE_BYTES = 400 << 20  # the interpreter and its libraries


@dataclass(frozen=True)
class Workload:
    """The sizes of a graph and the passes of a fit over it."""

    n_nodes: int
    n_entries: int  # of the adjacency: both directions of every edge
    n_features: int  # columns of the rows that are held
    is_weighted: bool
    hop_columns: int  # Σ columns · hops over all passes
    pass_columns: int  # Σ columns over all passes
    gram_columns: int  # Σ columns² over all Gram matrices
    product_columns: int  # Σ rows·columns of all matrices W that dense rows are multiplied with
    n_levels: int  # matrices of n × f that are held at a time, beside the features
    dimension: int
    n_passes: int  # of smoothing
    kept_columns: int = 0  # Σ columns over the passes that go on from the last one's result
    n_solved: int = 0  # columns of the widest Gram matrix
    is_chosen: bool = False  # whether settings are chosen from the graph
    with_graph: bool = False  # whether places and counts of the graph are among the columns
    sparse_products: int = 0  # multiply-adds of sparse features with dense columns
    n_relations: int = 0  # types of edges that are weighed
    sampled_columns: int = 0  # Σ columns · hops of which few rows are wanted: in memory the others are not taken

    @property
    def gathered(self) -> float:
        return float(self.n_entries + self.n_nodes) * self.hop_columns + self.sparse_products

    @property
    def multiplied(self) -> float:
        return float(self.n_nodes) * (self.gram_columns + self.product_columns) + EIGENVECTORS * float(self.n_solved) ** 3

    @property
    def streamed(self) -> float:
        return float(FIT_STREAMS * (self.feature_bytes + 4 * self.n_nodes * self.dimension) * self.n_levels)

    @property
    def steps(self) -> float:
        of_graph = GRAPH_STEPS * min(1.0, self.n_nodes / GRAPH_GROUPS)
        of_graph = self.with_graph * (of_graph + GRAPH_NODE_STEPS * self.n_nodes + GRAPH_ENTRY_STEPS * self.n_entries)
        return FIT_STEPS + self.is_chosen * CHOICE_STEPS + self.n_relations * RELATION_STEPS + of_graph

    @property
    def feature_bytes(self) -> int:
        return 4 * self.n_nodes * self.n_features

    @property
    def graph_bytes(self) -> int:
        return 8 * self.n_nodes + (8 if self.is_weighted else 4) * self.n_entries


@dataclass(frozen=True)
class Machine:
    """What this machine has and how fast it is."""

    gathers: float  # multiply-adds of a hop per second
    products: float  # multiply-adds of dense products per second
    disk: float  # bytes per second
    memory: int  # free bytes
    room: int  # free bytes on disk
    n_cores: int
    streams: float = 5e9  # bytes per second that are copied in memory
    steps: float = 2e7  # of a loop of the interpreter per second

    def seconds(self, work: Workload) -> float:
        """The time of a fit with all rows in memory."""
        rows = work.gathered / self.gathers + work.multiplied / self.products + work.streamed / self.streams
        return rows + work.steps / self.steps


@dataclass(frozen=True)
class Cost:
    """What an engine needs for a fit on this machine.

    Parameters
    ----------
    engine : str
        Its word.
    seconds : float
        By the clock.
    memory : int
        Bytes, of this process or of each worker.
    disk : int
        Bytes of scratch.
    moved : int
        Bytes between workers, by the plan that would be taken.
    fits : bool
        Whether the machine has as much.
    why : str
        Where it does not, what is missing.
    moved_by : dict of int
        Bytes between workers by each plan that the engine has.
    """

    engine: str
    seconds: float
    memory: int
    disk: int = 0
    moved: int = 0
    fits: bool = True
    why: str = ""
    moved_by: dict[str, int] = field(default_factory=dict)


def measure_machine(work: Workload, folder: Path | None = None) -> Machine:
    """Speeds by a hop, a Gram matrix, a copy, a file and a loop, in about a second."""
    with using(None):
        gathers, products, streams = _measure_kernels(*sample_shape(work))
    parent = Path(tempfile.gettempdir()) if folder is None else folder
    with tempfile.TemporaryFile(dir=parent) as file:
        started = time.perf_counter()
        file.write(np.zeros(SAMPLE_BYTES, dtype=np.uint8).data)
        file.flush()
        os.fsync(file.fileno())
        disk = SAMPLE_BYTES / (time.perf_counter() - started)
    steps = SAMPLE_STEPS / _fastest(lambda: sum(number & 1 for number in range(SAMPLE_STEPS)))
    room, n_cores = shutil.disk_usage(parent).free, os.cpu_count() or 1
    return Machine(gathers, products, disk, memory_at_hand(), room, n_cores, streams, steps)


def sample_shape(work: Workload) -> tuple[int, int, int]:
    """Nodes, neighbours of each and columns of the hop that is measured: those of the graph, as far as the time allows.

    A hop is slower on a graph that no cache holds, and an entry costs something beside its numbers: so nodes come first,
    then neighbours, then columns.
    """
    n_nodes = min(max(work.n_nodes, 1000), SAMPLE_NODES)
    n_entries = SAMPLE_NODES * SAMPLE_DEGREE * SAMPLE_COLUMNS // n_nodes  # of each node, times columns
    degree = min(max(round(work.n_entries / work.n_nodes), 1), n_entries // SAMPLE_COLUMNS)
    n_columns = min(max(work.n_features, 1), WIDEST_SAMPLE, n_entries // degree)
    return n_nodes, degree, n_columns if n_columns < LINE else n_columns // LINE * LINE


def _measure_kernels(n_rows: int, degree: int, n_columns: int) -> tuple[float, float, float]:
    """Gathered and dense multiply-adds, and bytes copied, per second, by the kernels of a fit."""
    generator = torch.Generator().manual_seed(0)
    indices = torch.randint(0, n_rows, (n_rows * degree,), dtype=torch.int32, generator=generator)
    offsets = torch.arange(0, n_rows * degree + 1, degree, dtype=torch.int32)
    X, ones = torch.rand(n_rows, n_columns, generator=generator), torch.ones(n_rows)
    seconds = _fastest(lambda: hops.smooth(Entries(indices, offsets, None), (ones, None, ones), (0.0, 1.0), X))
    gathers = n_rows * (degree + 1) * n_columns / seconds
    rows = torch.rand(SAMPLE_ROWS, 128, generator=generator)
    products = SAMPLE_ROWS * 128**2 / _fastest(lambda: scatter(rows))
    copied = np.ones(min(SAMPLE_BYTES, 4 * n_rows * n_columns), dtype=np.uint8)  # of more than a cache, where rows are
    return gathers, products, copied.nbytes / _fastest(copied.copy)


def memory_at_hand() -> int:
    """What the system would give, its cache included where it says so."""
    lines = Path("/proc/meminfo").read_text().splitlines() if Path("/proc/meminfo").exists() else []
    known = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return known[0] if known else available_memory(torch.device("cpu"))


def _fastest(call: object) -> float:
    found = []
    for _ in range(3):
        started = time.perf_counter()
        call()  # type: ignore[operator]
        found.append(time.perf_counter() - started)
    return min(found)
