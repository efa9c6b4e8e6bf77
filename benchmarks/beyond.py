"""Beyond the paper: the default, `SCE()`, beside the paper's settings and the simplest methods, on graphs of all kinds.

    python benchmarks/beyond.py [--dataset cora]… [--method default]… [--splits 50] [--force]

A cell is a method on a graph. One fit gives the accuracies with both label counts and both probes, the clusters and the
seconds; links need a second fit, on the graph without the held-out edges.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from cells import run_benchmark
from sparsecut.base.progress import Reporter
from sparsecut.evaluation import Split, evaluate_clusters, evaluate_links, probe, published_splits, sample_splits
from sparsecut.graph import Graph
from sparsecut.lab.baselines import methods
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
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
)
from sparsecut.lab.worker import N_FITS, REPEAT_BELOW
from sparsecut.model.published import read_toml

NAME = "beyond"
SETTINGS = read_toml(Path(__file__).with_suffix(".toml"))
GRAPHS: dict[str, dict[str, Any]] = SETTINGS["graphs"]
COLUMNS = tuple(GRAPHS)
ROWS = tuple(SETTINGS["rows"])
DEFAULT = ROWS[0]
RIVALS = tuple(row for row, about in SETTINGS["rows"].items() if about.get("is_rival"))
LABEL_COUNTS = tuple(SETTINGS["per_class"])
PROBES = tuple(SETTINGS["probes"])
LINK_SCORINGS = ("cosine", "dot", "distance")  # without the logistic regression: raw features have too many columns for it


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        for row in request.rows(ROWS):
            cell: Cell = {"method": row, "dataset": dataset}
            reason = NOT_REGISTERED if _method_of(row) is None else missing(dataset)
            if reason is not None:
                jobs.append(Absent(cell, reason))
                continue
            model = _make(row, dataset, request.seed)
            cell |= {"n_splits": splits_asked(request, SETTINGS["n_splits"]), "seed": request.seed}
            cell |= {name: SETTINGS[name] for name in ("n_clusterings", "held_out")}
            cell |= {"settings": settings_of(model)}
            jobs.append(
                CellJob(
                    [cell], partial(_run, model, cell), code_of(dataset, model, probe, evaluate_clusters, evaluate_links)
                )
            )
    return jobs


def splits_asked(request: Request, n_splits: int) -> int:
    return min(request.n_splits or n_splits, n_splits)


def splits_of(dataset: str, graph: Graph, per_class: int, n_splits: int, seed: int) -> list[Split]:
    """The published splits of a graph, or as many drawn by the seed."""
    if GRAPHS[dataset].get("has_published_splits"):
        return published_splits(dataset, per_class, graph.n_nodes)[:n_splits]
    assert graph.labels is not None
    return sample_splits(graph.labels, per_class, n_splits, seed)


def accuracy(Z: ArrayLike, graph: Graph, cell: Cell, protocol: str, per_class: int) -> Cell:
    """What a probe reads off an embedding over a cell's splits."""
    assert graph.labels is not None
    splits = splits_of(cell["dataset"], graph, per_class, cell["n_splits"], cell["seed"])
    return _values(probe(Z, graph.labels, splits, protocol=protocol, progress=_silent).accuracies)


def _method_of(row: str) -> methods.Method | None:
    return registered(SETTINGS["rows"][row].get("method", row))


def _make(row: str, dataset: str, seed: int) -> Any:
    """The estimator of a row. The default's only argument is the seed, which is 0 unless another was asked for."""
    arguments = SETTINGS["rows"][row].get("arguments")
    if arguments is None:
        about = GRAPHS[dataset]
        elsewhere = SETTINGS["rows"][row].get("elsewhere", about["settings"])
        return make_model(row, about["settings"] if about.get("has_published_splits") else elsewhere, seed)
    method = _method_of(row)
    assert method is not None
    return method.make({} if arguments == "none" else arguments, offered={"random_state": seed})


def _run(model: Any, cell: Cell, report: Reporter) -> list[Cell]:
    graph = load_graph(cell["dataset"])
    tasks = [(protocol, count) for protocol in PROBES for count in LABEL_COUNTS]
    n_steps = len(tasks) + 3
    stage = f"{cell['method']}, {cell['dataset']}"
    Z, seconds = _fit_timed(model, graph)
    report(stage, 1, n_steps)
    accuracies: dict[str, Cell] = {protocol: {} for protocol in PROBES}
    for step, (protocol, count) in enumerate(tasks, start=2):
        accuracies[protocol][str(count)] = accuracy(Z, graph, cell, protocol, count)
        report(stage, step, n_steps)
    clusters = evaluate_clusters(Z, graph.labels, n_runs=cell["n_clusterings"], random_state=cell["seed"], progress=_silent)
    report(stage, n_steps - 1, n_steps)
    links = _score_links(model, graph, cell, seconds["first_seconds"])
    report(stage, n_steps, n_steps)
    return [
        {
            "accuracy": accuracies,
            "nmi": _values(clusters.figures["nmi"]),
            "links": links,
            **{name: round(value, 4) for name, value in seconds.items()},
            "columns": int(np.shape(Z)[1]),
            "notes": [*model.history_.notes, *(model.explain().splitlines() if hasattr(model, "explain") else [])],
        }
    ]


def _fit_timed(model: Any, graph: Graph) -> tuple[Any, dict[str, float]]:
    """The embedding and the seconds of a fit: the fastest of three where the first was short."""
    times: list[float] = []
    while len(times) < (N_FITS if not times or times[0] < REPEAT_BELOW else 1):
        started = time.perf_counter()
        fit(model, graph, _silent)
        times.append(time.perf_counter() - started)
    return model.embedding_, {"seconds": min(times), "first_seconds": times[0]}


def _score_links(model: Any, graph: Graph, cell: Cell, fit_seconds: float) -> Cell:
    """AUC in percent by scoring, or why there is none."""
    limit = SETTINGS["max_link_seconds"]
    if fit_seconds > limit:
        return {"reason": f"a fit takes {fit_seconds:.0f} s, and more than {limit} are not spent on another"}
    scores = evaluate_links(
        graph,
        lambda seen: fit(clone(model), seen, _silent).embedding_,
        fraction=cell["held_out"],
        n_runs=1,
        scorings=LINK_SCORINGS,
        metrics=("roc_auc",),
        random_state=cell["seed"],
        progress=_silent,
    )
    return {"auc": {name: round(float(values.mean()), 2) for name, values in scores.auc.items()}}


def _values(values: NDArray[np.float64] | Sequence[float]) -> Cell:
    return {
        "mean": round(float(np.mean(values)), 2),
        "std": round(float(np.std(values)), 2),
        "values": [round(float(value), 2) for value in values],
    }


def _silent(*_: object) -> None:
    """One bar per cell is enough, and none while the clock runs."""


if __name__ == "__main__":
    run_benchmark(NAME, plan, columns=COLUMNS, rows=ROWS)
