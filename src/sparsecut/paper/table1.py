"""Table 1 of the paper: accuracy on the 50 published splits, 5 and 20 labels per class, every method of the table.

A method is run as it is registered. One that embeds is fitted once and probed on every split; one that predicts labels
itself is fitted anew for every split, `fit_predict(graph, split)`, and its seconds are the mean of these fits.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from sparsecut.evaluation import Split, probe, published_splits
from sparsecut.graph import Graph
from sparsecut.model.published import read_experiment
from sparsecut.paper.plan import Absent, Job, Plan, Request
from sparsecut.paper.results import Cell, Results
from sparsecut.paper.row_methods import (
    NOT_REGISTERED,
    fit,
    load_graph,
    make_model,
    missing,
    registered,
    settings_of,
    with_progress,
)
from sparsecut.paper.shown import Table, accuracy_shown, tally_verdicts
from sparsecut.progress import Reporter

COLUMNS = ("cora", "citeseer", "pubmed", "cora_full")  # of the published table, in its order
LABEL_COUNTS = (5, 20)
ROWS = tuple(method for rows in read_experiment("table1")["published"].values() for method in rows)
N_SPLITS = 50


def published_figure(method: str, dataset: str, per_class: int) -> tuple[float, float]:
    """The paper's mean and standard deviation for a cell."""
    groups = read_experiment("table1")["published"]
    row = next(rows[method] for rows in groups.values() if method in rows)
    mean, std = row[2 * COLUMNS.index(dataset) + LABEL_COUNTS.index(per_class)]
    return mean, std


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        for method in request.rows(ROWS):
            cells: list[Cell] = [{"method": method, "dataset": dataset, "per_class": count} for count in LABEL_COUNTS]
            reason = _why_absent(method, dataset)
            if reason is not None:
                jobs += [Absent(cell, reason) for cell in cells]
                continue
            model = make_model(method, dataset, request.seed)
            cells = [{**cell, **run_of(request, N_SPLITS), "settings": settings_of(model)} for cell in cells]
            jobs.append(Job(cells, partial(_run, model, cells)))
    return jobs


def tables(results: Results) -> list[Table]:
    """Accuracy, all methods on all graphs."""
    columns = [(dataset, count) for dataset in COLUMNS for count in LABEL_COUNTS]
    rows = []
    for method in ROWS:
        row = []
        for dataset, count in columns:
            mean, std = published_figure(method, dataset, count)
            row.append(accuracy_shown(results, mean, std, method=method, dataset=dataset, per_class=count))
        rows.append((method, row))
    table = Table(
        "Table 1: accuracy",
        "Accuracy in percent, mean ± standard deviation over the published random splits, with 5 and 20 labels per class; "
        "probe: paper (logistic regression, C = 1). One fit per cell.",
        [f"{dataset}, {count}" for dataset, count in columns],
        rows,
        [tally_verdicts(rows)],
    )
    return [table]


def run_of(request: Request, n_splits: int) -> Cell:
    """What a run over published splits has in common: how many, the seed, the probe."""
    return {"n_splits": min(request.n_splits or n_splits, n_splits), "seed": request.seed, "probe": "paper"}


def score_splits(model: Any, dataset: str, cells: Sequence[Cell], report: Reporter) -> list[Cell]:
    """Fit once, probe the embedding for every cell's number of labels."""
    graph = load_graph(dataset)
    started = time.perf_counter()
    Z = fit(model, graph, report).embedding_
    seconds = time.perf_counter() - started
    measured = []
    for cell in cells:
        splits = published_splits(dataset, cell["per_class"], graph.n_nodes)[: cell["n_splits"]]
        assert graph.labels is not None
        measured.append(summary(probe(Z, graph.labels, splits, progress=report).accuracies, seconds))
    return measured


def summary(accuracies: Any, seconds: float) -> Cell:
    return {
        "mean": round(float(np.mean(accuracies)), 2),
        "std": round(float(np.std(accuracies)), 2),
        "accuracies": [round(float(value), 2) for value in accuracies],
        "seconds": round(seconds, 3),
    }


def _why_absent(row: str, dataset: str) -> str | None:
    method = registered(row)
    if method is None:
        return NOT_REGISTERED
    return missing(dataset, needs_features=getattr(method.estimator_class(), "needs_features", True))


def _run(model: Any, cells: Sequence[Cell], report: Reporter) -> list[Cell]:
    dataset = cells[0]["dataset"]
    if not hasattr(model, "fit_predict"):
        return score_splits(model, dataset, cells, report)
    graph = load_graph(dataset)
    measured = []
    for cell in cells:
        splits = published_splits(dataset, cell["per_class"], graph.n_nodes)[: cell["n_splits"]]
        started = time.perf_counter()
        accuracies = [_supervised(model, graph, split, report) for split in splits]
        measured.append(summary(accuracies, (time.perf_counter() - started) / len(splits)))
    return measured


def _supervised(model: Any, graph: Graph, split: Split, report: Reporter) -> float:
    predicted = with_progress(model.fit_predict, report, graph, split)
    assert graph.labels is not None
    return 100 * float((predicted[split.test] == graph.labels[split.test]).mean())
