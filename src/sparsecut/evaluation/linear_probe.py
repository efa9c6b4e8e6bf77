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
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_choice, first_few
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.logistic import OneVsRest
from sparsecut.evaluation.scores import Scores, digest_splits, score_classes
from sparsecut.evaluation.split_choice import make_splits
from sparsecut.evaluation.splits import Nodes, Split
from sparsecut.graph import encode_labels, place_values, rows_and_ids
from sparsecut.graph.frames import rows_of

PROTOCOLS = ("paper", "tuned")
GRID = tuple(10.0**power for power in range(-4, 4))

CHUNK = 2**24  # numbers held at a time beside the embedding: 128 MiB

Array = NDArray[np.float64]
Choice = dict[str, Any]


def evaluate(
    embedding: ArrayLike,
    labels: ArrayLike,
    *,
    split: str = "random",
    dataset: str | None = None,
    per_class: int = 20,
    n_splits: int = 50,
    probe: str = "paper",
    random_state: int = 0,
    progress: Reporter | None = None,
) -> Scores:
    """Score an embedding by how well a linear probe predicts labels from it, over random or published splits.

    Parameters
    ----------
    embedding : array or frame of shape (n, d)
        One row per node, dense or scipy sparse, as `fit_transform` returns it. A frame brings the ids of its rows: the index
        of a pandas frame, or a column named id.
    labels : array-like or series of shape (n,)
        One class per node: numbers, strings or a categorical. Nodes without a label (None, NaN, −1 or an empty string)
        are neither trained on nor scored. A series is matched to the rows by its index, whatever its order, and may leave
        nodes out.
    split : {"random", "published", "public", "official"} or str, default="random"
        How the nodes are split. "random" draws `per_class` nodes of each class; "published" are the paper's 50 splits;
        "public" is Planetoid's split of Cora, Citeseer and Pubmed; "official" are the splits that come with a graph (OGB,
        the heterophilous graphs, Planetoid, Flickr, Reddit); "10-10-80" draws these percentages of all labelled nodes to
        train on, to validate on and to test on, whatever their class. See `sparsecut.evaluation.make_splits`.
    dataset : str, default=None
        The named graph that "published", "public" and "official" are of. Rows are then in its order, or have its node
        numbers for their ids.
    per_class : int, default=20
        For "random" and "published": how many nodes of each class the probe is trained on; as many more are kept for
        validation, the rest is tested. The paper uses 5 and 20.
    n_splits : int, default=50
        How many splits to average over, at most: "public" is one, and "official" are as many as there are. Fewer are
        faster and give a wider `interval`.
    probe : {"paper", "tuned"}, default="paper"
        "paper" is a logistic regression with C = 1, whose score depends on the scale of the embedding. "tuned" chooses C
        and standardisation on the validation nodes of each split: use it to compare embeddings of different scale.
    random_state : int, default=0
        Seed of the splits. Scores can be compared split by split only if it is the same.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    Scores
        Accuracies and macro-F1 in percent, one per split, with `mean`, `std` and `interval`.

    Raises
    ------
    InputError
        Where the embedding is not finite, or labels and embedding do not have the same number of rows or the same nodes.

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
    85.0 ± 2.8
    >>> scores.probe, len(scores.accuracies)
    ('paper', 10)
    >>> print(sc.evaluate(graph.features, graph.labels, split="10-10-80", n_splits=10))
    90.6 ± 0.9
    """
    Z, labels = labelled_rows(embedding, labels, in_order=dataset is not None)
    splits = make_splits(split, labels, dataset=dataset, per_class=per_class, n_splits=n_splits, random_state=random_state)
    return run_probe(Z, labels, splits, protocol=probe, progress=progress)


def probe(
    embedding: ArrayLike,
    labels: ArrayLike,
    splits: Sequence[Split],
    *,
    protocol: str = "paper",
    progress: Reporter | None = None,
) -> Scores:
    """Score an embedding by a linear probe over given splits.

    Parameters
    ----------
    embedding : array or frame of shape (n, d)
        One row per node, dense or scipy sparse.
    labels : array-like or series of shape (n,)
        One class per node, matched as in `evaluate`. Every node of a split needs a label.
    splits : sequence of Split
        From `make_splits`, `sample_splits`, `fraction_splits`, `role_split`, `read_splits` or `published_splits`: positions
        of rows.
    protocol : {"paper", "tuned"}, default="paper"
        See `evaluate`. "tuned" needs validation nodes in every split.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    Scores
        One accuracy and one macro-F1 per split, in percent.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsecut.evaluation import probe, role_split
    >>> split = role_split(train=[0, 1], validation=None, test=[2, 3], n_nodes=4)
    >>> Z = np.array([[-1.0], [1.0], [-2.0], [2.0]])
    >>> probe(Z, ["left", "right", "left", "right"], [split]).mean
    100.0
    """
    check_choice("probe", "protocol", protocol, PROTOCOLS)
    Z, labels = labelled_rows(embedding, labels)
    Z = check_embedding(Z)
    classes, codes = encode_labels(labels)
    if len(codes) != Z.shape[0]:
        raise InputError(
            f"An embedding and its labels need one row per node. Got shape {Z.shape} and {len(codes):,} labels."
        )
    check_splits(splits, codes, protocol)
    accuracies, macro_f1s = np.empty(len(splits)), np.empty(len(splits))
    choices: list[Choice] = [{}] * len(splits)
    n_done = 0
    with reporting(progress) as report:
        for numbers in _chunks(splits, Z.shape[1], len(classes)):
            chosen = [splits[number] for number in numbers]
            if protocol == "paper":
                weights = fit_paper(Z, codes, chosen, len(classes))
            else:
                weights, chunk_choices = _fit_tuned(Z, codes, chosen, len(classes))
                for number, choice in zip(numbers, chunk_choices, strict=True):
                    choices[number] = choice
            for number, predicted in zip(numbers, predict(Z, weights, chosen), strict=True):
                accuracies[number], macro_f1s[number] = score_classes(codes[splits[number].test], predicted, len(classes))
            n_done += len(numbers)
            report("probe", n_done, len(splits))
    return Scores(
        accuracies,
        probe=protocol,
        macro_f1s=macro_f1s,
        choices=tuple(choices) if protocol == "tuned" else (),
        splits=digest_splits(splits),
    )


run_probe = probe  # by this name where `probe` is an argument


def labelled_rows(embedding: Any, labels: Any, *, in_order: bool = False) -> tuple[Any, Any]:
    """The vectors without their ids, and the labels in their order; `in_order` of ids that are numbers from 0."""
    rows, ids = rows_and_ids(embedding)
    n_rows = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    labels = place_values(labels, ids, n_rows)
    if ids is None or not in_order:
        return rows, labels
    order = rows_of(np.arange(n_rows), ids, "The embedding")
    return rows[order], np.asarray(labels)[order]


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


def check_splits(splits: Sequence[Split], codes: Nodes, protocol: str) -> None:
    if not len(splits):
        raise InputError("A probe needs at least one split. Got none.")
    for number, split in enumerate(splits):
        for name, nodes in (("training", split.train), ("validation", split.validation), ("test", split.test)):
            if len(nodes) and (nodes.min() < 0 or nodes.max() >= len(codes)):
                raise InputError(f"Split {number} has {name} nodes beyond the {len(codes):,} of the embedding.")
            if (codes[nodes] < 0).any():
                unlabelled = nodes[codes[nodes] < 0]
                raise InputError(
                    f"Split {number} has {len(unlabelled):,} {name} nodes without a label: {first_few(unlabelled)}. "
                    "Leave them out of the split."
                )
        if not len(split.test):
            raise InputError(f"Split {number} has no test nodes. A score needs some.")
        if len(np.unique(codes[split.train])) < 2:
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


def fit_paper(Z: Any, codes: Nodes, splits: Sequence[Split], n_classes: int) -> Array:
    X = np.stack([_rows(Z, split.train) for split in splits])
    Y = _signs(codes, splits, n_classes)
    return _without_absent(OneVsRest(X, Y).fit(C=1.0), Y)


def _fit_tuned(Z: Any, codes: Nodes, splits: Sequence[Split], n_classes: int) -> tuple[Array, list[Choice]]:
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
                accuracy = float(((rows @ fitted[number, :-1] + fitted[number, -1]).argmax(axis=1) == true).mean())
                rank = (accuracy, not is_standardised, -abs(math.log(C)))
                if rank > best[number]:
                    best[number], weights[number] = rank, fitted[number]
                    choices[number] = {"C": C, "is_standardised": is_standardised, "validation": 100 * accuracy}
    return weights, choices


def _rows(Z: Any, nodes: Nodes) -> Array:
    rows = Z[nodes]
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)


def _signs(codes: Nodes, splits: Sequence[Split], n_classes: int) -> Array:
    """+1 where a training node is of a class, −1 where it is not, (s, n, c)."""
    train = np.stack([split.train for split in splits])
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
