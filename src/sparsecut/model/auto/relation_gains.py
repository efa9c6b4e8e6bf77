"""What a type of edges adds to the prediction of its nodes' columns.

A node's columns are cut into two halves, a and b. The mean of half a over the nodes that a relation leads to and back from
(papers of the same venue; of a relation within one type, the neighbours themselves), the node left out, may help to predict
half b beside the node's own half a:

    gain_r = 1 − Σ‖x_b − prediction from x_a and the mean by r‖² / Σ‖x_b − prediction from x_a‖²

each node predicted from the others. A regression finds use for unlike neighbours as well, an average does not: so `alike`
says beside it whether the means go with the nodes' own halves or against them, Σ x_a·mean, in standard errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph import Graph
from sparsecut.kernels import blocks_of_entries, is_mapped, release, row_blocks
from sparsecut.kernels.hashing import hash_ids
from sparsecut.kernels.mapped_matrices import rows_of_mapped
from sparsecut.model.auto.constants import RelationCost

Array = NDArray[np.float64]
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)  # of the mean square of the predictors
LEAST_LEFT = 0.01  # 1 − leverage, at least


@dataclass(frozen=True)
class Gain:
    """What a relation adds to the prediction of columns, as a share of what is left to predict, and its standard error."""

    share: float
    error: float
    alike: float = 0.0  # in standard errors: below zero, what an average takes in goes against the node


def relation_gains(graph: Graph, column_types: NDArray[np.int16], cost: RelationCost) -> list[Gain | None]:
    """The gain of every type of edges, at the end of it where it is larger; None where neither end has features."""
    assert graph.relations is not None
    assert graph.node_types is not None
    columns = {
        code: _TypeHalves.of(graph, code, column_types, cost)
        for code in range(len(graph.node_types))
        if (column_types == code).sum() >= cost.least_columns
    }
    gains: list[Gain | None] = []
    for (source, _, target), matrix in zip(graph.relations.edge_types, graph.relations.matrices, strict=True):
        ends = {graph.node_types.index(source), graph.node_types.index(target)}
        found = [columns[code].gain(matrix, is_within=len(ends) == 1) for code in ends if code in columns]
        known = [gain for gain in found if gain is not None]
        gains.append(max(known, key=lambda gain: gain.share) if known else None)
    return gains


@dataclass(frozen=True)
class _TypeHalves:
    """The two halves of one type's columns in their leading directions, and the nodes that the gain is measured on."""

    nodes: NDArray[np.int64]  # positions of the type's nodes
    sample: NDArray[np.int64]  # which of them
    own: Array  # half a of all nodes of the type, (m, k)
    other: Array  # half b of the sample
    least_nodes: int

    @classmethod
    def of(cls, graph: Graph, code: int, column_types: NDArray[np.int16], cost: RelationCost) -> _TypeHalves:
        nodes = np.flatnonzero(graph.type_codes == code)
        features: Any = graph.features
        columns = np.flatnonzero(column_types == code)
        order = np.argsort(hash_ids(graph.node_ids[nodes]), kind="stable")  # whatever order the nodes come in
        sample = np.sort(order[: cost.n_sampled])
        mixed = np.random.default_rng(0).permutation(len(columns))
        parts = [np.sort(part) for part in np.array_split(mixed, 2)]
        if is_mapped(features):
            own, other = leading_of_mapped(features, nodes, [columns[part] for part in parts], sample, cost)
            return cls(nodes, sample, own, other, cost.least_nodes)
        rows = features[nodes][:, columns] if sp.issparse(features) else np.asarray(features[np.ix_(nodes, columns)])
        halves = [_leading(rows[:, part], sample, cost) for part in parts]
        return cls(nodes, sample, halves[0], halves[1][sample], cost.least_nodes)

    def gain(self, matrix: sp.csr_array, *, is_within: bool) -> Gain | None:
        """What the mean over a relation adds; None where too few nodes have it."""
        if is_mapped(matrix):
            means, has_means = means_over_mapped(matrix, self.nodes, self.own, self.sample, is_within=is_within)
        else:
            means, has_means = means_over(sp.csr_array(matrix[self.nodes]), self.own, self.nodes if is_within else None)
            means, has_means = means[self.sample], has_means[self.sample]
        chosen = np.flatnonzero(has_means)
        if len(chosen) < self.least_nodes:
            return None
        places, target, means = self.sample[chosen], self.other[chosen], means[chosen]
        alone = _errors(self.own[places], target)
        both = _errors(np.hstack([self.own[places], means]), target)
        difference, total = alone - both, max(float(alone.sum()), 1e-300)
        share, error = float(difference.sum()) / total, float(difference.std()) * np.sqrt(len(chosen)) / total
        return Gain(share, error, _alike(self.own[places], means))


def means_over(links: sp.csr_array, rows: Array, within: NDArray[np.int64] | None) -> tuple[Array, NDArray[np.bool_]]:
    """The mean of rows over a relation and back, each node left out, and which nodes have one.

    `links` are those of the nodes whose rows they are; `within` are these nodes for a relation among them: its mean is that
    over the neighbours.
    """
    degrees = links.sum(axis=1, dtype=np.float64)
    if within is not None:
        return links[:, within] @ rows / np.maximum(degrees, 1e-300)[:, None], degrees > 0
    others = links.sum(axis=0, dtype=np.float64)
    shared = sp.csr_array(links / np.maximum(others, 1e-300)[None, :])  # of each end, to whom it belongs
    means = (links @ (shared.T @ rows)) / np.maximum(degrees, 1e-300)[:, None]
    itself = links.multiply(shared).sum(axis=1) / np.maximum(degrees, 1e-300)
    left = 1 - itself
    means = (means - itself[:, None] * rows) / np.maximum(left, 1e-300)[:, None]
    return means, (degrees > 0) & (left > 1e-6)


def means_over_mapped(
    matrix: sp.csr_array, nodes: NDArray[np.int64], rows: Array, sample: NDArray[np.int64], *, is_within: bool
) -> tuple[Array, NDArray[np.bool_]]:
    """`means_over` at a sample of the nodes, of a matrix in memory maps that is read some rows at a time."""
    links = sp.csr_array(matrix[nodes[sample]])
    degrees = links.sum(axis=1, dtype=np.float64)
    ends, places = np.unique(links.indices, return_inverse=True)
    links = sp.csr_array((links.data, places, links.indptr), shape=(len(sample), len(ends)))
    if is_within:
        return links @ rows[np.searchsorted(nodes, ends)] / np.maximum(degrees, 1e-300)[:, None], degrees > 0
    others, back = np.zeros(len(ends)), np.zeros((len(ends), rows.shape[1]))
    for span in blocks_of_entries(matrix.indptr):
        here = slice(*np.searchsorted(nodes, (span.start, span.stop)))
        if here.start < here.stop:
            part = sp.csr_array(rows_of_mapped(matrix, span)[nodes[here] - span.start][:, ends], dtype=np.float64)
            others += part.sum(axis=0)
            back += part.T @ rows[here]
        release(matrix, span)
    per_end = 1 / np.maximum(others, 1e-300)
    means = (links @ (back * per_end[:, None])) / np.maximum(degrees, 1e-300)[:, None]
    itself = (links.power(2) @ per_end) / np.maximum(degrees, 1e-300)
    left = 1 - itself
    means = (means - itself[:, None] * rows[sample]) / np.maximum(left, 1e-300)[:, None]
    return means, (degrees > 0) & (left > 1e-6)


def leading_of_mapped(
    features: Any, nodes: NDArray[np.int64], halves: Sequence[NDArray[np.int64]], sample: NDArray[np.int64],
    cost: RelationCost,
) -> tuple[Array, Array]:  # fmt: skip
    """`_leading` of both halves, of all nodes and of the sample: features in a memory map are read some rows at a time."""
    some = [np.asarray(features[np.ix_(nodes[sample], half)]) for half in halves]
    first, second = (_directions(part, cost) for part in some)
    own = np.empty((len(nodes), first.shape[1]))
    for rows in row_blocks(len(nodes), 4 * features.shape[1]):
        here = nodes[rows]
        own[rows] = np.asarray(features[here])[:, halves[0]] @ first
        release(features, slice(int(here[0]), int(here[-1]) + 1))
    other = np.asarray(some[1] @ second, dtype=np.float64)
    return own - own[sample].mean(axis=0), other - other.mean(axis=0)


def _alike(own: Array, means: Array) -> float:
    """Σ x·mean in its standard errors; every pair of nodes may be in the sum twice."""
    products = ((own - own.mean(axis=0)) * (means - means.mean(axis=0))).sum(axis=1)
    error = np.sqrt(2 * (products**2).sum())
    return float(products.sum() / error) if error > 0 else 0.0


def _leading(rows: Any, sample: NDArray[np.int64], cost: RelationCost) -> Array:
    """Rows in the leading directions of a sample of them, about their mean."""
    led = np.asarray(rows @ _directions(rows[sample], cost), dtype=np.float64)
    centred: Array = led - led[sample].mean(axis=0)
    return centred


def _directions(some: Any, cost: RelationCost) -> Array:
    """The leading directions of some rows."""
    start = np.random.default_rng(1).normal(size=(some.shape[1], min(cost.n_directions, some.shape[1])))
    for _ in range(cost.n_products):
        start = np.linalg.qr(some.T @ (some @ start))[0]
    return np.asarray(start, dtype=np.float64)


def _errors(predictors: Array, target: Array) -> Array:
    """The squared error of every row of the target, predicted from the other rows by the best of a few ridges."""
    predictors, target = predictors - predictors.mean(axis=0), target - target.mean(axis=0)
    gram = predictors.T @ predictors
    unit = np.trace(gram) / max(len(gram), 1) + 1e-300
    found = []
    for ridge in RIDGES:
        inverse = np.linalg.inv(gram + ridge * unit * np.eye(len(gram)))
        leverage = np.einsum("ij,jk,ik->i", predictors, inverse, predictors)
        left = target - predictors @ (inverse @ (predictors.T @ target))
        found.append((left**2).sum(axis=1) / np.maximum(1 - leverage, LEAST_LEFT) ** 2)
    best: Array = min(found, key=lambda errors: float(errors.sum()))
    return best
