"""The score of pairs: features by hand, weights against scikit-learn, a single form where adding up does not help."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.links.form_choice import best_of_each_kind, solve_trial, try_forms
from sparsecut.links.forms import score_pairs
from sparsecut.links.held_out_links import hold_out_links
from sparsecut.links.link_sums import Incidence
from sparsecut.links.node_kinds import find_ends
from sparsecut.links.pair_score import fit_pair_score, shared_neighbours


def test_shared_neighbours_by_hand():
    # 0 and 1 share 2 (degree 3) and 3 (degree 2); 2 is linked to 4 too.
    A = np.zeros((5, 5))
    for i, j in [(0, 2), (1, 2), (0, 3), (1, 3), (2, 4)]:
        A[i, j] = A[j, i] = 1
    graph = sc.Graph(A)
    incidence = Incidence.of(graph, find_ends(graph))
    found = shared_neighbours(incidence, np.array([[0, 1], [0, 4], [3, 4]]))
    np.testing.assert_allclose(found, np.log1p([1 / np.log(3) + 1 / np.log(2), 1 / np.log(3), 0]))
    arcs = sc.Graph(np.triu(A), directed="out")
    directed = shared_neighbours(Incidence.of(arcs, find_ends(arcs)), np.array([[0, 1]]))
    np.testing.assert_allclose(directed, found[:1])


def fitted(Z, graph):
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, 0)
    tried = try_forms(held_out, Z, Incidence.of(held_out.graph, ends), 0, lambda *_: None)
    kinds = best_of_each_kind(tried.trials)
    forms = {name: solve_trial(one, tried.sums) for name, one in kinds.items()}
    best = max(kinds, key=lambda name: kinds[name].pairs)
    incidence = Incidence.of(held_out.graph, ends)
    return fit_pair_score(forms, best, Z, incidence, held_out), forms[best], incidence, held_out


def test_weights_are_those_of_a_logistic_regression_on_the_features():
    from sklearn.linear_model import LogisticRegression

    graph = sc.datasets.load("digits")
    Z = sc.SCE(dimension=8).fit_transform(graph)
    score, _, incidence, held_out = fitted(Z, graph)
    if not score.with_extras:
        pytest.fail("shared neighbours help among digits")
    pairs = np.concatenate([held_out.positive, held_out.others])
    is_link = np.arange(len(pairs)) < len(held_out.positive)
    X = score.features(Z, incidence, pairs)
    S = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(C=1.0, max_iter=1000).fit(S, is_link)
    np.testing.assert_allclose(score(Z, incidence, pairs), S @ model.coef_[0], rtol=1e-6, atol=1e-8)
    degrees = np.log(incidence.out_degrees + incidence.mean_weight)
    np.testing.assert_allclose(X[:, -1], degrees[pairs].sum(axis=1))  # of both ends
    # The forms' columns are their scores on a logarithmic scale.
    first = next(iter(score.forms.values()))
    np.testing.assert_allclose(X[:, 0], np.arcsinh(score_pairs(first, Z, incidence, pairs) / score.scales[0]))


def test_the_way_of_arcs_is_learned_where_few_go_one_way_alone():
    """A third of the links goes both ways, in three groups; the others from nodes that are young to nodes that are old."""
    generator = np.random.default_rng(4)
    groups = np.arange(150) % 3
    both = np.triu(generator.random((150, 150)) < np.where(groups[:, None] == groups, 0.15, 0.01), 1)
    one_way = np.tril(generator.random((150, 150)) < np.where(groups[:, None] == groups, 0.3, 0.02), -1)
    A = (both | both.T | one_way).astype(float)
    graph = sc.Graph(A, directed="out")
    Z = np.eye(3)[groups]  # which way a link goes is in the degrees alone
    score, _, incidence, held_out = fitted(Z, graph)
    assert 0 < len(held_out.turned) < len(held_out.positive)
    assert score.with_extras
    is_right = score(Z, incidence, held_out.turned[:, ::-1]) > score(Z, incidence, held_out.turned)
    assert is_right.mean() > 0.8
    # As the module says it: the log-odds of a link, and a share of that of its direction.
    pairs = held_out.others[:50]
    one, two = (score.features(Z, incidence, each) for each in (pairs, pairs[:, ::-1]))
    odds = (one - score.centre) @ score.weights + score.intercept
    ahead = (one - two) @ score.direction
    expected = -np.log1p(np.exp(-odds)) - score.share * np.log1p(np.exp(-ahead))
    np.testing.assert_allclose(score(Z, incidence, pairs), expected, rtol=1e-9)


def test_few_links_leave_the_best_form_alone():
    ring = sc.Graph(np.roll(np.eye(40), 1, axis=1) + np.roll(np.eye(40), -1, axis=1))
    angles = 2 * np.pi * np.arange(40) / 40
    Z = np.column_stack([np.cos(angles), np.sin(angles)])
    score, best, incidence, held_out = fitted(Z, ring)
    assert not score.with_extras
    pairs = np.concatenate([held_out.positive, held_out.negative])
    expected = score_pairs(best, Z, incidence, pairs)
    np.testing.assert_array_equal(np.argsort(score(Z, incidence, pairs)), np.argsort(expected))


def test_on_the_whole_graph_scores_keep_their_scale():
    graph = sc.datasets.load("digits")
    Z = sc.SCE(dimension=8).fit_transform(graph)
    score, _, rest, held_out = fitted(Z, graph)
    incidence = Incidence.of(graph, find_ends(graph))
    mean = score.features(Z, rest, held_out.others).mean(axis=0)
    again = score.solved_again(score.forms, Z, incidence, held_out.others, mean)
    before, after = score(Z, rest, held_out.others), again(Z, incidence, held_out.others)
    assert after.mean() == pytest.approx(before.mean())  # pairs without a link are not likelier for more links elsewhere
    for form, scale in zip(again.forms.values(), again.scales, strict=True):
        sizes = np.abs(score_pairs(form, Z, incidence, held_out.others))
        assert scale == pytest.approx(np.median(sizes))
