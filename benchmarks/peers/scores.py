"""The accuracies of an embedding: both probes over the splits of the page, and the figure its authors publish, scored alike.

A method's own paper uses its own splits. To see whether it runs here as it should, its embedding is scored on those too, and
stands beside the published figure.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut import Graph, datasets
from sparsecut.evaluation import Split, fraction_splits, probe, published_splits, role_split, sample_splits

PER_CLASS = (5, 20)
PROBES = ("paper", "tuned")
PUBLIC, TENTH, CENTROID = "public split", "10/10/80", "80/20, nearest centroid"
GENERATED = "the graph that pycleora generates under the name"
PLANETOID = {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"}
N_RANDOM = 50  # splits, where none are published
N_CHECKS = 3

# In percent, as their authors report them; the order is Cora, Citeseer, Pubmed. CCA-SSG's are those that GraphMAE's README
# (THUDM/GraphMAE) quotes: its own article was not at hand.
PUBLISHED: dict[str, tuple[str, tuple[float, float, float]]] = {
    "DGI": (PUBLIC, (82.3, 71.8, 76.8)),
    "CCA-SSG": (PUBLIC, (84.0, 73.1, 81.0)),
    "GRACE": (TENTH, (83.3, 72.1, 86.7)),
    "Cleora": (CENTROID, (86.1, 82.4, 87.9)),
}

Array = NDArray[Any]


def score(graph: Graph, graph_name: str, embeddings: list[Array]) -> dict[str, Any]:
    """For each probe and number of labels: the mean for each embedding, one per seed, and the first one's deviation.

    The tuned probe takes sixteen fits where the other takes one, and scores the first embedding alone.
    """
    found: dict[str, Any] = {}
    for protocol in PROBES:
        found[protocol] = {}
        scored = embeddings if protocol == "paper" else embeddings[:1]
        for per_class in PER_CLASS:
            splits = splits_of(graph, graph_name, per_class)
            scores = [probe(Z, graph.labels, splits, protocol=protocol) for Z in scored]
            found[protocol][str(per_class)] = {
                "means": [round(each.mean, 3) for each in scores],
                "deviation_over_splits": round(scores[0].std, 3),
                "n_splits": len(splits),
            }
    return found


def splits_of(graph: Graph, graph_name: str, per_class: int) -> list[Split]:
    if graph_name in PLANETOID:
        return published_splits(graph_name, per_class, graph.n_nodes)
    return sample_splits(graph.labels, per_class, N_RANDOM, 0)


def check(graph: Graph, graph_name: str, method: str, Z: Array) -> dict[str, float]:
    """The accuracy by the split that the method's authors use, where they publish a figure for the graph."""
    if method not in PUBLISHED or graph_name not in PLANETOID:
        return {}
    kind = PUBLISHED[method][0]
    if kind == PUBLIC:
        found = probe(Z, graph.labels, [public_split(graph, graph_name)], protocol="tuned").mean
    elif kind == TENTH:
        found = probe(Z, graph.labels, fraction_splits(graph.labels, 0.1, 0.1, N_CHECKS), protocol="tuned").mean
    else:
        found = float(np.mean([nearest_centroid(Z, graph.labels, split) for split in _four_fifths(graph)]))
        generated = import_module("peers.cleora").score_generated(graph_name, len(np.unique(graph.labels)))
        return {kind: round(found, 3), GENERATED: round(generated, 3)}
    return {kind: round(found, 3)}


def public_split(graph: Graph, graph_name: str) -> Split:
    """Planetoid's: the first 20 nodes per class in its order, the next 500, and the thousand in its file."""
    folder = PLANETOID[graph_name]
    path = Path("Planetoid") / folder / "raw" / f"ind.{graph_name}.test.index"
    (file,) = [root / path for root in datasets.roots() if (root / path).is_file()][:1]
    test = np.sort(np.loadtxt(file, dtype=np.int64))
    n_train = 20 * len(np.unique(graph.labels))
    return role_split(np.arange(n_train), np.arange(n_train, n_train + 500), test, graph.n_nodes)


def nearest_centroid(Z: Array, labels: Any, split: Split) -> float:
    """Percent of the test nodes whose row points most along the mean row of their class's training nodes."""
    _, codes = np.unique(labels, return_inverse=True)
    means = np.stack([Z[split.train][codes[split.train] == code].mean(axis=0) for code in range(codes.max() + 1)])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-10)
    return 100 * float(((Z[split.test] @ means.T).argmax(axis=1) == codes[split.test]).mean())


def _four_fifths(graph: Graph) -> list[Split]:
    return fraction_splits(graph.labels, 0.8, 0.0, 10)
