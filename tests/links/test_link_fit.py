"""The fit: the best trial solved on the whole graph, by vectors that had not seen the links it was judged by."""

from __future__ import annotations

import numpy as np

import sparsecut as sc
from sparsecut.links.form_choice import try_forms
from sparsecut.links.forms import score_pairs, solve_form
from sparsecut.links.held_out_links import hold_out_links
from sparsecut.links.link_fit import fit_links
from sparsecut.links.link_spectrum import LinkSpectrum
from sparsecut.links.link_sums import Incidence, sum_links
from sparsecut.links.node_kinds import find_ends

GRAPH = sc.datasets.load("digits")


def test_what_ranks_best_is_solved_from_the_sums_of_the_whole_graph():
    Z = sc.SCE(dimension=8).fit_transform(GRAPH)
    fitted = fit_links(Z, GRAPH, 0, False, lambda *_: None)
    held_out = hold_out_links(GRAPH, find_ends(GRAPH), 0)
    rest = Incidence.of(held_out.graph, find_ends(GRAPH))
    ranking = try_forms(held_out, Z, rest, 0, lambda *_: None).rankings["candidates"]
    incidence = Incidence.of(GRAPH, find_ends(GRAPH))
    found = fitted.forms["candidates"]
    for best, form, deviation in zip(ranking.trials, found.forms, found.deviations, strict=True):
        expected = solve_form(best.kind, best.power, best.penalty, sum_links(Z, incidence, best.power))
        assert (form.kind, form.power, form.penalty) == (best.kind, best.power, best.penalty)
        for name, matrix in expected.matrices.items():
            np.testing.assert_allclose(form.matrices[name], matrix, rtol=1e-9)
        assert deviation == np.std(score_pairs(expected, Z, incidence, held_out.others))


def test_the_spectrum_is_that_of_the_whole_graph_with_the_columns_that_forms_take():
    noise = np.random.default_rng(0).normal(size=(GRAPH.n_nodes, 4))  # which says nothing: forms go by the spectrum
    fitted = fit_links(noise, GRAPH, 0, True, lambda *_: None)
    forms = [*fitted.pair_score.forms.values(), *fitted.forms["candidates"].forms]
    n_columns = max(form.n_columns for form in forms if form.basis == "spectrum")
    assert fitted.forms["candidates"].forms[0].basis == "spectrum"
    expected = LinkSpectrum.of(Incidence.of(GRAPH, find_ends(GRAPH)), n_columns)
    np.testing.assert_array_equal(fitted.spectrum.sources, expected.sources)
    assert fit_links(noise, GRAPH, 0, False, lambda *_: None).spectrum is None


def test_a_model_may_make_other_columns_of_the_whole_graph_than_of_the_rest():
    class Grows:
        """One column more of the whole graph."""

        def __init__(self, step: int) -> None:
            self.step = step

        def fit_transform(self, graph):
            n_columns = 6 + self.step * (graph.n_edges == GRAPH.n_edges)
            return np.random.default_rng(0).normal(size=(graph.n_nodes, n_columns))

        def get_params(self, deep=False):
            return {"step": self.step}

    for step in (1, -1):
        fitted = fit_links(Grows(step), GRAPH, 0, False, lambda *_: None)
        assert fitted.forms["candidates"].forms[0].n_columns == 6 + step == fitted.vectors.shape[1]


def test_of_several_sources_the_one_that_ranks_held_out_links_best_is_taken():
    noise = np.random.default_rng(0).normal(size=(GRAPH.n_nodes, 8))
    good = sc.SCE(dimension=8).fit_transform(GRAPH)
    assert fit_links([noise, good], GRAPH, 0, False, lambda *_: None).source is good
    assert fit_links([good, noise], GRAPH, 0, False, lambda *_: None).source is good


def test_an_estimator_is_tried_on_the_rest_of_the_graph_and_the_model_stays_as_it_was():
    seen: list[sc.Graph] = []

    class Spy(sc.SCE):
        def fit(self, graph, y=None, **keywords):
            seen.append(graph)
            return super().fit(graph, y, **keywords)

    model = Spy(dimension=8).fit(GRAPH)
    before = model.embedding_.copy()
    fitted = fit_links(model, GRAPH, 3, True, lambda *_: None)
    assert seen[1].n_edges == hold_out_links(GRAPH, find_ends(GRAPH), 3).graph.n_edges < GRAPH.n_edges
    assert len(seen) == 2  # its own vectors of the whole graph are there already
    assert fitted.vectors is model.embedding_
    np.testing.assert_array_equal(model.embedding_, before)
