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

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from sparsecut.engines.contract import Engine
from sparsecut.graph.edge_sample import sample_nodes
from sparsecut.kernels.moments import scatter
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.spectrum import signed

LEAST_HOPS = 4  # with fewer, little is gained
LEAST_NODES = 1 << 14  # below, a fit takes a fraction of a second anyway
SHARE, SPARE = 0.5, 32  # of the columns, and more than are kept
PRODUCT_COST = 0.25  # of a multiply-add of F·B beside one of a hop, and as many again for what else is done
LINE = 16  # columns: a cache line of float32
N_PROBES = 16
SAMPLE = 4096  # nodes that the directions are found from


@dataclass(frozen=True)
class Narrowed:
    """F·[B R]: rows of fewer columns that have taken no hop."""

    rows: Any  # of the engine
    basis: Tensor  # [B R], (f, k + r)
    n_directions: int  # k; the other columns are probes of what lies outside


def narrow(engine: Engine[Any], rows: Any, n_features: int, polynomial: Polynomial, n_kept: int) -> Narrowed | None:
    """The rows in the directions that lead, more than the `n_kept` of the embedding; None where it would not pay."""
    graph, n_hops = engine.graph, len(polynomial) - 1
    n_directions = -(-max(int(SHARE * n_features), n_kept + SPARE) // LINE) * LINE
    width = n_directions + N_PROBES
    if graph is None or n_hops < LEAST_HOPS or graph.n_nodes < LEAST_NODES or width >= n_features:
        return None
    if 2 * graph.n_edges * n_hops * (n_features - width) < PRODUCT_COST * graph.n_nodes * n_features * width:
        return None

    def find() -> dict[str, Any]:
        own = polynomial[0]
        after_one = engine.smooth(rows, (own, sum(polynomial) - own), lazily="products" in engine.supports)
        sample = engine.take(after_one, sample_nodes(graph, SAMPLE))
        return {"basis": _with_probes(scatter(sample), n_directions).cpu().numpy()}

    basis = torch.from_numpy(engine.checkpoint("narrowed", find)["basis"]).to(engine.device)
    return Narrowed(engine.multiply([rows], basis), basis, n_directions)


def _with_probes(M: Tensor, n_directions: int) -> Tensor:
    """[B R], (f, k + r) float32: the leading eigenvectors, and random signs less what these hold of them."""
    B = torch.linalg.eigh(M.nan_to_num())[1].flip(1)[:, :n_directions]
    signs = torch.randint(0, 2, (len(M), N_PROBES), generator=torch.Generator().manual_seed(0)).to(B) * 2 - 1
    return torch.cat([signed(B), signs - B @ (B.T @ signs)], dim=1).float()
