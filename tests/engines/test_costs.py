"""The work of a fit in figures, and a machine that is measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparsecut.engines.costs import (
    CHOICE_STEPS,
    FIT_STEPS,
    FIT_STREAMS,
    GRAPH_ENTRY_STEPS,
    GRAPH_GROUPS,
    GRAPH_NODE_STEPS,
    GRAPH_STEPS,
    RELATION_STEPS,
    Machine,
    Workload,
    measure_machine,
    sample_shape,
)

WORK = Workload(
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


def test_work_by_hand() -> None:
    work = WORK
    assert work.gathered == (30 + 10) * 8
    assert work.multiplied == 10 * (16 + 12) + 10 * 4**3
    assert work.streamed == FIT_STREAMS * (160 + 4 * 10 * 3)
    assert work.steps == FIT_STEPS + CHOICE_STEPS
    of_graph = GRAPH_STEPS * 10 / GRAPH_GROUPS + GRAPH_NODE_STEPS * 10 + GRAPH_ENTRY_STEPS * 30
    assert replace(work, with_graph=True).steps == pytest.approx(work.steps + of_graph)
    assert replace(work, n_relations=3).steps == work.steps + 3 * RELATION_STEPS
    assert replace(work, sparse_products=700).gathered == work.gathered + 700
    assert (work.feature_bytes, work.graph_bytes) == (160, 8 * 10 + 8 * 30)
    machine = Machine(gathers=10, products=20, disk=1, memory=1, room=1, n_cores=1, streams=40, steps=1e6)
    assert machine.seconds(work) == pytest.approx(320 / 10 + 920 / 20 + FIT_STREAMS * 280 / 40 + work.steps / 1e6)


def test_the_hop_that_is_measured_has_the_shape_of_the_graph_as_far_as_time_allows() -> None:
    """An entry costs something beside its numbers: eight neighbours with 32 columns have another speed than 21 with 64."""
    assert sample_shape(replace(WORK, n_nodes=20_000, n_entries=420_000, n_features=64)) == (20_000, 21, 64)
    assert sample_shape(replace(WORK, n_nodes=20_000, n_entries=420_000, n_features=3)) == (20_000, 21, 3)
    assert sample_shape(replace(WORK, n_nodes=100_000, n_entries=2_000_000, n_features=256)) == (100_000, 20, 48)
    assert sample_shape(replace(WORK, n_nodes=10**9, n_entries=10**11, n_features=128)) == (400_000, 8, 32)
    assert sample_shape(WORK) == (1000, 3, 4)


def test_a_machine_has_speeds_and_room() -> None:
    machine = measure_machine(WORK)
    assert min(vars(machine).values()) > 0
