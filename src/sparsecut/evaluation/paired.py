"""Whether one embedding beats another: their figures over the same splits, paired, with the interval of the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError, check_choice
from sparsecut.base.notebook import facts_html
from sparsecut.evaluation.metrics import unit_of
from sparsecut.evaluation.scores import CONFIDENCE, NO_PROBE, Scores, Values, interval_of, or_none

TESTS = ("t", "wilcoxon")
ERRORS = ("mae", "rmse")  # the smaller the better


@dataclass(frozen=True)
class Comparison:
    """A figure of one embedding less another's, split by split: see `compare_scores`.

    Attributes
    ----------
    mean_difference : float
        In points of percent, or in the figure's own unit.
    interval : tuple of float
        Its 95 % interval; not a number with one split.
    p_value : float
        The chance of such a difference where there is none.
    test : str
        "t" or "wilcoxon".
    n_splits : int
        How many pairs were compared.
    metric : str
        The name of the figure.
    """

    mean_difference: float
    interval: tuple[float, float]
    p_value: float
    test: str
    n_splits: int
    metric: str = "accuracy"

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "mean_difference": self.mean_difference,
            "interval": or_none(self.interval),
            "p_value": or_none(self.p_value),
            "test": self.test,
            "n_splits": self.n_splits,
        }

    def _repr_html_(self) -> str:
        return facts_html("Comparison", [("difference", str(self))])

    def __str__(self) -> str:
        if self.n_splits < 2:
            return f"{self._amount(self.mean_difference)}{self._unit} on one split, which says nothing about another"
        low, high = self.interval
        is_gain = (self.mean_difference > 0) != (self.metric in ERRORS)
        verdict = "no difference shown" if self.p_value >= 1 - CONFIDENCE else ("better" if is_gain else "worse")
        return (
            f"{verdict}: {self._amount(self.mean_difference)}{self._unit} [{self._amount(low)}, {self._amount(high)}] over "
            f"{self.n_splits} splits, p = {self.p_value:.2g} ({self.test})"
        )

    @property
    def amount(self) -> str:
        """The mean difference for a table, with its sign."""
        return f"{self.mean_difference:+.1f}" if unit_of(self.metric) else self._amount(self.mean_difference)

    @property
    def _unit(self) -> str:
        return " points" if unit_of(self.metric) else ""

    def _amount(self, value: float) -> str:
        return f"{value:+.2f}" if unit_of(self.metric) else f"{value:+.3f}"


def compare_scores(a: Scores, b: Scores, test: str = "t", *, metric: str | None = None) -> Comparison:
    """Compare two embeddings over the same splits: a less b, paired.

    Parameters
    ----------
    a, b : Scores
        From the same splits and the same probe.
    test : {"t", "wilcoxon"}, default="t"
        Paired Student's t, or signed ranks, which do not assume normal differences. Both take the splits for independent,
        which random splits of one graph are not quite: mind that where a p-value is near the border.
    metric : str, optional
        The figure to compare by, which both must have. [default: the first of `a`]

    Returns
    -------
    Comparison
        The mean difference in points, its 95 % interval and the p-value; `print` says it in words.

    Raises
    ------
    InputError
        Where the scores are of different splits or different probes.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsecut.evaluation import Scores, compare_scores
    >>> ours = Scores({"accuracy": np.array([81.0, 83.0, 82.0])})
    >>> theirs = Scores({"accuracy": np.array([80.0, 80.5, 81.0])})
    >>> print(compare_scores(ours, theirs))
    no difference shown: +1.50 points [-0.65, +3.65] over 3 splits, p = 0.095 (t)
    """
    check_choice("compare_scores", "test", test, TESTS)
    metric = a.main if metric is None else metric
    if not (metric in a.figures and metric in b.figures):
        shared = [name for name in a.figures if name in b.figures]
        raise InputError(
            f"A paired comparison needs scores by one metric. {metric!r} is not in both; these are: {', '.join(shared)}."
        )
    if a.n_splits != b.n_splits or (a.splits and b.splits and a.splits != b.splits):
        raise InputError(
            f"A paired comparison needs scores over the same splits. Got {a.n_splits} and {b.n_splits} scores"
            f"{' of different splits' if a.n_splits == b.n_splits else ''}. "
            "Draw the splits once and probe both embeddings with them."
        )
    if a.probe != b.probe and NO_PROBE not in (a.probe, b.probe):
        raise InputError(f"A paired comparison needs one protocol. Got {a.probe} and {b.probe}.")
    differences = np.asarray(a.figures[metric] - b.figures[metric])
    p_value = _t_test(differences) if test == "t" else _wilcoxon(differences)
    return Comparison(float(differences.mean()), interval_of(differences), p_value, test, len(differences), metric)


def _t_test(differences: Values) -> float:
    """Two-sided. Where all differences are the same there is no spread to judge by: 1 if they are 0, 0 if not."""
    from scipy import stats

    if len(differences) < 2:
        return math.nan
    error = differences.std(ddof=1) / math.sqrt(len(differences))
    if error == 0:
        return 1.0 if differences[0] == 0 else 0.0
    return float(2 * stats.t.sf(abs(differences.mean()) / error, len(differences) - 1))


def _wilcoxon(differences: Values) -> float:
    from scipy import stats

    if len(differences) < 2:
        return math.nan
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)
