"""The model of time and traffic: coefficients found again from cells that they made, and a cluster by hand."""

from __future__ import annotations

from typing import Any

import pytest

from scaling import CLUSTERS, Model, fit, n_tasks, passed, predict, traffic, work_of
from sparsecut.engines.dask.plan import choose_plan, rows_traffic, scattered_halo

TRUE = Model(
    miss=8e-9,
    number=7e-10,
    passed=3e-10,
    rows={"columns": 2e-8, "rows": 3e-8},
    byte=1e-9,
    packing=2e-10,
    task=5e-5,
    fixed={"columns": 2.0, "rows": 3.0},
    waiting={"columns": 1.25, "rows": 1.5},
)


def cell(plan: str, millions: int) -> dict[str, Any]:
    """What a run would have measured if the model were true."""
    sizes = {"n_nodes": millions * 1_000_000, "n_entries": millions * 20_000_000}
    work = work_of(sizes)
    chosen = choose_plan(work, plan)  # type: ignore[arg-type]
    parts = TRUE.parts(work, chosen, 2)
    tasks = {
        "smooth_panel": {"n": 2, "compute": parts["hops"] + parts["passing"]},
        "load_block": {"n": n_tasks(work, chosen, 2) - 6, "compute": parts["rows"]},
        "side_by_side": {"n": 4, "transfer": parts["transfers"]},
    }
    return {
        **sizes,
        "panels": len(chosen.widths(64, 2)),
        "moved": traffic(work, chosen, 2),
        "seconds": TRUE.seconds(work, chosen, 2),
        "tasks": tasks,
        "cpu": parts["hops"] + parts["passing"] + parts["rows"] + parts["packing"],
        "driver_cpu": TRUE.driver(work, chosen, 2),
    }


def test_coefficients_are_found_again_and_the_largest_run_is_predicted() -> None:
    cells = {plan: [cell(plan, millions) for millions in (1, 2, 4)] for plan in ("columns", "rows")}
    found = fit(cells)
    assert found.miss == pytest.approx(TRUE.miss, rel=1e-6)
    assert found.number == pytest.approx(TRUE.number, rel=1e-6)
    assert found.byte == pytest.approx(TRUE.byte, rel=1e-6)
    assert found.packing == pytest.approx(TRUE.packing, rel=1e-6)
    assert found.task == pytest.approx(TRUE.task, rel=1e-6)
    assert found.passed == pytest.approx(TRUE.passed, rel=1e-6)
    for name in ("rows", "fixed", "waiting"):
        assert getattr(found, name) == pytest.approx(getattr(TRUE, name), rel=1e-6)
    for plan in ("columns", "rows"):
        largest = cell(plan, 8)
        work = work_of(largest)
        assert found.seconds(work, choose_plan(work, plan), 2) == pytest.approx(largest["seconds"], rel=1e-6)  # type: ignore[arg-type]


def test_traffic_is_that_of_the_plans() -> None:
    work = work_of({"n_nodes": 1_000_000, "n_entries": 20_000_000})
    # Columns are read where they are smoothed; what is sent is the half of each joined row that the other worker has.
    assert traffic(work, choose_plan(work, "columns"), 5) == 1_000_000 * 64 * 4 // 2
    halo = scattered_halo(1_000_000, 20_000_000, 2, 2)
    assert traffic(work, choose_plan(work, "rows"), 5) == rows_traffic(halo, 64, 5) + 4 * halo


def test_what_hops_read_and_write_by_hand() -> None:
    """Of 8 million nodes two panels: the first hop reads whole rows for each, once gathered and once multiplied."""
    work = work_of({"n_nodes": 8_000_000, "n_entries": 320_000_000})
    columns, rows = (choose_plan(work, name) for name in ("columns", "rows"))
    assert (columns.keeps_panels, columns.holds_lists, len(columns.widths(64, 2))) == (True, False, 2)
    of_rows = 4 * 64 * 8_000_000 * ((2 + 1) * 2 + 2)
    assert passed(work, columns, 2) == of_rows + 4 * 320_000_000 * 2 * 2
    assert (rows.keeps_panels, rows.holds_lists) == (True, True)
    halo = scattered_halo(8_000_000, 320_000_000, 2, 2)
    n_panels = len(rows.widths(64, 2))
    assert passed(work, rows, 2) == 4 * 64 * ((n_panels + 1) * (16_000_000 + halo) + 16_000_000)
    assert traffic(work, columns, 2) == traffic(work, rows, 2) == 0
    small = work_of({"n_nodes": 1_000_000, "n_entries": 20_000_000})
    assert passed(small, choose_plan(small, "columns"), 2) == 0


def test_a_large_cluster_by_hand() -> None:
    """A hundred machines: lists of 1.6 TB do not fit, and the slower of connection and network is what is waited for."""
    n_workers, n_cores, _, network = machines = CLUSTERS["100 × 16 cores, 128 GiB, 25 Gbit/s"]
    found = predict(TRUE, machines, 64)
    assert found["plan"] == "rows with a halo"
    halo = 99 * 10**9 * (1 - 2.718281828**-2)
    assert found["moved"] == pytest.approx(4 * halo * (64 * 2 + 1), rel=1e-6)
    assert found["network"] == pytest.approx(found["moved"] / n_workers / network)
    assert found["connections"] == pytest.approx(1.5 * 1e-9 * found["moved"] / n_workers)
    hops = 2 * (10**9 + 2 * 10**11) * (found["panels"] * 8e-9 + 64 * 7e-10)
    packing = 2e-10 * found["moved"]
    assert found["processors"] == pytest.approx(1.5 * (hops + 3e-8 * 64 * 10**9 + packing) / (n_workers * n_cores))
    longest = max(found["connections"], found["network"])
    others = found["driver"] + found["processors"] + found["storage"]
    assert found["seconds"] == pytest.approx(3.0 + others + longest)
    assert found["first"] == "connections"
