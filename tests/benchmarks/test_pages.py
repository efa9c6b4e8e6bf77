"""Figures of the pages measured anew: a cell that today's code gives is confirmed, one that it does not give is found."""

from __future__ import annotations

import argparse
import copy
import dataclasses
from pathlib import Path
from typing import Any

import pytest

import links
import pages
import partition
import render
import usual_splits
from conftest import data_file
from sparsecut import Graph, sparsest_cut
from sparsecut.evaluation import hold_out_edges
from sparsecut.lab.paper.code_stamp import is_todays
from sparsecut.lab.paper.experiment_plan import Request
from sparsecut.lab.paper.results import Results
from standins import stand_in

SAMPLED = 2.0  # times what is allowed where a cell is confirmed: two splits tell less than five
CLOSE = 0.01  # of a cut or an area: what rounding on another machine may move
GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pages.Source:
    """Two measured cells: raw features, where nothing is random, and SCE as published, which is trained."""
    monkeypatch.setattr(usual_splits, "load_graph", lambda _: GRAPH)
    monkeypatch.setattr(usual_splits, "missing", lambda _: None)
    source = pages.Source("usual_splits", Results(tmp_path, "usual_splits"), usual_splits.plan)
    source.run(Request(["dblp"], ["raw", "SCE"], n_splits=3))
    return pages.Source("usual_splits", Results(tmp_path, "usual_splits"), usual_splits.plan)


def make_older(source: pages.Source, *, by: float) -> None:
    """The cells as an earlier version left them: another stamp, accuracies off by some points."""
    cells = copy.deepcopy(source.results.cells)
    for cell in cells:
        cell["code"]["hash"] = "0" * 16
        for _, values in pages.scores_of(cell):
            values[:] = [value + by for value in values]
    source.results.add(cells)


@pytest.mark.parametrize(("by", "is_confirmed"), [(0.0, True), (0.2, False)])
def test_what_is_not_random_is_confirmed_to_the_digit(source: pages.Source, by: float, is_confirmed: bool) -> None:
    make_older(source, by=by)
    assert pages.places(source, Request(), None) == [("SCE", "dblp"), ("raw", "dblp")]
    assert (pages.confirm(source, "raw", "dblp", 2) <= 1) == is_confirmed
    again = Results(source.results.path.parent, "usual_splits")
    assert [is_todays(cell) for cell in again.cells] == [False, is_confirmed]
    if is_confirmed:
        assert again.cells[1]["code"]["hash"] == "0" * 16  # what measured it is kept beside
        assert again.cells[1]["code"]["confirmed"]["splits"] == 2


def test_what_is_trained_may_be_off_by_its_standard_error() -> None:
    values = [70.0, 72.0, 74.0, 76.0]  # deviation 2.24, over two splits 1.58
    assert pages._share([71.5, 73.5], values, is_exact=False) < 1 < pages._share([72.0, 74.0], values, is_exact=False)
    assert pages._share([70.1, 71.9], values, is_exact=True) < 1 < pages._share([70.2, 71.8], values, is_exact=True)


def test_a_cell_run_again_is_todays(source: pages.Source) -> None:
    make_older(source, by=5.0)
    source.run(Request(["dblp"], ["raw"], n_splits=3))
    again = Results(source.results.path.parent, "usual_splits")
    assert [is_todays(cell) for cell in again.cells] == [False, True]


@pytest.mark.parametrize(("by", "outcome"), [(0.0, ": confirmed"), (5.0, ": DIFFERS")])
def test_what_a_sample_does_not_confirm_is_run_again(source: pages.Source, by: float, outcome: str) -> None:
    make_older(source, by=by)
    asked = argparse.Namespace(confirm=True, run=True, splits=3)
    said = pages.renew(source, "raw", "dblp", asked)
    assert said.startswith(outcome)
    assert said.endswith("run again") == (by > 0)
    (cell,) = Results(source.results.path.parent, "usual_splits").find_all(method="raw", dataset="dblp")
    assert is_todays(cell)
    assert ("confirmed" in cell["code"]) == (by == 0)


def test_times_are_not_confirmed_by_a_sample(source: pages.Source) -> None:
    make_older(source, by=0.0)
    timed = dataclasses.replace(source, is_timed=True)
    assert "measured again only" in pages.renew(timed, "raw", "dblp", argparse.Namespace(confirm=True, run=True, splits=2))
    assert not any(map(is_todays, source.results.cells))


@pytest.mark.parametrize("name", ["table1", "loss", "inductive", "beyond", "usual_splits", "leave_out"])
def test_a_sample_of_every_page_measured_anew(name: str, cora: Graph) -> None:
    """Quick cells, whichever today's code draws, on two splits each: what the pages say is what the code gives."""
    source = next(one for one in pages.sources() if one.name == name)
    sampled = pages.sample(source, n_cells=2, n_splits=2, longest=2.0)
    assert sampled
    differing = [(method, dataset, share) for method, dataset, share in sampled if share > SAMPLED]
    assert not differing, "run: make pages"


@pytest.mark.slow
def test_a_cut_of_its_page_measured_anew() -> None:
    data_file("partition/airfoil1.graph")
    recorded = todays("partition")["points"]["airfoil1, sparsest_cut"]
    for point in recorded[:1]:  # by the ratio
        found = sparsest_cut(partition.load("airfoil1"), objective=point["asked"])
        assert found.value == pytest.approx(point["value"], rel=CLOSE), "run: python benchmarks/partition.py"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cosine", "Adamic–Adar"])
def test_links_of_their_page_measured_anew(method: str) -> None:
    data_file("heterophilous/cornell.npz")
    recorded = todays("links")["points"][f"held_out|cornell|{method}"]
    split = hold_out_edges(links.load("cornell"), 0.1, links.HOLD_OUT_SEED["held_out"])
    for name, value in links.METHODS[method](split).items():
        assert recorded[name] == pytest.approx(value, rel=CLOSE), "run: python benchmarks/links.py"


def todays(name: str) -> dict[str, Any]:
    """A result whose page shows it as of today's code; another says so there, and has nothing to hold."""
    result = render.read_result(name)
    assert result is not None
    if not is_todays(result):
        pytest.skip(f"{name} was measured with an earlier version of the code, as its page says")
    return result
