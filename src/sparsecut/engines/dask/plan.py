"""The two plans of a hop, chosen by what fits into a worker.

Columns first
    Every worker holds the neighbour lists, 12 bytes per node and 4 per entry (8 with weights), and takes a slice of columns
    through all hops without communication. Blocks of rows become panels of columns before, and blocks of rows after:
    bytes moved = 2 · 4·n·c · (1 − 1/w) for c columns on w workers, however many hops. A few workers read the columns that
    they need from the file of the features, and then the first half of it is not moved. Where a worker cannot hold its share
    of the smoothed columns beside the lists, they go to files before memory is short, and become rows from there.

Rows with a halo
    Where the lists do not fit, a worker has the rows of some blocks. They take a hop together as one group, or as few groups
    as its memory allows: two groups of one worker fetch the same row twice. A group's hop needs the rows of its neighbours,
    the halo, h rows in all that lie with other workers: bytes moved = 4·h·c·(hops). Columns go in panels, so narrow that a
    group, its halo and its lists fit into a worker.

What fits is a share of a worker's limit: Dask writes blocks to disk above 70 % of it, and stops a worker at 80 %.

`estimate_cost` is what a fit on a cluster of this machine takes: the work of memory and more, the start of the workers, and
bytes between them. The halo depends on the graph: the estimate is that of edges that go anywhere, and a graph whose
neighbours lie together moves less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sparsecut.base.errors import InputError
from sparsecut.engines.blocked import even_widths
from sparsecut.engines.costs import BASE_BYTES, Cost, Machine, Workload
from sparsecut.kernels.moments import ROW_BLOCK
from sparsecut.kernels.streaming import in_words

PlanWord = Literal["auto", "columns", "rows"]
PLANS = ("auto", "columns", "rows")
PLAN_NAMES = {"columns": "columns first", "rows": "rows with a halo"}

USABLE = 0.75  # of its limit: Dask stops a worker above 80 %
PANEL_COPIES = 3  # of a panel at a time: where a hop starts, where it goes, what a series comes back to
ROW_COPIES = 2  # of a worker's share of the rows at a time: in columns, and in blocks
HALO_COPIES = 2  # of all rows at most, by rows: what arrives, and the same beside a group's own
GROUP_COPIES = 3  # of a group's rows: as of a panel
LIST_COPIES = 3  # of a group's lists while they are made, in 4 bytes per entry
BLOCK_BYTES = 64 << 20  # of rows that are moved, summed or written at a time
MIN_COLUMNS = 8  # of a panel: narrower ones read the lists too often
MAX_BLOCKS = 512

START_STEPS = 7.5e7  # of the interpreter, for a cluster on this machine: processes, and their libraries
PASS_STEPS = 3e6  # for a pass with nothing to do: its tasks, sent and waited for
MOVED_STREAMS = 8  # copies of a byte that goes from one process of this machine to another
ROW_STREAMS = 40  # copies of the rows beside those of memory: cut, joined, written as Parquet, which takes most
SHARE_LOST = 1.25  # hops of narrow panels, and workers that wait for each other


@dataclass(frozen=True)
class ClusterWork:
    """The sizes that a plan depends on."""

    n_nodes: int
    n_entries: int
    is_weighted: bool
    n_columns: int  # of the widest rows
    n_workers: int
    worker_bytes: int  # the limit of the smallest worker, for one task at a time
    is_series: bool = True  # whether a filter comes back to the features it started from


@dataclass(frozen=True)
class Plan:
    name: Literal["columns", "rows"]
    n_blocks: int
    widest: int  # columns of a panel
    why: str
    n_groups: int = 1  # of blocks whose rows take a hop together, by rows
    keeps_panels: bool = False  # whether smoothed columns lie in files until they are rows again, by columns
    reads_panels: bool = False  # whether each worker reads all features for its columns, by columns

    def widths(self, n_columns: int, n_workers: int) -> tuple[int, ...]:
        """The widths of as few panels as `widest` allows; by columns a multiple of the workers, so that all have work."""
        n_panels = math.ceil(n_columns / min(self.widest, n_columns))
        if self.name == "columns":
            n_panels = min(n_columns, math.ceil(n_panels / n_workers) * n_workers)
        return even_widths(n_columns, n_panels)


def choose_plan(work: ClusterWork, requested: PlanWord = "auto", n_blocks: int | None = None) -> Plan:
    """Columns first where every worker can hold the lists and a panel beside them; else rows with a halo."""
    usable = int(USABLE * work.worker_bytes) - BASE_BYTES
    lists, column = list_bytes(work), 4 * work.n_nodes * (PANEL_COPIES if work.is_series else PANEL_COPIES - 1)
    needed = lists + column * min(MIN_COLUMNS, work.n_columns)
    blocks = min(work.n_nodes, n_blocks or _n_blocks(work, usable))
    if requested == "columns" and needed > usable:
        raise _too_small(work, BASE_BYTES + needed, "every worker holds the neighbour lists and a panel of columns")
    if requested == "columns" or (requested == "auto" and needed <= usable):
        why = f"the neighbour lists ({in_words(lists)}) fit into a worker"
        # Beside the lists and a worker's share of the columns: what it has smoothed already, and the rows made of it.
        share = math.ceil(work.n_columns / work.n_workers)
        free = usable - lists - 4 * ROW_COPIES * work.n_nodes * share
        if free >= 4 * PANEL_COPIES * work.n_nodes * share:
            return Plan("columns", blocks, free // (4 * PANEL_COPIES * work.n_nodes), why, reads_panels=reads_panels(work))
        why = f"{why}, and smoothed columns pass through files"
        return Plan("columns", blocks, (usable - lists) // column, why, keeps_panels=True, reads_panels=reads_panels(work))
    groups = work.n_workers
    while groups < blocks and _panel_of(work, groups, usable) < min(MIN_COLUMNS, work.n_columns):
        groups += work.n_workers
    groups = min(groups, blocks)
    widest = _panel_of(work, groups, usable)
    if widest < 1:
        least = max(_group_bytes(work, groups) + _group_column(work, groups), LIST_COPIES * 4 * work.n_entries // groups)
        raise _too_small(work, BASE_BYTES + least, f"a worker holds one of {groups} groups of rows and its halo")
    why = f"the neighbour lists ({in_words(lists)}) do not fit into a worker" if needed > usable else "it was requested"
    return Plan("rows", blocks, widest, why, groups)


def estimate_cost(
    work: Workload, machine: Machine, *, n_workers: int, worker_bytes: int, plan: PlanWord, n_blocks: int | None
) -> Cost:
    """What a fit takes with worker processes on this machine, each with so many bytes of memory.

    It is no second model: the work and its speeds are those of `engines.costs`, and what it adds, the start of the workers
    and the bytes between them, follows from the plan and so stands beside it.
    """
    sizes = ClusterWork(
        n_nodes=work.n_nodes,
        n_entries=work.n_entries,
        is_weighted=work.is_weighted,
        n_columns=work.n_features,
        n_workers=n_workers,
        worker_bytes=worker_bytes,
    )
    name, groups, why = "rows" if plan == "rows" else "columns", n_workers, ""
    try:
        chosen = choose_plan(sizes, plan, n_blocks)
        name, groups = chosen.name, max(n_workers, chosen.n_groups)
    except InputError as error:
        why = str(error)
    halo = scattered_halo(work.n_nodes, work.n_entries, groups, n_workers)
    moved = {
        "columns": columns_traffic(work.n_nodes, work.pass_columns - work.kept_columns, n_workers)
        // (1 + reads_panels(sizes)),
        "rows": rows_traffic(halo, work.hop_columns, 1),
    }
    streams = work.feature_bytes * ROW_STREAMS + moved[name] * MOVED_STREAMS
    shared = min(n_workers, machine.n_cores) * machine.streams
    seconds = SHARE_LOST * (machine.seconds(work) + streams / shared)
    seconds += (START_STEPS + work.n_passes * PASS_STEPS) / machine.steps
    lists = list_bytes(sizes) if name == "columns" else LIST_COPIES * 4 * work.n_entries // groups
    held = BASE_BYTES + lists + 2 * work.feature_bytes * (1 + work.n_levels) // n_workers
    if not why and held > worker_bytes:
        why = f"a worker has {in_words(worker_bytes)}"
    by_plan = {PLAN_NAMES[one]: n_bytes for one, n_bytes in moved.items()}
    disk = work.feature_bytes + work.graph_bytes
    return Cost("dask", seconds, held, disk, moved[name], not why, why, by_plan)


def reads_panels(work: ClusterWork) -> bool:
    """Whether a worker reads the columns that it smooths from the file of the features, all rows of it.

    A byte that goes from one worker to another costs as much as `MOVED_STREAMS` that are read.
    """
    return work.n_workers <= MOVED_STREAMS


def _panel_of(work: ClusterWork, n_groups: int, usable: int) -> int:
    """Columns that a worker can take through a hop of one of so many groups; none where it cannot make its lists."""
    if LIST_COPIES * 4 * work.n_entries // n_groups > usable:
        return 0
    return max(0, (usable - _group_bytes(work, n_groups)) // _group_column(work, n_groups))


def _group_bytes(work: ClusterWork, n_groups: int) -> int:
    """The lists of a group, and which rows it wants."""
    return (4 + 4 * work.is_weighted) * work.n_entries // n_groups + 8 * work.n_nodes


def _group_column(work: ClusterWork, n_groups: int) -> int:
    """One column of a group and of a halo of all rows."""
    return 4 * (HALO_COPIES * work.n_nodes + GROUP_COPIES * work.n_nodes // n_groups)


def _too_small(work: ClusterWork, needed: int, what: str) -> InputError:
    return InputError(
        f"The workers' limit of {in_words(work.worker_bytes)} is too small for {work.n_nodes:,} nodes and "
        f"{work.n_entries:,} entries: {what}, so a worker needs at least {in_words(int(needed / USABLE))}. Give them more "
        "memory, or take more workers."
    )


def list_bytes(work: ClusterWork) -> int:
    index = 4 if max(work.n_entries, work.n_nodes) < 2**31 else 8
    return 12 * work.n_nodes + index * work.n_nodes + (index + 4 * work.is_weighted) * work.n_entries


def columns_traffic(n_nodes: int, n_columns: int, n_workers: int) -> int:
    """Bytes that smoothing moves by columns: to panels and back."""
    return int(2 * 4 * n_nodes * n_columns * (1 - 1 / n_workers))


def rows_traffic(n_halo_rows: int, n_columns: int, n_hops: int) -> int:
    """Bytes that smoothing moves by rows with a halo, whose rows lie with other workers."""
    return 4 * n_halo_rows * n_columns * n_hops


def scattered_halo(n_nodes: int, n_entries: int, n_groups: int, n_workers: int) -> int:
    """The rows that groups want of other workers in a graph whose edges go anywhere, in all.

    The n_entries/g ends that a group names are so many draws out of n nodes, of which all but 1/w lie with other workers.
    """
    return int(n_groups * (1 - 1 / n_workers) * n_nodes * -math.expm1(-n_entries / (n_groups * n_nodes)))


def even_starts(n_nodes: int, n_blocks: int) -> tuple[int, ...]:
    """Where blocks of about the same number of rows begin, and where the last ends.

    Where they are large enough they end as those of the kernels do, which add up rows: the sums then have memory's bits.
    """
    step = ROW_BLOCK if n_nodes >= n_blocks * ROW_BLOCK else 1
    return (*(n_nodes * block // n_blocks // step * step for block in range(n_blocks)), n_nodes)


def summed_starts(starts: Sequence[int]) -> tuple[int, ...]:
    """Where blocks begin that rows are summed over: the ends of the kernels' blocks that are nearest to `starts`."""
    nearest = {round(start / ROW_BLOCK) * ROW_BLOCK for start in starts[:-1]}
    return (*sorted(start for start in nearest if start < starts[-1]), starts[-1])


def ordered_starts(sizes: Sequence[int], n_blocks: int) -> tuple[int, ...]:
    """Where blocks of whole parts of a partition begin, as even as the sizes of the parts allow."""
    n_nodes, starts, place = sum(sizes), [0], 0
    for size in sizes:
        place += size
        if place >= n_nodes * len(starts) / n_blocks and place < n_nodes:
            starts.append(place)
    return (*starts, n_nodes)


def _n_blocks(work: ClusterWork, usable: int) -> int:
    """Blocks of rows: one for each worker at least, of a size that is moved and summed at a time."""
    by_rows = math.ceil(4 * work.n_nodes * work.n_columns / BLOCK_BYTES)
    by_lists = math.ceil(2 * LIST_COPIES * 4 * work.n_entries / max(usable, 64 << 20))
    wanted = max(work.n_workers, min(MAX_BLOCKS, max(by_rows, by_lists)))
    return math.ceil(wanted / work.n_workers) * work.n_workers
