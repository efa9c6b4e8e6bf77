"""Features for graphs that bring none: the structure itself, as columns.

1. q = the mean of the first five powers of D⁻¹A: how often a short walk from i comes by j. Rare entries are dropped, so q
   stays sparse.
2. log max(1, q_ij·vol/d_j): how much more often than chance, which is what skip-gram methods learn by sampling walks
   (Levy and Goldberg, 2014; Qiu et al., 2018). Made symmetric.
3. its leading eigenvectors, weighted by |λ|^p, so that the coarse structure weighs more than the fine. How much more must be
   read off the graph: p is chosen so that the weights have one effective rank on every graph.
4. averaged over closed neighbourhoods, centred, and scaled to rows of one length, so that hubs do not drown the others.

The columns belong to this graph: another graph's eigenvectors point elsewhere, so such features do not carry over.
"""

from __future__ import annotations

import zlib

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.filters import propagation
from sparsecut.graph import Graph
from sparsecut.progress import Reporter
from sparsecut.sparse import SparseMatrix

FEATURES = ("auto", "given", "structure")

N_COLUMNS = 128
N_HOPS = 5
MIN_SHARE = 0.003  # a walk that comes by less often is dropped: at most 333 entries a row
MAX_ENTRIES = 50_000_000  # on large graphs the share rises, so that all rows together stay below this
EFFECTIVE_RANK = 25.0  # of the weighted columns: fewer cannot tell dozens of groups apart, more keep what is noise
ROW_LENGTH = 6.0  # of every row: a logistic regression with C = 1 then neither under- nor overfits
N_ITERATIONS = 4  # of subspace iteration; the spectrum of q falls fast
N_SPARE = 8  # columns iterated beyond those kept, for accuracy
ROW_BLOCK = 20_000  # rows of q computed at a time


def structural_features(
    adjacency: sp.csr_array, *, seed: int, device: torch.device, n_columns: int = N_COLUMNS, report: Reporter | None = None
) -> NDArray[np.float32]:
    """One row a node, `n_columns` or as many as there are nodes; the same seed gives the same bits."""
    n_columns = min(n_columns, adjacency.shape[0])
    N = SparseMatrix(log_proximity(adjacency, report=report), device)
    eigenvalues, vectors = leading_eigenvectors(N, n_columns, seed)
    weighted = vectors * sharpened(eigenvalues.abs(), EFFECTIVE_RANK)
    averaged = SparseMatrix(propagation(adjacency), device) @ weighted
    centred = averaged - averaged.mean(dim=0)
    lengths = centred.norm(dim=1, keepdim=True).clamp(min=1e-12)
    features: NDArray[np.float32] = (centred * (ROW_LENGTH / lengths)).cpu().numpy()
    return features


def with_structure(graph: Graph, seed: int, device: torch.device, report: Reporter) -> Graph:
    """The graph with its structure for features."""
    features = structural_features(graph.adjacency, seed=seed, device=device, report=report)
    return Graph.from_canonical(
        graph.adjacency,
        features=features,
        labels=graph.labels,
        node_ids=graph.node_ids,
        directed="out" if graph.is_directed else "symmetrize",
        notes=graph.notes,
    )


def log_proximity(
    adjacency: sp.csr_array, min_share: float | None = None, n_hops: int = N_HOPS, report: Reporter | None = None
) -> sp.csr_array:
    """log max(1, q_ij·vol/d_j) made symmetric, (n, n) and sparse, a block of rows at a time."""
    n_nodes = adjacency.shape[0]
    share = max(MIN_SHARE, n_nodes / MAX_ENTRIES) if min_share is None else min_share
    degrees = adjacency.sum(axis=1, dtype=np.float64)
    inverse = np.divide(1, degrees, out=np.zeros(n_nodes), where=degrees > 0)
    P = (sp.diags_array(inverse) @ adjacency).tocsr().astype(np.float32)
    chance = sp.diags_array((degrees.sum() * inverse / n_hops).astype(np.float32))
    blocks = []
    starts = range(0, n_nodes, ROW_BLOCK)
    for number, start in enumerate(starts, start=1):
        visits = power = P[start : start + ROW_BLOCK]
        for _ in range(n_hops - 1):
            power = (power @ P).tocsr()
            power.data[power.data < share] = 0
            power.eliminate_zeros()
            visits = visits + power
        blocks.append((visits @ chance).tocsr())
        if report is not None:
            report("structure", number, len(starts))
    ratio = sp.vstack(blocks, format="csr")
    ratio = ((ratio + ratio.T) / 2).tocsr()
    ratio.data = np.log(np.maximum(ratio.data, 1))
    ratio.eliminate_zeros()
    return sp.csr_array(ratio, dtype=np.float32)


def leading_eigenvectors(matrix: SparseMatrix, n_vectors: int, seed: int) -> tuple[Tensor, Tensor]:
    """Eigenvalues largest in size and their vectors, of a symmetric matrix, by subspace iteration from a seeded start."""
    n_rows = matrix.shape[0]
    width = min(n_vectors + N_SPARE, n_rows)
    start = torch.randn(n_rows, width, generator=torch.Generator().manual_seed(seed))
    basis = _orthonormal(start.to(matrix.device))
    for _ in range(N_ITERATIONS):
        basis = _orthonormal(matrix @ basis)
    small = basis.T @ (matrix @ basis)
    eigenvalues, vectors = torch.linalg.eigh((small + small.T) / 2)
    order = eigenvalues.abs().argsort(descending=True)[:n_vectors]
    return eigenvalues[order], basis @ vectors[:, order]


def _orthonormal(columns: Tensor) -> Tensor:
    """An orthonormal basis of the span of a few long columns, by their Gram matrix: many times faster than a QR of them.

    Done twice, since the first pass squares the condition of the columns and loses half of the digits.
    """
    for _ in range(2):
        sizes, directions = torch.linalg.eigh((columns.T @ columns).double())
        is_there = sizes > 1e-12 * sizes.max()
        scale = torch.where(is_there, sizes, 1).rsqrt() * is_there  # a direction that is not there stays zero
        columns = columns @ (directions * scale).to(columns.dtype)
    return columns


def sharpened(sizes: Tensor, effective_rank: float) -> Tensor:
    """(sizes/largest)^p with p ≥ 0 such that the squares have an effective rank: exp of the entropy of their shares."""
    relative = (sizes / sizes.max().clamp(min=1e-30)).double().clamp(min=1e-30)

    def rank(p: float) -> float:
        shares = relative ** (2 * p)
        shares = shares / shares.sum()
        return float(torch.exp(-(shares * shares.clamp(min=1e-300).log()).sum()))

    low, high = 0.0, 64.0
    for _ in range(50):  # the rank falls with p
        middle = (low + high) / 2
        low, high = (middle, high) if rank(middle) > effective_rank else (low, middle)
    return (relative**high).to(sizes.dtype)


def fingerprint(adjacency: sp.csr_array) -> int:
    """A number that tells graphs apart: structural features belong to one graph."""
    checksum = 0
    for array in (adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64), adjacency.data):
        checksum = zlib.crc32(array.tobytes(), checksum)
    return checksum
