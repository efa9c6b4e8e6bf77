"""The demo graph: scikit-learn's 1,797 handwritten digits, each joined to its nearest neighbours. Real data, no download."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sparsecut.datasets.dataset import Dataset, GraphSizes
from sparsecut.graph import Graph

N_NEIGHBORS = 10


def read_digits() -> Graph:
    """8×8 images as features, the digit as label; an edge where either is among the other's ten nearest."""
    from sklearn.datasets import load_digits

    images, digits = load_digits(return_X_y=True)
    # Pixels are whole numbers, so these squares are exact and equal distances are equal on every machine; of equally near
    # images the first ones count.
    lengths = (images**2).sum(axis=1)
    distances = lengths[:, None] + lengths - 2 * images @ images.T
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :N_NEIGHBORS]
    ends = np.repeat(np.arange(len(images)), N_NEIGHBORS), nearest.ravel()
    A = sp.csr_array((np.ones(nearest.size), ends), shape=distances.shape)
    return Graph(A.maximum(A.T), features=images, labels=digits)


DATASETS = (
    Dataset(
        name="digits",
        about="handwritten digits joined to their 10 nearest neighbours; built in",
        sizes=GraphSizes(1797, 12339, 64, 10),
        origin="scikit-learn",
        licence="CC BY 4.0 (UCI Machine Learning Repository)",
        citation="Alpaydin and Kaynak, Optical recognition of handwritten digits, UCI Machine Learning Repository, 1998",
        raw=(),
        read=lambda _: read_digits(),
    ),
)
