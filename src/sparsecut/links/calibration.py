"""From scores to probabilities: the share of held-out links among pairs of about the same score.

Held-out links and pairs without one are sorted by their score and pooled until the share of links rises with the score
(isotonic regression by pooling adjacent violators); between the means of the pools it is interpolated. Every held-out link
stands for so many links of the graph, every other pair for so many pairs without one, so that the probabilities of all
possible pairs add up to the number of links. A pool with c links in weight n has the share (c + ½ link)/(n + 1 link): none
is certain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsecut.links.ranking import levelled

Array = NDArray[np.float64]
MIN_POOL = 50  # examples in a pool at least: shares of fewer are chance


@dataclass(frozen=True)
class Calibration:
    """Scores, ascending, and the probability of a link at each; both (k,)."""

    scores: Array
    probabilities: Array

    def scaled(self, factor: float) -> Calibration:
        """A calibration of scores that are so many times as large."""
        return Calibration(self.scores * factor, self.probabilities)

    def __call__(self, scores: NDArray[np.floating]) -> Array:
        """The probability of a link for each score, constant beyond the first and the last."""
        return np.asarray(np.interp(scores, self.scores, self.probabilities))


def calibrate(positive: Array, negative: Array, n_links: float, n_others: float) -> Calibration:
    """The calibration for scores of links and of other pairs, which stand for `n_links` and `n_others` of them."""
    scores = np.concatenate([positive, negative])
    level = levelled(scores)
    order = np.argsort(level, kind="stable")
    weight_link, weight_other = n_links / len(positive), n_others / len(negative)
    is_link = order < len(positive)
    links = np.where(is_link, weight_link, 0.0)
    weights = np.where(is_link, weight_link, weight_other)
    starts = _starts(level[order])
    pools = [np.add.reduceat(values, starts) for values in (links, weights, weights * scores[order])]
    merged: list[list[float]] = []
    for pool in zip(*(values.tolist() for values in pools), strict=True):
        merged.append(list(pool))
        while len(merged) > 1 and merged[-2][0] * merged[-1][1] >= merged[-1][0] * merged[-2][1]:
            last = merged.pop()
            merged[-1] = [one + other for one, other in zip(merged[-1], last, strict=True)]
    found, total, moment = np.array(merged).T
    shares = (found + weight_link / 2) / (total + weight_link)
    return Calibration(moment / total, np.maximum.accumulate(shares))


def _starts(level: NDArray[np.floating]) -> list[int]:
    """Where pools of ascending scores begin: equal ones, which only their order would tell apart, are in one."""
    starts = [0]
    for one in np.searchsorted(level, level[::MIN_POOL]).tolist():
        if one - starts[-1] >= MIN_POOL:
            starts.append(one)
    return starts if len(level) - starts[-1] >= MIN_POOL else starts[: max(len(starts) - 1, 1)]
