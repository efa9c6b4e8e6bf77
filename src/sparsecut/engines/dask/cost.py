"""What a fit on a cluster of this machine would take: the work of memory and more, starts, and bytes between processes.

Bytes are estimated for both plans. Those of columns first follow from the sizes. Those of rows with a halo depend on the
graph too: here its edges go anywhere, and one whose neighbours lie together moves less.
"""

from __future__ import annotations

from sparsecut.base.errors import InputError
from sparsecut.engines.costs import Cost, Machine, Workload
from sparsecut.engines.dask.plan import (
    BASE_BYTES,
    LIST_COPIES,
    PLAN_NAMES,
    PlanWord,
    Work,
    choose_plan,
    columns_traffic,
    list_bytes,
    rows_traffic,
    scattered_halo,
)
from sparsecut.kernels.streaming import in_words

START_STEPS = 1.8e8  # of the interpreter, for a cluster on this machine: processes, and their libraries
PASS_STEPS = 3e6  # for a pass with nothing to do: its tasks, sent and waited for
MOVED_STREAMS = 8  # copies of a byte that goes from one process of this machine to another
ROW_STREAMS = 40  # copies of the rows beside those of memory: cut, joined, written as Parquet, which takes most
SHARE_LOST = 1.25  # hops of narrow panels, and workers that wait for each other


def estimate_cost(
    work: Workload, machine: Machine, *, n_workers: int, worker_bytes: int, plan: PlanWord, n_blocks: int | None
) -> Cost:
    """For worker processes on this machine, each with so many bytes."""
    sizes = Work(
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
        "columns": columns_traffic(work.n_nodes, work.pass_columns, n_workers),
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
