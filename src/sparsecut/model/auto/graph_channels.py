"""How much structure and roles weigh beside the features: what the graph itself says is never left out.

**Structure** weighs the more, the less the embedding of the features knows of the edges. The trial of filters has measured
that: AUC is the chance that a held-out edge ranks above another pair of nodes, and 2·AUC − 1 is 1 where all edges do and 0
where the embedding says nothing about them.

    w = s / (2·AUC − 1),     at least s and at most 1

On citation graphs (AUC 0.95) w is 0.11 and costs next to nothing. On a graph of authors, papers and terms, where the two
ends of an edge have no column in common (AUC 0.53), structure weighs as much as the features. w is a fixed small weight
where no edges were held out, and where neighbours do not help to predict a node's features: its own row is embedded there,
and the AUC of the smoothed one says nothing about it. Features that hardly go with the edges may be those of other nodes:
structure then weighs 0.3 at least.

**Roles** weigh a fixed share for every count that they are made of: degrees, triangles and clustering of a plain graph, more
where edges have directions or weights, which no other channel reads. Features cannot tell what roles are worth: a ring of
accounts that pass money round and actors who share a page both have columns that no role predicts.

Without features, structure leads and roles stand beside it. Those of a signed graph weigh as much as structure: they are all
that says who is unfriendly to whom.
"""

from __future__ import annotations

from collections.abc import Mapping

from sparsecut.model.auto.constants import CONSTANTS, GraphChannelRule
from sparsecut.operators.reason import Reason


def weigh_graph_channels(
    channels: Mapping[str, float],
    trial: Reason | None,
    n_counts: int,
    rule: GraphChannelRule = CONSTANTS.graph_channels,
    *,
    with_structure: bool = True,
    is_doubted: bool = False,
    is_signed: bool = False,
) -> tuple[dict[str, float], Reason]:
    """The weights of "structure" and "roles" beside those of the features' channels, and why.

    `trial` is that of the filters, with the AUC of held-out edges; `n_counts` is the number of counts that roles are made
    of, 0 for no roles. Structure that would cost too much is left out by `with_structure`; `is_doubted` says that the
    features hardly go with the edges; roles of a graph that `is_signed` count friendly and unfriendly edges.
    """
    heaviest = max(channels.values(), default=1.0)
    weights: dict[str, float] = {}
    figures: dict[str, float] = {"counts": n_counts}
    because = "no features"
    if with_structure:
        weights["structure"] = heaviest
    if channels:
        because = "unmeasured"
        if trial is not None and trial.because == "held-out edges" and set(channels) != {"own"}:
            because, figures["AUC"] = "held-out edges", trial.figures[trial.chosen]
        if with_structure:
            share = max(_structure_weight(figures.get("AUC"), rule), rule.doubted if is_doubted else 0.0)
            weights["structure"] = round(heaviest * share, 2)
    if n_counts:
        alone = rule.signed_roles if is_signed else rule.roles_beside_structure
        share = rule.role_count * n_counts if channels else alone
        weights["roles"] = round(heaviest * min(share, 1.0), 2) if channels or with_structure else heaviest
    return weights, Reason("graph channels", " and ".join(weights), because, figures)


def _structure_weight(auc: float | None, rule: GraphChannelRule) -> float:
    if auc is None:
        return rule.unmeasured_structure
    known = max(2 * auc - 1, 0.0)
    return 1.0 if known <= rule.structure else max(rule.structure / known, rule.structure)
