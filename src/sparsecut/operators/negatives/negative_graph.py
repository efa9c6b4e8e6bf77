"""A negative graph H in terms that an engine can sum: pairs with weights a_i·a_j, and pairs in a list.

Everything the method asks of H goes through its Laplacian L_H:

    energy(Z) = Σ_(i,j)∈H w_ij ‖z_i − z_j‖² = tr(Zᵀ L_H Z),      M = Sᵀ L_H S,   so that energy(S·W) = tr(Wᵀ M W)

`AllPairs` joins any two nodes with the weight c·a_i·a_j, where v = Σ a_i: row weights and a part of rank one,

    L = c·(v·diag(a) − a aᵀ),     Sᵀ L S = c·v·Σ_i a_i (s_i − mean)(s_i − mean)ᵀ,   mean = Σ a_i s_i / v,

so that n(n−1)/2 pairs cost one pass over the rows and none of them is touched. `ListedPairs` is a sparse matrix. Laplacians
add up, so a negative graph is a sum of such parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.kernels.sparse import SparseMatrix


class AllPairs:
    """Any two of n nodes, with the weight `scale`·a_i·a_j; a_i is 1 where no `row_weights` are given."""

    n_entries = 0

    def __init__(self, n_nodes: int, scale: float = 1.0, row_weights: Tensor | None = None) -> None:
        self.n_nodes = n_nodes
        self.scale = scale
        self.row_weights = row_weights  # (n,) float64
        self.volume = float(n_nodes) if row_weights is None else float(row_weights.sum())

    @property
    def total_weight(self) -> float:
        """Σ w_ij over pairs of two different nodes."""
        if self.row_weights is None:
            return self.scale * self.n_nodes * (self.n_nodes - 1) / 2
        return self.scale * (self.volume**2 - float(self.row_weights.square().sum())) / 2

    def shares(self, device: torch.device) -> Tensor | None:
        """The row weights, scaled to sum to 1; None where all are the same."""
        if self.row_weights is None:
            return None
        if self.row_weights.device != device:
            self.row_weights = self.row_weights.to(device)  # once: every step of training reads them
        return self.row_weights / self.volume

    def laplacian(self, Z: Tensor) -> Tensor:
        shares = self.shares(Z.device)
        if shares is None:
            return (Z - Z.mean(dim=0)) * (self.scale * self.n_nodes)
        if self.volume == 0:
            return torch.zeros_like(Z)
        shares = shares.to(Z.dtype)
        return (shares * (self.scale * self.volume**2))[:, None] * (Z - shares @ Z)

    def batch(self, nodes: Tensor) -> tuple[Tensor, AllPairs]:
        n_pairs, n_batch_pairs = self.n_nodes * (self.n_nodes - 1), len(nodes) * (len(nodes) - 1)
        weights = self.row_weights
        chosen = None if weights is None else weights[nodes.to(weights.device)]
        return nodes, AllPairs(len(nodes), self.scale * n_pairs / max(n_batch_pairs, 1), chosen)


class ListedPairs:
    """Pairs (m, 2) of node positions with weights (m,); a pair listed twice counts twice."""

    def __init__(self, n_nodes: int, pairs: NDArray[np.int64], weights: NDArray[Any]) -> None:
        order = np.argsort(pairs[:, 0], kind="stable")
        self.n_nodes = n_nodes
        self.pairs = pairs[order]  # by first node, so that a node's own pairs lie together
        self.weights = weights[order]
        self._matrices: dict[torch.device, SparseMatrix] = {}

    @property
    def total_weight(self) -> float:
        """Σ w_ij over pairs of two different nodes."""
        return float(self.weights[self.pairs[:, 0] != self.pairs[:, 1]].sum(dtype=np.float64))

    @property
    def n_entries(self) -> int:
        return int(self.matrix.nnz)

    @cached_property
    def matrix(self) -> sp.csr_array:
        """L, (n, n)."""
        i, j = self.pairs.T
        shape = (self.n_nodes, self.n_nodes)
        adjacency = sp.coo_array((self.weights.astype(np.float64), (i, j)), shape=shape).tocsr()
        adjacency = adjacency + adjacency.T
        return (sp.diags_array(adjacency.sum(axis=1)) - adjacency).tocsr().astype(np.float32)

    def laplacian(self, Z: Tensor) -> Tensor:
        if Z.device not in self._matrices:
            self._matrices[Z.device] = SparseMatrix(self.matrix, Z.device)
        return self._matrices[Z.device] @ Z.contiguous()

    def batch(self, nodes: Tensor) -> tuple[Tensor, ListedPairs]:
        chosen = nodes.cpu().numpy()
        first = np.searchsorted(self.pairs[:, 0], chosen)
        last = np.searchsorted(self.pairs[:, 0], chosen, side="right")
        own = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        needed, local = np.unique(np.concatenate([chosen, self.pairs[own].ravel()]), return_inverse=True)
        pairs = local[len(chosen) :].reshape(-1, 2)
        weights = self.weights[own] * (self.n_nodes / len(chosen))
        return torch.from_numpy(needed).to(nodes.device), ListedPairs(len(needed), pairs, weights)


@dataclass(frozen=True)
class NegativeGraph:
    """A sum of parts on n nodes, the base first.

    `base_weight` is the weight of the base, in expectation where its pairs are drawn at random; `unit_weight` the weight
    that a number α is measured by (`operators.losses`), None for the usual one. A part may span some of the nodes only:
    `positions` then says which.
    """

    n_nodes: int
    all_pairs: tuple[AllPairs, ...] = ()
    listed: tuple[ListedPairs, ...] = ()
    base_weight: float = 0.0
    unit_weight: float | None = None
    positions: tuple[Tensor | None, ...] = field(default=(), repr=False)

    @property
    def parts(self) -> tuple[AllPairs | ListedPairs, ...]:
        return (*self.all_pairs, *self.listed)

    @property
    def is_complete(self) -> bool:
        """Whether L is that of the complete graph up to a factor, and M the scatter of the rows."""
        return not self.listed and len(self.all_pairs) == 1 and self.all_pairs[0].row_weights is None

    @property
    def n_entries(self) -> int:
        """How many stored entries one product with the Laplacian touches, for the cost model."""
        return sum(part.n_entries for part in self.parts)

    @property
    def total_weight(self) -> float:
        """Σ w_ij over pairs of two different nodes: how much the graph demands in all."""
        return sum(part.total_weight for part in self.parts)

    def laplacian(self, Z: Tensor) -> Tensor:
        """L_H·Z, (n, d)."""
        if len(self.parts) == 1 and not self.positions:
            return self.parts[0].laplacian(Z)
        image = torch.zeros_like(Z)
        for part, nodes in zip(self.parts, self.positions or (None,) * len(self.parts), strict=True):
            if nodes is None:
                image += part.laplacian(Z)
            else:
                image.index_add_(0, nodes, part.laplacian(Z[nodes]))
        return image

    def energy(self, Z: Tensor) -> Tensor:
        """Σ w_ij ‖z_i − z_j‖², differentiable in Z."""
        return quadratic_form(self.laplacian, Z)

    def batch(self, nodes: Tensor) -> tuple[Tensor, NegativeGraph]:
        """For a mini-batch of Algorithm 2: the rows it needs and the negative graph among them.

        Weighted so that over random batches the expected energy is the whole graph's.
        """
        needed_by_part, batches = zip(*(part.batch(nodes) for part in self.parts), strict=True)
        if len(batches) == 1:
            return needed_by_part[0], _sum_of(len(needed_by_part[0]), batches)
        needed, position_of = torch.unique(torch.cat(needed_by_part), return_inverse=True)
        positions = torch.split(position_of, [len(part_nodes) for part_nodes in needed_by_part])
        return needed, _sum_of(len(needed), batches, positions)


def complete_graph(n_nodes: int) -> NegativeGraph:
    """All pairs, each with the weight 1: its M is n times the scatter of the rows."""
    pairs = AllPairs(n_nodes)
    return NegativeGraph(n_nodes, (pairs,), base_weight=pairs.total_weight)


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


def _sum_of(n_nodes: int, parts: Sequence[AllPairs | ListedPairs], positions: Sequence[Tensor] = ()) -> NegativeGraph:
    all_pairs = tuple(part for part in parts if isinstance(part, AllPairs))
    listed = tuple(part for part in parts if isinstance(part, ListedPairs))
    return NegativeGraph(n_nodes, all_pairs, listed, positions=tuple(positions))
