"""Held-out links are out of the graph, other pairs are none, and the form that is chosen is the best on them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.form_choice import hold_out_links, try_forms
from sparsecut.links.node_kinds import find_ends


def arcs() -> sc.Graph:
    A = np.tril(np.random.default_rng(0).random((60, 60)) < 0.2, -1)
    A[:5, 50:] = True  # some point the other way
    return sc.Graph(A.astype(float), directed="out")


def test_links_are_out_of_the_graph_and_other_pairs_are_none():
    for graph in (sc.datasets.load("digits"), arcs()):
        ends = find_ends(graph)
        held_out = hold_out_links(graph, ends, 0)
        whole, rest = graph.adjacency.toarray(), held_out.graph.adjacency.toarray()
        i, j = held_out.positive.T
        assert (whole[i, j] > 0).all()
        assert not rest[i, j].any()
        for pairs in (held_out.others, held_out.turned):
            i, j = pairs.T
            assert not whole[i, j].any()
            assert (i != j).all()
        assert len(held_out.negative) <= len(held_out.positive)
        turned = {tuple(pair) for pair in held_out.turned[:, ::-1].tolist()}
        assert turned <= {tuple(pair) for pair in held_out.positive.tolist()}
        assert bool(turned) == graph.is_directed


def test_pairs_of_two_sides_are_between_them():
    R = sp.csr_array((np.random.default_rng(0).random((40, 30)) < 0.3).astype(float))
    graph = sc.Graph(sp.block_array([[None, R], [R.T, None]]).tocsr())
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, 0)
    for pairs in (held_out.positive, held_out.others):
        assert ends.are_possible(pairs).all()


def test_vectors_that_know_the_groups_rank_held_out_links_first():
    groups = np.arange(120) % 4
    A = np.random.default_rng(2).random((120, 120)) < np.where(groups[:, None] == groups, 0.4, 0.01)
    graph = sc.Graph(np.triu(A, 1).astype(float) + np.triu(A, 1).T)
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, 0)
    tried = try_forms(held_out, np.eye(4)[groups], ends, 0, lambda *_: None)
    assert {trial.power for trial in tried.trials} == set(tried.sums)
    # No score can tell the pairs within a group apart, of which two fifths are links.
    assert max(trial.pairs for trial in tried.trials) > 0.85
    noise = np.random.default_rng(3).normal(size=(120, 4))
    blind = try_forms(held_out, noise, ends, 0, lambda *_: None)
    own = [trial.pairs for trial in blind.trials if trial.kind == "own" and trial.power == 0]
    assert max(own) < 0.75


def test_a_graph_without_other_pairs_is_refused():
    complete = sc.Graph(np.ones((8, 8)) - np.eye(8))
    with pytest.raises(sc.InputError, match="every pair of nodes that could be linked is"):
        hold_out_links(complete, find_ends(complete), 0)


def test_two_forms_are_added_where_their_sum_ranks_better():
    generator = np.random.default_rng(5)
    R = generator.random((80, 60)) < 0.1 + 0.5 * np.outer(generator.random(80), generator.random(60))
    graph = sc.Graph(sp.block_array([[None, R.astype(float)], [R.T.astype(float), None]]).tocsr())
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, 0)
    vectors = generator.normal(size=(140, 6))
    tried = try_forms(held_out, vectors, ends, 0, lambda *_: None)
    for role, figure in (("candidates", "candidates"), ("of_targets", "candidates_of_targets")):
        ranking = tried.rankings[role]
        assert ranking.figure >= max(getattr(trial, figure) for trial in tried.trials)
        assert len({trial.kind for trial in ranking.trials}) == len(ranking.trials) <= 2
        for trial in ranking.trials:  # each the best of its kind
            assert getattr(trial, figure) == max(
                getattr(one, figure) for one in tried.trials if one.kind == trial.kind or len(ranking.trials) == 1
            )
