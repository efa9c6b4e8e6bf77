"""The health of an embedding, measured without labels: how many dimensions it fills, and whether linked nodes are near.

- spectrum: the shares of variance of its principal components, largest first
- effective rank: exp of the entropy of those shares. 1 is a line, d an even ball, 0 a point
- cut ratio: the sparsest cut's own quotient, normalised by the numbers of edges and of pairs,

      (Σ_edges w_ij‖z_i − z_j‖² / Σ_edges w_ij)  /  (Σ_pairs ‖z_i − z_j‖² / (n(n−1)/2))

  the squared distance across an edge against that of any pair: 0 where every edge has become a point, 1 where edges are
  no closer than chance, above 1 where they are farther.

A loss that only keeps nodes apart can put all of them on one line, and a model that only smooths can put them in one point.
Either is called collapsed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError
from sparsecut.evaluation.linear_probe import check_embedding
from sparsecut.graph import Graph, as_graph, place_graph, rows_and_ids

LINE_RANK = 1.5  # an effective rank below it is a line: at least about nine tenths of the variance in one direction
POINT_SHARE = 1e-10  # of the mean squared length; less variance than that is rounding
BLOCK = 2**22  # numbers gathered at a time


@dataclass(frozen=True)
class Health:
    """Figures of an embedding that need no labels: see `measure_health`.

    Attributes
    ----------
    n_nodes, dimension : int
        Rows and columns.
    effective_rank : float
        exp of the entropy of `spectrum`: 1 is a line, `dimension` an even ball, 0 a point.
    spectrum : array
        Shares of variance of the principal components, largest first.
    cut_ratio : float or None
        The squared distance across an edge against that of any pair; None without a graph or without edges.
    """

    n_nodes: int
    dimension: int
    effective_rank: float
    spectrum: NDArray[np.float64]
    cut_ratio: float | None

    @property
    def first_share(self) -> float:
        """The share of variance in the first principal component."""
        return float(self.spectrum[0]) if len(self.spectrum) else math.nan

    @property
    def is_collapsed(self) -> bool:
        return not len(self.spectrum) or (self.dimension > 1 and self.effective_rank < LINE_RANK)

    @property
    def verdict(self) -> str:
        if not len(self.spectrum):
            return "Collapsed to a point: all nodes have the same vector."
        if self.is_collapsed:
            return (
                f"Collapsed to a line: {self.first_share:.1%} of the variance lies in the first of {self.dimension} "
                "components, as after too many epochs."
            )
        words = f"Spread over about {self.effective_rank:.0f} of {self.dimension} dimensions."
        if self.cut_ratio is not None:
            closer = "closer together" if self.cut_ratio < 1 else "no closer together"
            words += f" Neighbours are {closer} than other nodes: cut ratio {self.cut_ratio:.3f}."
        return words

    def to_dict(self) -> dict[str, Any]:
        return {
            "n_nodes": self.n_nodes,
            "dimension": self.dimension,
            "effective_rank": self.effective_rank,
            "first_share": self.first_share if len(self.spectrum) else None,
            "cut_ratio": self.cut_ratio,
            "is_collapsed": self.is_collapsed,
            "verdict": self.verdict,
            "spectrum": self.spectrum.tolist(),
        }

    def __str__(self) -> str:
        return self.verdict


def measure_health(embedding: ArrayLike, graph: Graph | None = None) -> Health:
    """Measure how many dimensions an embedding fills, and whether linked nodes are near each other in it.

    Parameters
    ----------
    embedding : array or frame of shape (n, d)
        One row per node. A frame is matched to the graph's nodes by the ids it brings.
    graph : Graph or adjacency, optional
        The graph of the same nodes, for the cut ratio.

    Returns
    -------
    Health
        Its `verdict` says the figures in words, and whether the embedding has collapsed.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsecut.evaluation import measure_health
    >>> print(measure_health(np.eye(4)))
    Spread over about 3 of 4 dimensions.
    >>> measure_health(np.arange(8.0)[:, None] * [1.0, 2.0]).is_collapsed
    True
    """
    rows, ids = rows_and_ids(embedding)
    Z = check_embedding(rows)
    graph = None if graph is None else place_graph(as_graph(graph), ids)
    Z = np.asarray(Z.toarray() if sp.issparse(Z) else Z)
    if graph is not None and graph.n_nodes != len(Z):
        raise InputError(f"The graph must have the embedding's {len(Z):,} nodes. Got {graph.n_nodes:,}.")
    centred = Z - Z.mean(axis=0, dtype=np.float64)
    shares = _spectrum(centred, float(np.square(Z, dtype=np.float64).sum()))
    positive = shares[shares > 0]
    return Health(
        n_nodes=len(Z),
        dimension=Z.shape[1],
        effective_rank=float(np.exp(-(positive * np.log(positive)).sum())) if len(shares) else 0.0,
        spectrum=shares,
        cut_ratio=None if graph is None or not len(shares) else cut_ratio(centred, graph),
    )


def cut_ratio(embedding: ArrayLike, graph: Graph, *, n_numbers: int = BLOCK) -> float | None:
    """The normalised quotient of the sparsest cut; None where there is no edge, or where all vectors are the same."""
    Z = np.asarray(embedding, dtype=np.float64)
    centred = Z - Z.mean(axis=0)
    n_nodes = len(Z)
    edges = sp.triu(as_graph(graph).adjacency, k=1).tocoo()
    # Σ_pairs ‖z_i − z_j‖² = n·Σ_i ‖z_i − mean‖²
    mean_pair = np.square(centred).sum() * 2 / (n_nodes - 1) if n_nodes > 1 else 0.0
    if not edges.nnz or mean_pair <= 0:
        return None
    across = 0.0
    block = max(1, n_numbers // Z.shape[1])
    for start in range(0, edges.nnz, block):
        part = slice(start, start + block)
        gaps = np.square(centred[edges.row[part]] - centred[edges.col[part]]).sum(axis=1)
        across += float(edges.data[part].astype(np.float64) @ gaps)
    return float(across / edges.data.sum(dtype=np.float64) / mean_pair)


def _spectrum(centred: NDArray[np.float64], squares: float) -> NDArray[np.float64]:
    """The shares of variance, largest first; none where there is no variance."""
    is_wide = centred.shape[1] > centred.shape[0]
    values = np.linalg.eigvalsh(centred @ centred.T if is_wide else centred.T @ centred)[::-1]
    values = np.maximum(values, 0)
    total = values.sum()
    return values / total if total > POINT_SHARE * squares else np.empty(0)
