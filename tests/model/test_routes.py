"""The cost model: what it must choose at sizes where the answer is clear, and what it must never choose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparsecut.model.routes import TrainingWork, choose_route, price

TALL = TrainingWork(  # many nodes, few dense features
    n_nodes=200_000,
    n_features=100,
    orders=(2,),
    dimensions=(64,),
    feature_entries=None,
    propagation_entries=2_000_000,
    negative_entries=0,
    n_steps=20,
    is_joint=False,
)
WIDE = replace(TALL, n_nodes=3000, n_features=9000, feature_entries=90_000, propagation_entries=12_000)
MEMORY = 1 << 40


def choose(
    work: TrainingWork, route: str = "auto", *, is_linear: bool = True, is_batched: bool = False, memory: int = MEMORY
):
    return choose_route(work, route=route, is_linear=is_linear, is_batched=is_batched, memory=memory)


def test_many_nodes_go_over_the_gram_matrix_and_wide_sparse_features_over_factors() -> None:
    assert (choose(TALL).over, choose(TALL).held) == ("gram", "smoothed")
    assert (choose(WIDE).over, choose(WIDE).held) == ("rows", "factors")


def test_over_the_gram_matrix_a_step_does_not_depend_on_the_nodes() -> None:
    def step(work: TrainingWork) -> float:
        return price(replace(work, n_steps=11), "gram", "smoothed") - price(replace(work, n_steps=10), "gram", "smoothed")

    assert step(TALL) == step(replace(TALL, n_nodes=10 * TALL.n_nodes)) == 100**2 * 64


def test_what_was_asked_for_is_taken_and_said() -> None:
    asked = choose(TALL, "rows")
    assert asked.over == "rows"
    assert "was requested" in asked.reason
    assert choose(WIDE, "gram").over == "gram"


@pytest.mark.parametrize("route", ["auto", "gram", "rows"])
def test_max_and_mini_batches_take_rows(route: str) -> None:
    assert choose(TALL, route, is_linear=False).over == "rows"
    batched = choose(WIDE, is_batched=True)
    assert (batched.over, batched.held) == ("rows", "smoothed")


def test_dense_features_have_no_factors() -> None:
    assert choose(replace(WIDE, feature_entries=None)).held == "smoothed"


def test_memory_rules_out_what_does_not_fit() -> None:
    many_steps = replace(WIDE, n_nodes=500_000, feature_entries=15_000_000, n_steps=1000)
    assert choose(many_steps).over == "gram"
    assert choose(many_steps, memory=600 << 20).over == "rows"  # M and its copies take 0.97 GB
    starved = choose(WIDE, memory=1)
    assert starved.held == "factors"
    assert "least memory" in starved.reason


def test_a_joint_gram_matrix_costs_the_square_of_its_levels() -> None:
    levels = replace(TALL, orders=(1, 2, 3), dimensions=(64, 64, 64), n_steps=0)
    one = replace(levels, n_steps=1)
    joint_step = price(replace(one, is_joint=True), "gram", "smoothed") - price(
        replace(levels, is_joint=True), "gram", "smoothed"
    )
    assert joint_step == 9 * 100**2 * 64
