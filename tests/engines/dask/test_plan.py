"""Which plan is taken, what it moves and takes, and how rows and columns are cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.engines.costs import Machine, Workload
from sparsecut.engines.dask.plan import (
    BASE_BYTES,
    MOVED_STREAMS,
    PASS_STEPS,
    PASSING_BYTES,
    ROW_STREAMS,
    SHARE_LOST,
    START_STEPS,
    USABLE,
    ClusterWork,
    Plan,
    choose_plan,
    columns_traffic,
    estimate_cost,
    even_starts,
    list_bytes,
    ordered_starts,
    rows_traffic,
    scattered_halo,
    summed_starts,
)

WORK = ClusterWork(
    n_nodes=1_000_000, n_entries=20_000_000, is_weighted=False, n_columns=64, n_workers=4, worker_bytes=4 << 30
)
FIT = Workload(
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


def limit(n_bytes: int) -> int:
    """Of a worker, so that so many bytes are left beside what it always has."""
    return int((BASE_BYTES + n_bytes) / USABLE) + 2


def test_columns_are_first_where_the_lists_fit_and_rows_where_they_do_not() -> None:
    assert list_bytes(WORK) == 16 * 1_000_000 + 4 * 20_000_000
    assert list_bytes(replace(WORK, is_weighted=True)) == 16 * 1_000_000 + 8 * 20_000_000
    assert choose_plan(WORK).name == "columns"
    many = replace(WORK, n_workers=16)
    least = list_bytes(WORK) + 5 * 4 * 4 * WORK.n_nodes  # a share of four columns
    assert choose_plan(replace(many, worker_bytes=limit(least))).name == "columns"
    tight = choose_plan(replace(many, worker_bytes=limit(least - 1000)))
    assert tight.name == "rows"
    assert "do not fit" in tight.why
    assert choose_plan(WORK, "rows").why == "it was requested"


def test_hops_pass_through_files_where_a_worker_has_no_room_for_its_share() -> None:
    """Beside the lists: a share of the columns in three copies for the hops, and in two more, as columns and as rows."""
    enough = list_bytes(WORK) + 4 * WORK.n_nodes * 16 * 5
    roomy, tight = (choose_plan(replace(WORK, worker_bytes=limit(enough + more))) for more in (0, -1000))
    assert (roomy.keeps_panels, roomy.widest) == (False, 16)
    assert (tight.name, tight.keeps_panels, tight.holds_lists) == ("columns", True, True)
    free = enough - 1000 - list_bytes(WORK) - PASSING_BYTES - 8 * WORK.n_nodes
    assert tight.widest == pytest.approx(free // (4 * WORK.n_nodes), abs=1)  # one copy of a panel


def test_lists_are_read_in_passing_where_panels_are_fewer_for_it() -> None:
    """Every panel looks at every entry: wide panels and no lists, or narrow ones beside them."""
    panel = 16 * 4 * WORK.n_nodes
    room = PASSING_BYTES + 8 * WORK.n_nodes + panel
    held, passing = (choose_plan(replace(WORK, worker_bytes=limit(room + more))) for more in (list_bytes(WORK), 0))
    assert (held.holds_lists, passing.holds_lists) == (True, False)
    assert held.widths(64, 4) == passing.widths(64, 4) == (16, 16, 16, 16)
    assert "read in passing" in passing.why
    by_rows = choose_plan(replace(WORK, worker_bytes=limit(PASSING_BYTES + 9 * 4 * WORK.n_nodes)), "rows")
    assert (by_rows.name, by_rows.keeps_panels, by_rows.holds_lists) == ("rows", True, False)


def test_twice_the_graph_has_no_more_panels_while_one_copy_of_them_fits() -> None:
    """8 million nodes with 40 entries each on two workers of 3 GiB: as many panels as half of it by columns, two by rows."""
    half = ClusterWork(4_000_000, 168_000_000, False, 64, 2, 3 << 30, is_series=False)
    whole = replace(half, n_nodes=2 * half.n_nodes, n_entries=2 * half.n_entries)
    assert [len(choose_plan(work).widths(64, 2)) for work in (half, whole)] == [2, 2]
    assert [len(choose_plan(work, "rows").widths(64, 2)) for work in (half, whole)] == [1, 2]


def test_few_workers_read_all_features_and_many_their_share() -> None:
    assert choose_plan(replace(WORK, n_workers=MOVED_STREAMS)).reads_panels
    assert not choose_plan(replace(WORK, n_workers=MOVED_STREAMS + 1)).reads_panels


def test_workers_without_room_for_a_column_are_refused_with_what_would_do() -> None:
    with pytest.raises(sc.InputError, match=r"a worker needs at least .*iB") as caught:
        choose_plan(replace(WORK, worker_bytes=600 << 20, n_nodes=100_000_000, n_entries=10**9))
    assert "600 MiB" in str(caught.value)


@pytest.mark.parametrize("asked", ["columns", "rows"])
def test_a_plan_that_is_asked_for_is_refused_too_where_it_has_no_room(asked: str) -> None:
    """Without this a panel had one column: thirty thousand tasks for thirty thousand columns."""
    with pytest.raises(sc.InputError, match=r"is too small .* a worker needs at least"):
        choose_plan(replace(WORK, worker_bytes=500 << 20), asked)  # type: ignore[arg-type]


def test_panels_cover_the_columns_and_every_worker_has_one() -> None:
    assert Plan("columns", 4, 100, "").widths(10, 4) == (3, 3, 2, 2)
    assert Plan("columns", 4, 2, "").widths(10, 4) == (2, 2, 1, 1, 1, 1, 1, 1)
    assert Plan("rows", 4, 4, "").widths(10, 4) == (4, 3, 3)
    assert Plan("columns", 4, 100, "").widths(2, 4) == (1, 1)


def test_traffic_by_hand() -> None:
    assert columns_traffic(100, 8, 2) == 2 * 4 * 100 * 8 // 2
    assert columns_traffic(100, 8, 1) == 0
    assert rows_traffic(30, 8, 3) == 4 * 30 * 8 * 3


def test_blocks_are_even_or_whole_parts() -> None:
    assert even_starts(10, 3) == (0, 3, 6, 10)
    assert even_starts(3 * 8192, 3) == (0, 8192, 2 * 8192, 3 * 8192)
    assert even_starts(100_000, 3) == (0, 4 * 8192, 8 * 8192, 100_000)  # as near to thirds as the kernels' blocks allow
    assert ordered_starts([4, 1, 5, 2], 2) == (0, 10, 12)
    assert ordered_starts([3, 3, 3, 3], 2) == (0, 6, 12)
    assert ordered_starts([12], 3) == (0, 12)


def test_rows_are_summed_over_blocks_of_the_kernels() -> None:
    """Whole ones, and a last one: then no sum depends on how many blocks the rows are cut into."""
    assert summed_starts((0, 3, 6, 10)) == (0, 10)
    assert summed_starts(even_starts(9000, 7)) == (0, 8192, 9000)
    assert summed_starts(even_starts(20_000, 9)) == (0, 8192, 16_384, 20_000)
    assert summed_starts(even_starts(100_000, 3)) == even_starts(100_000, 3)


@pytest.mark.parametrize(
    ("n_entries", "n_groups", "n_workers"), [(4_000, 4, 2), (40_000, 8, 8), (200_000, 5, 5), (4_000, 1, 1)]
)
def test_the_halo_of_edges_that_go_anywhere(n_entries: int, n_groups: int, n_workers: int) -> None:
    n_nodes = 4_000
    rows, columns = np.random.default_rng(0).integers(0, n_nodes, (2, n_entries))
    group_of = np.arange(n_nodes) * n_groups // n_nodes
    worker_of = group_of * n_workers // n_groups
    counted = 0
    for group in range(n_groups):
        wanted = np.unique(columns[group_of[rows] == group])
        counted += int((worker_of[wanted] != group * n_workers // n_groups).sum())
    assert scattered_halo(n_nodes, n_entries, n_groups, n_workers) == pytest.approx(counted, rel=0.03)


def test_many_workers_send_rows_and_few_read_them_from_files() -> None:
    """Where a panel of all columns has no room, and where one of eight has."""
    roomy = replace(WORK, worker_bytes=3 << 29)
    assert not choose_plan(replace(roomy, n_workers=16), "rows").keeps_panels
    assert choose_plan(replace(roomy, n_workers=8), "rows").keeps_panels
    assert choose_plan(replace(roomy, n_workers=16, worker_bytes=640 << 20, n_entries=80_000_000), "rows").keeps_panels


def test_bytes_of_both_plans_and_the_time_of_the_one_that_is_taken() -> None:
    cost = estimate_cost(FIT, MACHINE, n_workers=4, worker_bytes=8 << 30, plan="auto", n_blocks=8)
    by_columns = 4 * 1_000_000 * 128 * 3 // 4  # to rows alone: four workers read their columns from the file
    by_rows = 4 * scattered_halo(1_000_000, 20_000_000, 4, 4) * 640
    assert cost.moved_by == {"columns first": by_columns, "rows with a halo": by_rows}
    assert (cost.moved, cost.fits, cost.why) == (by_columns, True, "")
    fit = FIT.gathered / 1e9 + FIT.multiplied / 1e10 + FIT.streamed / 4e9 + FIT.steps / 1e7
    rows = (ROW_STREAMS * 4 * 64_000_000 + MOVED_STREAMS * by_columns) / (4 * 4e9)
    assert cost.seconds == pytest.approx(SHARE_LOST * (fit + rows) + (START_STEPS + 2 * PASS_STEPS) / 1e7)
    other = estimate_cost(FIT, MACHINE, n_workers=4, worker_bytes=8 << 30, plan="rows", n_blocks=8)
    assert other.moved == by_rows
    assert other.moved_by == cost.moved_by
    assert other.seconds > cost.seconds


def test_workers_that_are_too_small_are_told() -> None:
    cost = estimate_cost(FIT, MACHINE, n_workers=4, worker_bytes=450 << 20, plan="auto", n_blocks=None)
    assert not cost.fits
    assert "is too small for 1,000,000 nodes" in cost.why
    wide = replace(FIT, n_levels=40)
    assert estimate_cost(wide, MACHINE, n_workers=4, worker_bytes=4 << 30, plan="auto", n_blocks=None).why == (
        "a worker has 4.00 GiB"
    )
