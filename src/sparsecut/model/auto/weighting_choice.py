"""The weighting of features, chosen by what their numbers are and by whether neighbours have rows of similar length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsecut.features import walked
from sparsecut.features.on_device import values_of
from sparsecut.features.weighting import row_lengths
from sparsecut.graph import Graph
from sparsecut.kernels.streaming import value_blocks
from sparsecut.model.auto.constants import CONSTANTS, WeightingRule
from sparsecut.operators.reason import Reason


def choose_weighting(graph: Graph, rule: WeightingRule = CONSTANTS.weighting) -> Reason:
    """The weighting for a graph's features, and why."""
    seen = None if graph.walk is None else walked.look_at_values(graph.walk)
    has_signs = _has_signs(graph) if seen is None else seen[0]
    if has_signs:
        return Reason("weighting", "none", "signs")
    figures = {"correlation": _length_agreement(graph, rule)}
    if figures["correlation"] >= rule.length_agreement:
        return Reason("weighting", "none", "lengths", figures)
    are_whole = all(bool((values % 1 == 0).all()) for values in _values(graph)) if seen is None else seen[1]
    if are_whole:
        return Reason("weighting", "tf-idf", "counts", figures)
    return Reason("weighting", "l2", "amounts", figures)


def _values(graph: Graph) -> Iterator[Any]:
    """The stored numbers of the features in blocks, where they lie."""
    return value_blocks(graph.features) if graph.feature_tensor is None else values_of(graph.feature_tensor)


def _has_signs(graph: Graph) -> bool:
    """Whether a number is below zero, or there is none at all."""
    blocks = (values for values in _values(graph) if 0 not in values.shape)
    first = next(blocks, None)
    return first is None or float(first.min()) < 0 or any(float(values.min()) < 0 for values in blocks)


def _length_agreement(graph: Graph, rule: WeightingRule = CONSTANTS.weighting) -> float:
    """The correlation of the log of a row's length with its mean over the neighbours."""
    if graph.walk is not None:
        n_nodes, deviation, correlation = walked.length_agreement(graph.walk)
        return 0.0 if n_nodes < rule.min_lengths or deviation < rule.min_deviation else correlation
    lengths = row_lengths(graph.features if graph.feature_tensor is None else graph.feature_tensor)
    logs = np.log(np.maximum(lengths, 1e-3 * max(float(lengths.max()), 1e-30)))
    degrees, sums = graph.degrees, graph.neighbour_sums(logs)
    around = np.divide(sums, degrees, out=np.zeros_like(logs), where=degrees > 0)
    own, around = logs[degrees > 0], around[degrees > 0]
    # Lengths that differ by rounding alone say nothing, however they correlate.
    if len(own) < rule.min_lengths or own.std() < rule.min_deviation or around.std() == 0:
        return 0.0
    return float(np.corrcoef(own, around)[0, 1])
