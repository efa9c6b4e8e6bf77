"""Whether edges of each type are found again: some of every type are held out and ranked by what the other edges say.

The nodes have places in the graph of the edges that are left (`features.places`), averaged over two hops and centred by
type. AUC is the chance that the ends of a held-out edge are nearer, by the cosine, than ends that were exchanged between
held-out edges of the same type and are no edge: ends of the same degrees, so that fame alone foretells nothing. Places come
from all relations together, each with the same weight in sum; a relation that is not found again so is tried by its own
places alone: one with many edges may drown in the noise of one with few.

Of large types a sample of the nodes is taken, by a hash of their ids, with the edges between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.features.places import Places
from sparsecut.graph import Graph
from sparsecut.graph.relations import equal_factors
from sparsecut.kernels.hashing import hash_ids
from sparsecut.kernels.sparse import between_diagonals
from sparsecut.model.auto.constants import CONSTANTS, RelationCost, RelationRule

Ends = NDArray[np.int64]


@dataclass(frozen=True)
class Foretold:
    """2·AUC − 1 of a relation's held-out edges, and its standard error."""

    share: float
    error: float


@dataclass(frozen=True)
class SampledRelations:
    """The relations among some nodes, symmetric, with what is needed of these nodes."""

    nodes: NDArray[np.int64]  # their positions in the graph
    node_ids: NDArray[np.generic]
    hashes: NDArray[np.uint64]
    codes: NDArray[np.int16]
    ends: tuple[tuple[int, int], ...]  # the codes of the types of source and target
    matrices: tuple[sp.csr_array, ...]


def sampled_relations(graph: Graph, cost: RelationCost) -> SampledRelations:
    """The relations of a graph among at most so many nodes of each type, and at most so many edges of each."""
    assert graph.relations is not None
    assert graph.node_types is not None
    hashes, codes, names = hash_ids(graph.node_ids), graph.type_codes, graph.node_types
    order = np.lexsort((hashes, codes))
    starts = np.searchsorted(codes[order], np.arange(-1, len(names)))
    ranks = np.arange(len(order)) - starts[codes[order].astype(np.int64) + 1]
    nodes = order[ranks < cost.most_nodes]
    nodes = nodes[np.lexsort((hashes[nodes], codes[nodes]))]  # whatever order the nodes come in
    matrices = []
    for matrix in graph.relations.matrices:
        own = sp.csr_array(matrix[nodes][:, nodes])
        own = sp.csr_array(own + own.T) if graph.is_directed else own
        i, j = _pairs(own, hashes[nodes])
        if len(i) > cost.most_edges:
            kept = np.argsort(_hashes_of(i, j, hashes[nodes]), kind="stable")[: cost.most_edges]
            own = _symmetric(own, i[kept], j[kept])
        matrices.append(own)
    ends = tuple((names.index(source), names.index(target)) for source, _, target in graph.relations.edge_types)
    return SampledRelations(nodes, graph.node_ids[nodes], hashes[nodes], codes[nodes], ends, tuple(matrices))


def try_relations(
    sample: SampledRelations,
    is_in_doubt: Callable[[Foretold], bool],
    cost: RelationCost,
    rule: RelationRule = CONSTANTS.relations,
) -> list[Foretold | None]:
    """What is foretold of every relation; None where too few edges are held out. In doubt a relation is tried by itself."""
    held, kept = [], []
    for matrix, (source, _) in zip(sample.matrices, sample.ends, strict=True):
        i, j = _pairs(matrix, sample.hashes)
        order = np.argsort(_hashes_of(i, j, sample.hashes), kind="stable")
        n_held = int(cost.held_out * len(i))
        is_turned = sample.codes[i] != source
        out = order[:n_held]
        held.append(np.where(is_turned[out], [j[out], i[out]], [i[out], j[out]]))
        kept.append(_symmetric(matrix, i[order[n_held:]], j[order[n_held:]]))
    if all(ends.shape[1] < cost.least_held_out for ends in held):
        return [None] * len(held)
    together = equal_factors(np.array([part.sum(dtype=np.float64) for part in kept]))
    rows = _vectors(sample, sum((part * np.float32(c) for part, c in zip(kept, together, strict=True)), start=kept[0] * 0))
    found: list[Foretold | None] = []
    for ends, own, matrix in zip(held, kept, sample.matrices, strict=True):
        if ends.shape[1] < cost.least_held_out:
            found.append(None)
            continue
        foretold = _foretold(rows, ends, matrix, rule)
        if is_in_doubt(foretold):
            alone = _foretold(_vectors(sample, own), ends, matrix, rule)
            foretold = max(foretold, alone, key=lambda one: one.share)
        found.append(foretold)
    return found


def _vectors(sample: SampledRelations, matrix: sp.csr_array) -> NDArray[np.float32]:
    """Places, averaged over two hops, about the mean of their type, of length 1."""
    A = sp.csr_array(matrix, dtype=np.float32)
    A.eliminate_zeros()
    A.sort_indices()
    rows = Places.fit(A, sample.node_ids).rows(A, sample.node_ids)
    shares = 1 / (1 + A.sum(axis=1, dtype=np.float64))
    P = between_diagonals(A, shares, None, shares)
    rows = P @ (P @ rows)
    for code in np.unique(sample.codes):
        here = sample.codes == code
        rows[here] -= rows[here].mean(axis=0)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)


def _foretold(rows: NDArray[np.float32], ends: Ends, matrix: sp.csr_array, rule: RelationRule, n_draws: int = 5) -> Foretold:
    """How far held-out edges rank above pairs of exchanged ends that are no edge of the matrix.

    Among nodes of many edges a pair without one is rare. Where edges fall by chance, x = d_i·d_j/m of them on a pair, a pair
    that is drawn in this way is one of (e^x − 1)/x that would have to be: so much does it count.
    """
    n_nodes, generator = matrix.shape[0], np.random.default_rng(0)
    rows_of_edges = np.repeat(np.arange(n_nodes), np.diff(matrix.indptr))
    edges = np.sort(rows_of_edges * n_nodes + matrix.indices)
    degrees = np.diff(matrix.indptr).astype(np.float64)
    is_within = np.isin(ends[0], ends[1]).any()
    expected = degrees / max(len(edges) / (1 if is_within else 2), 1)
    found = np.einsum("ij,ij->i", rows[ends[0]], rows[ends[1]])
    drawn, counts = [], []
    for _ in range(n_draws):
        others = generator.permutation(ends[1])
        keys = ends[0] * n_nodes + others
        place = np.minimum(np.searchsorted(edges, keys), len(edges) - 1)
        is_other = (edges[place] != keys) & (ends[0] != others)
        first, second = ends[0][is_other], others[is_other]
        drawn.append(np.einsum("ij,ij->i", rows[first], rows[second]))
        x = np.clip(degrees[first] * expected[second], 1e-9, rule.most_expected)
        counts.append(np.expm1(x) / x)
    chance, weights = np.concatenate(drawn), np.concatenate(counts)
    if not len(chance):
        return Foretold(0.0, 1.0)
    order = np.argsort(chance, kind="stable")
    chance, below = chance[order], np.concatenate([[0.0], np.cumsum(weights[order])])
    ends_of_ties = (np.searchsorted(chance, found, side=side) for side in ("left", "right"))
    ranks = sum(below[place] for place in ends_of_ties) / (2 * below[-1])
    error = 2 * max(float(ranks.std()), rule.least_deviation) / np.sqrt(len(found))
    error = float(np.hypot(error, np.sqrt((weights**2).sum()) / weights.sum()))  # of the edges, and of the pairs
    return Foretold(2 * float(ranks.mean()) - 1, error)


def _pairs(matrix: sp.csr_array, hashes: NDArray[np.uint64]) -> tuple[Ends, Ends]:
    """The two ends of every edge of a symmetric matrix, once, the one with the smaller hash first."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    columns = matrix.indices.astype(np.int64)
    is_once = hashes[rows] < hashes[columns]
    return rows[is_once], columns[is_once]


def _hashes_of(i: Ends, j: Ends, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A number for every edge, by the ids of its ends alone."""
    mixed: NDArray[np.uint64] = (hashes[i] ^ (hashes[j] >> np.uint64(1))) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    return mixed


def _symmetric(matrix: sp.csr_array, i: Ends, j: Ends) -> sp.csr_array:
    """The matrix at some of its edges alone."""
    marks = sp.coo_array((np.ones(len(i), dtype=np.float32), (i, j)), shape=matrix.shape).tocsr()
    kept = sp.csr_array(matrix.multiply(marks + marks.T), dtype=np.float32)
    kept.sort_indices()
    return kept
