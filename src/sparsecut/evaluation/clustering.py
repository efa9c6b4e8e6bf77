"""Clusters read off an embedding by k-means, against the labels and against the graph.

Against labels, over the nodes that have one:

- nmi: mutual information over the mean of the two entropies, 1 where clusters and classes say the same
- ari: pairs on which both agree, less what chance would give (0) over what is possible (1)
- accuracy: of the best one-to-one matching of clusters to classes (Hungarian)

Against the vectors themselves:

- silhouette: the mean over nodes of (b − a)/max(a, b), a the mean distance to the own cluster and b to the nearest other; of
  2,000 nodes where there are more

Against the graph, for clusters S with volume vol(S), the sum of their degrees, and m the total weight of the edges:

- modularity: Σ_S within(S)/m − (vol(S)/2m)², how far edges stay inside more than by chance
- conductance: the mean over clusters of cut(S) / min(vol(S), vol(rest)), the share of edges that leave; small is good

Without labels and without a number of clusters, the number is the one of 2, 3, 4, 6, 8, 12, … 32 whose clusters have the
largest silhouette.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_integer, did_you_mean, first_few
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.linear_probe import check_embedding
from sparsecut.evaluation.metrics import CLASSES
from sparsecut.evaluation.scores import summary
from sparsecut.evaluation.splits import Nodes
from sparsecut.evaluation.targets import read_target
from sparsecut.graph import Graph, as_graph, encode_labels, place_graph, place_values, rows_and_ids

AGAINST_LABELS = ("nmi", "ari", "accuracy")
AGAINST_GRAPH = ("modularity", "conductance")
N_SILHOUETTE = 2_000  # nodes that the silhouette is of
N_CHOSEN_BY = 10_000  # nodes that the number of clusters is chosen by
N_CLUSTERS = (2, 3, 4, 6, 8, 12, 16, 24, 32)


@dataclass(frozen=True)
class ClusterScores:
    """Figures of clusters by name, one value per run of k-means: see `evaluate_clusters`.

    Attributes
    ----------
    n_clusters : int
        How many clusters were requested, or chosen.
    figures : dict of str to array
        "nmi", "ari" and "accuracy" in percent where there are labels; "silhouette"; "modularity" and "conductance" where
        there is a graph.
    notes : tuple of str
        What the figures need said beside them.
    n_runs : int
        How often k-means was started.
    assigned : array of shape (n,)
        The cluster of every node, from 0 on, in the run whose clusters are tightest: with the smallest sum of squared
        distances to their means.
    """

    n_clusters: int
    figures: dict[str, NDArray[np.float64]]
    notes: tuple[str, ...] = ()
    n_runs: int = 0
    assigned: Nodes = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def to_dict(self) -> dict[str, Any]:
        return {
            "n_clusters": self.n_clusters,
            "n_runs": self.n_runs,
            "figures": {name: summary(values) for name, values in self.figures.items()},
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return ", ".join(f"{name} {values.mean():.3g} ± {values.std():.2g}" for name, values in self.figures.items())


def evaluate_clusters(
    embedding: ArrayLike,
    labels: ArrayLike | Mapping[Any, Any] | None = None,
    *,
    graph: Graph | None = None,
    n_clusters: int | None = None,
    n_runs: int = 10,
    metrics: Sequence[str] | str | None = None,
    random_state: int = 0,
    progress: Reporter | None = None,
) -> ClusterScores:
    """Cluster an embedding by k-means, several times, and score the clusters against labels, a graph or both.

    Parameters
    ----------
    embedding : array or frame of shape (n, d)
        One row per node; all of them are clustered. A frame brings the ids of its rows: the index of a pandas frame, or a
        column named id.
    labels : array-like or series of shape (n,), or dict, optional
        Classes to compare the clusters with, over the nodes that have one. A series is matched by its index, a dict by its
        keys.
    graph : Graph or adjacency, optional
        The graph of the same nodes, for modularity and conductance; matched by the ids that a frame brings.
    n_clusters : int, optional
        How many clusters. [default: as many as there are classes; without labels chosen by the silhouette]
    n_runs : int, default=10
        Starts of k-means; one value each.
    metrics : sequence of {"nmi", "ari", "accuracy", "silhouette", "modularity", "conductance"} or str, optional
        What to measure; several names in one word are separated by commas. [default: all that labels and graph allow]
    random_state : int, default=0
        Seed of the starts.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    ClusterScores

    Examples
    --------
    >>> import numpy as np
    >>> from sparsecut.evaluation import evaluate_clusters
    >>> Z = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> scores = evaluate_clusters(Z, ["a", "a", "a", "b", "b", "b"], n_runs=3)
    >>> print(scores)
    nmi 100 ± 0, ari 100 ± 0, accuracy 100 ± 0, silhouette 0.985 ± 0
    """
    rows, ids = rows_and_ids(embedding)
    Z = check_embedding(rows)
    n_nodes = Z.shape[0]
    if isinstance(labels, Mapping):
        labels = read_target(labels, ids, n_nodes, CLASSES, "evaluate_clusters").labels
    labels = None if labels is None else place_values(labels, ids, n_nodes)
    names = _check_metrics(metrics, with_labels=labels is not None, with_graph=graph is not None)
    check_integer("evaluate_clusters", "n_runs", n_runs, 1)
    check_integer("evaluate_clusters", "random_state", random_state, 0)
    graph = None if graph is None else place_graph(as_graph(graph), ids)
    if graph is not None and graph.n_nodes != n_nodes:
        raise InputError(f"The graph must have the embedding's {n_nodes:,} nodes. Got {graph.n_nodes:,}.")
    classes, codes = (np.empty(0), np.empty(0, dtype=np.int64)) if labels is None else encode_labels(labels)
    if labels is not None and (len(codes) != n_nodes or len(classes) < 2):
        raise InputError(
            f"Clusters need labels of at least two classes for {n_nodes:,} nodes."
            f" Got {len(codes):,} labels, classes: {first_few(classes)}."
        )
    runs, notes = [], set()
    if n_clusters is None and labels is None:
        count = choose_n_clusters(Z, random_state)
        notes.add(f"{count} clusters were chosen by their silhouette; n_clusters=K (--clusters K) asks for others.")
    else:
        count = _check_n_clusters(n_clusters, len(classes), n_nodes)
    tightest, best = math.inf, np.empty(0, dtype=np.int64)
    with reporting(progress) as report:
        for run, seed in enumerate(np.random.SeedSequence(random_state).generate_state(n_runs)):
            assigned = k_means(Z, count, int(seed))
            n_found = len(np.unique(assigned))
            if n_found < count:
                notes.add(f"k-means found {n_found} of {count} clusters: the embedding has too few distinct rows.")
            figures = {} if labels is None else _against_labels(codes, assigned)
            if "silhouette" in names:
                figures["silhouette"] = silhouette(Z, assigned, random_state)
            if graph is not None:
                figures |= {"modularity": modularity(graph, assigned), "conductance": conductance(graph, assigned)}
            runs.append({name: figures[name] for name in names})
            if (spread := _spread(Z, assigned)) < tightest:
                tightest, best = spread, assigned
            report("k-means", run + 1, n_runs)
    figures_by_name = {name: np.array([figures[name] for figures in runs]) for name in runs[0]}
    return ClusterScores(count, figures_by_name, tuple(sorted(notes)), n_runs, best)


def matched_accuracy(true: ArrayLike, assigned: ArrayLike) -> float:
    """The share of nodes that are right under the best one-to-one matching of clusters to classes.

    Examples
    --------
    >>> from sparsecut.evaluation.clustering import matched_accuracy
    >>> matched_accuracy([0, 0, 1, 1], [7, 7, 5, 7])
    0.75
    """
    from scipy.optimize import linear_sum_assignment

    table = _contingency(true, assigned)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / table.sum())


def modularity(graph: Graph, assigned: ArrayLike) -> float:
    """Newman's modularity of a partition of the nodes; not a number where the graph has no edge."""
    within, volumes = _weights_of_clusters(as_graph(graph), assigned)
    total = volumes.sum()  # 2m
    return float((within / total - (volumes / total) ** 2).sum()) if total else math.nan


def conductance(graph: Graph, assigned: ArrayLike) -> float:
    """The mean conductance of the clusters that have edges on both sides; not a number where none has."""
    within, volumes = _weights_of_clusters(as_graph(graph), assigned)
    smaller = np.minimum(volumes, volumes.sum() - volumes)
    has_sides = smaller > 0
    return float(((volumes - within)[has_sides] / smaller[has_sides]).mean()) if has_sides.any() else math.nan


def silhouette(Z: Any, assigned: ArrayLike, seed: int = 0) -> float:
    """The mean silhouette of clusters; not a number where there is one cluster, or each node is one."""
    from sklearn.metrics import silhouette_score

    clusters = np.asarray(assigned)
    nodes = np.arange(len(clusters))
    if len(nodes) > N_SILHOUETTE:
        nodes = np.sort(np.random.default_rng(seed).choice(nodes, N_SILHOUETTE, replace=False))
    n_found = len(np.unique(clusters[nodes]))
    return float(silhouette_score(Z[nodes], clusters[nodes])) if 1 < n_found < len(nodes) else math.nan


def choose_n_clusters(Z: Any, seed: int = 0) -> int:
    """The number of clusters whose silhouette is largest, the smallest among equals."""
    n_nodes = Z.shape[0]
    if n_nodes < 3:
        raise InputError(f"A number of clusters is chosen for three nodes or more. Got {n_nodes}.")
    nodes = np.arange(n_nodes)
    if n_nodes > N_CHOSEN_BY:
        nodes = np.sort(np.random.default_rng(seed).choice(nodes, N_CHOSEN_BY, replace=False))
    rows = Z[nodes]
    tried = {count: silhouette(rows, k_means(rows, count, seed), seed) for count in N_CLUSTERS if count < len(nodes)}
    known = {count: value for count, value in tried.items() if not math.isnan(value)}
    return max(known, key=lambda count: known[count]) if known else 2


def _check_metrics(metrics: Sequence[str] | str | None, *, with_labels: bool, with_graph: bool) -> list[str]:
    """The names of the figures to compute, in the order requested."""
    of_labels, of_graph = AGAINST_LABELS if with_labels else (), AGAINST_GRAPH if with_graph else ()
    possible = [*of_labels, "silhouette", *of_graph]
    if metrics is None:
        return possible
    names = [name.strip() for name in metrics.split(",")] if isinstance(metrics, str) else list(metrics)
    known = (*AGAINST_LABELS, "silhouette", *AGAINST_GRAPH)
    for name in names:
        if name not in known:
            raise InputError(
                f"The metrics of clusters are {', '.join(known)}. Got {name!r}.{did_you_mean(str(name), known)}"
            )
        if name not in possible:
            raise InputError(f"The metric {name!r} needs {'labels' if name in AGAINST_LABELS else 'the graph'}. Got none.")
    if not names:
        raise InputError("The metrics parameter of evaluate_clusters must name at least one metric. Got none.")
    return names


def _check_n_clusters(n_clusters: int | None, n_classes: int, n_nodes: int) -> int:
    count = n_classes if n_clusters is None else check_integer("evaluate_clusters", "n_clusters", n_clusters, 2)
    if count > n_nodes:
        raise InputError(f"There cannot be more clusters than nodes. Got {count} for {n_nodes:,}.")
    return count


def k_means(Z: Any, n_clusters: int, seed: int) -> Nodes:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # too few distinct points: counted and said by the caller
        return np.asarray(KMeans(n_clusters, n_init=1, random_state=seed).fit_predict(Z), dtype=np.int64)


def _spread(Z: Any, assigned: Nodes) -> float:
    """The sum of squared distances to the means of the clusters, less the sum of the rows' squared lengths.

    The second sum is the same for every run.
    """
    member = sp.csr_array((np.ones(len(assigned)), (assigned, np.arange(len(assigned)))))  # (k, n)
    sums = np.asarray((member @ Z).todense() if sp.issparse(Z) else member @ np.asarray(Z, dtype=np.float64))
    sizes = np.maximum(np.bincount(assigned, minlength=len(sums)), 1)
    return -float((np.square(sums).sum(axis=1) / sizes).sum())


def _against_labels(codes: Nodes, assigned: Nodes) -> dict[str, float]:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    is_known = codes >= 0
    true, found = codes[is_known], assigned[is_known]
    return {
        "nmi": 100 * float(normalized_mutual_info_score(true, found)),
        "ari": 100 * float(adjusted_rand_score(true, found)),
        "accuracy": 100 * matched_accuracy(true, found),
    }


def _weights_of_clusters(graph: Graph, assigned: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weight of the adjacency's entries inside every cluster, and of all its rows."""
    _, cluster_of = np.unique(np.asarray(assigned), return_inverse=True)
    member = sp.csr_array((np.ones(len(cluster_of)), (np.arange(len(cluster_of)), cluster_of)))  # (n, k)
    between = (member.T @ graph.adjacency.astype(np.float64) @ member).toarray()  # (k, k)
    return between.diagonal(), between.sum(axis=1)


def _contingency(true: ArrayLike, assigned: ArrayLike) -> NDArray[np.int64]:
    classes, class_of = np.unique(np.asarray(true), return_inverse=True)
    clusters, cluster_of = np.unique(np.asarray(assigned), return_inverse=True)
    counts = np.bincount(class_of * len(clusters) + cluster_of, minlength=len(classes) * len(clusters))
    return counts.reshape(len(classes), len(clusters))
