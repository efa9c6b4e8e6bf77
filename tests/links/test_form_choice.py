"""The form that is chosen ranks held-out links best."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.form_choice import try_forms
from sparsecut.links.forms import Bases
from sparsecut.links.held_out_links import hold_out_links
from sparsecut.links.link_spectrum import LinkSpectrum
from sparsecut.links.link_sums import Incidence
from sparsecut.links.node_kinds import find_ends
from sparsecut.links.ranking import figure_of_pairs


def test_vectors_that_know_the_groups_rank_held_out_links_first():
    groups = np.arange(120) % 4
    A = np.random.default_rng(2).random((120, 120)) < np.where(groups[:, None] == groups, 0.4, 0.01)
    graph = sc.Graph(np.triu(A, 1).astype(float) + np.triu(A, 1).T)
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, 0)
    tried = try_forms(held_out, np.eye(4)[groups], Incidence.of(held_out.graph, ends), 0, lambda *_: None)
    assert {(trial.basis, trial.power) for trial in tried.trials} == set(tried.sums)
    # No score can tell the pairs within a group apart, of which two fifths are links: what the groups themselves say is all.
    pairs = np.concatenate([held_out.positive, held_out.negative])
    is_link = np.arange(len(pairs)) < len(held_out.positive)
    known = (groups[pairs[:, 0]] == groups[pairs[:, 1]]).astype(float)
    of_groups = np.mean([figure_of_pairs(name, is_link, known) for name in ("roc_auc", "average_precision")])
    assert of_groups > 0.75
    assert max(trial.pairs for trial in tried.trials) > of_groups - 0.01
    noise = np.random.default_rng(3).normal(size=(120, 4))
    blind = try_forms(held_out, noise, Incidence.of(held_out.graph, ends), 0, lambda *_: None)
    own = [trial.pairs for trial in blind.trials if trial.kind == "own" and trial.power == 0]
    assert max(own) < 0.75


def test_forms_are_added_where_their_sum_ranks_better():
    generator = np.random.default_rng(5)
    R = generator.random((80, 60)) < 0.1 + 0.5 * np.outer(generator.random(80), generator.random(60))
    graph = sc.Graph(sp.block_array([[None, R.astype(float)], [R.T.astype(float), None]]).tocsr())
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, 0)
    vectors = generator.normal(size=(140, 6))
    spectrum = LinkSpectrum.of(Incidence.of(held_out.graph, ends)).vectors()
    tried = try_forms(held_out, Bases(vectors, spectrum), Incidence.of(held_out.graph, ends), 0, lambda *_: None)
    assert {trial.n_columns for trial in tried.trials} == {6, 16, 32}  # of 60 targets no more than 59 are kept
    for role, figure in (("candidates", "candidates"), ("of_targets", "candidates_of_targets")):
        ranking = tried.rankings[role]
        assert ranking.figure >= max(getattr(trial, figure) for trial in tried.trials)
        assert len({trial.name for trial in ranking.trials}) == len(ranking.trials) <= 3
        for trial in ranking.trials:  # each the best of its kind and basis
            assert getattr(trial, figure) == max(getattr(one, figure) for one in tried.trials if one.name == trial.name)
