"""The work of a fit in figures, and a machine that is measured."""

from __future__ import annotations

import pytest

from sparsecut.engines.costs import CHOICE_STEPS, FIT_STEPS, FIT_STREAMS, Machine, Workload, measure_machine


def test_work_by_hand() -> None:
    work = Workload(
        n_nodes=10,
        n_entries=30,
        n_features=4,
        is_weighted=True,
        hop_columns=8,
        pass_columns=4,
        gram_columns=16,
        product_columns=12,
        n_levels=1,
        dimension=3,
        n_passes=1,
        n_solved=4,
        is_chosen=True,
    )
    assert work.gathered == (30 + 10) * 8
    assert work.multiplied == 10 * (16 + 12) + 10 * 4**3
    assert work.streamed == FIT_STREAMS * 160
    assert work.steps == FIT_STEPS + CHOICE_STEPS
    assert (work.feature_bytes, work.graph_bytes) == (160, 8 * 10 + 8 * 30)
    machine = Machine(gathers=10, products=20, disk=1, memory=1, room=1, n_cores=1, streams=40, steps=1e6)
    assert machine.seconds(work) == pytest.approx(320 / 10 + 920 / 20 + FIT_STREAMS * 160 / 40 + work.steps / 1e6)


def test_a_machine_has_speeds_and_room() -> None:
    machine = measure_machine(2000)
    assert min(vars(machine).values()) > 0
