"""A sum of forms is the sum of their scores, each over its deviation, and an inner product of rows."""

from __future__ import annotations

import numpy as np

import sparsecut as sc
from sparsecut.links.form_sums import FormSum
from sparsecut.links.forms import score_pairs, solve_form
from sparsecut.links.link_sums import Incidence, sum_links
from sparsecut.links.node_kinds import find_ends

GENERATOR = np.random.default_rng(0)


def test_the_sum_is_that_of_the_parts_and_the_product_of_rows():
    A = np.tril(GENERATOR.random((50, 50)) < 0.2, -1).astype(float)
    graph = sc.Graph(A, directed="out")  # the ends differ
    Z = GENERATOR.normal(size=(50, 5))
    incidence = Incidence.of(graph, find_ends(graph))
    forms = (
        solve_form("own", 0.75, 1e-3, sum_links(Z, incidence, 0.75)),
        solve_form("targets", 1.0, 3.0, sum_links(Z, incidence, 1.0)),
    )
    others = GENERATOR.integers(0, 50, (200, 2))
    both = FormSum.of(forms, Z, incidence, others)
    parts = [score_pairs(form, Z, incidence, others) for form in forms]
    expected = parts[0] / parts[0].std() + parts[1] / parts[1].std()
    np.testing.assert_allclose(both.score_pairs(Z, incidence, others), expected, rtol=1e-9)
    everyone = np.arange(50)
    left, right = (both.rows(Z, incidence, everyone, is_source=role) for role in (True, False))
    np.testing.assert_allclose((left @ right.T)[others[:, 0], others[:, 1]], expected, rtol=1e-9)
    assert str(both) == "own (degrees to the power 0.75, penalty 0.001) + targets (degrees to the power 1, penalty 3)"


def test_scores_that_do_not_vary_are_not_divided_by_zero():
    graph = sc.Graph(np.ones((6, 6)) - np.eye(6))
    incidence = Incidence.of(graph, find_ends(graph))
    form = solve_form("own", 0.0, 1.0, sum_links(np.zeros((6, 2)), incidence, 0.0))
    assert FormSum.of((form,), np.zeros((6, 2)), incidence, np.array([[0, 1], [2, 3]])).deviations == (1.0,)
