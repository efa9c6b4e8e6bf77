"""The losses. Each says how the energy E of the negative graph is driven; all add the L2 penalty of the optimiser.

The relaxed sparsest cut (equation opt of the paper) minimises E_G / E, with E_G = Σ_edges ‖z_i − z_j‖² over the graph's own
edges. Smoothing takes care of the numerator (an edge's ends are averages over nearly the same nodes), and SCE leaves it out:

    inverse    α / E         SCE. Large E lowers the loss, and its gradient −α/E²·∇E fades as E grows: the loss is bounded.
    ratio      α·E_G / E     the whole ratio. Its gradient α/E·(∇E_G − E_G/E·∇E) is 0 along W itself: scale changes nothing.
    negative   −α·E          the paper's ablation: the same direction at every point, but unbounded below.
    none       0             the paper's other ablation: the random projection that training starts from.

The ratio is the inverse of another energy, E / E_G: what is said of α/E below holds for it with that energy.

Adam divides a gradient by its own size, so without an L2 penalty α changes nothing, and with one only α against the
penalty counts. `alpha="auto"` makes the loss start at 1 (or −1), which takes the scale of the features and the number of
negative pairs out of it.

A number α needs a unit: the energy of all n(n−1)/2 pairs is n/(2k) times that of k sampled ones per node, and the penalty
would outweigh the loss. The paper's α belong to its sampled graph, so that is the unit: α counts against the energy scaled
to the weight of k = `n_negatives` uniform pairs per node, k·(n−1) without those of a node with itself. The energy of all
pairs, scaled like that, is exactly what the sampled one is in expectation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from sparsecut.base.errors import InputError
from sparsecut.operators.negatives import ListedPairs, NegativeGraph

LOSSES = ("inverse", "ratio", "negative", "none")

Number = TypeVar("Number", float, Tensor)


def loss_of_energy(loss: str, energy: Tensor, alpha: float | Tensor) -> Tensor:
    """The unsupervised part of the loss; for "ratio" the energy is that of the negatives over that of the edges."""
    return -alpha * energy if loss == "negative" else alpha / energy


def slope_of_energy(loss: str, energy: Tensor, alpha: Tensor) -> Tensor:
    """The derivative of the loss in the energy."""
    slope = -alpha if loss == "negative" else -alpha / energy.square()
    return slope.to(energy.dtype)


def alpha_against(loss: str, alpha: float, weight: float, unit: float) -> float:
    """What a given α comes to against an energy of a total weight, where it is meant against one of `unit`."""
    if weight <= 0 or unit <= 0:
        return alpha  # no pair is apart: there is no energy
    return alpha * (unit / weight) if loss == "negative" else alpha * (weight / unit)


def unit_alpha(loss: str, energy: Number) -> Number:
    """The α at which the loss starts at 1 (inverse, ratio) or −1 (negative)."""
    return 1 / energy if loss == "negative" else energy


def edge_graph(adjacency: sp.csr_array, *, is_directed: bool = False) -> NegativeGraph:
    """The graph's own edges as listed pairs, each once: their energy is E_G = tr(Zᵀ L_G Z).

    They are no negatives. But listed pairs can be summed up already, so M_G = Sᵀ L_G S takes no call of its own.
    """
    edges = sp.coo_array(adjacency if is_directed else sp.triu(adjacency, 1))
    pairs = np.column_stack([edges.row, edges.col]).astype(np.int64)
    listed = ListedPairs(adjacency.shape[0], pairs, edges.data)
    return NegativeGraph(adjacency.shape[0], listed=(listed,), base_weight=listed.total_weight)


class EnergyPerEdges:
    """E / E_G of an encoder, from the two energies as functions of it: its inverse is the ratio of equation opt."""

    def __init__(self, negatives: Callable[[Any], Tensor], edges: Callable[[Any], Tensor]) -> None:
        self.negatives = negatives
        self.edges = edges

    def __call__(self, encoder: Any) -> Tensor:
        return self.negatives(encoder) / self.edges(encoder)

    def check(self, encoder: Any) -> None:
        """Refuse rows that are equal along every edge: the ratio is 0 or 0/0 whatever the weights."""
        with torch.no_grad():
            if not self.edges(encoder) > 0:
                raise InputError(
                    "Adam(loss='ratio') needs an edge whose two ends differ after smoothing: over the edges of this graph "
                    "the energy is 0, and no weights can lower it. Use loss='inverse', or a filter of a lower order."
                )
