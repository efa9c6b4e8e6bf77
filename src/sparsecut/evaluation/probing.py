"""`evaluate` and `probe`: how well labels, several per node or numbers are predicted from an embedding, over splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsecut.base.errors import InputError, check_choice
from sparsecut.base.progress import Reporter
from sparsecut.evaluation.linear_probe import PROTOCOLS, check_embedding, probe_classes
from sparsecut.evaluation.metrics import CLASSES, NUMBERS, Metrics, check_metrics
from sparsecut.evaluation.ridge_probe import probe_numbers
from sparsecut.evaluation.scores import Scores
from sparsecut.evaluation.split_choice import AUTO, CV, PER_CLASS, RANDOM, make_splits
from sparsecut.evaluation.splits import Split, fold_splits
from sparsecut.evaluation.targets import ProbeTarget, read_target
from sparsecut.graph import rows_and_ids
from sparsecut.graph.frames import rows_of


def evaluate(
    embedding: ArrayLike,
    labels: ArrayLike,
    *,
    metrics: Metrics = None,
    split: str = "auto",
    dataset: str | None = None,
    per_class: int | None = None,
    n_splits: int = 50,
    probe: str = "paper",
    target: str = "auto",
    random_state: int = 0,
    progress: Reporter | None = None,
) -> Scores:
    """Score an embedding by how well a linear probe predicts labels from it, over random or published splits.

    Parameters
    ----------
    embedding : array or frame of shape (n, d)
        One row per node, dense or scipy sparse, as `fit_transform` returns it. A frame brings the ids of its rows: the index
        of a pandas frame, or a column named id.
    labels : array-like, series, dict, or matrix of shape (n, c)
        One class per node (numbers, strings or a categorical); several labels per node, as a matrix of zeros and ones or a
        list for each node; or a number per node (floats with fractions). Nodes without a label (None, NaN, −1 or an empty
        string) are neither trained on nor scored. A series is matched to the rows by its index, a dict by its keys,
        whatever their order, and each may leave nodes out.
    metrics : str, scorer, or sequence or dict of these, default=None
        What to measure: "accuracy", "balanced_accuracy", "micro_f1", "macro_f1", "roc_auc", "average_precision",
        "recall@10%" (or another share), for numbers "r2", "mae", "rmse"; scorers of scikit-learn, or their names. By default
        accuracy and macro-F1, micro- and macro-F1 for several labels, and the three figures of numbers.
        `sparsecut.evaluation.metrics` says what each is.
    split : {"auto", "random", "cv", "published", "public", "official"} or str, default="auto"
        How the nodes are split. "random" draws `per_class` nodes of each class; "cv" divides all labelled nodes into ten
        parts and tests on each in turn; "published" are the paper's 50 splits; "public" is Planetoid's split of Cora,
        Citeseer and Pubmed; "official" are the splits that come with a graph (OGB, the heterophilous graphs, Planetoid,
        Flickr, Reddit); "10-10-80" draws these percentages of all labelled nodes to train on, to validate on and to test
        on, whatever their class. "auto" is "random" for classes, "cv" for several labels and numbers. See
        `sparsecut.evaluation.make_splits`.
    dataset : str, default=None
        The named graph that "published", "public" and "official" are of. Rows are then in its order, or have its node
        numbers for their ids.
    per_class : int, default=None
        For "random" and "published", and refused elsewhere: how many nodes of each class the probe is trained on, 20 where
        it is not given; as many more are kept for validation, the rest is tested. The paper uses 5 and 20. A class that has
        no more nodes than this is refused.
    n_splits : int, default=50
        How many splits to average over, at most: "public" is one, and "official" are as many as there are. "cv" divides
        the nodes anew after every ten. Fewer are faster and give a wider `interval`.
    probe : {"paper", "tuned"}, default="paper"
        "paper" is a logistic regression with C = 1, whose score depends on the scale of the embedding. "tuned" chooses C
        and standardisation on the validation nodes of each split: use it to compare embeddings of different scale. Numbers
        are predicted by a ridge regression, whose penalty is chosen on the training nodes.
    target : {"auto", "classes", "several", "numbers"}, default="auto"
        What the labels are, where it is not as their type says: "numbers" for integers that are amounts, "classes" for
        fractions that are classes.
    random_state : int, default=0
        Seed of the splits. Scores can be compared split by split only if it is the same.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    Scores
        `figures`, one value per split for every metric, with `mean`, `std` and `interval` of the first; printed beside an
        accuracy is the share of the largest class.

    Raises
    ------
    InputError
        Where the embedding is not finite, labels and embedding do not have the same number of rows or the same nodes, a
        class is too small for `per_class`, or a metric is not one of these targets.

    See Also
    --------
    probe : the same over splits of your own.
    compare_scores : whether one embedding beats another over the same splits.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.datasets.load("digits")
    >>> scores = sc.evaluate(graph.features, graph.labels, per_class=5, n_splits=10)
    >>> print(scores)
    85.0 ± 2.8 (majority 10.2)
    >>> scores.probe, len(scores.accuracies)
    ('paper', 10)
    >>> print(sc.evaluate(graph.features, graph.labels, split="10-10-80", n_splits=10))
    90.6 ± 0.9 (majority 10.7)
    >>> is_eight = graph.labels == 8
    >>> scores = sc.evaluate(graph.features, is_eight, metrics="average_precision", split="cv", n_splits=10)
    >>> list(scores.figures)
    ['average_precision']
    """
    rows, ids = rows_and_ids(embedding)
    goal = read_target(labels, ids, _n_rows(rows), target)
    if dataset is not None and ids is not None:
        order = rows_of(np.arange(_n_rows(rows)), ids, "The embedding")
        rows, goal = rows[order], goal.take(order)
    if split == AUTO:
        split = RANDOM if goal.kind == CLASSES else CV
    if per_class is not None and split not in PER_CLASS:
        raise InputError(
            f"The splits {split!r} of evaluate are not made by labels per class. Leave per_class={per_class} out, or "
            "split='random' for classes."
        )
    n_labels = 20 if per_class is None else per_class
    splits = splits_of(goal, split, dataset=dataset, per_class=n_labels, n_splits=n_splits, random_state=random_state)
    return probe_target(rows, goal, splits, protocol=probe, metrics=metrics, progress=progress, caller="evaluate")


def probe(
    embedding: ArrayLike,
    labels: ArrayLike,
    splits: Sequence[Split],
    *,
    protocol: str = "paper",
    metrics: Metrics = None,
    target: str = "auto",
    progress: Reporter | None = None,
) -> Scores:
    """Score an embedding by a linear probe over given splits.

    Parameters
    ----------
    embedding : array or frame of shape (n, d)
        One row per node, dense or scipy sparse.
    labels : array-like, series, dict, or matrix of shape (n, c)
        Classes, several labels or numbers, matched as in `evaluate`. Every node of a split needs a label.
    splits : sequence of Split
        From `make_splits`, `sample_splits`, `fraction_splits`, `role_split`, `read_splits` or `published_splits`: positions
        of rows.
    protocol : {"paper", "tuned"}, default="paper"
        See `evaluate`. "tuned" needs validation nodes in every split.
    metrics : str, scorer, or sequence or dict of these, default=None
        See `evaluate`.
    target : {"auto", "classes", "several", "numbers"}, default="auto"
        See `evaluate`.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    Scores
        One value per split and metric.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsecut.evaluation import probe, role_split
    >>> split = role_split(train=[0, 1], validation=None, test=[2, 3], n_nodes=4)
    >>> Z = np.array([[-1.0], [1.0], [-2.0], [2.0]])
    >>> probe(Z, ["left", "right", "left", "right"], [split]).mean
    100.0
    """
    rows, ids = rows_and_ids(embedding)
    goal = read_target(labels, ids, _n_rows(rows), target, "probe")
    return probe_target(rows, goal, splits, protocol=protocol, metrics=metrics, progress=progress)


def splits_of(goal: ProbeTarget, split: str, **options: Any) -> list[Split]:
    """The splits that a word stands for, of the nodes that have a target."""
    if goal.kind == CLASSES:
        return make_splits(split, goal.labels, **options)
    if split in (RANDOM, "published"):
        what = "Numbers have" if goal.kind == NUMBERS else "Nodes with several labels have"
        raise InputError(f"{what} no classes to draw {split} splits of. Use split='cv' or percentages such as 10-10-80.")
    is_there = np.where(goal.is_known, 0, -1)  # all of one class: drawn alike
    if split == CV and goal.kind == NUMBERS:  # R² of one test node is not a number
        n_folds = max(3, min(10, len(goal.known) // 2))
        return fold_splits(is_there, options["n_splits"], options["random_state"], n_folds)
    return make_splits(split, is_there, **options)


def probe_target(
    rows: Any,
    goal: ProbeTarget,
    splits: Sequence[Split],
    *,
    protocol: str,
    metrics: Metrics,
    progress: Reporter | None,
    caller: str = "probe",
) -> Scores:
    """Scores of a target that was read already, by the probe that its kind asks for."""
    check_choice(caller, "probe" if caller == "evaluate" else "protocol", protocol, PROTOCOLS)
    Z = check_embedding(rows)
    chosen = check_metrics(caller, metrics, goal.kind)
    if goal.kind == NUMBERS:
        return probe_numbers(Z, goal, splits, chosen, progress)
    return probe_classes(Z, goal, splits, protocol, chosen, progress)


def _n_rows(rows: Any) -> int:
    return int(rows.shape[0] if hasattr(rows, "shape") else len(rows))
