"""Fewer columns to smooth where the filter takes many hops: W = B·C, with few directions B found cheaply and C as ever.

    Z = q(P)·F·W = q(P)·(F·B)·C

A hop costs as much as it has columns, and an embedding has few. B are the directions of the features that lead after one hop
of a filter with the same share of the own row and the same sum, Y = (q(0) + (q(1) − q(0))·P)·F, on a sample of the nodes.
Within them M is solved as a whole, with the filter itself on all nodes; a direction that leads after many hops and is not
among half of those that lead after one would have to be missed for a difference.

What lies outside B counts in the trace of M alone, the share that the embedding holds. Random columns of the complement
estimate it: tr(M) = tr(BᵀMB) + E[ωᵀMω] for ω = (I − BBᵀ)·(random signs).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from sparsecut.engines.contract import Engine
from sparsecut.graph.edge_sample import sample_nodes
from sparsecut.kernels.moments import scatter
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.spectrum import orthonormal
from sparsecut.model.auto.constants import CONSTANTS, NarrowingCost
from sparsecut.operators.negatives import NegativeGraph


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
) -> Narrowed | None:
    """The rows in the directions that lead, more than the `n_kept` of the embedding; None where it would not pay.

    The `key` is the channel's, so that a checkpoint keeps the directions of each.
    """
    graph, n_hops = engine.graph, len(polynomial) - 1
    width = narrowed_width(n_features, n_kept, cost)
    n_directions = width - cost.n_probes
    if graph is None or n_hops < cost.least_hops or graph.n_nodes < cost.least_nodes or width >= n_features:
        return None
    if 2 * graph.n_edges * n_hops * (n_features - width) < cost.product_cost * graph.n_nodes * n_features * width:
        return None

    def find() -> dict[str, Any]:
        after_one = engine.smooth(rows, _near(polynomial), lazily=True)
        M = scatter(engine.take(after_one, sample_nodes(engine, cost.n_sampled)))
        vectors = torch.linalg.eigh(M.nan_to_num())[1].flip(1)
        return {"basis": _with_probes(vectors[:, :n_directions], cost.n_probes).cpu().numpy()}

    basis = torch.from_numpy(engine.checkpoint(f"narrowed-{key}", find)["basis"]).to(engine.device)
    return Narrowed(engine.multiply([rows], basis), basis, n_directions)


def narrowed_width(n_features: int, n_kept: int, cost: NarrowingCost = CONSTANTS.narrowing_cost) -> int:
    """The columns that are left: directions in whole cache lines, and the probes of what lies outside."""
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


def _near(polynomial: Polynomial) -> Polynomial:
    """One hop with the same share of the own row and the same sum; the polynomial itself where it takes no more."""
    own = polynomial[0]
    return polynomial if len(polynomial) <= 2 else (own, sum(polynomial) - own)


def _with_probes(B: Tensor, n_probes: int) -> Tensor:
    """[B R], (f, k + r) float32: the directions, and random signs less what these hold of them."""
    signs = torch.randint(0, 2, (len(B), n_probes), generator=torch.Generator().manual_seed(0)).to(B) * 2 - 1
    return torch.cat([B, signs - B @ (B.T @ signs)], dim=1).float()
