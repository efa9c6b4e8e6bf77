"""The usual splits: which run has which split and fit, and that a cell holds what the library measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import usual_splits
from sparsecut import SCE, Graph, datasets
from sparsecut.evaluation import make_splits, probe
from sparsecut.lab.paper.experiment_plan import CellJob, Request
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.row_methods import settings_of
from sparsecut.lab.paper.runner import run_jobs
from stamps import TODAY
from standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)


def silent(*_: object) -> None:
    """No progress."""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A small graph in the place of all; its splits are shares."""
    monkeypatch.setattr(usual_splits, "load_graph", lambda _: GRAPH)
    monkeypatch.setattr(usual_splits, "missing", lambda _: None)
    return GRAPH


def test_the_graphs_have_the_splits_they_are_run_on() -> None:
    for name, about in usual_splits.GRAPHS.items():
        dataset = datasets.find_dataset(name)
        assert set(about["splits"]) <= set(usual_splits.KINDS)
        assert ("official" in about["splits"]) <= dataset.has_splits
        assert ("public" in about["splits"]) == about.get("has_settings", False) == (name in ("cora", "citeseer", "pubmed"))
    assert usual_splits.SETTINGS["n_runs"] >= 10


@pytest.mark.parametrize(
    ("n_splits", "n_fits", "expected"),
    [
        (1, 1, [(0, 0)]),  # the public split, a method without a seed
        (1, 3, [(0, 0), (0, 1), (0, 2)]),
        (4, 1, [(0, 0), (1, 0), (2, 0), (3, 0)]),
        (4, 4, [(0, 0), (1, 1), (2, 2), (3, 3)]),
        (4, 3, [(0, 0), (1, 1), (2, 2), (3, 0)]),
    ],
)
def test_run_i_has_split_i_and_fit_i(n_splits: int, n_fits: int, expected: list[tuple[int, int]]) -> None:
    assert usual_splits.pair_runs(4, n_splits, n_fits) == expected


@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.DimensionWarning")  # 512 columns of 30 features
@pytest.mark.usefixtures("planted")
def test_a_cell_holds_what_the_library_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(usual_splits.SETTINGS["rows"], "SCE", {"elsewhere": "cora", "fits": 2})
    jobs = usual_splits.plan(Request(["dblp"], ["SCE", "raw"], n_splits=3))
    results, tally = run_jobs("usual_splits", jobs, tmp_path, silent, silent)
    assert tally.n_run == 2
    splits = make_splits("10-10-80", GRAPH.labels, n_splits=3)
    raw, trained = (results.find(method=row, dataset="dblp") for row in ("raw", "SCE"))
    assert raw is not None
    assert trained is not None
    for protocol in ("paper", "tuned"):
        expected = probe(GRAPH.features, GRAPH.labels, splits, protocol=protocol).accuracies
        assert raw["scores"][protocol]["10-10-80"]["values"] == expected.round(2).tolist()
    fits = [usual_splits.make("SCE", "dblp", seed).fit_transform(GRAPH) for seed in (0, 1)]
    expected = [probe(fits[fit], GRAPH.labels, [splits[run]]).mean for run, fit in enumerate((0, 1, 0))]
    figure = trained["scores"]["paper"]["10-10-80"]
    np.testing.assert_allclose(figure["values"], np.round(expected, 2))
    assert figure["mean"] == pytest.approx(np.mean(expected), abs=0.01)
    assert len(trained["processor_seconds"]) == 2


def test_the_default_has_no_arguments_and_the_others_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usual_splits, "missing", lambda _: None)
    jobs = usual_splits.plan(Request(["cora", "actor"]))
    settings = {
        (cell["method"], cell["dataset"]): cell["settings"] for j in jobs if isinstance(j, CellJob) for cell in j.cells
    }
    assert settings["default", "actor"] == settings_of(SCE())
    assert settings["SCE", "cora"] == settings["SCE", "actor"] == settings_of(SCE.paper("cora"))
    assert settings["DGI", "cora"] != settings["DGI", "actor"]


def test_tables_say_runs_fits_and_why_a_cell_is_empty(tmp_path: Path) -> None:
    def figure(*values: float) -> dict[str, object]:
        return {"mean": float(np.mean(values)), "std": float(np.std(values)), "values": list(values)}

    results = Results(tmp_path, "usual_splits")
    for method, n_fits, public in (("SCE", 2, figure(80.0, 82.0)), ("raw", 1, figure(60.0))):
        kinds = {"public": public, "10-10-80": figure(70.0, 72.0)}
        scores = dict.fromkeys(("paper", "tuned"), kinds)
        results.add([{"method": method, "dataset": "cora", "n_fits": n_fits, "scores": scores, "code": TODAY}])
    public, shares, official = usual_splits.tables(results)
    rows = dict(public.rows)
    assert public.columns == ["cora", "citeseer", "pubmed"]
    assert (rows["SCE"][0].ours, rows["SCE"][0].remark) == (
        "81.0 ± 1.0 / 81.0 ± 1.0",
        "2 runs, 2 fits",
    )
    assert (rows["raw"][0].ours, rows["raw"][0].remark) == ("60.0 / 60.0", "1 run, 1 fit")
    assert rows["default"][0].ours == "not run"
    behind = {protocol: {kind: figure(70.0) for kind in ("public", "10-10-80")} for protocol in ("paper", "tuned")}
    for method in ("default", "MoSCE", "DGI", "smoothed"):
        results.add([{"method": method, "dataset": "cora", "n_fits": 1, "scores": behind}])
    rows = dict(usual_splits.tables(Results(tmp_path, "usual_splits"))[0].rows)
    assert [row[0].remark.partition("; ")[2] for row in rows.values()] == ["", "best, paper and tuned", "", "", "", ""]
    assert dict(shares.rows)["raw"][0].ours == "71.0 ± 1.0 / 71.0 ± 1.0"
    assert official.columns == ["actor", "chameleon_filtered", "cornell", "tolokers"]
