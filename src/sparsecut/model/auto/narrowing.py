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
from sparsecut.operators.negatives import NegativeGraph

LEAST_HOPS = 4  # with fewer, little is gained
LEAST_NODES = 1 << 14  # below, a fit takes a fraction of a second anyway
SHARE, SPARE = 0.5, 32  # of the columns, and more than are kept
PRODUCT_COST = 0.25  # of a multiply-add of F·B beside one of a hop, and as many again for what else is done
LINE = 16  # columns: a cache line of float32
N_PROBES = 16
SAMPLE = 4096  # nodes that the directions are found from
N_NEAR, N_ITSELF = 2, 1  # products with one hop, and with the filter itself, that find those of wide features


@dataclass(frozen=True)
class Narrowed:
    """F·[B R]: rows of fewer columns that have taken no hop."""

    rows: Any  # of the engine
    basis: Tensor  # [B R], (f, k + r)
    n_directions: int  # k; the other columns are probes of what lies outside


def narrow(
    engine: Engine[Any], rows: Any, n_features: int, polynomial: Polynomial, n_kept: int, *, key: str = ""
) -> Narrowed | None:
    """The rows in the directions that lead, more than the `n_kept` of the embedding; None where it would not pay.

    The `key` tells the directions of one channel from another's.
    """
    graph, n_hops = engine.graph, len(polynomial) - 1
    width = narrowed_width(n_features, n_kept)
    n_directions = width - N_PROBES
    if graph is None or n_hops < LEAST_HOPS or graph.n_nodes < LEAST_NODES or width >= n_features:
        return None
    if 2 * graph.n_edges * n_hops * (n_features - width) < PRODUCT_COST * graph.n_nodes * n_features * width:
        return None

    def find() -> dict[str, Any]:
        after_one = engine.smooth(rows, _near(polynomial), lazily=True)
        M = scatter(engine.take(after_one, sample_nodes(engine, SAMPLE)))
        vectors = torch.linalg.eigh(M.nan_to_num())[1].flip(1)
        return {"basis": _with_probes(vectors[:, :n_directions]).cpu().numpy()}

    basis = torch.from_numpy(engine.checkpoint(f"narrowed-{key}", find)["basis"]).to(engine.device)
    return Narrowed(engine.multiply([rows], basis), basis, n_directions)


def narrowed_width(n_features: int, n_kept: int) -> int:
    """The columns that are left: directions in whole cache lines, and the probes of what lies outside."""
    return -(-max(int(SHARE * n_features), n_kept + SPARE) // LINE) * LINE + N_PROBES


def narrow_by_products(
    engine: Engine[Any],
    rows: Any,
    n_features: int,
    polynomial: Polynomial,
    n_kept: int,
    negatives: NegativeGraph,
    *,
    key: str = "",
) -> Narrowed | None:
    """The same of features too wide for a matrix of their products: subspace iteration, most of it with one hop."""
    n_directions = -(-(n_kept + SPARE) // LINE) * LINE
    if n_directions + N_PROBES >= n_features:
        return None

    def find() -> dict[str, Any]:
        itself, near = (engine.smooth(rows, each, lazily=True) for each in (polynomial, _near(polynomial)))
        start = torch.randn(n_features, n_directions, generator=torch.Generator().manual_seed(0))
        B = start.to(engine.device) / math.sqrt(n_features)
        for level in (*(near,) * N_NEAR, *(itself,) * N_ITSELF):
            image = engine.transpose_multiply([level], engine.multiply([level], B), negatives)
            B = orthonormal(image.nan_to_num())
        return {"basis": _with_probes(B).cpu().numpy()}

    basis = torch.from_numpy(engine.checkpoint(f"narrowed-{key}", find)["basis"]).to(engine.device)
    return Narrowed(engine.multiply([rows], basis), basis, n_directions)


def _near(polynomial: Polynomial) -> Polynomial:
    """One hop with the same share of the own row and the same sum; the polynomial itself where it takes no more."""
    own = polynomial[0]
    return polynomial if len(polynomial) <= 2 else (own, sum(polynomial) - own)


def _with_probes(B: Tensor) -> Tensor:
    """[B R], (f, k + r) float32: the directions, and random signs less what these hold of them."""
    signs = torch.randint(0, 2, (len(B), N_PROBES), generator=torch.Generator().manual_seed(0)).to(B) * 2 - 1
    return torch.cat([B, signs - B @ (B.T @ signs)], dim=1).float()
