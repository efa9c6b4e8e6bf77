"""The best set between an inner and an outer one, exactly, by one maximum flow.

    minimise  cut(S) − Σ_{i∈S} gain_i       over  inner ⊆ S,  S ∩ outer = ∅

is a minimum cut of a network of the free nodes: an edge per edge of the graph, a source arc where a node gains by being in S
(or touches the inner set), a sink arc where it loses (or touches the outer one).

scipy's flow counts in 32-bit integers, so capacities are scaled to use all of them and rounded. What comes out is therefore
a proposal: the caller computes its true value and keeps it only if that is better.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from sparsecut.cuts.objective import Mask, Real

LARGEST = 2**31 - 2**20  # the whole flow, at most
MORE = LARGEST + 2**19  # of an arc that no flow can fill


def best_between(A: sp.csr_array, inner: Mask, outer: Mask, gain: Real) -> list[Mask]:
    """The smallest and the largest optimal set (one if they agree)."""
    free = np.flatnonzero(~(inner | outer))
    rows = A[free]
    to_inner, to_outer = rows @ inner.astype(np.float64), rows @ outer.astype(np.float64)
    pull = gain[free] + to_inner - to_outer  # what a free node alone would add to the objective, negated
    found = []
    for chosen in _closures(rows[:, free], pull):
        side = inner.copy()
        side[free[chosen]] = True
        found.append(side)
    return found


def _closures(B: sp.csr_array, pull: Real) -> list[Mask]:
    """The smallest and the largest set C that minimises cut(C) − Σ_C pull in the graph B."""
    k = B.shape[0]
    source, sink = np.maximum(pull, 0), np.maximum(-pull, 0)
    most = min(source.sum(), sink.sum())
    if most <= 0:  # nothing to be separated: all of it, or nothing
        return [np.full(k, bool(source.sum() > 0))]
    scale = LARGEST / most
    parts = sp.coo_array(B)
    from_source, to_sink = np.flatnonzero(source), np.flatnonzero(sink)
    rows = np.concatenate([parts.row, np.full(len(from_source), k), to_sink])
    columns = np.concatenate([parts.col, from_source, np.full(len(to_sink), k + 1)])
    weights = np.concatenate([parts.data, source[from_source], sink[to_sink]])
    # No arc ever carries more than the whole flow, so clipping above it changes nothing.
    capacities = np.minimum(np.floor(weights * scale), MORE).astype(np.int32)
    network = sp.csr_array((capacities, (rows, columns)), shape=(k + 2, k + 2))
    network.indices, network.indptr = network.indices.astype(np.int32), network.indptr.astype(np.int32)
    flow = maximum_flow(network, k, k + 1).flow
    residual = sp.csr_array(network.astype(np.int64) - flow)  # two capacities may not fit into 32 bits
    residual.eliminate_zeros()
    smallest = np.zeros(k + 2, dtype=bool)
    smallest[breadth_first_order(residual, k, return_predecessors=False)] = True
    largest = np.ones(k + 2, dtype=bool)
    largest[breadth_first_order(residual.T.tocsr(), k + 1, return_predecessors=False)] = False
    if (smallest == largest).all():
        return [smallest[:k]]
    return [smallest[:k], largest[:k]]
