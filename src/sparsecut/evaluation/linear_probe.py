"""The linear probe: one-vs-rest logistic regression on the training nodes of a split, scored on its test nodes.

Two protocols, named wherever their figures appear:

- `paper`: L2 with C = 1, the intercept regularised too, the embedding as it comes; validation nodes are not used. It is what
  liblinear gives. Since C is fixed, the scale of an embedding changes its score.
- `tuned`: C from 10⁻⁴, 10⁻³, …, 10³ and the embedding as it comes or standardised (each column to mean 0 and deviation 1
  over all nodes, which needs no labels), whichever is most accurate on the split's validation nodes; of equals the one
  nearest to `paper`: the embedding as it comes, then the C closest to 1. The fit is still on the training nodes alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.logistic import OneVsRest
from sparsecut.evaluation.metrics import CLASSES, SEVERAL, Answers, figure_of, needs_ranking
from sparsecut.evaluation.scores import Scores, digest_splits, majority_of
from sparsecut.evaluation.splits import Nodes, Split
from sparsecut.evaluation.targets import ProbeTarget, read_target
from sparsecut.graph import rows_and_ids

PROTOCOLS = ("paper", "tuned")
GRID = tuple(10.0**power for power in range(-4, 4))

CHUNK = 2**24  # numbers held at a time beside the embedding: 128 MiB

Array = NDArray[np.float64]
Choice = dict[str, Any]


def probe_classes(
    Z: Any,
    goal: ProbeTarget,
    splits: Sequence[Split],
    protocol: str,
    metrics: Mapping[str, Any],
    progress: Reporter | None = None,
) -> Scores:
    """Score an embedding by classes, or by several labels per node, over given splits: see `sparsecut.evaluation.probe`."""
    check_splits(splits, goal, protocol)
    n_classes = len(goal.classes)
    values: dict[str, Array] = {name: np.empty(len(splits)) for name in metrics}
    choices: list[Choice] = [{}] * len(splits)
    with_decisions = goal.kind == SEVERAL or needs_ranking(metrics) or any(metrics.values())
    n_done = 0
    with reporting(progress) as report:
        for numbers in _chunks(splits, Z.shape[1], n_classes):
            chosen = [splits[number] for number in numbers]
            if protocol == "paper":
                weights = fit_paper(Z, goal.values, chosen, n_classes)
            else:
                weights, chunk_choices = _fit_tuned(Z, goal.values, chosen, n_classes)
                for number, choice in zip(numbers, chunk_choices, strict=True):
                    choices[number] = choice
            predicted = repeat(None) if with_decisions else predict(Z, weights, chosen)
            for number, fitted, found in zip(numbers, weights, predicted, strict=False):
                test = splits[number].test
                answers = _decided(Z, goal, test, fitted) if found is None else Answers(goal.values[test], found, n_classes)
                for name, scorer in metrics.items():
                    if scorer is None:
                        values[name][number] = figure_of(name, answers)
                    else:
                        from sparsecut.evaluation.probe_estimators import score_by  # loads scikit-learn

                        values[name][number] = score_by(scorer, fitted, goal, _rows(Z, test), test)
            n_done += len(numbers)
            report("probe", n_done, len(splits))
    return Scores(
        values,
        probe=protocol,
        choices=tuple(choices) if protocol == "tuned" else (),
        splits=digest_splits(splits),
        majority=majority_of(goal.values, splits) if goal.kind == CLASSES else math.nan,
    )


def _decided(Z: Any, goal: ProbeTarget, test: Nodes, weights: Array) -> Answers:
    """Predictions with their decision values; a node with several labels is given as many as it has."""
    true, n_classes = goal.values[test], len(goal.classes)
    decisions = np.concatenate([_rows(Z, part) @ weights[:-1] + weights[-1] for part in _parts(test, Z.shape[1])])
    if goal.kind == SEVERAL:
        return Answers(true, most_likely(decisions, true.sum(axis=1)), n_classes, decisions)
    return Answers(true, decisions.argmax(axis=1), n_classes, decisions, _rarer(goal))


def most_likely(decisions: Array, counts: Nodes) -> NDArray[np.bool_]:
    """So many labels for each node, those of the largest decision values; the first columns among equals."""
    order = np.argsort(-decisions, axis=1, kind="stable")
    given = np.zeros(decisions.shape, dtype=np.bool_)
    np.put_along_axis(given, order, np.arange(decisions.shape[1]) < counts[:, None], axis=1)
    return given


def _rarer(goal: ProbeTarget) -> int | None:
    """The one of two classes that has fewer nodes, the second of equals; None where there are more classes."""
    if len(goal.classes) != 2:
        return None
    sizes = np.bincount(goal.values[goal.known], minlength=2)
    return 0 if sizes[0] < sizes[1] else 1


def _parts(nodes: Nodes, dimension: int) -> list[Nodes]:
    return np.array_split(nodes, max(1, math.ceil(len(nodes) * dimension / CHUNK)))


def check_embedding(embedding: ArrayLike) -> Any:
    """An embedding as a matrix of finite floats, sparse where it was sparse."""
    Z: Any = sp.csr_array(embedding) if sp.issparse(embedding) else np.asarray(embedding)
    if Z.ndim != 2 or Z.dtype.kind not in "biuf" or 0 in Z.shape:
        raise InputError(f"An embedding must be a matrix of numbers, one row per node. Got {Z.dtype}, shape {Z.shape}.")
    if Z.dtype not in (np.float32, np.float64):
        Z = Z.astype(np.float64)
    is_finite = np.isfinite(Z.data if sp.issparse(Z) else Z)
    if not is_finite.all():
        entry = int(np.argmin(is_finite))  # the first that is not
        row = int(np.searchsorted(Z.indptr, entry, side="right")) - 1 if sp.issparse(Z) else entry // Z.shape[1]
        raise InputError(f"The embedding must be finite. Row {row} is not.")
    return Z


def check_splits(splits: Sequence[Split], goal: ProbeTarget, protocol: str) -> None:
    """Raise where a split names nodes that are not there or have no target, or has too few to learn and score by."""
    is_known = goal.is_known
    if not len(splits):
        raise InputError("A probe needs at least one split. Got none.")
    for number, split in enumerate(splits):
        for name, nodes in (("training", split.train), ("validation", split.validation), ("test", split.test)):
            if len(nodes) and (nodes.min() < 0 or nodes.max() >= len(is_known)):
                raise InputError(f"Split {number} has {name} nodes beyond the {len(is_known):,} of the embedding.")
            if not is_known[nodes].all():
                unlabelled = nodes[~is_known[nodes]]
                raise InputError(
                    f"Split {number} has {len(unlabelled):,} {name} nodes without a label: {first_few(unlabelled)}. "
                    "Leave them out of the split."
                )
        if not len(split.test):
            raise InputError(f"Split {number} has no test nodes. A score needs some.")
        if goal.kind == CLASSES and len(np.unique(goal.values[split.train])) < 2:
            raise InputError(f"The training nodes of split {number} must be of at least two classes. They are not.")
        if protocol == "tuned" and not len(split.validation):
            raise InputError(
                f"The tuned probe chooses C on validation nodes, and split {number} has none (a class of at most "
                "2·per_class + 10 nodes gives none). Ask for fewer labels per class or a share to validate on, or use the "
                "paper probe."
            )


def _chunks(splits: Sequence[Split], dimension: int, n_classes: int) -> Iterator[list[int]]:
    """The numbers of splits to fit at once: training sets of one size, and as many as memory is meant to hold."""
    by_size: dict[int, list[int]] = {}
    for number, split in enumerate(splits):
        by_size.setdefault(len(split.train), []).append(number)
    for size, numbers in by_size.items():
        rank = min(size, dimension + 1)
        cost = 2 * size * dimension + 3 * size * rank + n_classes * (8 * size + 2 * dimension)
        count = max(1, CHUNK // cost)
        yield from (numbers[start : start + count] for start in range(0, len(numbers), count))


def fit_paper(Z: Any, codes: NDArray[Any], splits: Sequence[Split], n_classes: int) -> Array:
    X = np.stack([_rows(Z, split.train) for split in splits])
    Y = _signs(codes, splits, n_classes)
    return _without_absent(OneVsRest(X, Y).fit(C=1.0), Y)


def _fit_tuned(Z: Any, codes: NDArray[Any], splits: Sequence[Split], n_classes: int) -> tuple[Array, list[Choice]]:
    """The weights of the best choice for every split, in the coordinates of the embedding as it comes."""
    Y = _signs(codes, splits, n_classes)
    validation = [(_rows(Z, split.validation), codes[split.validation]) for split in splits]
    best = [(-1.0, False, 0.0)] * len(splits)
    weights = np.zeros((len(splits), Z.shape[1] + 1, n_classes))
    choices: list[Choice] = [{}] * len(splits)
    for is_standardised in (False, True):
        centre, scale = _moments(Z) if is_standardised else (np.zeros(Z.shape[1]), np.ones(Z.shape[1]))
        X = np.stack([(_rows(Z, split.train) - centre) / scale for split in splits])
        model = OneVsRest(X, Y)
        for C in GRID:
            fitted = model.fit(C, tolerance=1e-6)
            # ((z − centre)/scale)·w + b  =  z·(w/scale) + (b − centre·w/scale)
            fitted[:, :-1] /= scale[:, None]
            fitted[:, -1] -= centre @ fitted[:, :-1]
            fitted = _without_absent(fitted, Y)
            for number, (rows, true) in enumerate(validation):
                accuracy = _right(rows @ fitted[number, :-1] + fitted[number, -1], true)
                rank = (accuracy, not is_standardised, -abs(math.log(C)))
                if rank > best[number]:
                    best[number], weights[number] = rank, fitted[number]
                    choices[number] = {"C": C, "is_standardised": is_standardised, "validation": 100 * accuracy}
    return weights, choices


def _right(decisions: Array, true: NDArray[Any]) -> float:
    """The share of validation nodes, or of their labels, that are right."""
    if true.ndim == 1:
        return float((decisions.argmax(axis=1) == true).mean())
    return float((most_likely(decisions, true.sum(axis=1)) & true).sum() / max(true.sum(), 1))


def _rows(Z: Any, nodes: Nodes) -> Array:
    rows = Z[nodes]
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)


def _signs(codes: NDArray[Any], splits: Sequence[Split], n_classes: int) -> Array:
    """+1 where a training node is of a class, −1 where it is not, (s, n, c)."""
    train = np.stack([split.train for split in splits])
    if codes.ndim == 2:
        return np.where(codes[train], 1.0, -1.0)
    return np.where(codes[train][:, :, None] == np.arange(n_classes), 1.0, -1.0)


def _without_absent(weights: Array, Y: Array) -> Array:
    """A class that no training node has is never predicted."""
    weights[:, -1][~(Y > 0).any(axis=1)] = -np.inf
    return weights


def _moments(Z: Any) -> tuple[Array, Array]:
    """The mean and the standard deviation of every column; 1 for one that does not vary."""
    mean = np.asarray(Z.mean(axis=0, dtype=np.float64)).ravel()
    if sp.issparse(Z):
        variance = np.asarray(Z.multiply(Z).mean(axis=0, dtype=np.float64)).ravel() - mean**2
    else:
        variance = Z.var(axis=0, dtype=np.float64)
    # What is left of a constant column is rounding.
    return mean, np.sqrt(np.where(variance > 1e-12 * np.maximum(mean**2, 1e-300), variance, 1.0))


def predict(Z: Any, weights: Array, splits: Sequence[Split]) -> Iterator[Nodes]:
    """The class predicted for the test nodes of every split. One product serves all splits."""
    n_splits, _, n_classes = weights.shape
    is_tested = np.zeros(Z.shape[0], dtype=bool)
    for split in splits:
        is_tested[split.test] = True
    rows = np.flatnonzero(is_tested)
    matrix = weights[:, :-1].transpose(1, 0, 2).reshape(Z.shape[1], -1)  # (d, s·c)
    predicted = np.zeros((Z.shape[0], n_splits), dtype=np.int32)
    block = max(1, CHUNK // (matrix.shape[1] + Z.shape[1]))
    for start in range(0, len(rows), block):
        chosen = rows[start : start + block]
        decisions = (_rows(Z, chosen) if not sp.issparse(Z) else Z[chosen]) @ matrix
        predicted[chosen] = (decisions.reshape(-1, n_splits, n_classes) + weights[:, -1]).argmax(axis=2)
    for number, split in enumerate(splits):
        yield predicted[split.test, number].astype(np.int64)


def confusion_matrix(
    embedding: ArrayLike, labels: ArrayLike, splits: Sequence[Split]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """(classes, counts): counts[i, j] test nodes of class i that the paper's probe takes for class j, over all splits."""
    rows, ids = rows_and_ids(embedding)
    Z = check_embedding(rows)
    goal = read_target(labels, ids, Z.shape[0], CLASSES)
    classes, codes = goal.classes, goal.values
    check_splits(splits, goal, "paper")
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for split in splits:
        weights = fit_paper(Z, codes, [split], len(classes))
        (predicted,) = predict(Z, weights, [split])
        np.add.at(counts, (codes[split.test], predicted), 1)
    return classes, counts
