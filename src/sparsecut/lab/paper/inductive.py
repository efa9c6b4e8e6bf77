"""Inductive learning: train on the graph of some nodes, then embed nodes that came after, and classify those.

The graphs are Reddit and Flickr with the roles their authors gave the nodes, and others cut by fractions, or
embedded whole after training on another (`inductive.toml`); `unseen.py` keeps the test nodes from the training.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from sparsecut import datasets
from sparsecut.base.progress import Reporter
from sparsecut.evaluation import fraction_splits
from sparsecut.lab.paper.code_stamp import mark_earlier
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.row_methods import (
    NOT_REGISTERED,
    code_of,
    load_graph,
    make_model,
    missing,
    registered,
    settings_of,
    takes,
)
from sparsecut.lab.paper.shown import ALONE, ResultsTable, Shown, mean_and_deviation, runs_in_words, tally_verdicts, verdict
from sparsecut.lab.paper.table1 import summary
from sparsecut.lab.paper.unseen import Unseen, cut_graph, embed_unseen, mean_seconds, score_unseen

_EXPERIMENT = read_experiment("inductive")
GRAPHS: dict[str, dict[str, Any]] = _EXPERIMENT["graphs"]
COLUMNS = tuple(GRAPHS)
ROWS = (*_EXPERIMENT["published"], *(row for row in _EXPERIMENT["methods"] if row not in _EXPERIMENT["published"]))
UNTRAINED = tuple(_EXPERIMENT["methods"])


def published_figure(method: str, dataset: str, kind: str) -> float | None:
    """The paper's micro-F1 or seconds, where it has one."""
    places = {("reddit", "f1"): 0, ("reddit", "seconds"): 1, ("flickr", "f1"): 2, ("flickr", "seconds"): 3}
    row = _EXPERIMENT["published"].get(method)
    if row is None or (dataset, kind) not in places or np.isnan(row[places[dataset, kind]]):
        return None
    return float(row[places[dataset, kind]])


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for column in request.columns(COLUMNS):
        for row in request.rows(ROWS):
            cell: Cell = {"method": row, "dataset": column}
            reason = _why_absent(row, column)
            if reason is not None:
                jobs.append(Absent(cell, reason))
                continue
            make = partial(make_model, row, GRAPHS[column]["settings"])
            model = make(request.seed)
            is_random = takes(type(model), "random_state")
            n_runs = (request.n_splits or _EXPERIMENT["n_runs"]) if is_random else 1
            cell |= {"seed": request.seed, "settings": settings_of(model), "n_runs": n_runs, "probe": "paper"}
            meets = GRAPHS[column].get("meet", column)
            jobs.append(CellJob([cell], partial(_score, make, cell), code_of(meets, model, score_unseen)))
    return jobs


def tables(results: Results) -> list[ResultsTable]:
    """Micro-F1, and the seconds of training."""
    return [_f1_shown(results), _seconds_shown(results)]


@lru_cache(maxsize=1)
def unseen_task(column: str, seed: int) -> Unseen:
    """A column's graph, cut by its own roles, by fractions drawn with the seed, or at the border to another graph."""
    about = GRAPHS[column]
    if "train_on" in about:
        met = load_graph(about["meet"])
        return Unseen(datasets.load(about["train_on"]), met, np.arange(met.n_nodes))
    graph = load_graph(column)
    if "fractions" in about:
        assert graph.labels is not None
        train, validation = about["fractions"]
        (split,) = fraction_splits(graph.labels, train, validation, n_splits=1, random_state=seed)
        return cut_graph(graph, split.train, split.test)
    roles = datasets.load_roles(column)
    return cut_graph(graph, roles.train, roles.test)


def _why_absent(row: str, column: str) -> str | None:
    method = registered(row)
    if method is None:
        return NOT_REGISTERED
    if not hasattr(method.estimator_class(), "transform"):
        return "cannot embed nodes it has not seen"
    about = GRAPHS[column]
    if "train_on" in about and getattr(method.estimator_class(), "needs_known_nodes", False):
        return "embeds new nodes by walks to known ones, and the two graphs share none"
    names = [about["train_on"], about["meet"]] if "train_on" in about else [column]
    reasons = [missing(name, is_fetched="fractions" in about or "train_on" in about) for name in names]
    return next((reason for reason in reasons if reason is not None), None)


def _score(make: Callable[[int], Any], cell: Cell, report: Reporter) -> list[Cell]:
    task = unseen_task(cell["dataset"], cell["seed"])
    scores, times = [], []
    for run in range(cell["n_runs"]):
        Z_seen, Z_test, seconds = embed_unseen(make(cell["seed"] + run), task, _silent)
        scores.append(score_unseen(task, Z_seen, Z_test, _silent))
        times.append(seconds)
        report(f"{cell['method']} on {cell['dataset']}, runs", run + 1, cell["n_runs"])
    return [{**summary(scores), **mean_seconds(times), **task.sizes(), "columns": Z_test.shape[1]}]


def _f1_shown(results: Results) -> ResultsTable:
    rows = []
    for method in ROWS:
        row = []
        for dataset in COLUMNS:
            cell = results.find(method=method, dataset=dataset)
            paper = published_figure(method, dataset, "f1")
            published = "" if paper is None else f"{paper:.1f}"
            if cell is None:
                row.append(Shown(results.why_absent(method=method, dataset=dataset), published))
                continue
            judged = ALONE if paper is None else verdict(cell["mean"], paper, cell["std"])
            row.append(
                Shown(
                    mark_earlier(mean_and_deviation(cell), cell),
                    published,
                    judged,
                    f"{runs_in_words(cell['n_runs'])}, {_width(cell):,} columns",
                )
            )
        rows.append((method, row))
    return ResultsTable(
        "Inductive learning: micro-F1",
        "Trained on the training nodes' graph alone, micro-F1 in percent on test nodes embedded afterwards; mean ± standard "
        f"deviation over seeds of the method. {_roles()} With an arrow: trained on one graph, tested on all of another. "
        "Only Reddit and Flickr are the paper's; the others have no figure of its and run with its settings for Flickr.",
        list(COLUMNS),
        rows,
        [tally_verdicts(rows), *_beaten(results)],
    )


def _seconds_shown(results: Results) -> ResultsTable:
    trained = [method for method in ROWS if method not in UNTRAINED]
    return ResultsTable(
        "Inductive learning: training seconds",
        "Seconds of a fit on the training nodes' graph, and of embedding the whole graph afterwards (transform). The "
        "paper's are of a CPU with 48 cores.",
        list(COLUMNS),
        [(method, [_seconds_cell(results, method, dataset) for dataset in COLUMNS]) for method in trained],
        [],
    )


def _seconds_cell(results: Results, method: str, dataset: str) -> Shown:
    cell = results.find(method=method, dataset=dataset)
    paper = published_figure(method, dataset, "seconds")
    published = "" if paper is None else f"{paper:g} s"
    if cell is None:
        return Shown(results.why_absent(method=method, dataset=dataset), published)
    judged = ALONE if paper is None else verdict(cell["seconds"], paper, cell["seconds_std"], is_less_better=True)
    return Shown(mark_earlier(f"{cell['seconds']:.2f} s", cell), published, judged, training_in_words(cell))


def training_in_words(cell: Cell) -> str:
    """The graph a method was trained on, and what it took to embed the whole one."""
    return f"{cell['seen_nodes']:,} nodes, {cell['seen_edges']:,} edges; transform {cell['transform_seconds']:.2f} s"


def _width(cell: Cell) -> int:
    """The columns of an embedding: as measured, as requested, or as many as the graph has features."""
    if "columns" in cell:
        return int(cell["columns"])
    graph = GRAPHS[cell["dataset"]].get("meet", cell["dataset"])
    return int(cell["settings"].get("dimension") or datasets.find_dataset(str(graph)).n_features)


def _roles() -> str:
    """How the nodes of a graph without roles of its own were cut."""
    drawn = {name: about["fractions"] for name, about in GRAPHS.items() if "fractions" in about}
    return " ".join(
        f"{name}: {train:.0%} of each class's nodes for training, {validation:.0%} for validation (not used), the rest for "
        "testing, drawn once by the seed."
        for name, (train, validation) in drawn.items()
    )


def _beaten(results: Results) -> list[str]:
    """Where a method that learns nothing scores higher than SCE."""
    lost = []
    for dataset in COLUMNS:
        sce = results.find(method="SCE", dataset=dataset)
        for method in UNTRAINED:
            other = results.find(method=method, dataset=dataset)
            if sce is not None and other is not None and other["mean"] > sce["mean"]:
                lost.append(f"{method} on {dataset} (by {other['mean'] - sce['mean']:.1f} points)")
    return [f"SCE scores less than what learns nothing: {', '.join(lost)}."] if lost else []


def _silent(*_: object) -> None:
    """One bar for the runs is enough."""
