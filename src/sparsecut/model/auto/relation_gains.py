"""What a type of edges adds to the prediction of its nodes' columns.

A node's columns are cut into two halves, a and b. The mean of half a over the nodes that a relation leads to and back from
(papers of the same venue; of a relation within one type, the neighbours themselves), the node left out, may help to predict
half b beside the node's own half a:

    gain_r = 1 − Σ‖x_b − prediction from x_a and the mean by r‖² / Σ‖x_b − prediction from x_a‖²

each node predicted from the others. A regression finds use for unlike neighbours as well, an average does not: so `alike`
says beside it whether the means go with the nodes' own halves or against them, Σ x_a·mean, in standard errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph import Graph
from sparsecut.model.auto.constants import CONSTANTS, RegressionRule, RelationCost
from sparsecut.model.auto.relation_trial import SampledRelations, sampled_relations

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gain:
    """What a relation adds to the prediction of columns, as a share of what is left to predict, and its standard error."""

    share: float
    error: float
    alike: float = 0.0  # in standard errors: below zero, what an average takes in goes against the node


def relation_gains(
    graph: Graph,
    column_types: NDArray[np.int16],
    cost: RelationCost,
    sample: SampledRelations | None = None,
    rule: RegressionRule = CONSTANTS.regressions,
) -> list[Gain | None]:
    """The gain of every type of edges, at the end of it where it is larger; None where neither end has features."""
    sample = sampled_relations(graph, cost) if sample is None else sample
    columns = {
        int(code): _TypeHalves.of(graph, int(code), column_types, cost, sample)
        for code in np.unique(sample.codes[sample.codes >= 0])
        if (column_types == code).sum() >= cost.least_columns
    }
    gains: list[Gain | None] = []
    for ends, matrix in zip(sample.ends, sample.matrices, strict=True):
        found = [columns[code].gain(matrix, rule, is_within=ends[0] == ends[1]) for code in set(ends) if code in columns]
        known = [gain for gain in found if gain is not None]
        gains.append(max(known, key=lambda gain: gain.share) if known else None)
    return gains


@dataclass(frozen=True)
class _TypeHalves:
    """The two halves of one type's columns in their leading directions, and the nodes that the gain is measured on."""

    nodes: NDArray[np.int64]  # of the type, by their places in the matrices
    sample: NDArray[np.int64]  # which of them
    own: Array  # half a of all nodes of the type, (m, k)
    other: Array  # half b of the sample
    least_nodes: int

    @classmethod
    def of(
        cls, graph: Graph, code: int, column_types: NDArray[np.int16], cost: RelationCost, of_graph: SampledRelations
    ) -> _TypeHalves:
        nodes = np.flatnonzero(of_graph.codes == code)
        places = of_graph.nodes[nodes]
        features: Any = graph.features
        columns = np.flatnonzero(column_types == code)
        rows = features[places][:, columns] if sp.issparse(features) else np.asarray(features[np.ix_(places, columns)])
        sample = np.arange(min(cost.n_sampled, len(nodes)))  # they come by the hashes of their ids
        mixed = np.random.default_rng(0).permutation(len(columns))
        halves = [_leading(rows[:, np.sort(part)], sample, cost) for part in np.array_split(mixed, 2)]
        return cls(nodes, sample, halves[0], halves[1][sample], cost.least_nodes)

    def gain(self, matrix: sp.csr_array, rule: RegressionRule, *, is_within: bool) -> Gain | None:
        """What the mean over a relation adds; None where too few nodes have it."""
        means, has_means = means_over(sp.csr_array(matrix[self.nodes]), self.own, self.nodes if is_within else None)
        chosen = np.flatnonzero(has_means[self.sample])
        if len(chosen) < self.least_nodes:
            return None
        places, target = self.sample[chosen], self.other[chosen]
        alone = _errors(self.own[places], target, rule)
        both = _errors(np.hstack([self.own[places], means[places]]), target, rule)
        difference, total = alone - both, max(float(alone.sum()), 1e-300)
        share, error = float(difference.sum()) / total, float(difference.std()) * np.sqrt(len(chosen)) / total
        return Gain(share, error, _alike(self.own[places], means[places]))


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


def _alike(own: Array, means: Array) -> float:
    """Σ x·mean in its standard errors; every pair of nodes may be in the sum twice."""
    products = ((own - own.mean(axis=0)) * (means - means.mean(axis=0))).sum(axis=1)
    error = np.sqrt(2 * (products**2).sum())
    return float(products.sum() / error) if error > 0 else 0.0


def _leading(rows: Any, sample: NDArray[np.int64], cost: RelationCost) -> Array:
    """Rows in the leading directions of a sample of them, about their mean."""
    some = rows[sample]
    start = np.random.default_rng(1).normal(size=(rows.shape[1], min(cost.n_directions, rows.shape[1])))
    for _ in range(cost.n_products):
        start = np.linalg.qr(some.T @ (some @ start))[0]
    led = np.asarray(rows @ start, dtype=np.float64)
    centred: Array = led - led[sample].mean(axis=0)
    return centred


def _errors(predictors: Array, target: Array, rule: RegressionRule) -> Array:
    """The squared error of every row of the target, predicted from the other rows by the best of a few ridges."""
    predictors, target = predictors - predictors.mean(axis=0), target - target.mean(axis=0)
    gram = predictors.T @ predictors
    unit = np.trace(gram) / max(len(gram), 1) + 1e-300
    found = []
    for ridge in rule.ridges:
        inverse = np.linalg.inv(gram + ridge * unit * np.eye(len(gram)))
        leverage = np.einsum("ij,jk,ik->i", predictors, inverse, predictors)
        left = target - predictors @ (inverse @ (predictors.T @ target))
        found.append((left**2).sum(axis=1) / np.maximum(1 - leverage, rule.least_left) ** 2)
    best: Array = min(found, key=lambda errors: float(errors.sum()))
    return best
