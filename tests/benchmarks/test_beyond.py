"""Beyond the paper: what a cell measures is what the library gives, and the rules are applied as they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import beyond
from sparsecut import SCE, Graph, MoSCE, datasets
from sparsecut.evaluation import evaluate_clusters, hold_out_edges, probe, sample_splits, score_links
from sparsecut.lab.paper import table1
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Request
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.row_methods import settings_of
from sparsecut.lab.paper.runner import describe, run_jobs
from standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)


def silent(*_: object) -> None:
    """No progress."""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A small graph in the place of all ten; its splits are drawn by the seed."""
    monkeypatch.setattr(beyond, "load_graph", lambda _: GRAPH)
    monkeypatch.setattr(beyond, "missing", lambda _: None)
    return GRAPH


def run(folder: Path, request: Request, **more: Any) -> Any:
    return run_jobs("beyond", beyond.plan(request), folder, silent, silent, **more)


def test_the_file_has_the_issues_rows_graphs_and_figures() -> None:
    assert (
        *("default", "MoSCE-default", "SCE", "MoSCE", "raw"),
        *("own", "own-and-smoothed", "structure", "roles", "smoothed", "PCA", "DGI"),
    ) == beyond.ROWS
    assert beyond.ROWS[2:] == beyond.RIVALS
    others = ("dblp", "amazon_photo", "blogcatalog", "facebook", "twitch_de", "twitch_engb", "twitch_es")
    differing = ("wiki", "actor", "chameleon_filtered", "cornell", "tolokers")
    assert ("cora", "citeseer", "pubmed", *others, *differing) == beyond.COLUMNS
    for name, about in beyond.GRAPHS.items():
        assert datasets.find_dataset(name).n_classes > 1
        SCE.paper(about["settings"])
        MoSCE.paper(about["settings"])
        assert about["settings"] == (name if name in table1.COLUMNS else "cora")
        assert ("targets" in about) == about.get("has_published_splits", False) == (name in table1.COLUMNS)


def test_targets_are_ahead_of_all_unsupervised_methods_and_of_coles() -> None:
    groups = read_experiment("table1")["published"]
    for dataset, about in beyond.GRAPHS.items():
        for count, target, coles in zip(beyond.LABEL_COUNTS, about.get("targets", []), about.get("coles", []), strict=False):
            published = [table1.published_figure(m, dataset, count)[0] for g in ("unsupervised", "ours") for m in groups[g]]
            assert target > max(*published, coles)


def test_the_default_has_no_arguments_and_the_others_have_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beyond, "missing", lambda _: None)
    cells = {
        (cell["method"], cell["dataset"]): cell["settings"]
        for job in beyond.plan(Request())
        if isinstance(job, CellJob)
        for cell in job.cells
    }

    def settings(model: Any) -> dict[str, Any]:
        return settings_of(model)

    for dataset in beyond.COLUMNS:
        assert cells["default", dataset] == settings(SCE())
        assert cells["MoSCE-default", dataset] == settings(MoSCE())
    assert cells["SCE", "pubmed"] == settings(SCE.paper("pubmed"))
    assert cells["SCE", "facebook"] == settings(SCE.paper("cora"))
    assert cells["MoSCE", "citeseer"] == settings(MoSCE.paper("citeseer"))


def test_a_cell_is_what_the_library_gives(planted: Graph, tmp_path: Path) -> None:
    results, tally = run(tmp_path, Request(["twitch_es"], ["default"], n_splits=3, seed=2))
    (cell,) = results.cells
    assert tally.n_run == 1
    Z = SCE(random_state=2).fit_transform(planted)
    for protocol in ("paper", "tuned"):
        for count in (5, 20):
            splits = sample_splits(np.asarray(planted.labels), count, 3, 2)
            expected = probe(Z, planted.labels, splits, protocol=protocol)
            scored = cell["accuracy"][protocol][str(count)]
            assert scored["mean"] == round(expected.mean, 2)
            np.testing.assert_allclose(scored["values"], expected.accuracies, atol=0.005)
    clusters = evaluate_clusters(Z, planted.labels, n_runs=5, random_state=2).figures["nmi"]
    assert cell["nmi"]["mean"] == round(float(clusters.mean()), 2)
    seed = int(np.random.SeedSequence(2).generate_state(1)[0])
    split = hold_out_edges(planted, 0.1, seed)
    auc = score_links(SCE(random_state=2).fit_transform(split.graph), split, seed)
    assert cell["links"]["auc"]["cosine"] == pytest.approx(auc["cosine"]["roc_auc"], abs=0.01)
    assert 0 < cell["seconds"] <= cell["first_seconds"]
    assert cell["columns"] == Z.shape[1]
    assert describe(cell).endswith(" s")
    assert f"{cell['accuracy']['paper']['5']['mean']:.1f} with 5 labels" in describe(cell)


def test_cells_are_kept_a_method_and_graph_at_a_time(planted: Graph, tmp_path: Path) -> None:
    _, tally = run(tmp_path, Request(["twitch_es"], ["raw"], n_splits=2))
    assert (tally.n_run, tally.n_skipped) == (1, 0)
    results, tally = run(tmp_path, Request(["twitch_es", "dblp"], ["raw", "PCA"], n_splits=2))
    assert (tally.n_run, tally.n_skipped) == (3, 1)
    assert {(cell["method"], cell["dataset"]) for cell in results.cells} == {
        (method, dataset) for method in ("raw", "PCA") for dataset in ("twitch_es", "dblp")
    }


def test_published_splits_are_taken_where_there_are_some(planted: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(beyond, "published_splits", lambda *args: asked.append(args) or [1, 2, 3])
    assert beyond.splits_of("cora", planted, 5, 2, 0) == [1, 2]
    assert asked == [("cora", 5, 160)]
    drawn = beyond.splits_of("dblp", planted, 5, 2, 0)
    assert len(asked) == 1
    np.testing.assert_array_equal(drawn[1].train, sample_splits(np.asarray(planted.labels), 5, 2, 0)[1].train)


class Slow:
    """Counts its fits and takes as long as it is told, by the clock it is given."""

    embedding_ = np.eye(2)

    def __init__(self, seconds: list[float]) -> None:
        self.times = [0.0, *np.cumsum([value for pair in zip(seconds, [0.0] * len(seconds), strict=True) for value in pair])]
        self.n_fits = 0

    def perf_counter(self) -> float:
        return float(self.times.pop(0))

    def fit(self, graph: Graph) -> Slow:
        self.n_fits += 1
        return self


@pytest.mark.parametrize(
    ("seconds", "expected"), [([2.0, 0.5, 0.7], 0.5), ([6.0, 1.0, 1.0], 6.0)], ids=["short: the best of three", "long: once"]
)
def test_short_fits_are_timed_three_times(seconds: list[float], expected: float, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Slow(seconds)
    monkeypatch.setattr(beyond, "time", model)
    _, measured = beyond._fit_timed(model, GRAPH)
    assert measured["seconds"] == pytest.approx(expected)
    assert measured["first_seconds"] == seconds[0]
    assert model.n_fits == (3 if seconds[0] < 5 else 1)


def test_a_slow_method_is_not_fitted_again_for_links() -> None:
    links = beyond._score_links(None, GRAPH, {}, fit_seconds=301.0)
    assert links == {"reason": "a fit takes 301 s, and more than 300 are not spent on another"}


def test_a_method_that_is_not_registered_says_so(planted: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beyond, "registered", lambda row: None)
    (job,) = beyond.plan(Request(["cora"], ["DGI"]))
    assert isinstance(job, Absent)
    assert job.reason == "not in this version"
