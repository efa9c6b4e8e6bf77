"""A graph cut in two for inductive learning: the part a method is trained on, and the graph it embeds afterwards.

The method sees the subgraph of the training nodes and nothing else: the others' features, labels and edges are cut away
before a `Graph` is made of it. The probe is trained on the embedding of that subgraph and tested on the embedding of the
test nodes within the whole graph. Each node has one class, so micro-F1 is the accuracy.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.progress import Reporter
from sparsecut.evaluation import Split, probe
from sparsecut.graph import Graph
from sparsecut.lab.paper.row_methods import fit


@dataclass(frozen=True)
class Unseen:
    """The graph of the training, the graph embedded afterwards, and the nodes of that graph that are tested."""

    seen: Graph
    met: Graph
    test: NDArray[np.int64]

    def sizes(self) -> dict[str, int]:
        return {
            "seen_nodes": self.seen.n_nodes,
            "seen_edges": self.seen.n_edges,
            "met_nodes": self.met.n_nodes,
            "met_edges": self.met.n_edges,
            "test_nodes": len(self.test),
        }


def cut_graph(graph: Graph, train: NDArray[np.int64], test: NDArray[np.int64]) -> Unseen:
    """The training nodes' graph, and the whole one with its test nodes."""
    directed = "out" if graph.is_directed else "symmetrize"  # the rows are oriented already
    return Unseen(only_seen(graph.adjacency, graph.features, graph.labels, train, graph.node_ids, directed), graph, test)


def only_seen(
    adjacency: Any,
    features: Any,
    labels: ArrayLike | None,
    nodes: ArrayLike,
    node_ids: ArrayLike | None = None,
    directed: str = "symmetrize",
) -> Graph:
    """The graph of some nodes alone. Rows and columns of the others are dropped before anything reads them.

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
    """Train on the seen graph; its embedding, that of the test nodes, and the seconds of both."""
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


def mean_seconds(times: list[dict[str, float]]) -> dict[str, float]:
    """The seconds of some runs of `embed_unseen`, rounded for a cell."""
    return {
        "seconds": round(float(np.mean([seconds["seconds"] for seconds in times])), 3),
        "seconds_std": round(float(np.std([seconds["seconds"] for seconds in times])), 3),
        "transform_seconds": round(float(np.mean([seconds["transform_seconds"] for seconds in times])), 3),
    }
