"""What a cluster would take, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparsecut.engines.costs import Machine, Workload
from sparsecut.engines.dask.cost import MOVED_STREAMS, PASS_STEPS, ROW_STREAMS, SHARE_LOST, START_STEPS, estimate_cost
from sparsecut.engines.dask.plan import scattered_halo

WORK = Workload(
    n_nodes=1_000_000,
    n_entries=20_000_000,
    n_features=64,
    is_weighted=False,
    hop_columns=640,
    pass_columns=128,
    gram_columns=4096,
    product_columns=1024,
    n_levels=1,
    dimension=16,
    n_passes=2,
)
MACHINE = Machine(gathers=1e9, products=1e10, disk=1e9, memory=32 << 30, room=1 << 40, n_cores=4, streams=4e9, steps=1e7)


def test_bytes_of_both_plans_and_the_time_of_the_one_that_is_taken() -> None:
    cost = estimate_cost(WORK, MACHINE, n_workers=4, worker_bytes=8 << 30, plan="auto", n_blocks=8)
    by_columns = 2 * 4 * 1_000_000 * 128 * 3 // 4
    by_rows = 4 * scattered_halo(1_000_000, 20_000_000, 4, 4) * 640
    assert cost.moved_by == {"columns first": by_columns, "rows with a halo": by_rows}
    assert (cost.moved, cost.fits, cost.why) == (by_columns, True, "")
    fit = WORK.gathered / 1e9 + WORK.multiplied / 1e10 + WORK.streamed / 4e9 + WORK.steps / 1e7
    rows = (ROW_STREAMS * 4 * 64_000_000 + MOVED_STREAMS * by_columns) / (4 * 4e9)
    assert cost.seconds == pytest.approx(SHARE_LOST * (fit + rows) + (START_STEPS + 2 * PASS_STEPS) / 1e7)
    other = estimate_cost(WORK, MACHINE, n_workers=4, worker_bytes=8 << 30, plan="rows", n_blocks=8)
    assert other.moved == by_rows
    assert other.moved_by == cost.moved_by
    assert other.seconds > cost.seconds


def test_workers_that_are_too_small_are_told() -> None:
    cost = estimate_cost(WORK, MACHINE, n_workers=4, worker_bytes=450 << 20, plan="auto", n_blocks=None)
    assert not cost.fits
    assert "is too small for 1,000,000 nodes" in cost.why
    wide = replace(WORK, n_levels=40)
    assert estimate_cost(wide, MACHINE, n_workers=4, worker_bytes=4 << 30, plan="auto", n_blocks=None).why == (
        "a worker has 4.00 GiB"
    )
