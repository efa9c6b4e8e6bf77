"""The clusters a report colours by, and what it says of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.evaluation.clustering import k_means, matched_accuracy
from sparsecut.explore.findings import Section, cluster_section
from sparsecut.graph.labels import encode_labels

MAX_CLUSTERED = 100_000  # nodes up to which k-means runs on all of them, and beyond which on batches


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
