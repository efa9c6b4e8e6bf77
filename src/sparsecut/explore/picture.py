"""A 2-D map of an embedding as a picture: t-SNE of its leading principal components, one colour a label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.errors import import_extra
from sparsecut.io.files import write_whole
from sparsecut.labels import labelled_nodes

N_ITERATIONS = 500  # half of scikit-learn's default; the map no longer changes much
N_COMPONENTS = 30  # enough for t-SNE's neighbourhoods, and far cheaper than all


def layout(embedding: ArrayLike, random_state: int = 0) -> NDArray[np.float32]:
    """A position in the plane for every node, neighbours in the embedding close together."""
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    Z = np.asarray(embedding)
    components = PCA(min(N_COMPONENTS, *Z.shape), svd_solver="full").fit_transform(Z)
    perplexity = min(30.0, max(1.0, (len(Z) - 1) / 3))
    return np.asarray(
        TSNE(perplexity=perplexity, init="pca", max_iter=N_ITERATIONS, random_state=random_state).fit_transform(components)
    )


def draw_map(path: str | Path, embedding: ArrayLike, labels: ArrayLike, title: str = "", caller: str = "draw_map") -> None:
    """Draw the map of an embedding into a file; the suffix is the format (.png, .svg, .pdf)."""
    import_extra("matplotlib", caller=caller, extra="explore")
    from matplotlib.figure import Figure

    labels = np.asarray(labels)
    positions = layout(embedding)
    known = labelled_nodes(labels)
    classes, class_of = np.unique(labels[known], return_inverse=True)
    figure = Figure(figsize=(7, 5.2), layout="constrained")
    axes = figure.add_subplot()
    axes.scatter(positions[:, 0], positions[:, 1], s=6, linewidths=0, color="0.8")
    for position, name in enumerate(classes):
        points = positions[known[class_of == position]]
        axes.scatter(points[:, 0], points[:, 1], s=6, linewidths=0, color=f"C{position % 10}", label=str(name))
    axes.set_axis_off()
    axes.set_title(title)
    if len(classes) <= 20:
        figure.legend(loc="outside right center", frameon=False, markerscale=3)
    with write_whole(path) as temporary:
        figure.savefig(temporary, dpi=150)
