"""Inductive learning: train on the graph of some nodes, then embed nodes that came after, and classify those.

The method sees the subgraph of the training nodes and nothing else: the others' features, labels and edges are cut away
before a `Graph` is made of it. The probe is trained on the embedding of that subgraph and tested on the embedding of the
test nodes within the whole graph. Each node has one class, so micro-F1 is the accuracy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut import datasets
from sparsecut.evaluation import Split, fraction_splits, probe
from sparsecut.graph import Graph
from sparsecut.model.published import read_experiment
from sparsecut.paper.plan import Absent, Job, Plan, Request
from sparsecut.paper.results import Cell
from sparsecut.paper.rows import NOT_REGISTERED, fit, load_graph, make_model, missing, registered, settings_of, takes
from sparsecut.paper.standins import stand_in
from sparsecut.paper.table1 import summary
from sparsecut.progress import Reporter

_EXPERIMENT = read_experiment("inductive")
GRAPHS = tuple(_EXPERIMENT["graphs"])
STANDINS = tuple(_EXPERIMENT["standins"])
COLUMNS = (*GRAPHS, *STANDINS)
ROWS = (*_EXPERIMENT["published"], *(row for row in _EXPERIMENT["methods"] if row not in _EXPERIMENT["published"]))
UNTRAINED = tuple(_EXPERIMENT["methods"])


@dataclass(frozen=True)
class Unseen:
    """What a method may see, the graph it meets afterwards, and the nodes of that graph it is tested on."""

    seen: Graph
    met: Graph
    test: NDArray[np.int64]


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
            make = partial(make_model, row, {**_EXPERIMENT["graphs"], **_EXPERIMENT["standins"]}[column]["settings"])
            model = make(request.seed)
            is_random = takes(type(model), "random_state")
            cell |= {"seed": request.seed, "settings": settings_of(model)}
            if column in STANDINS:
                cell |= {"n_runs": 1}
                jobs.append(Job([cell], partial(_time_stand_in, make, cell)))
            else:
                cell |= {"n_runs": (request.n_splits or _EXPERIMENT["n_runs"]) if is_random else 1, "probe": "paper"}
                jobs.append(Job([cell], partial(_score, make, cell)))
    return jobs


def only_seen(
    adjacency: Any,
    features: Any,
    labels: ArrayLike | None,
    nodes: ArrayLike,
    node_ids: ArrayLike | None = None,
    directed: str = "symmetrize",
) -> Graph:
    """The graph of some nodes alone. Rows and columns of the others are dropped before anything looks at them.

    The nodes keep their ids, by which a method may know them again in the whole graph: their numbers where none are given.
    `directed` is what `Graph` takes it for.
    """
    nodes = np.asarray(nodes)
    return Graph(
        adjacency[nodes][:, nodes],
        features=features[nodes],
        labels=None if labels is None else np.asarray(labels)[nodes],
        node_ids=nodes if node_ids is None else np.asarray(node_ids)[nodes],
        directed=directed,
    )


def embed_unseen(model: Any, task: Unseen, report: Reporter) -> tuple[Any, Any, dict[str, float]]:
    """Train on what may be seen; the embeddings of that graph and of the test nodes, and what both took."""
    started = time.perf_counter()
    Z_seen = fit(model, task.seen, report).embedding_
    trained = time.perf_counter()
    Z_test = model.transform(task.met)[task.test]
    ended = time.perf_counter()
    return Z_seen, Z_test, {"seconds": trained - started, "transform_seconds": ended - trained}


def score_unseen(task: Unseen, Z_seen: Any, Z_test: Any, report: Reporter) -> float:
    """Micro-F1 in percent of the probe that learned on the seen nodes."""
    assert task.seen.labels is not None
    assert task.met.labels is not None
    n_seen = len(Z_seen)
    split = Split(np.arange(n_seen), np.empty(0, dtype=np.int64), np.arange(n_seen, n_seen + len(Z_test)))
    labels = np.concatenate([task.seen.labels, task.met.labels[task.test]])
    return probe(np.concatenate([Z_seen, Z_test]), labels, [split], progress=report).micro_f1


@lru_cache(maxsize=1)
def unseen_task(column: str, seed: int) -> Unseen:
    """A column's graph, cut by its own roles, by fractions drawn with the seed, or at the border to another graph."""
    about = _EXPERIMENT["graphs"][column]
    if "train_on" in about:
        met = load_graph(about["meet"])
        return Unseen(datasets.load(about["train_on"]), met, np.arange(met.n_nodes))
    graph = load_graph(column)
    if "fractions" in about:
        assert graph.labels is not None
        train, validation = about["fractions"]
        (split,) = fraction_splits(graph.labels, train, validation, n_splits=1, random_state=seed)
        return _cut(graph, split.train, split.test)
    roles = datasets.load_roles(column)
    return _cut(graph, roles.train, roles.test)


def _cut(graph: Graph, train: NDArray[np.int64], test: NDArray[np.int64]) -> Unseen:
    directed = "out" if graph.is_directed else "symmetrize"  # the rows are oriented already
    return Unseen(only_seen(graph.adjacency, graph.features, graph.labels, train, graph.node_ids, directed), graph, test)


def _why_absent(row: str, column: str) -> str | None:
    method = registered(row)
    if method is None:
        return NOT_REGISTERED
    if not hasattr(method.load(), "transform"):
        return "cannot embed nodes it has not seen"
    if column in STANDINS:
        return "nothing to train" if row in UNTRAINED else None
    about = _EXPERIMENT["graphs"][column]
    if "train_on" in about and getattr(method.load(), "needs_known_nodes", False):
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
        report(f"{cell['method']}, {cell['dataset']}", run + 1, cell["n_runs"])
    return [{**summary(scores, 0.0), **_mean_seconds(times), **_sizes(task), "columns": Z_test.shape[1]}]


def _time_stand_in(make: Callable[[int], Any], cell: Cell, report: Reporter) -> list[Cell]:
    """The training nodes are as many as the real graph's roles have, drawn at random."""
    about = _EXPERIMENT["standins"][cell["dataset"]]
    graph = stand_in(
        n_nodes=about["nodes"],
        n_edges=about["edges"],
        n_features=about["features"],
        n_classes=about["classes"],
        random_state=cell["seed"],
    )
    n_train, _, n_test = datasets.find_dataset(about["settings"]).role_sizes or (0, 0, 0)
    order = np.random.default_rng(cell["seed"]).permutation(graph.n_nodes)
    task = _cut(graph, np.sort(order[:n_train]), np.sort(order[-n_test:]))
    *_, seconds = embed_unseen(make(cell["seed"]), task, report)
    return [{**_mean_seconds([seconds]), **_sizes(task), "is_stand_in": True}]


def _mean_seconds(times: list[dict[str, float]]) -> Cell:
    return {
        "seconds": round(float(np.mean([seconds["seconds"] for seconds in times])), 3),
        "seconds_std": round(float(np.std([seconds["seconds"] for seconds in times])), 3),
        "transform_seconds": round(float(np.mean([seconds["transform_seconds"] for seconds in times])), 3),
    }


def _sizes(task: Unseen) -> Cell:
    sizes = {"seen_nodes": task.seen.n_nodes, "seen_edges": task.seen.n_edges}
    return {**sizes, "met_nodes": task.met.n_nodes, "met_edges": task.met.n_edges, "test_nodes": len(task.test)}


def _silent(*_: object) -> None:
    """One bar for the runs is enough."""
