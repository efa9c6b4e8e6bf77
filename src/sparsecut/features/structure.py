"""Features for graphs that bring none: the structure itself, as columns.

1. q = the mean of the first five powers of D⁻¹A: how often a short walk from i comes by j. Rare entries are dropped, so q
   stays sparse, whatever the degrees (`sparsecut.features.proximity` states the bounds).
2. log max(1, q_ij·vol/d_j): how much more often than chance, which is what skip-gram methods learn by sampling walks
   (Levy and Goldberg, 2014; Qiu et al., 2018). Made symmetric.
3. its leading eigenvectors, weighted by |λ|^p, so that the coarse structure weighs more than the fine. How much more must be
   read off the graph: p is chosen so that the weights have one effective rank on every graph.
4. averaged over closed neighbourhoods, centred, and scaled to rows of one length, so that hubs do not drown the others.

The columns belong to this graph: another graph's eigenvectors point elsewhere, so such features do not carry over.
"""

from __future__ import annotations

import zlib
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.features.proximity import log_proximity
from sparsecut.kernels.between_diagonals import between_diagonals
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.spectrum import leading_eigenvectors, sharpening

FeaturesWord = Literal["auto", "given", "structure", "both"]
FEATURES: tuple[FeaturesWord, ...] = ("auto", "given", "structure", "both")
STRUCTURE_NOTE = (
    "The graph's structure is embedded in place of node features. Its columns mean something for this graph alone: to embed "
    "another one, fit again."
)

N_COLUMNS = 128
EFFECTIVE_RANK = 35.0  # of the weighted columns: fewer cannot separate dozens of groups, more keep what is noise
ROW_LENGTH = 6.0  # of every row: a logistic regression with C = 1 then neither under- nor overfits
N_ITERATIONS = 4  # of subspace iteration; the spectrum of q falls fast


def structural_features(
    adjacency: sp.csr_array, *, seed: int, device: torch.device, n_columns: int = N_COLUMNS, report: Reporter | None = None
) -> NDArray[np.float32]:
    """One row per node, `n_columns` or as many as there are nodes; the same seed gives the same bits."""
    n_columns = min(n_columns, adjacency.shape[0])
    N = SparseMatrix(log_proximity(adjacency, report=report), device)
    eigenvalues, vectors = leading_eigenvectors(
        N.__matmul__, N.shape[0], n_columns, device=device, n_iterations=N_ITERATIONS, seed=seed
    )
    sizes = eigenvalues.abs()
    power = sharpening(sizes.square(), EFFECTIVE_RANK)
    weighted = vectors * (sizes / sizes.max().clamp(min=1e-30)) ** power
    shares = 1 / (1 + adjacency.sum(axis=1, dtype=np.float64))
    averaged = SparseMatrix(between_diagonals(adjacency, shares, None, shares), device) @ weighted
    centred = averaged - averaged.mean(dim=0)
    lengths = centred.norm(dim=1, keepdim=True).clamp(min=1e-12)
    features: NDArray[np.float32] = (centred * (ROW_LENGTH / lengths)).cpu().numpy()
    return features


def fingerprint(adjacency: sp.csr_array) -> int:
    """A number that identifies a graph by its edges: structural features belong to one graph."""
    checksum = 0
    for array in (adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64), adjacency.data):
        checksum = zlib.crc32(array.tobytes(), checksum)
    return checksum


def fingerprint_with_features(adjacency: sp.csr_array, features: Any) -> int:
    """A number that identifies a graph by its edges and its features."""
    checksum = fingerprint(adjacency)
    arrays = (features.indptr, features.indices, features.data) if sp.issparse(features) else (features,)
    for array in (part for part in arrays if part is not None):
        checksum = zlib.crc32(np.ascontiguousarray(array).tobytes(), checksum)
    return checksum
