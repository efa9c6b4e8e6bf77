"""The demo graph: scikit-learn's 1,797 handwritten digits, each joined to its nearest neighbours. Real data, no download."""

from __future__ import annotations

from sparsecut.graph import Graph

N_NEIGHBORS = 10


def read_digits() -> Graph:
    """8×8 images as features, the digit as label; an edge where either is among the other's ten nearest."""
    from sklearn.datasets import load_digits
    from sklearn.neighbors import kneighbors_graph

    images, digits = load_digits(return_X_y=True)
    nearest = kneighbors_graph(images, N_NEIGHBORS)
    return Graph(nearest.maximum(nearest.T), features=images, labels=digits)
