"""The two plans of a hop, chosen by what fits into a worker.

Columns first
    Every worker holds the neighbour lists, 12 bytes per node and 4 per entry (8 with weights), and takes a slice of columns
    through all hops without communication. Blocks of rows become panels of columns before, and blocks of rows after:
    bytes moved = 2 · 4·n·c · (1 − 1/w) for c columns on w workers, however many hops. A few workers read the columns that
    they need from the file of the features, and then the first half of it is not moved.

Rows with a halo
    Where the lists do not fit, a worker has the rows of some blocks, which take a hop together as one group. It needs the
    rows of its neighbours, the halo, h rows in all that lie with other workers: bytes moved = 4·h·c·(hops). Columns go in
    panels, so narrow that a group, its halo and its lists fit into a worker.

By both a worker has its share of the rows beside that. Where there is no room for it, hops pass through files
(`engines.dask.hops_in_files`): a worker holds the rows that it gathers, and the lists if they leave room for them. Every
panel looks at every entry, so panels are as wide as what is free allows, and lists are read in passing where panels are
fewer for it.

What fits is a share of a worker's limit: Dask writes blocks to disk above 70 % of it, and stops a worker at 80 %.

`estimate_cost` is what a fit on a cluster of this machine takes: the work of memory and more, the start of the workers, and
bytes between them. The halo depends on the graph: the estimate is that of edges that go anywhere, and a graph whose
neighbours lie together moves less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
HALO_COPIES = 3  # of a halo at a time, by rows: what arrives, what was cut for others, and the same beside a group's own
BLOCK_BYTES = 64 << 20  # of rows that are moved, summed or written at a time
PASSING_BYTES = 64 << 20  # of rows and entries that a hop through files reads, finishes and writes at a time
MIN_COLUMNS = 8  # of a panel: narrower ones read the lists too often
MIN_SENT = 4  # of a panel by rows on many workers: before these write to shared storage what a network can take
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
    keeps_panels: bool = False  # whether hops pass through files, and smoothed columns lie there until they are rows
    reads_panels: bool = False  # whether each worker reads all features for its columns, by columns
    holds_lists: bool = True  # whether a worker has the neighbour lists in memory; else hops through files read them

    def widths(self, n_columns: int, n_workers: int) -> tuple[int, ...]:
        """The widths of as few panels as `widest` allows; by columns a multiple of the workers, so that all have work."""
        n_panels = math.ceil(n_columns / min(self.widest, n_columns))
        if self.name == "columns":
            n_panels = min(n_columns, math.ceil(n_panels / n_workers) * n_workers)
        return even_widths(n_columns, n_panels)


def choose_plan(work: ClusterWork, requested: PlanWord = "auto", n_blocks: int | None = None) -> Plan:
    """Columns first where every worker can hold the lists, or where few workers read them in passing; else by rows."""
    usable = int(USABLE * work.worker_bytes) - BASE_BYTES
    blocks = min(work.n_nodes, n_blocks or _n_blocks(work))
    columns, rows = _by_columns(work, usable, blocks), _by_rows(work, usable, blocks)
    least = min(MIN_COLUMNS, math.ceil(work.n_columns / work.n_workers))
    if requested == "columns" and columns.widest < least:
        needed = _passing_bytes(work) + 4 * work.n_nodes * least
        raise _too_small(work, BASE_BYTES + needed, "every worker holds a panel of columns")
    takes_columns = columns.widest >= least and (columns.holds_lists or work.n_workers <= MOVED_STREAMS)
    if requested == "columns" or (requested == "auto" and takes_columns):
        return columns
    if rows.widest < 1:
        needed = _passing_bytes(work) + _group_column(work)
        raise _too_small(work, BASE_BYTES + needed, "every worker holds a column of its rows and their halo")
    lists = in_words(list_bytes(work))
    why = "it was requested" if takes_columns else f"the neighbour lists ({lists}) do not fit into a worker"
    return replace(rows, why=why)


def _by_columns(work: ClusterWork, usable: int, n_blocks: int) -> Plan:
    """Through memory where a worker has room for its share beside the lists; else through files."""
    lists, share = list_bytes(work), math.ceil(work.n_columns / work.n_workers)
    plan = Plan("columns", n_blocks, 0, "", reads_panels=reads_panels(work))
    free = usable - lists - 4 * ROW_COPIES * work.n_nodes * share
    if free >= 4 * PANEL_COPIES * work.n_nodes * share:
        why = f"the neighbour lists ({in_words(lists)}) fit into a worker"
        return replace(plan, widest=free // (4 * PANEL_COPIES * work.n_nodes), why=why)
    return _through_files(plan, work, usable, lists, 4 * work.n_nodes)


def _by_rows(work: ClusterWork, usable: int, n_blocks: int) -> Plan:
    """Through memory where a worker has room for its rows and their halo; else through files.

    A byte between workers costs as much as many that few of them read from files.
    """
    n, w = work.n_nodes, work.n_workers
    lists = _group_lists(work)
    halo = scattered_halo(n, work.n_entries, w, w) // w
    of_group = 4 * (PANEL_COPIES if work.is_series else PANEL_COPIES - 1) * n // w
    free = usable - lists - 4 * ROW_COPIES * n * work.n_columns // w
    widest = max(0, free // (4 * HALO_COPIES * halo + 4 * n // w + of_group))
    plan = Plan("rows", n_blocks, widest, "")
    is_enough = widest >= (work.n_columns if w <= MOVED_STREAMS else min(MIN_SENT, work.n_columns))
    return plan if is_enough else _through_files(plan, work, usable, lists, _group_column(work))


def _through_files(plan: Plan, work: ClusterWork, usable: int, lists: int, column: int) -> Plan:
    """As few panels as memory allows, and the lists held where that takes no more of them."""
    free = usable - _passing_bytes(work)
    widest = {True: max(0, (free - lists) // column), False: max(0, free // column)}
    n_panels = {
        holds: len(replace(plan, widest=width).widths(work.n_columns, work.n_workers)) if width else math.inf
        for holds, width in widest.items()
    }
    holds = n_panels[True] <= n_panels[False] and widest[True] > 0
    beside = "fit into a worker, and hops" if holds else "are read in passing, and hops"
    why = f"the neighbour lists ({in_words(lists)}) {beside} pass through files"
    return replace(plan, widest=widest[holds], why=why, keeps_panels=True, holds_lists=holds)


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
    name, why, chosen = "rows" if plan == "rows" else "columns", "", None
    try:
        chosen = choose_plan(sizes, plan, n_blocks)
        name = chosen.name
    except InputError as error:
        why = str(error)
    halo = scattered_halo(work.n_nodes, work.n_entries, n_workers, n_workers)
    moved = {
        "columns": columns_traffic(work.n_nodes, work.pass_columns - work.kept_columns, n_workers)
        // (1 + reads_panels(sizes)),
        "rows": rows_traffic(halo, work.hop_columns, 1),
    }
    if chosen is not None and chosen.keeps_panels:
        moved[name] = 0
    streams = work.feature_bytes * ROW_STREAMS + moved[name] * MOVED_STREAMS
    shared = min(n_workers, machine.n_cores) * machine.streams
    seconds = SHARE_LOST * (machine.seconds(work) + streams / shared)
    seconds += (START_STEPS + work.n_passes * PASS_STEPS) / machine.steps
    lists = list_bytes(sizes) if name == "columns" else _group_lists(sizes)
    lists = 0 if chosen is not None and not chosen.holds_lists else lists
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


def _passing_bytes(work: ClusterWork) -> int:
    """What hops through files hold beside a panel and the lists: a block of rows, and where every row's entries begin."""
    return PASSING_BYTES + 8 * work.n_nodes


def _group_lists(work: ClusterWork) -> int:
    """The lists of a worker's rows, and which rows they want."""
    return (4 + 4 * work.is_weighted) * work.n_entries // work.n_workers + 8 * work.n_nodes


def _group_column(work: ClusterWork) -> int:
    """One column of a worker's rows and of their halo."""
    halo = scattered_halo(work.n_nodes, work.n_entries, work.n_workers, work.n_workers)
    return 4 * (work.n_nodes + halo) // work.n_workers


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


def _n_blocks(work: ClusterWork) -> int:
    """Blocks of rows: one for each worker at least, of a size that is moved and summed at a time."""
    by_rows = math.ceil(4 * work.n_nodes * work.n_columns / BLOCK_BYTES)
    wanted = max(work.n_workers, min(MAX_BLOCKS, by_rows))
    return math.ceil(wanted / work.n_workers) * work.n_workers
