"""Table 1 of the paper: accuracy on the 50 published splits, 5 and 20 labels per class, every method of the table.

A method is run as it is registered. One that embeds is fitted once per seed, and each embedding is probed on every split by
both protocols. One that predicts labels itself is fitted anew for every split, `fit_predict(graph, split)`, always with the
first seed, and its seconds are the mean of these fits.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from sparsecut.base.progress import Reporter
from sparsecut.evaluation import Split, probe, published_splits
from sparsecut.evaluation.linear_probe import PROTOCOLS
from sparsecut.evaluation.scores import NO_PROBE
from sparsecut.graph import Graph
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Cell
from sparsecut.lab.paper.row_methods import (
    NOT_REGISTERED,
    code_of,
    fit,
    load_graph,
    make_model,
    missing,
    registered,
    settings_of,
    with_progress,
)
from sparsecut.lab.paper.table1_rows import COLUMNS, LABEL_COUNTS, ROWS, SUPERVISED, published_figure
from sparsecut.lab.paper.table1_shown import tables

__all__ = [
    "COLUMNS",
    "LABEL_COUNTS",
    "N_SPLITS",
    "ROWS",
    "plan",
    "published_figure",
    "run_of",
    "score_splits",
    "summary",
    "tables",
]

N_SPLITS: int = read_experiment("table1")["n_splits"]


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        for method in request.rows(ROWS):
            places: list[Cell] = [{"method": method, "dataset": dataset, "per_class": count} for count in LABEL_COUNTS]
            reason = _why_absent(method, dataset)
            if reason is not None:
                jobs += [Absent(place, reason) for place in places]
                continue
            is_supervised = method in SUPERVISED
            probes = [NO_PROBE] if is_supervised else list(PROTOCOLS)
            for seed in request.seeds(_n_seeds(method, dataset)):
                model = make_model(method, dataset, seed)
                ran = {**run_of(request, N_SPLITS, seed, probes), "settings": settings_of(model)}
                cells = [{**place, **ran} for place in places]
                # One embedding serves both numbers of labels; fits on splits are a long job for each of them.
                for together in [[cell] for cell in cells] if is_supervised else [cells]:
                    jobs.append(CellJob(together, partial(_run, model, together), code_of(dataset, model, probe)))
    return jobs


def run_of(request: Request, n_splits: int, seed: int, probes: Sequence[str]) -> Cell:
    """What a run over published splits has in common: how many, the seed, the probes."""
    return {"n_splits": min(request.n_splits or n_splits, n_splits), "seed": seed, "probes": list(probes)}


def score_splits(model: Any, dataset: str, cells: Sequence[Cell], report: Reporter) -> list[Cell]:
    """Fit once, probe the embedding for every cell's number of labels, by each of its probes."""
    graph = load_graph(dataset)
    started = time.perf_counter()
    Z = fit(model, graph, report).embedding_
    seconds = round(time.perf_counter() - started, 3)
    measured = []
    for cell in cells:
        splits = published_splits(dataset, cell["per_class"], graph.n_nodes)[: cell["n_splits"]]
        assert graph.labels is not None
        scores = {
            name: summary(probe(Z, graph.labels, splits, protocol=name, progress=report).accuracies)
            for name in cell["probes"]
        }
        measured.append({"scores": scores, "seconds": seconds})
    return measured


def summary(accuracies: Any) -> Cell:
    """Mean, standard deviation (divided by the number) and all values, rounded for a file."""
    return {
        "mean": round(float(np.mean(accuracies)), 2),
        "std": round(float(np.std(accuracies)), 2),
        "accuracies": [round(float(value), 2) for value in accuracies],
    }


def _n_seeds(method: str, dataset: str) -> int:
    """How many seeds a row has: one where it is fitted on every split, fewer than others where a fit takes long."""
    experiment = read_experiment("table1")
    if method in SUPERVISED:
        return 1
    return int(experiment["fewer_seeds"].get(method, {}).get(dataset, experiment["n_seeds"]))


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
        seconds = round((time.perf_counter() - started) / len(splits), 3)
        measured.append({"scores": {NO_PROBE: summary(accuracies)}, "seconds": seconds})
    return measured


def _supervised(model: Any, graph: Graph, split: Split, report: Reporter) -> float:
    predicted = with_progress(model.fit_predict, report, graph, split)
    assert graph.labels is not None
    return 100 * float((predicted[split.test] == graph.labels[split.test]).mean())
