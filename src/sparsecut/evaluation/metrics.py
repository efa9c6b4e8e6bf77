"""Figures of predictions by name: the same names in Python, at the shell, in JSON and in comparisons.

Of classes, in percent:

    accuracy            the share of test nodes that are right
    balanced_accuracy   the mean over classes of the share of their nodes that are right
    micro_f1            F1 of all decisions together; with one class per node it is the accuracy
    macro_f1            the mean over classes of their F1
    roc_auc             the chance that a node of a class ranks above one that is not of it
    average_precision   the mean precision down the ranking of a class
    recall@10%          the share of a class among the tenth of the nodes that rank highest for it; any other share too

The last three rank nodes by the probe's decision values, one class against the rest, and are means over the classes that
have test nodes. Of two classes they are those of the rarer one, which is what a skewed class asks for.

Of several labels per node the same, where a node is given as many labels as it has (the protocol of DeepWalk's authors);
`accuracy` then counts nodes whose labels are all right. Of numbers:

    r2                  1 − the squared error over that of the mean, a share of 1
    mae, rmse           the mean absolute error and the root of the mean squared error, in the unit of the target

Beside names, scorers of scikit-learn are accepted (`make_scorer`, or their names, such as "f1_weighted"): they are called
with the probe as an estimator, and their values are kept as they come, not in percent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, did_you_mean

Array = NDArray[np.float64]
Metrics = Mapping[str, Any] | Iterable[Any] | str | None

CLASSES, SEVERAL, NUMBERS = "classes", "several", "numbers"  # kinds of targets
DEFAULT = {CLASSES: ("accuracy", "macro_f1"), SEVERAL: ("micro_f1", "macro_f1"), NUMBERS: ("r2", "mae", "rmse")}
PER_CLASS_FIGURES = ("accuracy", "balanced_accuracy", "micro_f1", "macro_f1", "roc_auc", "average_precision")
NUMBER_FIGURES = ("r2", "mae", "rmse")
RECALL = re.compile(r"recall@(\d+(?:\.\d+)?)%")
RANKING = ("roc_auc", "average_precision")


@dataclass(frozen=True)
class Answers:
    """What a probe said of the test nodes of a split.

    `true` and `predicted` are codes of classes, (m,), or truth values, (m, c), of several labels; `decisions`, (m, c), are
    there where a figure needs them. `positive` is the class that ranking figures are of, None for the mean over classes.
    """

    true: NDArray[Any]
    predicted: NDArray[Any]
    n_classes: int
    decisions: Array | None = None
    positive: int | None = None

    def of_class(self, code: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which test nodes are of a class, and which are predicted to be."""
        if self.true.ndim == 2:
            return self.true[:, code], self.predicted[:, code]
        return self.true == code, self.predicted == code


def check_metrics(caller: str, metrics: Metrics, kind: str) -> dict[str, Any]:
    """What to compute for a kind of target, by name: None for a figure of this module, or a scorer of scikit-learn."""
    if metrics is None:
        metrics = DEFAULT[kind]
    given = metrics.items() if isinstance(metrics, Mapping) else [(None, one) for one in _listed(metrics)]
    chosen: dict[str, Any] = {}
    for name, metric in given:
        if isinstance(metric, str) and is_figure(metric, kind):
            chosen[name or metric] = None if name in (None, metric) else _renamed(caller, str(name), metric)
        else:
            scorer = _scorer(caller, metric, kind)
            chosen[name or _name_of(metric)] = scorer
    if not chosen:
        raise InputError(f"The metrics parameter of {caller} must name at least one metric. Got none.")
    return chosen


def is_figure(name: str, kind: str) -> bool:
    """Whether a name is one of this module's for a kind of target."""
    if kind == NUMBERS:
        return name in NUMBER_FIGURES
    if kind == SEVERAL and name == "balanced_accuracy":
        return False
    return name in PER_CLASS_FIGURES or _is_recall(name)


def _is_recall(name: str) -> bool:
    """Whether a name is the recall at a share of the nodes, above none and up to all of them."""
    share = RECALL.fullmatch(name)
    return share is not None and 0 < float(share[1]) <= 100


def needs_ranking(names: Iterable[str]) -> bool:
    return any(name in RANKING or RECALL.fullmatch(name) for name in names)


def figure_of(name: str, answers: Answers) -> float:
    """A figure of classes or of several labels, in percent; not a number where no class has nodes inside and outside."""
    share = RECALL.fullmatch(name)
    if name in RANKING or share is not None:
        ranked: Callable[..., float] = partial(_recall_at, float(share[1]) / 100) if share is not None else _RANKED[name]
        return 100 * _mean_over_classes(ranked, answers)
    return 100 * float(_FIGURES[name](answers))


def figure_of_numbers(name: str, true: Array, predicted: Array) -> float:
    errors = true - predicted
    if name == "mae":
        return float(np.abs(errors).mean())
    if name == "rmse":
        return float(np.sqrt(np.square(errors).mean()))
    spread = float(np.square(true - true.mean()).sum())
    return 1 - float(np.square(errors).sum()) / spread if spread > 0 else float("nan")


def unit_of(name: str) -> str:
    """What a figure is measured in, for tables: "percent", or nothing."""
    is_share = name in PER_CLASS_FIGURES or RECALL.fullmatch(name) is not None
    return "percent" if is_share else ""


def _listed(metrics: Any) -> list[Any]:
    if isinstance(metrics, str):
        return [name.strip() for name in metrics.split(",") if name.strip()]
    return [metrics] if callable(metrics) else list(metrics)


def _renamed(caller: str, name: str, metric: str) -> Any:
    raise InputError(f"The metrics of {caller} have their own names: pass {metric!r} in a list. Got {name!r}: {metric!r}.")


def _scorer(caller: str, metric: Any, kind: str) -> Any:
    if callable(metric):
        return metric
    known = NUMBER_FIGURES if kind == NUMBERS else (*PER_CLASS_FIGURES, "recall@10%")
    other = CLASSES if kind in (NUMBERS, SEVERAL) else NUMBERS
    if isinstance(metric, str) and is_figure(metric, other):
        raise InputError(f"The metric {metric!r} is not one of {_WORDS[kind]}. For these there are: {', '.join(known)}.")
    from sklearn.metrics import get_scorer, get_scorer_names

    if metric in get_scorer_names():
        return get_scorer(metric)
    raise InputError(
        f"The metrics parameter of {caller} takes {', '.join(known)}, and scorers of scikit-learn. Got {metric!r}."
        f"{did_you_mean(metric, known)}"
    )


def _name_of(metric: Any) -> str:
    if isinstance(metric, str):
        return metric
    function = getattr(metric, "_score_func", metric)
    return str(getattr(function, "__name__", type(function).__name__))


def _accuracy(answers: Answers) -> float:
    right = answers.true == answers.predicted
    return float((right.all(axis=1) if right.ndim == 2 else right).mean())


def _balanced_accuracy(answers: Answers) -> float:
    sizes = np.bincount(answers.true, minlength=answers.n_classes)
    right = np.bincount(answers.true[answers.true == answers.predicted], minlength=answers.n_classes)
    return float((right[sizes > 0] / sizes[sizes > 0]).mean())


def _counts(answers: Answers) -> tuple[Array, Array]:
    """For every class the nodes that are rightly given it, and half of those that have it and those that are given it."""
    if answers.true.ndim == 2:
        right, both = answers.true & answers.predicted, answers.true.sum(axis=0) + answers.predicted.sum(axis=0)
        return right.sum(axis=0).astype(np.float64), both / 2
    count = partial(np.bincount, minlength=answers.n_classes)
    right = count(answers.true[answers.true == answers.predicted])
    return right.astype(np.float64), (count(answers.true) + count(answers.predicted)) / 2


def _micro_f1(answers: Answers) -> float:
    right, half = _counts(answers)
    return float(right.sum() / half.sum()) if half.any() else float("nan")


def _macro_f1(answers: Answers) -> float:
    """A class that no node has and none is given has no F1."""
    right, half = _counts(answers)
    return float((right[half > 0] / half[half > 0]).mean()) if half.any() else float("nan")


def _mean_over_classes(ranked: Callable[[NDArray[np.bool_], Array], float], answers: Answers) -> float:
    assert answers.decisions is not None
    codes = range(answers.n_classes) if answers.positive is None else [answers.positive]
    values = []
    for code in codes:
        is_member, _ = answers.of_class(code)
        if is_member.any() and not is_member.all():
            values.append(ranked(is_member, answers.decisions[:, code]))
    return float(np.mean(values)) if values else float("nan")


def _roc_auc(is_member: NDArray[np.bool_], decisions: Array) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(is_member, np.nan_to_num(decisions)))


def _average_precision(is_member: NDArray[np.bool_], decisions: Array) -> float:
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(is_member, np.nan_to_num(decisions)))


def _recall_at(share: float, is_member: NDArray[np.bool_], decisions: Array) -> float:
    """Nodes that tie with the last one of the share count by the part of them that the share has room for."""
    n_taken = max(1, round(share * len(decisions)))
    last = np.partition(decisions, len(decisions) - n_taken)[len(decisions) - n_taken]
    above, level = decisions > last, decisions == last
    room = (n_taken - above.sum()) / level.sum()
    return float((is_member[above].sum() + room * is_member[level].sum()) / is_member.sum())


_RANKED = {"roc_auc": _roc_auc, "average_precision": _average_precision}
_FIGURES = {"accuracy": _accuracy, "balanced_accuracy": _balanced_accuracy, "micro_f1": _micro_f1, "macro_f1": _macro_f1}
_WORDS = {CLASSES: "classes", SEVERAL: "several labels per node", NUMBERS: "numbers"}
