"""Time and traffic of the Dask engine against n, m, f, workers and network: a model fitted to measured runs.

    python benchmarks/scaling.py

It takes the cells of `cluster_scale.py`, fits to all sizes but the largest, and is held against the largest. A cell has the
seconds of every function that its tasks ran, so each coefficient is fitted to what it stands for:

    hops       k·(n + m)·(p·α + f·β)   m entries, k hops, p panels: an entry costs a cache miss in each, and its numbers
    passing    φ·bytes                 what hops through files read and write: rows, and the lists where they are not held
    rows       δ·n·f                   load, cut, join, sum, project, write; of each plan
    transfers  γ·bytes                 `rows_traffic` or `columns_traffic` (`engines.dask.plan`): picked, sent, received

    packing    ε·bytes                 what workers' processors do beside the functions of tasks: packing what is sent
    driver     ρ·tasks                 the driver's processor, which has the scheduler too: it names each task and follows it

    seconds    c + driver + u·(hops + passing + rows + packing)/(w·cores) + the larger of u·transfers/w and bytes/(w·network)

c is what does not grow, u what workers wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import nnls

from cluster_scale import HOPS, LIMIT, N_FEATURES, N_HOPS, N_WORKERS, PLANS
from results_file import read_points, write_results
from sparsecut.base.errors import InputError
from sparsecut.engines.dask.plan import (
    PLAN_NAMES,
    ClusterWork,
    Plan,
    choose_plan,
    columns_traffic,
    list_bytes,
    rows_traffic,
    scattered_halo,
)
from sparsecut.kernels.streaming import parse_bytes

NAME = "scaling"
PICKED = ("pick", "wanted_of")  # what a transfer takes beside sending
PlanName = Literal["columns", "rows"]
BLOCK_TASKS = 8
N_NODES, N_EDGES = 10**9, 10**11
STORAGE = 20e9  # bytes per second that shared storage reads and writes, all workers together
CLUSTERS = {  # machines, cores, memory, network in bytes per second
    "20 × 64 cores, 512 GiB, 100 Gbit/s": (20, 64, 512 << 30, 12.5e9),
    "100 × 16 cores, 128 GiB, 25 Gbit/s": (100, 16, 128 << 30, 3.1e9),
    "400 × 8 cores, 64 GiB, 10 Gbit/s": (400, 8, 64 << 30, 1.25e9),
    "8 × 96 cores, 3 TiB, 100 Gbit/s": (8, 96, 3 << 40, 12.5e9),
}


@dataclass(frozen=True)
class Model:
    """The coefficients, seconds each."""

    miss: float  # α, per entry and panel
    number: float  # β, per gathered number
    passed: float  # φ, per byte that hops read from files and write there
    rows: dict[str, float]  # δ, per number of the features, by plan
    byte: float  # γ, per byte between workers
    packing: float  # ε, per byte between workers
    task: float  # ρ, per task
    fixed: dict[str, float]  # c
    waiting: dict[str, float]  # u

    def parts(self, work: ClusterWork, plan: Plan, n_hops: int) -> dict[str, float]:
        """Seconds of one core for hops and rows, and of one connection for transfers, before they are shared out."""
        n_panels = len(plan.widths(work.n_columns, work.n_workers))
        reach = float(n_hops * (work.n_nodes + work.n_entries))
        return {
            "hops": reach * (n_panels * self.miss + work.n_columns * self.number),
            "passing": self.passed * passed(work, plan, n_hops),
            "rows": self.rows[plan.name] * work.n_nodes * work.n_columns,
            "transfers": self.byte * traffic(work, plan, n_hops),
            "packing": self.packing * traffic(work, plan, n_hops),
        }

    def seconds(self, work: ClusterWork, plan: Plan, n_hops: int) -> float:
        """On workers of one core each, as measured."""
        busy = sum(self.parts(work, plan, n_hops).values()) / work.n_workers
        return self.fixed[plan.name] + self.driver(work, plan, n_hops) + self.waiting[plan.name] * busy

    def driver(self, work: ClusterWork, plan: Plan, n_hops: int) -> float:
        return self.task * n_tasks(work, plan, n_hops)


def n_tasks(work: ClusterWork, plan: Plan, n_hops: int) -> int:
    """The tasks of a fit, about: what is cut, smoothed and joined, and eight for each block: loaded, summed, written."""
    n_panels = len(plan.widths(work.n_columns, work.n_workers))
    if plan.name == "columns":
        return plan.n_blocks * (n_panels * (2 - plan.reads_panels) + BLOCK_TASKS) + 2 * n_panels
    n_groups = min(work.n_workers, plan.n_blocks)
    if plan.keeps_panels:
        return n_panels * (n_hops * n_groups + plan.n_blocks) + n_groups**2 + plan.n_blocks * BLOCK_TASKS
    return n_panels * (n_hops * n_groups**2 + 2 * plan.n_blocks) + n_groups**2 + plan.n_blocks * BLOCK_TASKS


def traffic(work: ClusterWork, plan: Plan, n_hops: int) -> int:
    """Bytes between workers."""
    if plan.keeps_panels:  # features in a file are read there
        return 0
    if plan.name == "columns":
        return columns_traffic(work.n_nodes, work.n_columns, work.n_workers) // (1 + plan.reads_panels)
    halo = scattered_halo(work.n_nodes, work.n_entries, work.n_workers, work.n_workers)
    return rows_traffic(halo, work.n_columns, n_hops) + 4 * halo


def passed(work: ClusterWork, plan: Plan, n_hops: int) -> int:
    """Bytes that hops read from files and write there: rows gathered, rows multiplied, the result, and entries.

    The first hop reads whole rows of the features, once for every panel, of which it takes some columns.
    """
    if not plan.keeps_panels:
        return 0
    by_rows = plan.name == "rows"
    n_panels = len(plan.widths(work.n_columns, work.n_workers))
    halo = scattered_halo(work.n_nodes, work.n_entries, work.n_workers, work.n_workers) if by_rows else 0
    numbers = (n_hops - 1 + n_panels) * (2 * work.n_nodes + halo) + n_hops * work.n_nodes
    lists = 0 if plan.holds_lists else 4 * work.n_entries * n_hops * n_panels
    return 4 * numbers * work.n_columns + lists


def work_of(cell: dict[str, Any]) -> ClusterWork:
    return ClusterWork(
        n_nodes=cell["n_nodes"],
        n_entries=cell["n_entries"],
        is_weighted=False,
        n_columns=N_FEATURES,
        n_workers=N_WORKERS,
        worker_bytes=parse_bytes("scaling.py", "limit", LIMIT),
        is_series=False,  # powers of P
    )


def plan_of(cell: dict[str, Any], plan: str) -> Plan:
    return choose_plan(work_of(cell), plan)  # type: ignore[arg-type]


def seconds_of(cell: dict[str, Any]) -> dict[str, float]:
    """The seconds of all workers for hops, rows and transfers."""
    total = {"hops": 0.0, "rows": 0.0, "transfers": 0.0}
    for name, actions in cell["tasks"].items():
        kind = "hops" if name in HOPS else "transfers" if name in PICKED else "rows"
        for action, seconds in actions.items():
            if action != "n":
                total["transfers" if action == "transfer" else kind] += seconds
    return total


def fit(cells: dict[str, list[dict[str, Any]]]) -> Model:
    """Non-negative least squares of each coefficient over the cells of both plans, relative to what was measured."""
    both = [(plan, cell, seconds_of(cell)) for plan in PLANS for cell in cells[plan]]
    hop_rows = [
        [_reach(cell) * cell["panels"], _reach(cell) * N_FEATURES, passed(work_of(cell), plan_of(cell, plan), N_HOPS)]
        for plan, cell, _ in both
    ]
    miss, number, byte_passed = _solve(hop_rows, [found["hops"] for _, _, found in both])
    sending = [  # through files a plan sends nothing but their names
        (cell["moved"], found["transfers"]) for plan, cell, found in both if not plan_of(cell, plan).keeps_panels
    ]
    (byte,) = _solve([[moved] for moved, _ in sending], [seconds for _, seconds in sending])
    moved, outside = np.array([[cell["moved"], cell["cpu"] - computed(cell)] for _, cell, _ in both]).T
    packing = max(0.0, float(moved @ outside / (moved @ moved)))  # a small difference of large numbers: not relative to it
    # What the driver takes whatever it does is a part of c.
    _, task = _solve([[1.0, count(cell)] for _, cell, _ in both], [cell["driver_cpu"] for _, cell, _ in both])
    rows, fixed, waiting = {}, {}, {}
    for plan in PLANS:
        found = [(cell["n_nodes"] * N_FEATURES, seconds_of(cell)["rows"]) for cell in cells[plan]]
        (rows[plan],) = _solve([[numbers] for numbers, _ in found], [seconds for _, seconds in found])
        busy = [(sum(seconds_of(cell).values()) + packing * cell["moved"]) / N_WORKERS for cell in cells[plan]]
        rest = [max(cell["seconds"] - task * count(cell), 1e-3) for cell in cells[plan]]
        fixed[plan], waiting[plan] = _solve([[1.0, one] for one in busy], rest)
    return Model(miss, number, byte_passed, rows, byte, packing, task, fixed, waiting)


def computed(cell: dict[str, Any]) -> float:
    """The seconds that functions of tasks took."""
    return sum(actions.get("compute", 0.0) for actions in cell["tasks"].values())


def count(cell: dict[str, Any]) -> float:
    return float(sum(actions["n"] for actions in cell["tasks"].values()))


def _reach(cell: dict[str, Any]) -> float:
    return float(N_HOPS * (cell["n_nodes"] + cell["n_entries"]))


def _solve(rows: list[list[float]], measured: list[float]) -> list[float]:
    A, b = np.array(rows, dtype=np.float64), np.array(measured)
    shares = A / b[:, None]  # every cell counts alike, small or large
    largest = np.abs(shares).max(axis=0)
    scale = np.where(largest > 0, largest, 1.0)  # what no cell has stays zero
    return list((nnls(shares / scale, np.ones(len(b)))[0] / scale).tolist())


def predict(model: Model, machines: tuple[int, int, int, float], n_columns: int) -> dict[str, Any]:
    """A fit of two hops on a cluster with a worker per machine."""
    n_workers, n_cores, n_bytes, network = machines
    work = ClusterWork(N_NODES, 2 * N_EDGES, False, n_columns, n_workers, n_bytes, is_series=False)
    try:
        plan = choose_plan(work)
    except InputError as error:
        return {"plan": "none", "why": str(error)}
    parts, moved = model.parts(work, plan, N_HOPS), traffic(work, plan, N_HOPS)
    u = model.waiting[plan.name]
    lists = 4 * work.n_entries * plan.holds_lists * (n_workers if plan.name == "columns" else 1)
    files = 4 * N_NODES * n_columns * 2 + 8 * N_NODES + lists + passed(work, plan, N_HOPS)
    seconds = {
        "driver": model.driver(work, plan, N_HOPS),
        "processors": u * (parts["hops"] + parts["passing"] + parts["rows"] + parts["packing"]) / (n_workers * n_cores),
        "connections": u * parts["transfers"] / n_workers,
        "network": moved / (n_workers * network),
        "storage": files / STORAGE,
    }
    total = (
        model.fixed[plan.name] + seconds["driver"] + seconds["processors"] + max(seconds["connections"], seconds["network"])
    )
    return {
        "plan": PLAN_NAMES[plan.name],
        "panels": len(plan.widths(n_columns, n_workers)),
        "moved": moved,
        "files": files,
        **seconds,
        "seconds": total + seconds["storage"],
        "first": max(seconds, key=lambda name: seconds[name]),
    }


def main() -> None:
    points = read_points("cluster_scale")
    cells: dict[str, list[dict[str, Any]]] = {
        plan: sorted(
            (point for key, point in points.items() if key.startswith("scale") and key.endswith(plan)),
            key=lambda cell: int(cell["n_nodes"]),
        )
        for plan in PLANS
    }
    model = fit({plan: found[:-1] for plan, found in cells.items()})
    write_results(
        NAME,
        title="Fitted, and held against the largest run",
        about="Each coefficient is fitted to the seconds of the tasks that it stands for, over all sizes but the largest.",
        command="python benchmarks/scaling.py",
        tables=[_coefficients(model), _checked(model, cells), _predicted(model)],
        notes=_notes(),
        points={"model": model.__dict__},
    )


def _coefficients(model: Model) -> dict[str, Any]:
    rows = [
        ["α", "an entry in a panel", model.miss * 1e9],
        ["β", "a gathered number", model.number * 1e9],
        *(["δ", f"a number of the features, {PLAN_NAMES[plan]}", model.rows[plan] * 1e9] for plan in PLANS),
        ["φ", "a byte that a hop reads from a file or writes there", model.passed * 1e9],
        ["γ", "a byte between workers", model.byte * 1e9],
        ["ε", "packing a byte that is sent", model.packing * 1e9],
        ["ρ", "a task, of the driver", model.task * 1e9],
        *(["u", f"waiting, times, {PLAN_NAMES[plan]}", model.waiting[plan]] for plan in PLANS),
        *(["c", f"fixed, seconds, {PLAN_NAMES[plan]}", model.fixed[plan]] for plan in PLANS),
    ]
    caption = "Coefficients: α to ρ in nanoseconds of one core or connection."
    return {"caption": caption, "columns": ["", "of", "fitted"], "rows": rows}


def _checked(model: Model, cells: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    rows = []
    for plan in PLANS:
        for cell in cells[plan]:
            work = work_of(cell)
            chosen = plan_of(cell, plan)
            seconds, moved = model.seconds(work, chosen, N_HOPS), traffic(work, chosen, N_HOPS)
            role = "predicted" if cell is cells[plan][-1] else "fitted"
            rows.append(
                [
                    *(PLAN_NAMES[plan], cell["n_nodes"], role, cell["seconds"], seconds, seconds / cell["seconds"]),
                    *(cell["moved"] / 2**20, moved / 2**20, None if chosen.keeps_panels else moved / cell["moved"]),
                ]
            )
    return {
        "caption": "The model beside the runs: the largest of each plan took no part in the fit.",
        "columns": [
            *("plan", "nodes", "", "seconds, measured", "by the model", "times measured"),
            *("MiB moved, measured", "by the model, edges anywhere", "times moved"),
        ],
        "rows": rows,
    }


def _predicted(model: Model) -> dict[str, Any]:
    rows = []
    for name, machines in CLUSTERS.items():
        for n_columns in (64, 128):
            found = predict(model, machines, n_columns)
            if found["plan"] == "none":
                rows.append([name, n_columns, "does not fit", *[None] * 9])
                continue
            minutes = [found[what] / 60 for what in ("driver", "processors", "connections", "network", "storage", "seconds")]
            sizes = [found["panels"], found["moved"] / 1e12]
            rows.append([name, n_columns, found["plan"], *sizes, *minutes, found["first"]])
    return {
        "caption": f"What it says of {N_NODES:,} nodes and {N_EDGES:,} edges, {N_HOPS} hops, one worker per machine: "
        "minutes of each part, of the whole, and the part that takes longest. Connections and network are one path: the "
        f"slower one counts. Shared storage reads and writes {STORAGE / 1e9:g} GB/s, all workers together.",
        "columns": [
            *(
                "cluster",
                "features",
                "plan",
                "panels",
                "TB moved",
                "driver",
                "processors",
                "connections",
                "network",
                "storage",
            ),
            *("whole", "first"),
        ],
        "rows": rows,
    }


def _notes() -> list[str]:
    lists = list_bytes(ClusterWork(N_NODES, 2 * N_EDGES, False, 64, 1, 1))
    narrow = 12 * N_NODES + 4 * 2 * N_EDGES
    return [
        f"Memory saturates first for columns first: its neighbour lists are {narrow / 1e12:.2f} TB by 12 bytes per node and "
        f"4 per entry, and {lists / 1e12:.2f} TB as the kernels take them, with 8 bytes per entry from 2³¹ entries on, in "
        "every worker. By rows they are shared out, and the halos' panels are what a worker needs memory for.",
        "What it leaves out: the cores of a machine share its memory's bandwidth, so hops will not be as many times faster "
        "as there are cores; the time to sort edges into a store; failures.",
        "A graph whose neighbours lie together (Dask(partition=…)) moves less than its halo of edges that go anywhere.",
        "For reference, SketchNE (Xie et al., TKDE 2023) reports 3.5 billion nodes and 225 billion edges in one hour on one "
        "large CPU machine, without features.",
    ]


if __name__ == "__main__":
    main()
