"""What a fit on a cluster of this machine would take: the work of memory and more, starts, and bytes between processes.

Bytes are estimated for both plans. Those of columns first follow from the sizes. Those of rows with a halo depend on the
graph too: here its edges go anywhere, and one whose neighbours lie together moves less.
"""

from __future__ import annotations

from sparsecut.arrays.streaming import in_words
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
from sparsecut.errors import InputError

START_SECONDS = 5.0  # of a cluster on this machine: processes, and their libraries
PASS_SECONDS = 0.5  # of a pass with nothing to do: its tasks, sent and waited for
MOVED_PER_SECOND = 5e8  # bytes between two processes of one machine
SHARE_LOST = 1.5  # work beside that of memory: blocks are copied, and the machine's cores are those of memory too


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
    seconds = START_SECONDS + work.n_passes * PASS_SECONDS + moved[name] / MOVED_PER_SECOND
    seconds += SHARE_LOST * (work.gathered / machine.gathers + work.multiplied / machine.products)
    lists = list_bytes(sizes) if name == "columns" else LIST_COPIES * 4 * work.n_entries // groups
    held = BASE_BYTES + lists + 2 * work.feature_bytes * (1 + work.n_levels) // n_workers
    if not why and held > worker_bytes:
        why = f"a worker has {in_words(worker_bytes)}"
    by_plan = {PLAN_NAMES[one]: n_bytes for one, n_bytes in moved.items()}
    disk = work.feature_bytes + work.graph_bytes
    return Cost("dask", seconds, held, disk, moved[name], not why, why, by_plan)
