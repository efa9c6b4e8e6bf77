"""How much each type of edges weighs: all the same in sum, unless one demonstrably says nothing about the nodes.

A node's columns are cut into two halves, a and b. The mean of half a over the nodes that a relation leads to and back from
(papers of the same venue; of a relation within one type, the neighbours themselves), the node left out, may help to predict
half b beside the node's own half a:

    gain_r = 1 − Σ‖x_b − prediction from x_a and the mean by r‖² / Σ‖x_b − prediction from x_a‖²

each node predicted from the others. A relation whose gain plus twice its standard error stays below `even_gain` says nothing
about its nodes and weighs as little as it adds, `least` at least. All others weigh the same: a larger gain is no reason for
a larger weight. On DBLP the terms of a paper predict its words best, being words of its title, while its venue tells its
area; and thin evidence must not throw a relation away. Types without features say nothing either way.

`SCE(relations={"writes": 2.0})` sets the weights. The factors that follow from them are in `sparsecut.graph.relations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.graph.relations import equal_factors, relation_weights
from sparsecut.kernels.hashing import hash_ids
from sparsecut.model.auto.constants import RelationCost, RelationRule
from sparsecut.model.settings import Settings
from sparsecut.operators.reason import Reason

Array = NDArray[np.float64]
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)  # of the mean square of the predictors
LEAST_LEFT = 0.01  # 1 − leverage, at least


def weigh_relations(graph: Graph, settings: Settings) -> tuple[Graph, list[Reason]]:
    """The graph with its types of edges added up as requested or chosen, and why."""
    relations, requested = graph.relations, settings.relations
    if relations is None:
        if requested is not None:
            raise InputError(
                f"{settings.caller}(relations=…) is for graphs with types of edges, and this one has none. Leave it out, or "
                "make the graph with sparsecut.from_tables."
            )
        return graph, []
    names = [":".join(kind) for kind in relations.edge_types]
    if not relations.matrices:
        if requested is not None:
            raise InputError(
                f"{settings.caller}(relations=…) cannot weigh a graph on disk, whose types of edges are added up already. "
                "Build the store with these weights: build_store(..., relations=…)."
            )
        return graph, [Reason("relations", "", "store", dict(zip(names, relations.factors, strict=True)))]
    if requested is not None:
        weights, because = relation_weights(requested, relations.edge_types, settings.caller), "requested"
    else:
        weights, because = chosen_weights(graph, settings), "chosen"
    factors = equal_factors(relations.volumes, weights)
    return graph.weighed(factors), [Reason("relations", "", because, dict(zip(names, weights, strict=True)))]


def chosen_weights(graph: Graph, settings: Settings) -> list[float]:
    """w_r of every type of edges."""
    rule, cost = settings.constants.relations, settings.constants.relation_cost
    column_types = getattr(graph.encoder, "column_types", None)
    if column_types is None or not settings.embeds_features(graph) or not settings.solver.chooses_from_graph:
        return [1.0] * len(graph.edge_types or ())
    gains = relation_gains(graph, column_types, cost)
    weights = [1.0 if gain is None else gain.weight(rule) for gain in gains]
    return [round(weight / max(weights), 2) for weight in weights]


@dataclass(frozen=True)
class Gain:
    """What a relation adds to the prediction of columns, as a share of what is left to predict, and its standard error."""

    share: float
    error: float

    def weight(self, rule: RelationRule) -> float:
        most = (self.share + rule.doubt * self.error) / rule.even_gain
        return float(np.clip(most, rule.least, 1.0))


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
        rows = features[nodes][:, columns] if sp.issparse(features) else np.asarray(features[np.ix_(nodes, columns)])
        order = np.argsort(hash_ids(graph.node_ids[nodes]), kind="stable")  # whatever order the nodes come in
        sample = np.sort(order[: cost.n_sampled])
        mixed = np.random.default_rng(0).permutation(len(columns))
        halves = [_leading(rows[:, np.sort(part)], sample, cost) for part in np.array_split(mixed, 2)]
        return cls(nodes, sample, halves[0], halves[1][sample], cost.least_nodes)

    def gain(self, matrix: sp.csr_array, *, is_within: bool) -> Gain | None:
        """What the mean over a relation adds; None where too few nodes have it."""
        links = sp.csr_array(matrix[self.nodes])
        degrees = links.sum(axis=1, dtype=np.float64)
        if is_within:
            around = links[:, self.nodes] @ self.own
            left, means = np.ones(len(self.nodes)), around / np.maximum(degrees, 1e-300)[:, None]
        else:
            others = links.sum(axis=0, dtype=np.float64)
            shared = sp.csr_array(links / np.maximum(others, 1e-300)[None, :])  # of each end, to whom it belongs
            means = (links @ (shared.T @ self.own)) / np.maximum(degrees, 1e-300)[:, None]
            itself = links.multiply(shared).sum(axis=1) / np.maximum(degrees, 1e-300)
            left = 1 - itself
            means = (means - itself[:, None] * self.own) / np.maximum(left, 1e-300)[:, None]
        chosen = np.flatnonzero((degrees[self.sample] > 0) & (left[self.sample] > 1e-6))
        if len(chosen) < self.least_nodes:
            return None
        places, target = self.sample[chosen], self.other[chosen]
        alone = _errors(self.own[places], target)
        both = _errors(np.hstack([self.own[places], means[places]]), target)
        difference, total = alone - both, max(float(alone.sum()), 1e-300)
        return Gain(float(difference.sum()) / total, float(difference.std()) * np.sqrt(len(chosen)) / total)


def _leading(rows: Any, sample: NDArray[np.int64], cost: RelationCost) -> Array:
    """Rows in the leading directions of a sample of them, about their mean."""
    some = rows[sample]
    start = np.random.default_rng(1).normal(size=(rows.shape[1], min(cost.n_directions, rows.shape[1])))
    for _ in range(cost.n_products):
        start = np.linalg.qr(some.T @ (some @ start))[0]
    led = np.asarray(rows @ start, dtype=np.float64)
    centred: Array = led - led[sample].mean(axis=0)
    return centred


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


def check_relations(caller: str, relations: Any) -> Mapping[Any, float] | None:
    """The requested weights; None for "auto"."""
    if isinstance(relations, str) and relations == "auto":
        return None
    if not isinstance(relations, Mapping):
        raise InputError(
            f"The relations parameter of {caller} must be 'auto' or a dictionary of weights, {{'writes': 2.0}}. "
            f"Got {relations!r} instead."
        )
    return relations
