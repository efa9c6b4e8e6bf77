"""How much each type of edges weighs: all the same in sum, but for those that say nothing, and copies of one another.

A relation says something where its edges that are held out are found again from all others (`relation_trial`):

    a = 2·AUC − 1     0 by chance, with a standard error s; of relations that say something around `usual` ± `spread`
    w = min(1, 2·p),  p = N(a; usual, s² + spread²) / (N(a; usual, s² + spread²) + N(a; 0, s²))

p is the chance that the relation says something, no relation being noise beforehand: where few edges are held out, s is
large and w is 1. It says something too where it surely helps to predict the features of its nodes (`relation_gains`), and
that alone counts where too few edges are held out. Where neighbours are surely less alike than any two nodes, an average
over them does harm, and the relation weighs `least`. Copies of one another share one weight (`relation_overlap`).

All others weigh the same: a larger gain is no reason for a larger weight. On DBLP the terms of a paper predict its words
best, being words of its title, while its venue tells its area, and other weights than equal ones find areas no better
(`benchmarks/relations.py`).

`SCE(relations={"writes": 2.0})` sets the weights. The factors that follow from them are in `sparsecut.graph.relations`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.graph.relations import equal_factors, relation_weights
from sparsecut.model.auto.constants import RelationRule
from sparsecut.model.auto.relation_gains import Gain, relation_gains
from sparsecut.model.auto.relation_overlap import shared_weights
from sparsecut.model.auto.relation_trial import Foretold, sampled_relations, try_relations
from sparsecut.model.settings import Settings
from sparsecut.operators.reason import Reason


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
                f"{settings.caller}(relations=…) cannot weigh a graph whose types of edges are added up already, as in a "
                "saved state. Read the graph again, with from_tables or from its store."
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
    edge_types, relations = graph.edge_types or (), graph.relations
    if len(edge_types) < 2 or relations is None or not settings.solver.chooses_from_graph:
        return [1.0] * len(edge_types)
    column_types = getattr(graph.encoder, "column_types", None)
    sample = sampled_relations(graph, cost)
    gains: list[Gain | None] = [None] * len(edge_types)
    if column_types is not None and settings.embeds_features(graph):
        gains = relation_gains(graph, column_types, cost, sample, settings.constants.regressions)
    trial: list[Foretold | None] = [None] * len(edge_types)
    if not all(gain is not None and surely_adds(gain, rule) >= 1 for gain in gains):  # a trial would change nothing
        trial = try_relations(sample, lambda foretold: surely_says(foretold, rule) < 1, cost, rule)
    copies = shared_weights(sample, rule)
    weights = [share * weight(gain, foretold, rule) for share, gain, foretold in zip(copies, gains, trial, strict=True)]
    return [max(round(one / max(weights), 2), rule.least) for one in weights]


def weight(gain: Gain | None, foretold: Foretold | None, rule: RelationRule) -> float:
    """The weight of a relation by the evidence that there is."""
    if gain is not None and gain.alike < -rule.unlike:
        return rule.least
    if foretold is not None:
        adds = 0.0 if gain is None else surely_adds(gain, rule)
        return float(np.clip(max(surely_says(foretold, rule), adds), rule.least, 1.0))
    if gain is not None:
        return float(np.clip((gain.share + rule.doubt * gain.error) / rule.even_gain, rule.least, 1.0))
    return 1.0


def surely_adds(gain: Gain, rule: RelationRule) -> float:
    """What a relation adds to the prediction of features at least, in units of `even_gain`."""
    return (gain.share - rule.doubt * gain.error) / rule.even_gain


def surely_says(foretold: Foretold, rule: RelationRule) -> float:
    """min(1, 2·p): how sure it is that held-out edges are no chance; 1 where nothing says that they are."""
    share, error = max(foretold.share, 0.0), max(foretold.error, 1e-6)
    noise = -math.log(error) - (share / error) ** 2 / 2
    spread = math.hypot(error, rule.spread)
    useful = -math.log(spread) - ((min(share, rule.usual) - rule.usual) / spread) ** 2 / 2
    return min(1.0, 2 / (1 + math.exp(min(noise - useful, 700.0))))


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
