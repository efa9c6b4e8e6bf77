"""Negative graphs H: the pairs an embedding must keep apart, and the demand side of the sparsest cut.

Everything the method asks of H goes through its Laplacian L_H:

    energy(Z) = Σ_(i,j)∈H w_ij ‖z_i − z_j‖² = tr(Zᵀ L_H Z)
    gram(S)   = Sᵀ L_H S = M,   so that energy(S·W) = tr(Wᵀ M W)

- complete: all pairs, n(n−1)/2 of them and none of them touched: L_K Z = n·(Z − mean of Z). Equation lossall, exactly.
- sampled: `n_negatives` partners a node, uniform over all nodes, drawn once (a node may draw itself: that adds 0).
- sparsifier: each pair with probability p, weight 1/p, so its energy estimates the complete graph's. The default p keeps
  n·ln n pairs in expectation, the order at which Spielman and Srivastava's theorem holds.
- degrees: all pairs again, w_ij = d_i·d_j/vol with vol = Σd, the demands of the normalised cut. As cheap as the complete
  graph: L Z = d⊙(Z − mean of Z weighted by d). A node without edges demands nothing.
- given pairs: the non-uniform sparsest cut; a single pair (s, t) is the denominator of the minimum s-t cut.

Pairs that must differ (`apart`) come on top of any of these: L = L_base + c·L_apart. c is the base's total weight over the
number of pairs, so that together they demand as much as the whole base graph does, however many nodes and pairs there are.
Weights multiply: weighted 10 each, they demand ten times as much as the base; weighted 0.1, a tenth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.errors import check_choice
from sparsecut.graph.pairs import PAIRS_RULE, check_pairs
from sparsecut.kernels import halves
from sparsecut.kernels.moments import scatter
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.rows import Rows, StackedRows
from sparsecut.operators.sampling import sample_pairs, sparsifier_probability, sparsify_complete

NEGATIVES = ("complete", "degrees", "sampled", "sparsifier")
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

    @property
    @abstractmethod
    def total_weight(self) -> float:
        """Σ w_ij over pairs of two different nodes: how much the graph demands in all."""

    @property
    def base_weight(self) -> float:
        """The same without pairs from `apart`, and in expectation where pairs are drawn: what a given α is measured by."""
        return self.total_weight

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
        return nodes, CompleteNegatives(len(nodes), self.weight * _pairs_over_batch_pairs(self.n_nodes, len(nodes)))

    def gram(self, S: Tensor | Rows | StackedRows) -> Tensor:
        formed = formed_rows(S)
        if formed is None:
            return super().gram(S)
        features, scale = formed
        pairs = self.weight * self.n_nodes * scale**2
        if not halves.with_tensor_cores(features):
            return (scatter(features) * (pairs * self.n_nodes)).float()
        # The tensor cores of a GPU multiply the halves as they are: n·SᵀS − (Sᵀ1)(Sᵀ1)ᵀ, in one pass.
        squares, sums = halves.moments(features)
        M = (squares - torch.outer(sums, sums) / self.n_nodes) * pairs
        return ((M + M.T) / 2).float()

    @property
    def total_weight(self) -> float:
        return self.weight * self.n_nodes * (self.n_nodes - 1) / 2


class DegreeNegatives(NegativeGraph):
    """All pairs, w_ij = weight·d_i·d_j; weight = 1/vol unless given, the demands of the normalised cut."""

    n_entries = 0

    def __init__(self, degrees: Tensor, weight: float | None = None) -> None:
        self.n_nodes = len(degrees)
        self.degrees = degrees  # (n,) float64
        self.volume = float(degrees.sum())
        self.weight = 1 / max(self.volume, 1e-300) if weight is None else weight

    def laplacian(self, Z: Tensor) -> Tensor:
        if self.volume == 0:
            return torch.zeros_like(Z)
        shares = (self.degrees / self.volume).to(Z.dtype)
        return (shares * (self.weight * self.volume**2))[:, None] * (Z - shares @ Z)

    def gram(self, S: Tensor | Rows | StackedRows) -> Tensor:
        formed = formed_rows(S)
        if formed is None or self.volume == 0:
            return super().gram(S)
        features, scale = formed
        return (scatter(features, self.degrees / self.volume) * (self.weight * (self.volume * scale) ** 2)).float()

    def batch(self, nodes: Tensor) -> tuple[Tensor, NegativeGraph]:
        weight = self.weight * _pairs_over_batch_pairs(self.n_nodes, len(nodes))
        return nodes, DegreeNegatives(self.degrees[nodes], weight)

    @property
    def total_weight(self) -> float:
        return self.weight * (self.volume**2 - float(self.degrees.square().sum())) / 2


class EdgeNegatives(NegativeGraph):
    """A stored list of pairs with weights; a pair listed twice counts twice."""

    def __init__(
        self,
        n_nodes: int,
        pairs: NDArray[np.int64],
        weights: NDArray[Any],
        device: torch.device,
        expected_weight: float | None = None,
    ) -> None:
        order = np.argsort(pairs[:, 0], kind="stable")
        self.n_nodes = n_nodes
        self.pairs = pairs[order]  # by first node, so that a node's own pairs lie together
        self.weights = weights[order]
        self.device = device
        self.expected_weight = expected_weight  # where the pairs were drawn
        self._matrix = SparseMatrix(_edge_laplacian(n_nodes, self.pairs, self.weights), device)

    @property
    def n_entries(self) -> int:
        return self._matrix.nnz

    @property
    def total_weight(self) -> float:
        return float(self.weights[self.pairs[:, 0] != self.pairs[:, 1]].sum(dtype=np.float64))

    @property
    def base_weight(self) -> float:
        return self.total_weight if self.expected_weight is None else self.expected_weight

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


class SumOfNegatives(NegativeGraph):
    """Several negative graphs on the same nodes at once, the base first: their Laplacians add up.

    A part may span some of the nodes only: `positions` then says which, a tensor for each part, None for all nodes.
    """

    def __init__(
        self, n_nodes: int, parts: Sequence[NegativeGraph], positions: Sequence[Tensor | None] | None = None
    ) -> None:
        self.n_nodes = n_nodes
        self.parts = tuple(parts)
        self.positions = tuple(positions) if positions is not None else (None,) * len(self.parts)

    @property
    def n_entries(self) -> int:
        return sum(part.n_entries for part in self.parts)

    @property
    def total_weight(self) -> float:
        return sum(part.total_weight for part in self.parts)

    @property
    def base_weight(self) -> float:
        return self.parts[0].base_weight

    def laplacian(self, Z: Tensor) -> Tensor:
        image = torch.zeros_like(Z)
        for part, nodes in zip(self.parts, self.positions, strict=True):
            if nodes is None:
                image += part.laplacian(Z)
            else:
                image.index_add_(0, nodes, part.laplacian(Z[nodes]))
        return image

    def batch(self, nodes: Tensor) -> tuple[Tensor, NegativeGraph]:
        """Each part's own batch, among the rows that any of them needs."""
        assert all(positions is None for positions in self.positions)
        needed_by_part, batches = zip(*(part.batch(nodes) for part in self.parts), strict=True)
        needed, position_of = torch.unique(torch.cat(needed_by_part), return_inverse=True)
        positions = torch.split(position_of, [len(part_nodes) for part_nodes in needed_by_part])
        return needed, SumOfNegatives(len(needed), batches, positions)


def make_negatives(
    negatives: Any,
    n_nodes: int,
    *,
    n_negatives: int,
    generator: np.random.Generator,
    device: torch.device,
    caller: str,
    degrees: NDArray[Any] | None = None,
    apart: Any = None,
    node_ids: NDArray[Any] | None = None,
) -> NegativeGraph:
    """The negative graph an estimator asks for: a name, or an array of pairs (m, 2) or of weighted pairs (m, 3).

    Pairs are of node ids, which are 0..n−1 where `node_ids` does not say what they are.

    `degrees` are the graph's (weighted) degrees, which "degrees" needs. `apart` are pairs on top that must differ.
    """
    ids = np.arange(n_nodes) if node_ids is None else node_ids
    base = _make_base(negatives, ids, n_negatives, generator, device, caller, degrees)
    if apart is None:
        return base
    pairs, weights = check_pairs(apart, ids, caller=caller, name="apart")
    # Where the base demands nothing (degrees of a graph without edges), there is nothing to measure the pairs against.
    scale = (base.total_weight or 1.0) / len(pairs)
    return SumOfNegatives(n_nodes, [base, EdgeNegatives(n_nodes, pairs, scale * weights, device)])


def sampled_weight(n_nodes: int, n_negatives: int) -> float:
    """The expected weight of `n_negatives` uniform pairs per node, of which one in n is a node with itself."""
    return float(n_negatives * (n_nodes - 1))


def formed_rows(S: Tensor | Rows | StackedRows) -> tuple[Tensor, float] | None:
    """Dense rows that are S up to a factor, and the factor; None where S is not held like that."""
    rows = Rows(S) if isinstance(S, Tensor) else S
    if isinstance(rows, StackedRows) or not rows.is_formed or not isinstance(rows.features, Tensor):
        return None
    return rows.features, rows.coefficients[0]


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


def _make_base(
    negatives: Any,
    node_ids: NDArray[Any],
    n_negatives: int,
    generator: np.random.Generator,
    device: torch.device,
    caller: str,
    degrees: NDArray[Any] | None,
) -> NegativeGraph:
    n_nodes = len(node_ids)
    if not isinstance(negatives, str):
        rule = f"one of {', '.join(NEGATIVES)}, or {PAIRS_RULE}"
        pairs, weights = check_pairs(negatives, node_ids, caller=caller, name="negatives", rule=rule, with_same=True)
        return EdgeNegatives(n_nodes, pairs, weights.astype(np.float32), device)
    check_choice(caller, "negatives", negatives, NEGATIVES)
    if negatives == "complete":
        return CompleteNegatives(n_nodes)
    if negatives == "degrees":
        assert degrees is not None
        return DegreeNegatives(torch.from_numpy(np.asarray(degrees, dtype=np.float64)).to(device))
    if negatives == "sampled":
        drawn = sample_pairs(n_nodes, n_negatives, generator)
        return EdgeNegatives(n_nodes, *drawn, device, sampled_weight(n_nodes, n_negatives))
    drawn = sparsify_complete(n_nodes, sparsifier_probability(n_nodes), generator)
    return EdgeNegatives(n_nodes, *drawn, device, CompleteNegatives(n_nodes).total_weight)


def _pairs_over_batch_pairs(n_nodes: int, n_batch: int) -> float:
    """One over the chance that a pair of nodes falls into a random batch: what its weight is multiplied by there."""
    return n_nodes * (n_nodes - 1) / max(n_batch * (n_batch - 1), 1)
