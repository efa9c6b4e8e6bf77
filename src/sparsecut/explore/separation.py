"""How far apart the classes are in an embedding: a linear probe, its confusion matrix, and the silhouette.

The silhouette of a node compares its mean distance a to its own class with the smallest mean distance b to another:
(b − a) / max(a, b), 1 where classes are apart, 0 where they touch, below 0 where they are mixed.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.evaluation.linear_probe import confusion_matrix
from sparsecut.evaluation.splits import SmallClassWarning, sample_splits
from sparsecut.explore.findings import Section
from sparsecut.graph import encode_labels
from sparsecut.kernels.exact_search import Vectors, prepare

MAX_CLASSES = 40  # that are probed: the largest
MIN_NODES = 4  # of a class that is probed
PER_CLASS = 20
N_SPLITS = 5
MAX_PROBED = 50_000  # nodes, drawn at random
MAX_SHOWN = 20  # rows of the matrix
N_SILHOUETTE = 2000


def separation_section(Z: Vectors, labels: ArrayLike, seed: int) -> Section | None:
    """The section on classes; None where there are fewer than two."""
    classes, codes = encode_labels(labels)
    sizes = np.bincount(codes[codes >= 0], minlength=len(classes))
    probed = [int(code) for code in np.argsort(-sizes, kind="stable")[:MAX_CLASSES] if sizes[code] >= MIN_NODES]
    if len(probed) < 2:
        return None
    generator = np.random.default_rng(seed)
    nodes = np.flatnonzero(np.isin(codes, probed))
    if len(nodes) > MAX_PROBED:
        nodes = np.sort(generator.choice(nodes, MAX_PROBED, replace=False))
        present = np.bincount(codes[nodes], minlength=len(classes))
        nodes = nodes[present[codes[nodes]] >= 2]
    names = np.array([str(name) for name in classes])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClassWarning)  # the section says how many labels each class gave
        splits = sample_splits(names[codes[nodes]], PER_CLASS, N_SPLITS, seed)
    found, counts = confusion_matrix(Z[nodes], names[codes[nodes]], splits)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    accuracy = counts.trace() / counts.sum()
    most_common = counts.sum(axis=1).max() / counts.sum()
    silhouette = silhouette_of(Z, codes, nodes, generator)
    sentences = [
        f"With {PER_CLASS} labels per class (half of a class where it has few) a linear probe is right for {accuracy:.1%} "
        f"of the other nodes; always guessing the largest class would be right for {most_common:.1%}. Mean of {N_SPLITS} "
        "splits.",
        f"The mean silhouette is {silhouette:+.2f}: {_silhouette_words(silhouette)}.",
    ]
    if len(probed) < len(classes):
        sentences.append(f"Of {len(classes):,} classes the {len(probed)} largest were probed.")
    sentences += _confused(found, shares)
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:MAX_SHOWN]
    shown = np.sort(order) if len(found) <= MAX_SHOWN else order
    return {
        "id": "separation",
        "title": "Classes: separation and confusion",
        "isWide": len(shown) > 12,
        "sentences": sentences,
        "chart": {
            "kind": "heatmap",
            "rows": found[shown].tolist(),
            "columns": found[shown].tolist(),
            "shares": np.round(shares[np.ix_(shown, shown)], 4).tolist(),
            "texts": [[f"{100 * share:.0f}" for share in row] for row in shares[np.ix_(shown, shown)]],
            "xTitle": "taken for",
            "yTitle": "percent of class",
        },
        "table": {
            "header": ["class", "nodes tested", "right, %", "most often taken for"],
            "rows": [
                [str(found[i]), int(counts[i].sum()), round(100 * float(shares[i, i]), 1), _taken_for(found, counts, i)]
                for i in range(len(found))
            ],
        },
    }


def silhouette_of(Z: Vectors, codes: NDArray[np.int64], nodes: NDArray[np.int64], generator: np.random.Generator) -> float:
    """The mean silhouette by cosine distance of a sample of nodes."""
    from sklearn.metrics import silhouette_score

    sample = nodes if len(nodes) <= N_SILHOUETTE else np.sort(generator.choice(nodes, N_SILHOUETTE, replace=False))
    marks = codes[sample]
    n_marks = len(np.unique(marks))
    if not 2 <= n_marks < len(sample):
        return 0.0
    rows = prepare(Z[sample], "cosine").astype(np.float64)
    distances = np.clip(1 - rows @ rows.T, 0, 2)
    np.fill_diagonal(distances, 0)
    return float(silhouette_score(distances, marks, metric="precomputed"))


def _silhouette_words(value: float) -> str:
    if value > 0.5:
        return "classes are well apart"
    if value > 0.2:
        return "classes are apart, with borders that touch"
    return "classes overlap" if value > 0 else "nodes are on the mean no nearer to their own class than to another"


def _confused(classes: NDArray[Any], shares: NDArray[Any]) -> list[str]:
    """A sentence on the pair that is confused most."""
    off = shares.copy()
    np.fill_diagonal(off, 0)
    i, j = np.unravel_index(int(off.argmax()), off.shape)
    if off[i, j] == 0:
        return ["It confuses no two classes."]
    return [f"Most often confused: {classes[i]} is taken for {classes[j]} in {off[i, j]:.0%} of cases."]


def _taken_for(classes: NDArray[Any], counts: NDArray[np.int64], row: int) -> str:
    others = counts[row].copy()
    others[row] = 0
    return str(classes[int(others.argmax())]) if others.any() else ""
