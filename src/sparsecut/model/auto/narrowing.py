"""Fewer columns to smooth where the filter takes many hops: W = B·C, with few directions B found cheaply and C as ever.

    Z = q(P)·F·W = q(P)·(F·B)·C

A hop costs as much as it has columns, and an embedding has few. B are the directions of the features that lead after one hop
of a filter with the same share of the own row and the same sum, Y = (q(0) + (q(1) − q(0))·P)·F, on a sample of the nodes.
Within them M is solved as a whole, with the filter itself on all nodes; a direction that leads after many hops and is not
among half of those that lead after one would have to be missed for a difference.

B has half of the columns, or fewer where a few hold all that sharpening leaves. More hops take from a direction at most what
is each node's own noise in it: of that q(0)² is left in the end, against

    v = (q(0) + q₁/d̃)² + q₁²·d/d̃²,   q₁ = q(1) − q(0),   the mean over nodes with d neighbours, d̃ = d + 1

after one. So no direction gains on the first by more than v/q(0)², and the eigenvalues after one hop, those beyond B times
this factor, say how much B may miss. Where nodes have few neighbours the factor is large, and half of the columns are taken.

What lies outside B counts in the trace of M alone, the share that the embedding holds. Random columns of the complement
estimate it: tr(M) = tr(BᵀMB) + E[ωᵀMω] for ω = (I − BBᵀ)·(random signs).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.contract import Engine
from sparsecut.graph.edge_sample import degrees_at, sample_nodes
from sparsecut.kernels.moments import scatter
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.spectrum import orthonormal
from sparsecut.model.auto.constants import CONSTANTS, NarrowingCost
from sparsecut.operators.negatives import NegativeGraph
from sparsecut.operators.sharpened import Sharpness


@dataclass(frozen=True)
class Narrowed:
    """F·[B R]: rows of fewer columns that have taken no hop."""

    rows: Any  # of the engine
    basis: Tensor  # [B R], (f, k + r)
    n_directions: int  # k; the other columns are probes of what lies outside


def narrow(
    engine: Engine[Any],
    rows: Any,
    n_features: int,
    polynomial: Polynomial,
    n_kept: int,
    cost: NarrowingCost = CONSTANTS.narrowing_cost,
    *,
    key: str = "",
    n_least: int = 0,
    effective_rank: float = math.inf,
) -> Narrowed | None:
    """The rows in the directions that lead, more than the `n_kept` of the embedding; None where it would not pay.

    Fewer, but more than `n_least`, where a spectrum sharpened to the effective rank needs no more. The `key` is the
    channel's, so that a checkpoint keeps the directions of each.
    """
    graph, n_hops = engine.graph, len(polynomial) - 1
    width = narrowed_width(n_features, n_kept, cost)
    n_directions = width - cost.n_probes
    if graph is None or n_hops < cost.least_hops or graph.n_nodes < cost.least_nodes or width >= n_features:
        return None
    if 2 * graph.n_edges * n_hops * (n_features - width) < cost.product_cost * graph.n_nodes * n_features * width:
        return None

    def find() -> dict[str, Any]:
        near, nodes = _near(polynomial), sample_nodes(engine, cost.n_sampled)
        M = scatter(engine.take(engine.smooth(rows, near, lazily=True), nodes))
        values, vectors = (found.flip(-1) for found in torch.linalg.eigh(M.nan_to_num()))
        n_taken = n_directions
        if math.isfinite(effective_rank):
            n_leading = _n_leading(values.cpu(), _most_gained(near, degrees_at(engine, nodes)), effective_rank, cost.lost)
            n_taken = min(n_taken, -(-(max(n_leading, n_least) + cost.spare) // cost.line) * cost.line)
        return {"basis": _with_probes(vectors[:, :n_taken], cost.n_probes).cpu().numpy()}

    basis = torch.from_numpy(engine.checkpoint(f"narrowed-{key}", find)["basis"]).to(engine.device)
    return Narrowed(engine.multiply([rows], basis), basis, basis.shape[1] - cost.n_probes)


def narrowed_width(n_features: int, n_kept: int, cost: NarrowingCost = CONSTANTS.narrowing_cost) -> int:
    """The columns that are left at most: directions in whole cache lines, and the probes of what lies outside."""
    return -(-max(int(cost.share * n_features), n_kept + cost.spare) // cost.line) * cost.line + cost.n_probes


def narrow_by_products(
    engine: Engine[Any],
    rows: Any,
    n_features: int,
    polynomial: Polynomial,
    n_kept: int,
    negatives: NegativeGraph,
    cost: NarrowingCost = CONSTANTS.narrowing_cost,
    *,
    key: str = "",
) -> Narrowed | None:
    """`narrow` for features too wide for a matrix of their products: subspace iteration, most of it with one hop."""
    n_directions = -(-(n_kept + cost.spare) // cost.line) * cost.line
    if n_directions + cost.n_probes >= n_features:
        return None

    def find() -> dict[str, Any]:
        itself, near = (engine.smooth(rows, each, lazily=True) for each in (polynomial, _near(polynomial)))
        start = torch.randn(n_features, n_directions, generator=torch.Generator().manual_seed(0))
        B = start.to(engine.device) / math.sqrt(n_features)
        for level in (*(near,) * cost.n_near, *(itself,) * cost.n_itself):
            image = engine.transpose_multiply([level], engine.multiply([level], B), negatives)
            B = orthonormal(image.nan_to_num())
        return {"basis": _with_probes(B, cost.n_probes).cpu().numpy()}

    basis = torch.from_numpy(engine.checkpoint(f"narrowed-{key}", find)["basis"]).to(engine.device)
    return Narrowed(engine.multiply([rows], basis), basis, n_directions)


def _most_gained(near: Polynomial, degrees: NDArray[np.float64]) -> float:
    """The factor by which hops after the first may raise a direction against the first, at most."""
    own, around = near[0], sum(near[1:])
    left = (own + around / (1 + degrees)) ** 2 + around**2 * degrees / (1 + degrees) ** 2
    return float(left.mean()) / own**2 if own else math.inf


def _n_leading(values: Tensor, most_gained: float, effective_rank: float, lost: float) -> int:
    """How many of the falling eigenvalues are needed, so that the others hold no more than a share of what is sharpened."""
    sharpness = Sharpness.of(values, effective_rank)
    beyond = (most_gained * sharpness.relative).nan_to_num().clamp(max=1) ** sharpness.power
    from_here = beyond.flip(0).cumsum(0).flip(0)
    return int((from_here > lost * sharpness.variances.sum()).sum())


def _near(polynomial: Polynomial) -> Polynomial:
    """One hop with the same share of the own row and the same sum; the polynomial itself where it takes no more."""
    own = polynomial[0]
    return polynomial if len(polynomial) <= 2 else (own, sum(polynomial) - own)


def _with_probes(B: Tensor, n_probes: int) -> Tensor:
    """[B R], (f, k + r) float32: the directions, and random signs less what these hold of them."""
    signs = torch.randint(0, 2, (len(B), n_probes), generator=torch.Generator().manual_seed(0)).to(B) * 2 - 1
    return torch.cat([B, signs - B @ (B.T @ signs)], dim=1).float()
