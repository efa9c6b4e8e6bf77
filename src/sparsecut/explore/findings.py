"""The sections of a report: each has a title, sentences, a chart and its numbers as a table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.evaluation.clustering import k_means, matched_accuracy
from sparsecut.evaluation.health import Health
from sparsecut.graph import Graph
from sparsecut.graph.labels import encode_labels

SPECTRUM_SHOWN = 64  # components
HISTORY_SHOWN = 400  # epochs, evenly taken
BINS = 24
MAX_CLUSTERED = 100_000  # nodes up to which k-means runs on all of them, and beyond which on batches

Section = dict[str, Any]


def spectrum_section(health: Health) -> Section:
    """The shares of variance, their running sum, and what the effective rank means."""
    shares = health.spectrum
    if not len(shares):
        return {"id": "spectrum", "title": "Spectrum", "sentences": [health.verdict, "There is no variance to show."]}
    shown = shares[:SPECTRUM_SHOWN]
    running = np.cumsum(shares)
    n_most = int(np.searchsorted(running, 0.9 * running[-1])) + 1
    sentences = [
        health.verdict,
        f"The effective rank is {health.effective_rank:.1f} of {health.dimension}: the embedding spreads its variance as "
        f"that many equal directions would. {n_most} of its principal components hold 90% of the variance, the first "
        f"{shares[0]:.0%}.",
        rank_meaning(health),
    ]
    numbers = [int(number) for number in range(1, len(shown) + 1)]
    return {
        "id": "spectrum",
        "title": "Spectrum and effective rank",
        "sentences": sentences,
        "chart": {
            "kind": "line",
            "asBars": len(shown) <= SPECTRUM_SHOWN,
            "x": numbers,
            "y": _floats(shown),
            "second": _floats(running[: len(shown)] / running[-1]),
            "xTitle": "component",
            "yTitle": "share of variance (bars)",
            "secondTitle": "running sum (dashed)",
        },
        "table": {
            "header": ["component", "share", "running sum"],
            "rows": [list(row) for row in zip(numbers, _floats(shown), _floats(running), strict=False)],
        },
    }


def rank_meaning(health: Health) -> str:
    """What to do about an effective rank."""
    if health.is_collapsed:
        return "So few directions cannot separate many groups: use the closed form or fewer epochs, and more dimensions."
    if health.effective_rank < 0.1 * health.dimension:
        return (
            f"Most of the {health.dimension} dimensions hold little variance: about "
            f"{max(2, round(2 * health.effective_rank))} would nearly do, and make files smaller and searches faster."
        )
    if health.effective_rank > 0.8 * health.dimension:
        return "All dimensions hold about the same variance: a higher dimension may hold more of the graph."
    return "A few strong directions and a tail of weaker ones are usual for a graph with groups."


def choices_section(explanation: list[str]) -> Section:
    """The lines of `explain()`."""
    return {
        "id": "choices",
        "title": "What was chosen, and why",
        "sentences": ["What the fit chose for this graph, the evidence, and what to set to choose otherwise."],
        "list": explanation,
    }


def curve_section(loss: list[float]) -> Section:
    """The training curve."""
    values = np.asarray(loss, dtype=np.float64)
    step = max(1, len(values) // HISTORY_SHOWN)
    epochs = np.arange(len(values))[::step]
    change = abs(values[-1] - values[-2]) / max(abs(values[-2]), 1e-30) if len(values) > 1 else 0.0
    return {
        "id": "curve",
        "title": "Training",
        "sentences": [
            f"The loss after each of {len(values):,} epochs, from {values[0]:.4g} to {values[-1]:.4g}. "
            f"The last epoch changed it by {change:.2%}. A loss that still falls is no reason for more epochs: further "
            "epochs concentrate the embedding in fewer directions, and with an L2 penalty in a single one."
        ],
        "chart": {
            "kind": "line",
            "x": (epochs + 1).tolist(),
            "y": _floats(values[epochs]),
            "isLog": bool((values > 0).all()),
            "xTitle": "epoch",
            "yTitle": "loss",
        },
        "table": {"header": ["epoch", "loss"], "rows": [[int(e) + 1, float(values[e])] for e in epochs]},
    }


def degree_section(degrees: NDArray[Any], lengths: NDArray[Any]) -> Section:
    """Degree against the length of the vector, in bins, and how far one follows the other."""
    known = degrees > 0
    title = "Degree against length"
    if known.sum() < 3 or degrees[known].min() == degrees[known].max() or lengths.min() == lengths.max():
        return {
            "id": "degree",
            "title": title,
            "sentences": ["All degrees or all lengths are the same, so there is nothing to compare."],
        }
    from scipy.stats import spearmanr

    follows = float(spearmanr(degrees[known], lengths[known]).statistic)
    strength = "strongly" if abs(follows) > 0.6 else "somewhat" if abs(follows) > 0.25 else "hardly"
    direction = "longer" if follows > 0 else "shorter"
    x_edges = np.unique(np.geomspace(degrees[known].min(), degrees[known].max() * 1.0001, BINS + 1))
    y_edges = np.linspace(lengths[known].min(), lengths[known].max() + 1e-12, BINS + 1)
    counts = np.histogram2d(degrees[known], lengths[known], bins=[x_edges, y_edges])[0]
    bins = np.clip(np.digitize(degrees[known], x_edges) - 1, 0, len(x_edges) - 2)
    medians = [
        float(np.median(lengths[known][bins == number])) if (bins == number).any() else None
        for number in range(len(x_edges) - 1)
    ]
    advice = (
        "Cosine similarity ignores lengths; Euclidean distance would mix in the degree."
        if abs(follows) > 0.25
        else "Cosine and Euclidean neighbours will differ little for that reason."
    )
    return {
        "id": "degree",
        "title": title,
        "sentences": [
            f"Nodes of higher degree have {strength} {direction} vectors (rank correlation {follows:+.2f}). {advice}"
            if strength != "hardly"
            else f"A vector's length {strength} depends on its node's degree (rank correlation {follows:+.2f}). {advice}"
        ],
        "chart": {
            "kind": "density",
            "xEdges": _floats(x_edges),
            "yEdges": _floats(y_edges),
            "counts": counts.astype(int).tolist(),
            "medians": medians,
            "isXLog": True,
            "xTitle": "degree (dashed: median)",
            "yTitle": "length of the vector",
        },
        "table": {
            "header": ["degree from", "to", "nodes", "median length"],
            "rows": [
                [float(x_edges[i]), float(x_edges[i + 1]), int(counts[i].sum()), "" if medians[i] is None else medians[i]]
                for i in range(len(x_edges) - 1)
            ],
        },
    }


def find_clusters(Z: NDArray[np.float32], labels: Any, seed: int) -> NDArray[np.int64] | None:
    """k-means with as many clusters as classes, or √(n/2) up to 12 where there are no labels; largest cluster first."""
    n_classes = 0 if labels is None else len(encode_labels(labels)[0])
    count = min(n_classes if 2 <= n_classes <= 50 else 12, round(math.sqrt(len(Z) / 2)))
    if count < 2 or (Z[0] == Z).all():
        return None
    if len(Z) > MAX_CLUSTERED:
        from sklearn.cluster import MiniBatchKMeans

        model = MiniBatchKMeans(count, n_init=1, random_state=seed, batch_size=8192, max_iter=20)
        assigned = np.asarray(model.fit_predict(Z), dtype=np.int64)
    else:
        assigned = k_means(Z, count, seed)
    sizes = np.bincount(assigned, minlength=count)
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return np.asarray(rank[assigned], dtype=np.int64)


def clusters_found(clusters: NDArray[np.int64], labels: Any) -> Section:
    """The section on clusters, with how far they agree with the labels where there are some."""
    agreement = ""
    codes = None if labels is None else encode_labels(labels)[1]
    if codes is not None and (codes >= 0).any() and len(np.unique(codes[codes >= 0])) > 1:
        share = matched_accuracy(codes[codes >= 0], clusters[codes >= 0])
        agreement = f"Matched one to one with the classes, they agree for {share:.0%} of the labelled nodes."
    return cluster_section(np.bincount(clusters), "k-means finds", agreement)


def cluster_section(sizes: NDArray[Any], how: str, agreement: str) -> Section:
    """The sizes of the clusters, largest first."""
    order = np.argsort(-sizes, kind="stable")
    shown = order[:20]
    largest, smallest = int(sizes.max()), int(sizes.min())
    return {
        "id": "clusters",
        "title": "Clusters",
        "sentences": [
            f"{how} {len(sizes)} clusters of {smallest:,} to {largest:,} nodes; the column “cluster” colours the map."
            + (f" {agreement}" if agreement else "")
        ],
        "chart": {
            "kind": "bars",
            "names": [f"cluster {number}" for number in shown.tolist()],
            "values": [int(sizes[number]) for number in shown],
        },
        "table": {"header": ["cluster", "nodes"], "rows": [[int(number), int(sizes[number])] for number in order]},
    }


def graph_summary(graph: Graph) -> str:
    return f"{graph.n_edges:,} edges"


def _floats(values: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in np.asarray(values, dtype=np.float64)]
