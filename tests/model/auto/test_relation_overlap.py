"""Copies of a relation share one weight."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.auto.relation_overlap import shared_weights
from sparsecut.model.auto.relation_trial import sampled_relations
from typed_graphs import typed_graph


def test_copies_share_and_others_do_not() -> None:
    rng = np.random.default_rng(0)
    one, two = (np.unique(rng.integers(0, 60, (400, 2)), axis=0) for _ in range(2))
    graph = sc.from_tables(
        nodes={name: np.arange(60) for name in ("thing", "shop", "twin", "street")},
        edges={
            ("thing", "in", "shop"): one,
            ("thing", "at", "twin"): one,
            ("shop", "has", "thing"): one[:, ::-1],
            ("thing", "near", "street"): two,
        },
    )
    assert shared_weights(sampled_relations(graph, CONSTANTS.relation_cost)) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])


def test_relations_that_agree_are_no_copies() -> None:
    assert shared_weights(sampled_relations(typed_graph(), CONSTANTS.relation_cost)) == [1, 1]
