"""The losses. Each says how the energy E of the negative graph is driven; all add the L2 penalty of the optimiser.

The sparsest cut minimises Σ_edges ‖z_i − z_j‖² / Σ_H ‖z_i − z_j‖². Smoothing has already taken care of the numerator
(an edge's ends are averages over nearly the same nodes), which leaves the denominator:

    inverse    α / E     SCE. Large E lowers the loss, and its gradient −α/E²·∇E fades as E grows: the loss is bounded.
    negative   −α·E      the paper's ablation: the same direction at every point, but unbounded below.
    none       0         the paper's other ablation: the random projection that training starts from.

Adam divides a gradient by its own size, so without an L2 penalty α changes nothing, and with one only α against the
penalty counts. `alpha="auto"` makes the loss start at 1 (or −1), which takes the scale of the features and the number of
negative pairs out of it.

A number α needs a unit: the energy of all n(n−1)/2 pairs is n/(2k) times that of k sampled ones per node, and the penalty
would outweigh the loss. The paper's α belong to its sampled graph, so that is the unit: α counts against the energy scaled
to the weight of k = `n_negatives` uniform pairs per node, k·(n−1) without those of a node with itself. The energy of all
pairs, scaled like that, is exactly what the sampled one is in expectation.
"""

from __future__ import annotations

from typing import TypeVar

from torch import Tensor

LOSSES = ("inverse", "negative", "none")

Number = TypeVar("Number", float, Tensor)


def loss_of_energy(loss: str, energy: Tensor, alpha: float | Tensor) -> Tensor:
    """The unsupervised part of the loss."""
    return alpha / energy if loss == "inverse" else -alpha * energy


def slope_of_energy(loss: str, energy: Tensor, alpha: Tensor) -> Tensor:
    """The derivative of the loss in the energy."""
    slope = -alpha / energy.square() if loss == "inverse" else -alpha
    return slope.to(energy.dtype)


def alpha_against(loss: str, alpha: float, weight: float, unit: float) -> float:
    """What a given α comes to against an energy of a total weight, where it is meant against one of `unit`."""
    if weight <= 0 or unit <= 0:
        return alpha  # no pair is apart: there is no energy
    return alpha * (weight / unit) if loss == "inverse" else alpha * (unit / weight)


def unit_alpha(loss: str, energy: Number) -> Number:
    """The α at which the loss starts at 1 (inverse) or −1 (negative)."""
    return energy if loss == "inverse" else 1 / energy
