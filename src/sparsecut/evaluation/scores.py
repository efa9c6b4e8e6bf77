"""Scores over many splits: what was measured, by which protocol, and whether one embedding beats another."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_choice, import_extra
from sparsecut.base.notebook import Cell, facts_html, table_html
from sparsecut.evaluation.splits import Nodes, Split

Values = NDArray[np.float64]

CONFIDENCE = 0.95
TESTS = ("t", "wilcoxon")
NO_PROBE = "none"  # labels predicted by the method itself


@dataclass(frozen=True)
class Scores:
    """Accuracies and macro-F1 in percent, one per split.

    Attributes
    ----------
    accuracies : array of shape (n_splits,)
        The share of test nodes classified right, in percent.
    probe : str
        The protocol: "paper" or "tuned", or "none" where a method predicts labels itself.
    macro_f1s : array of shape (n_splits,)
        The mean F1 of the classes, in percent; empty where it was not measured.
    choices : tuple of dict
        What the tuned probe chose for each split; empty otherwise.
    splits : str
        A digest of the splits. Scores can be paired only where it is the same.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsecut.evaluation import Scores
    >>> scores = Scores(np.array([80.0, 82.0, 84.0]))
    >>> print(scores)
    82.0 ± 1.6
    >>> scores.mean
    82.0
    """

    accuracies: Values
    probe: str = "paper"
    macro_f1s: Values = field(default_factory=lambda: np.empty(0))
    choices: tuple[dict[str, Any], ...] = ()
    splits: str = ""

    @property
    def mean(self) -> float:
        return float(self.accuracies.mean())

    @property
    def std(self) -> float:
        """The standard deviation over the splits (divided by their number)."""
        return float(self.accuracies.std())

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean by Student's t; not a number with one split.

        It is about the choice of splits: they share test nodes, and another graph is another matter.
        """
        return _interval(self.accuracies)

    @property
    def micro_f1(self) -> float:
        """The micro-averaged F1, which is the accuracy.

        Each node has one class and is given one: a false positive of one class is a false negative of another.
        """
        return self.mean

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the classes, small ones counting as much as large ones."""
        return float(self.macro_f1s.mean()) if len(self.macro_f1s) else math.nan

    def to_dict(self) -> dict[str, Any]:
        return {
            "probe": self.probe,
            "n_splits": len(self.accuracies),
            "accuracy": self.mean,
            "std": self.std,
            "interval": _or_none(self.interval),
            "micro_f1": self.micro_f1,
            "macro_f1": _or_none(self.macro_f1),
            "accuracies": self.accuracies.tolist(),
            "macro_f1s": self.macro_f1s.tolist(),
            "choices": list(self.choices),
        }

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.std:.1f}"

    def to_pandas(self) -> Any:
        """One row per split: accuracy, macro-F1 where it was measured, and what a tuned probe chose.

        Returns
        -------
        pandas.DataFrame
        """
        pandas = import_extra("pandas", caller="Scores.to_pandas", extra="pandas")
        columns: dict[str, Any] = {"accuracy": self.accuracies}
        if len(self.macro_f1s):
            columns["macro_f1"] = self.macro_f1s
        frame = pandas.DataFrame(columns, index=pandas.RangeIndex(len(self.accuracies), name="split"))
        return frame.join(pandas.DataFrame(list(self.choices))) if self.choices else frame

    def _repr_html_(self) -> str:
        """For a notebook: the summary, and the splits as a table to sort."""
        low, high = self.interval
        facts = [("accuracy, percent", str(self)), ("splits", str(len(self.accuracies)))]
        if len(self.accuracies) > 1:
            facts.insert(1, ("95 % interval", f"{low:.1f} to {high:.1f}"))
        if len(self.macro_f1s):
            facts.insert(1, ("macro-F1", f"{self.macro_f1:.1f}"))
        shares = self.macro_f1s if len(self.macro_f1s) else np.full(len(self.accuracies), math.nan)
        rows = [
            (Cell(str(place), place), Cell(f"{one:.2f}", one), "" if math.isnan(f1) else Cell(f"{f1:.2f}", f1))
            for place, (one, f1) in enumerate(zip(self.accuracies.tolist(), shares.tolist(), strict=True))
        ]
        table = table_html(("split", "accuracy", "macro-F1"), rows)
        return f"{facts_html(f'Scores, probe: {self.probe}', facts)}<details><summary>Every split</summary>{table}</details>"


@dataclass(frozen=True)
class Comparison:
    """The accuracy of one embedding less another's, split by split: see `compare_scores`.

    Attributes
    ----------
    mean_difference : float
        In points of accuracy.
    interval : tuple of float
        Its 95 % interval; not a number with one split.
    p_value : float
        The chance of such a difference where there is none.
    test : str
        "t" or "wilcoxon".
    n_splits : int
        How many pairs were compared.
    """

    mean_difference: float
    interval: tuple[float, float]
    p_value: float
    test: str
    n_splits: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "mean_difference": self.mean_difference,
            "interval": _or_none(self.interval),
            "p_value": _or_none(self.p_value),
            "test": self.test,
            "n_splits": self.n_splits,
        }

    def _repr_html_(self) -> str:
        return facts_html("Comparison", [("difference", str(self))])

    def __str__(self) -> str:
        if self.n_splits < 2:
            return f"{self.mean_difference:+.2f} points on one split, which says nothing about another"
        low, high = self.interval
        verdict = (
            "no difference shown" if self.p_value >= 1 - CONFIDENCE else ("better" if self.mean_difference > 0 else "worse")
        )
        return (
            f"{verdict}: {self.mean_difference:+.2f} points [{low:+.2f}, {high:+.2f}] over {self.n_splits} splits, "
            f"p = {self.p_value:.2g} ({self.test})"
        )


def compare_scores(a: Scores, b: Scores, test: str = "t") -> Comparison:
    """Compare two embeddings over the same splits: a less b, paired.

    Parameters
    ----------
    a, b : Scores
        From the same splits and the same probe.
    test : {"t", "wilcoxon"}, default="t"
        Paired Student's t, or signed ranks, which do not assume normal differences. Both take the splits for independent,
        which random splits of one graph are not quite: mind that where a p-value is near the border.

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
    >>> ours, theirs = Scores(np.array([81.0, 83.0, 82.0])), Scores(np.array([80.0, 80.5, 81.0]))
    >>> print(compare_scores(ours, theirs))
    no difference shown: +1.50 points [-0.65, +3.65] over 3 splits, p = 0.095 (t)
    """
    check_choice("compare_scores", "test", test, TESTS)
    if len(a.accuracies) != len(b.accuracies) or (a.splits and b.splits and a.splits != b.splits):
        raise InputError(
            f"A paired comparison needs scores over the same splits. Got {len(a.accuracies)} and {len(b.accuracies)} scores"
            f"{' of different splits' if len(a.accuracies) == len(b.accuracies) else ''}. "
            "Draw the splits once and probe both embeddings with them."
        )
    if a.probe != b.probe and NO_PROBE not in (a.probe, b.probe):
        raise InputError(f"A paired comparison needs one protocol. Got {a.probe} and {b.probe}.")
    differences = a.accuracies - b.accuracies
    p_value = _t_test(differences) if test == "t" else _wilcoxon(differences)
    return Comparison(float(differences.mean()), _interval(differences), p_value, test, len(differences))


def score_predictions(predicted: Iterable[Nodes], codes: Nodes, splits: Sequence[Split]) -> Scores:
    """Scores of classes predicted for every node, one array per split; `codes` are the true ones, numbered from 0."""
    n_classes = int(codes.max()) + 1
    pairs = zip(splits, predicted, strict=True)
    scored = np.array([score_classes(codes[split.test], values[split.test], n_classes) for split, values in pairs])
    return Scores(scored[:, 0], probe=NO_PROBE, macro_f1s=scored[:, 1], splits=digest_splits(splits))


def score_classes(true: Nodes, predicted: Nodes, n_classes: int) -> tuple[float, float]:
    """Accuracy and macro-F1 in percent; a class that is neither there nor predicted has no F1."""
    n_true, n_predicted = (np.bincount(values, minlength=n_classes) for values in (true, predicted))
    n_right = np.bincount(true[true == predicted], minlength=n_classes)
    occurs = n_true + n_predicted > 0
    f1 = 2 * n_right[occurs] / (n_true + n_predicted)[occurs]
    return 100 * float(n_right.sum() / len(true)), 100 * float(f1.mean())


def digest_splits(splits: Sequence[Split]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for split in splits:
        for nodes in (split.train, split.validation, split.test):
            digest.update(np.ascontiguousarray(nodes, dtype=np.int64).tobytes() + b"|")
    return digest.hexdigest()


def summary(values: Values) -> dict[str, Any]:
    """Mean, spread and all values, for JSON."""
    mean, std = (_or_none(float(value)) for value in (values.mean(), values.std()))
    return {"mean": mean, "std": std, "values": [_or_none(value) for value in values.tolist()]}


def _interval(values: Values) -> tuple[float, float]:
    from scipy import stats

    if len(values) < 2:
        return math.nan, math.nan
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))
    return float(values.mean()) - half, float(values.mean()) + half


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


def _or_none(value: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(value, tuple):
        return None if any(map(math.isnan, value)) else list(value)
    return None if math.isnan(value) else value
