"""Negative graphs H: the pairs an embedding must keep apart, and the demand side of the sparsest cut.

Everything the method asks of H goes through its Laplacian L_H:

    energy(Z) = Σ_(i,j)∈H w_ij ‖z_i − z_j‖² = tr(Zᵀ L_H Z)
    gram(S)   = Sᵀ L_H S = M,   so that energy(S·W) = tr(Wᵀ M W)

- complete: all pairs, n(n−1)/2 of them and none of them touched: L_K Z = n·(Z − mean of Z). Equation lossall, exactly.
- sampled: `n_negatives` partners a node, uniform over all nodes, drawn once (a node may draw itself: that adds 0).
- sparsifier: each pair with probability p, weight 1/p, so its energy estimates the complete graph's. The default p keeps
  n·ln n pairs in expectation, the order at which Spielman and Srivastava's theorem holds.
- given pairs: the non-uniform sparsest cut; a single pair (s, t) is the denominator of the minimum s-t cut.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.errors import InputError, check_choice, parameter_error
from sparsecut.rows import Rows, StackedRows
from sparsecut.sparse import SparseMatrix

NEGATIVES = ("complete", "sampled", "sparsifier")
COLUMN_BLOCK = 512  # columns of S that gram holds at a time beside S


class NegativeGraph(ABC):
    """A weighted graph on the nodes, known by its Laplacian."""

    n_nodes: int

    @abstractmethod
    def laplacian(self, Z: Tensor) -> Tensor:
        """L_H·Z, (n, d)."""

    @abstractmethod
    def batch(self, nodes: Tensor) -> tuple[Tensor, NegativeGraph]:
        """For a mini-batch of Algorithm 2: the rows it needs and the negative graph among them.

        Weighted so that over random batches the expected energy is the whole graph's.
        """

    @property
    @abstractmethod
    def n_entries(self) -> int:
        """How many stored entries one product with the Laplacian touches, for the cost model."""

    def energy(self, Z: Tensor) -> Tensor:
        """Σ w_ij ‖z_i − z_j‖², differentiable in Z."""
        return quadratic_form(self.laplacian, Z)

    def gram(self, S: Tensor | Rows | StackedRows) -> Tensor:
        """M = Sᵀ L_H S, (f, f), a block of columns at a time."""
        rows = Rows(S) if isinstance(S, Tensor) else S
        n_features = rows.shape[1]
        blocks = [
            rows.transpose_times(self.laplacian(rows.columns(start, min(start + COLUMN_BLOCK, n_features))))
            for start in range(0, n_features, COLUMN_BLOCK)
        ]
        M = torch.cat(blocks, dim=1)  # (f, f)
        return (M + M.T) / 2  # rounding is not symmetric; M is


class CompleteNegatives(NegativeGraph):
    """All pairs, each with the same weight."""

    n_entries = 0

    def __init__(self, n_nodes: int, weight: float = 1.0) -> None:
        self.n_nodes = n_nodes
        self.weight = weight

    def laplacian(self, Z: Tensor) -> Tensor:
        return (Z - Z.mean(dim=0)) * (self.weight * self.n_nodes)

    def batch(self, nodes: Tensor) -> tuple[Tensor, NegativeGraph]:
        n_batch = len(nodes)
        n_pairs, n_batch_pairs = self.n_nodes * (self.n_nodes - 1), n_batch * (n_batch - 1)
        return nodes, CompleteNegatives(n_batch, self.weight * n_pairs / max(n_batch_pairs, 1))


class EdgeNegatives(NegativeGraph):
    """A stored list of pairs with weights; a pair listed twice counts twice."""

    def __init__(self, n_nodes: int, pairs: NDArray[np.int64], weights: NDArray[Any], device: torch.device) -> None:
        order = np.argsort(pairs[:, 0], kind="stable")
        self.n_nodes = n_nodes
        self.pairs = pairs[order]  # by first node, so that a node's own pairs lie together
        self.weights = weights[order]
        self.device = device
        self._matrix = SparseMatrix(_edge_laplacian(n_nodes, self.pairs, self.weights), device)

    @property
    def n_entries(self) -> int:
        return self._matrix.nnz

    def laplacian(self, Z: Tensor) -> Tensor:
        return self._matrix @ Z.contiguous()

    def batch(self, nodes: Tensor) -> tuple[Tensor, NegativeGraph]:
        chosen = nodes.cpu().numpy()
        first = np.searchsorted(self.pairs[:, 0], chosen)
        last = np.searchsorted(self.pairs[:, 0], chosen, side="right")
        own = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        needed, local = np.unique(np.concatenate([chosen, self.pairs[own].ravel()]), return_inverse=True)
        pairs = local[len(chosen) :].reshape(-1, 2)
        weights = self.weights[own] * (self.n_nodes / len(chosen))
        return torch.from_numpy(needed).to(nodes.device), EdgeNegatives(len(needed), pairs, weights, self.device)


def make_negatives(
    negatives: Any, n_nodes: int, *, n_negatives: int, generator: np.random.Generator, device: torch.device, caller: str
) -> NegativeGraph:
    """The negative graph an estimator asks for: a name, or an array of pairs (m, 2) or of weighted pairs (m, 3)."""
    if not isinstance(negatives, str):
        return EdgeNegatives(n_nodes, *_check_pairs(negatives, n_nodes, caller), device)
    check_choice(caller, "negatives", negatives, NEGATIVES)
    if negatives == "complete":
        return CompleteNegatives(n_nodes)
    if negatives == "sampled":
        return EdgeNegatives(n_nodes, *sample_pairs(n_nodes, n_negatives, generator), device)
    return EdgeNegatives(n_nodes, *sparsify_complete(n_nodes, sparsifier_probability(n_nodes), generator), device)


def sample_pairs(
    n_nodes: int, n_negatives: int, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """`n_negatives` uniform partners for every node."""
    source = np.repeat(np.arange(n_nodes), n_negatives)
    target = generator.integers(0, n_nodes, size=len(source))
    return np.column_stack([source, target]), np.ones(len(source), dtype=np.float32)


def sparsifier_probability(n_nodes: int) -> float:
    """The p at which n·ln n of the n(n−1)/2 pairs are kept in expectation."""
    return min(1.0, 2 * math.log(n_nodes) / (n_nodes - 1)) if n_nodes > 1 else 1.0


def sparsify_complete(
    n_nodes: int, probability: float, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Each pair of nodes independently with a probability, in time proportional to the pairs kept.

    Number the n(n−1)/2 pairs. The gap from one kept pair to the next is geometric, so the kept ones are found by summing
    gaps, and the others are never looked at.
    """
    n_pairs = n_nodes * (n_nodes - 1) // 2
    kept: list[NDArray[np.int64]] = []
    position = -1
    while position < n_pairs - 1:
        expected = (n_pairs - position) * probability
        gaps = generator.geometric(probability, size=int(expected + 4 * math.sqrt(expected)) + 16)
        # A gap past the end means "no more"; capping it keeps the sum inside 64 bits.
        numbers = position + np.cumsum(np.minimum(gaps, n_pairs + 1), dtype=np.int64)
        kept.append(numbers[numbers < n_pairs])
        position = int(numbers[-1])
    numbers = np.concatenate(kept) if kept else np.empty(0, dtype=np.int64)
    pairs = pair_of_number(numbers, n_nodes)
    return pairs, np.full(len(pairs), 1 / probability, dtype=np.float32)


def pair_of_number(numbers: NDArray[np.int64], n_nodes: int) -> NDArray[np.int64]:
    """The pair i < j behind each number, counting (0,1), (0,2), …, (0,n−1), (1,2), …"""

    def first_number(i: NDArray[np.int64]) -> NDArray[np.int64]:
        # i(2n − i − 1)/2, the even factor halved first: the product itself would overflow past 2³¹ nodes.
        other = 2 * n_nodes - i - 1
        return np.where(i % 2 == 0, (i // 2) * other, i * (other // 2))

    b = 2.0 * n_nodes - 1
    i = np.floor((b - np.sqrt(np.maximum(b * b - 8.0 * numbers, 0))) / 2).astype(np.int64)
    i = np.clip(i, 0, max(n_nodes - 2, 0))
    # The square root is inexact for large n; the right row is next to it.
    while (low := numbers < first_number(i)).any():
        i -= low
    while (high := numbers >= first_number(i + 1)).any():
        i += high
    return np.column_stack([i, numbers - first_number(i) + i + 1])


def quadratic_form(operator: Callable[[Tensor], Tensor], X: Tensor) -> Tensor:
    """tr(Xᵀ·operator(X)) for a symmetric linear operator, whose gradient 2·operator(X) is already at hand."""
    return _QuadraticForm.apply(X, operator)  # type: ignore[no-any-return, no-untyped-call]


class _QuadraticForm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, X: Tensor, operator: Callable[[Tensor], Tensor]) -> Tensor:
        image = operator(X)
        ctx.save_for_backward(image)
        return (X * image).sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (image,) = ctx.saved_tensors
        return 2 * gradients[0] * image, None


def _edge_laplacian(n_nodes: int, pairs: NDArray[np.int64], weights: NDArray[Any]) -> sp.csr_array:
    i, j = pairs.T
    adjacency = sp.coo_array((weights.astype(np.float64), (i, j)), shape=(n_nodes, n_nodes)).tocsr()
    adjacency = adjacency + adjacency.T
    return (sp.diags_array(adjacency.sum(axis=1)) - adjacency).tocsr().astype(np.float32)


def _check_pairs(negatives: Any, n_nodes: int, caller: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    rule = f"one of {', '.join(NEGATIVES)}, or an array of node pairs (m, 2) or weighted pairs (m, 3)"
    try:
        table = np.asarray(negatives, dtype=np.float64)
    except (TypeError, ValueError):
        raise parameter_error(caller, "negatives", rule, negatives) from None
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] not in (2, 3):
        raise InputError(f"The negatives parameter of {caller} must be {rule}. Got shape {table.shape}.")
    pairs, weights = table[:, :2], table[:, 2] if table.shape[1] == 3 else np.ones(len(table))
    if not (np.isfinite(table).all() and (pairs == np.floor(pairs)).all()):
        raise InputError(f"The negative pairs of {caller} must be whole node positions and finite weights.")
    if pairs.min() < 0 or pairs.max() >= n_nodes:
        raise InputError(
            f"The negative pairs of {caller} must be positions from 0 to {n_nodes - 1}. "
            f"Got positions from {pairs.min():g} to {pairs.max():g}."
        )
    if (weights < 0).any():
        raise InputError(f"The weights of the negative pairs of {caller} must be zero or more. Got {weights.min():g}.")
    return pairs.astype(np.int64), weights.astype(np.float32)
