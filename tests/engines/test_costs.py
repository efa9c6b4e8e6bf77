"""The work of a fit in figures, and a machine that is measured."""

from __future__ import annotations

from sparsecut.engines.costs import Workload, measure_machine


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
    )
    assert work.gathered == (30 + 10) * 8
    assert work.multiplied == 10 * (16 + 12)
    assert (work.feature_bytes, work.graph_bytes) == (160, 8 * 10 + 8 * 30)


def test_a_machine_has_speeds_and_room() -> None:
    machine = measure_machine(2000)
    assert min(machine.gathers, machine.products, machine.disk, machine.memory, machine.room, machine.n_cores) > 0
