"""Scores over many splits: what was measured, by which protocol, with the deviation over the splits."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import import_extra
from sparsecut.base.notebook import Cell, facts_html, table_html
from sparsecut.evaluation.metrics import Answers, figure_of, needs_ranking, unit_of
from sparsecut.evaluation.splits import Nodes, Split

Values = NDArray[np.float64]

CONFIDENCE = 0.95
NO_PROBE = "none"  # labels predicted by the method itself


@dataclass(frozen=True)
class Scores:
    """Figures of a probe by name, one value per split, each with its mean, deviation and interval.

    Attributes
    ----------
    figures : dict of str to array of shape (n_splits,)
        By the names of `sparsecut.evaluation.metrics`; those of classes are in percent. The first is what `mean`, `std`,
        `interval` and comparisons go by.
    probe : str
        The protocol: "paper" or "tuned", "ridge" for numbers, or "none" where a method predicts labels itself.
    choices : tuple of dict
        What the tuned probe chose for each split; empty otherwise.
    splits : str
        A digest of the splits. Scores can be paired only where it is the same.
    majority : float
        The share of the largest class among the test nodes in percent, the mean over the splits: what always guessing it
        scores. Not a number where nodes have no single class.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsecut.evaluation import Scores
    >>> scores = Scores({"accuracy": np.array([80.0, 82.0, 84.0])}, majority=40.0)
    >>> print(scores)
    82.0 ± 1.6 (majority 40.0)
    >>> scores.mean
    82.0
    """

    figures: Mapping[str, Values]
    probe: str = "paper"
    choices: tuple[dict[str, Any], ...] = ()
    splits: str = ""
    majority: float = math.nan

    @property
    def main(self) -> str:
        """The name of the first figure."""
        return next(iter(self.figures))

    @property
    def n_splits(self) -> int:
        """How many splits were scored."""
        return len(self.figures[self.main])

    @property
    def accuracies(self) -> Values:
        """The accuracy on every split, in percent; empty where it was not measured."""
        return self.figures.get("accuracy", np.empty(0))

    @property
    def macro_f1s(self) -> Values:
        """The mean F1 of the classes on every split, in percent; empty where it was not measured."""
        return self.figures.get("macro_f1", np.empty(0))

    @property
    def mean(self) -> float:
        """The mean of the first figure over the splits."""
        return float(self.figures[self.main].mean())

    @property
    def std(self) -> float:
        """The standard deviation of the first figure over the splits (divided by their number)."""
        return float(self.figures[self.main].std())

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean by Student's t; not a number with one split.

        It is about the choice of splits: they share test nodes, and another graph is another matter.
        """
        return interval_of(self.figures[self.main])

    @property
    def micro_f1(self) -> float:
        """The micro-averaged F1. Where each node has one class and is given one, it is the accuracy."""
        return float(self.figures["micro_f1" if "micro_f1" in self.figures else "accuracy"].mean())

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the classes, small ones counting as much as large ones."""
        return float(self.macro_f1s.mean()) if len(self.macro_f1s) else math.nan

    def to_dict(self) -> dict[str, Any]:
        """For JSON: every figure under "metrics" with its mean, deviation, interval and values."""
        facts: dict[str, Any] = {"probe": self.probe, "n_splits": self.n_splits}
        if len(self.accuracies):
            facts |= {
                "accuracy": float(self.accuracies.mean()),
                "std": float(self.accuracies.std()),
                "interval": or_none(interval_of(self.accuracies)),
                "majority": or_none(self.majority),
                "micro_f1": self.micro_f1,
                "macro_f1": or_none(self.macro_f1),
                "accuracies": self.accuracies.tolist(),
                "macro_f1s": self.macro_f1s.tolist(),
            }
        return {
            **facts,
            "metrics": {
                name: {**summary(values), "interval": or_none(interval_of(values))} for name, values in self.figures.items()
            },
            "choices": list(self.choices),
        }

    def __str__(self) -> str:
        return f"{self.text()}{self.beside(self.main)}"

    def text(self, name: str | None = None) -> str:
        """A figure as "mean ± deviation over the splits"; the first one by default."""
        values = self.figures[name or self.main]
        digits = 1 if unit_of(name or self.main) else 3
        return f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"

    def beside(self, name: str) -> str:
        """What an accuracy must be read beside: the share of the largest class."""
        return f" (majority {self.majority:.1f})" if name == "accuracy" and not math.isnan(self.majority) else ""

    def to_pandas(self) -> Any:
        """One row per split: every figure, and what a tuned probe chose.

        Returns
        -------
        pandas.DataFrame
        """
        pandas = import_extra("pandas", caller="Scores.to_pandas", extra="pandas")
        frame = pandas.DataFrame(dict(self.figures), index=pandas.RangeIndex(self.n_splits, name="split"))
        return frame.join(pandas.DataFrame(list(self.choices))) if self.choices else frame

    def _repr_html_(self) -> str:
        """For a notebook: the summary, and the splits as a table to sort."""
        facts = []
        for name, values in self.figures.items():
            low, high = interval_of(values)
            digits = 1 if unit_of(name) else 3
            within = f", 95 % interval {low:.{digits}f} to {high:.{digits}f}" if len(values) > 1 else ""
            title = ", ".join(part for part in (name, unit_of(name)) if part)
            facts.append((title, f"{self.text(name)}{self.beside(name)}{within}"))
        facts.append(("splits", str(self.n_splits)))
        rows = [
            (Cell(str(place), place), *(Cell(f"{one:.2f}", one) for one in values))
            for place, values in enumerate(zip(*(values.tolist() for values in self.figures.values()), strict=True))
        ]
        table = table_html(("split", *self.figures), rows)
        return f"{facts_html(f'Scores, probe: {self.probe}', facts)}<details><summary>Every split</summary>{table}</details>"


def score_predictions(
    predicted: Iterable[Nodes], codes: Nodes, splits: Sequence[Split], names: Iterable[str] = ("accuracy", "macro_f1")
) -> Scores:
    """Scores of classes predicted for every node, one array per split; `codes` are the true ones, numbered from 0.

    Figures that rank nodes are left out: a class says nothing about the order of nodes.
    """
    n_classes = int(codes.max()) + 1
    kept = [name for name in names if not needs_ranking([name])] or ["accuracy"]
    pairs = zip(splits, predicted, strict=True)
    answers = [Answers(codes[split.test], values[split.test], n_classes) for split, values in pairs]
    figures = {name: np.array([figure_of(name, one) for one in answers]) for name in kept}
    return Scores(figures, probe=NO_PROBE, splits=digest_splits(splits), majority=majority_of(codes, splits))


def majority_of(codes: Nodes, splits: Sequence[Split]) -> float:
    """The share of the largest class among the test nodes in percent, the mean over the splits."""
    return 100 * float(np.mean([np.bincount(codes[split.test]).max() / len(split.test) for split in splits]))


def digest_splits(splits: Sequence[Split]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for split in splits:
        for nodes in (split.train, split.validation, split.test):
            digest.update(np.ascontiguousarray(nodes, dtype=np.int64).tobytes() + b"|")
    return digest.hexdigest()


def summary(values: Values) -> dict[str, Any]:
    """Mean, spread and all values, for JSON."""
    mean, std = (or_none(float(value)) for value in (values.mean(), values.std()))
    return {"mean": mean, "std": std, "values": [or_none(value) for value in values.tolist()]}


def interval_of(values: Values) -> tuple[float, float]:
    """The 95 % interval of the mean by Student's t; not a number where there is one value."""
    from scipy import stats

    if len(values) < 2:
        return math.nan, math.nan
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))
    return float(values.mean()) - half, float(values.mean()) + half


def or_none(value: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(value, tuple):
        return None if any(map(math.isnan, value)) else list(value)
    return None if math.isnan(value) else value
