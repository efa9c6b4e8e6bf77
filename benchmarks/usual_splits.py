"""The splits that most papers report: Planetoid's public one, 10 % / 10 % / 80 % at random, and a graph's official masks.

    python benchmarks/usual_splits.py [--dataset cora]… [--method default]… [--splits 10] [--force]

A cell is a method on a graph, with all the kinds of splits that the graph has in `usual_splits.toml`. Run i has split i and
the fit with seed i; where there are fewer splits or fits than runs, they are taken again from the first. So the deviation of
a method with a seed is over splits and fits, on the one public split over fits alone; there a method without a seed has one
run.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cells import run_benchmark
from sparsecut.base.progress import Reporter
from sparsecut.evaluation import make_splits, probe
from sparsecut.graph import Graph
from sparsecut.lab.paper.code_stamp import mark_earlier
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.row_methods import (
    NOT_REGISTERED,
    code_of,
    fit,
    load_graph,
    make_model,
    missing,
    registered,
    settings_of,
)
from sparsecut.lab.paper.shown import ALONE, ResultsTable, Shown
from sparsecut.model.published import read_toml

NAME = "usual_splits"
SETTINGS = read_toml(Path(__file__).with_suffix(".toml"))
GRAPHS: dict[str, dict[str, Any]] = SETTINGS["graphs"]
COLUMNS = tuple(GRAPHS)
ROWS = tuple(SETTINGS["rows"])
PROBES = tuple(SETTINGS["probes"])
KINDS = {
    "public": (
        "The public split",
        "Planetoid's own split of its three graphs: 20 nodes per class to train on, 500 to validate on, 1,000 to test on.",
    ),
    "10-10-80": (
        "10 % / 10 % / 80 %",
        "A tenth of the nodes to train on, a tenth to validate on, the rest to test on, drawn whatever their class. "
        "The paper's probe has C = 1 whatever the scale of an embedding. Where classes differ in size, as they do here, it "
        "gives an embedding of short rows to the largest class, as it does DGI's of Cora, whose rows ten times as long "
        "score as they do with the tuned probe: such a figure speaks of the scale, not of the method. Compare by the "
        "tuned probe.",
    ),
    "official": (
        "The official splits",
        "The ten splits that come with the heterophilous graphs. Tolokers, 78 percent of which is one class, is scored by "
        "the area under the ROC curve elsewhere; here, as everywhere, by accuracy.",
    ),
}


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        for row in request.rows(ROWS):
            cell: Cell = {"method": row, "dataset": dataset}
            about = SETTINGS["rows"][row]
            reason = NOT_REGISTERED if registered(about.get("method", row)) is None else missing(dataset)
            if reason is not None:
                jobs.append(Absent(cell, reason))
                continue
            n_runs = min(request.n_splits or SETTINGS["n_runs"], SETTINGS["n_runs"])
            cell |= {"n_runs": n_runs, "n_fits": min(about.get("fits", 1), n_runs), "seed": request.seed}
            model = make(row, dataset, request.seed)
            cell |= {"splits": GRAPHS[dataset]["splits"], "settings": settings_of(model)}
            jobs.append(CellJob([cell], partial(_run, cell), code_of(dataset, model, probe)))
    return jobs


def make(row: str, dataset: str, seed: int) -> Any:
    """The estimator of a row for a graph."""
    about = SETTINGS["rows"][row]
    if about.get("arguments") == "none":
        method = registered(about["method"])
        assert method is not None
        return method.make({}, offered={"random_state": seed})
    return make_model(row, dataset if GRAPHS[dataset].get("has_settings") else about.get("elsewhere", "cora"), seed)


def pair_runs(n_runs: int, n_splits: int, n_fits: int) -> list[tuple[int, int]]:
    """(split, fit) of every run: no more runs than there are different pairs of the rule."""
    return [(run % n_splits, run % n_fits) for run in range(min(n_runs, max(n_splits, n_fits)))]


def _run(cell: Cell, report: Reporter) -> list[Cell]:
    graph = load_graph(cell["dataset"])
    stage, n_steps = f"{cell['method']}, {cell['dataset']}", cell["n_fits"] * (1 + len(PROBES))
    splits = {
        kind: make_splits(kind, graph.labels, dataset=cell["dataset"], n_splits=cell["n_runs"], random_state=cell["seed"])
        for kind in cell["splits"]
    }
    pairs = {kind: pair_runs(cell["n_runs"], len(made), cell["n_fits"]) for kind, made in splits.items()}
    scores: dict[str, dict[str, list[float]]] = {p: {kind: [0.0] * len(pairs[kind]) for kind in splits} for p in PROBES}
    seconds = []
    for number in range(cell["n_fits"]):
        model = make(cell["method"], cell["dataset"], cell["seed"] + number)
        started = time.process_time()
        Z = fit(model, graph, _silent).embedding_
        seconds.append(round(time.process_time() - started, 3))
        report(stage, number * (1 + len(PROBES)) + 1, n_steps)
        for step, protocol in enumerate(PROBES, start=2):
            for kind, made in splits.items():
                runs = [run for run, (_, of_fit) in enumerate(pairs[kind]) if of_fit == number]
                chosen = [made[pairs[kind][run][0]] for run in runs]
                for run, score in zip(runs, _accuracies(Z, graph, chosen, protocol), strict=True):
                    scores[protocol][kind][run] = score
            report(stage, number * (1 + len(PROBES)) + step, n_steps)
    figures = {protocol: {kind: _figure(values) for kind, values in by_kind.items()} for protocol, by_kind in scores.items()}
    return [{"scores": figures, "processor_seconds": seconds, "columns": int(np.shape(Z)[1])}]


def _accuracies(Z: Any, graph: Graph, splits: list[Any], protocol: str) -> list[float]:
    assert graph.labels is not None
    return probe(Z, graph.labels, splits, protocol=protocol, progress=_silent).accuracies.tolist() if splits else []


def _figure(values: list[float]) -> Cell:
    return {
        "mean": round(float(np.mean(values)), 2),
        "std": round(float(np.std(values)), 2),
        "values": [round(value, 2) for value in values],
    }


def _silent(*_: object) -> None:
    """One bar per cell is enough."""


def tables(results: Results) -> list[ResultsTable]:
    """A table for each kind of splits: graphs by methods, both probes."""
    return [_table(results, kind) for kind in KINDS]


def _table(results: Results, kind: str) -> ResultsTable:
    title, about = KINDS[kind]
    graphs = [name for name, graph in GRAPHS.items() if kind in graph["splits"]]
    found = {(row, name): results.find(method=row, dataset=name) for row in ROWS for name in graphs}
    best: dict[tuple[str, str], float] = {}
    for protocol in PROBES:
        for (_, name), cell in found.items():
            mean = cell["scores"][protocol][kind]["mean"] if cell else 0.0
            best[protocol, name] = max(mean, best.get((protocol, name), 0.0))

    def shown(row: str, name: str) -> Shown:
        cell = found[row, name]
        if cell is None:
            return Shown(results.why_absent(method=row, dataset=name))
        figures = [cell["scores"][protocol][kind] for protocol in PROBES]
        n_runs = len(figures[0]["values"])
        words = [f"{f['mean']:.1f} ± {f['std']:.1f}" if n_runs > 1 else f"{f['mean']:.1f}" for f in figures]
        is_whole = all(found[other, name] for other in ROWS)  # nothing is best of some
        is_best = [is_whole and f["mean"] >= best[protocol, name] for f, protocol in zip(figures, PROBES, strict=True)]
        at_best = " and ".join(protocol for protocol, yes in zip(PROBES, is_best, strict=True) if yes)
        runs = f"{n_runs} run{'s' * (n_runs > 1)}, {cell['n_fits']} fit{'s' * (cell['n_fits'] > 1)}"
        return Shown(mark_earlier(" / ".join(words), cell), "", ALONE, f"{runs}{f'; best, {at_best}' if at_best else ''}")

    return ResultsTable(
        title,
        f"{about} Accuracy in percent, probe: {' / '.join(PROBES)}, mean and deviation over the runs, each with a "
        "split and a fit of its own while there are as many. SCE, MoSCE and DGI have the paper's settings for the graph, "
        "where it has some, else SCE and MoSCE those for Cora, DGI those for Flickr. Measured by "
        "`python benchmarks/usual_splits.py`.",
        graphs,
        [(row, [shown(row, name) for name in graphs]) for row in ROWS],
        [],
    )


if __name__ == "__main__":
    run_benchmark(NAME, plan, columns=COLUMNS, rows=ROWS)
