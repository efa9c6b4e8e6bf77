"""Splits of labelled nodes into training, validation and test, drawn by seed or given.

`sample_splits` and `fraction_splits` are stratified: each class sends as many, or the same share, of its nodes to each part.
`uniform_splits` draws from all labelled nodes alike, `fold_splits` tests on each of them in turn. `split_files` reads
splits, `split_choice` makes them by a word.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_integer, check_real, first_few
from sparsecut.graph import encode_labels

Nodes = NDArray[np.int64]


class SmallClassWarning(UserWarning):
    """Some classes have too few nodes for the labels requested per class."""


@dataclass(frozen=True)
class Split:
    """Three disjoint lists of node positions: what to train on, to validate on and to test on.

    Parameters
    ----------
    train, validation, test : array of int
        Positions in the graph, from 0. `validation` may be empty.

    Raises
    ------
    InputError
        Where a node is in more than one part.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> split = sc.Split(train=np.array([0, 1]), validation=np.array([2]), test=np.array([3, 4]))
    >>> split.test
    array([3, 4])
    """

    train: Nodes
    validation: Nodes
    test: Nodes

    def __post_init__(self) -> None:
        parts = {name: np.asarray(getattr(self, name)) for name in ("train", "validation", "test")}
        for one, other in combinations(parts, 2):
            shared = np.intersect1d(parts[one], parts[other])
            if len(shared):
                raise InputError(
                    f"The parts of a split must be disjoint. {len(shared):,} nodes are in {one} and in {other}: "
                    f"{first_few(shared.tolist())}. Leave them out of one: a score on training nodes says nothing."
                )


def sample_splits(labels: ArrayLike, per_class: int, n_splits: int, random_state: int = 0) -> list[Split]:
    """Random splits: some nodes of each class to train on, as many to validate on, the rest to test on.

    The paper's rule for small classes, as its published splits of Cora Full show it: a class with at most 2·per_class + 10
    nodes (20 with 5 labels, 50 with 20) gives half of them to training, rounded down, none to validation and the rest to
    testing. A `SmallClassWarning` names such classes.

    Parameters
    ----------
    labels : array-like of shape (n,)
        One class per node; nodes without a label are in no split.
    per_class : int
        Training nodes of each class.
    n_splits : int
        How many splits to draw.
    random_state : int, default=0
        The seed: the same one gives the same splits.

    Returns
    -------
    list of Split

    Examples
    --------
    >>> from sparsecut.evaluation import sample_splits
    >>> labels = ["a"] * 30 + ["b"] * 40
    >>> (split,) = sample_splits(labels, per_class=5, n_splits=1)
    >>> len(split.train), len(split.validation), len(split.test)
    (10, 10, 50)
    """
    check_integer("sample_splits", "per_class", per_class, 1)
    classes, members = _members_by_class(labels)
    limit = 2 * per_class + 10
    small = [str(name) for name, nodes in zip(classes, members, strict=True) if len(nodes) <= limit]
    if small:
        warnings.warn(
            f"{len(small)} of {len(classes)} classes have at most {limit} nodes (2·{per_class} + 10) and give half of them "
            f"to training, none to validation: {first_few(small)}.",
            SmallClassWarning,
            stacklevel=2,
        )

    def counts(n_members: int) -> tuple[int, int]:
        return (n_members // 2, 0) if n_members <= limit else (per_class, per_class)

    return _draw(members, counts, n_splits, random_state, "sample_splits")


def check_class_sizes(labels: ArrayLike, per_class: int) -> None:
    """Raise where a class has no more nodes than are to be trained on: none would be left to test on."""
    check_integer("sample_splits", "per_class", per_class, 1)
    classes, members = _members_by_class(labels)
    sizes = np.array([len(nodes) for nodes in members])
    small = np.flatnonzero(sizes <= per_class)
    if len(small):
        named = [f"{classes[place]} ({sizes[place]})" for place in small[np.argsort(sizes[small], kind="stable")]]
        raise InputError(
            f"{per_class} training nodes per class need classes of more nodes than that. These have fewer: "
            f"{', '.join(named[:5])}{f' and {len(named) - 5:,} more' if len(named) > 5 else ''}. Use "
            f"per_class={max(1, int(sizes.min()) // 2)} (--per-class), all labelled nodes with split='cv' (--split cv), or "
            "leave such labels out."
        )


def fold_splits(labels: ArrayLike, n_splits: int, random_state: int = 0, n_folds: int = 10) -> list[Split]:
    """Cross-validation over all labelled nodes: each tenth is tested on once, the next one is kept to validate on.

    The parts have the same mix of classes, as far as their sizes allow. After `n_folds` splits the nodes are divided anew.

    Parameters
    ----------
    labels : array-like of shape (n,)
        One class per node; nodes without a label are in no split.
    n_splits : int
        How many splits; a multiple of `n_folds` tests every node equally often.
    random_state : int, default=0
        The seed.
    n_folds : int, default=10
        How many parts, at least 3; with fewer labelled nodes as many as there are nodes.

    Returns
    -------
    list of Split

    Examples
    --------
    >>> from sparsecut.evaluation import fold_splits
    >>> splits = fold_splits(["a"] * 30 + ["b"] * 70, n_splits=10)
    >>> len(splits[0].train), len(splits[0].validation), len(splits[0].test)
    (80, 10, 10)
    """
    check_integer("fold_splits", "n_splits", n_splits, 1)
    check_integer("fold_splits", "random_state", random_state, 0)
    check_integer("fold_splits", "n_folds", n_folds, 3)
    _, codes = encode_labels(labels)
    nodes = np.flatnonzero(codes >= 0)
    if len(nodes) < 3:
        raise InputError(f"Cross-validation needs at least three nodes with a label. Got {len(nodes)}.")
    n_folds = min(n_folds, len(nodes))
    generator = np.random.default_rng(random_state)
    splits: list[Split] = []
    while len(splits) < n_splits:
        shuffled = generator.permutation(nodes)
        # Class by class, one node to each part in turn: parts differ by one node, and so does each class between parts.
        in_turn = shuffled[np.argsort(codes[shuffled], kind="stable")]
        folds = [np.sort(in_turn[fold::n_folds]) for fold in range(n_folds)]
        for fold in range(n_folds):
            others = [folds[place] for place in range(n_folds) if place not in (fold, (fold + 1) % n_folds)]
            splits.append(Split(np.concatenate(others), folds[(fold + 1) % n_folds], folds[fold]))
    return splits[:n_splits]


def fraction_splits(labels: ArrayLike, train: float, validation: float, n_splits: int, random_state: int = 0) -> list[Split]:
    """Random splits by fractions of each class.

    Parameters
    ----------
    labels : array-like of shape (n,)
        One class per node; nodes without a label are in no split.
    train : float
        The fraction of each class to train on, above 0; at least one node.
    validation : float
        The fraction to validate on, 0 or more. What is left, at least one node, is tested.
    n_splits : int
        How many splits to draw.
    random_state : int, default=0
        The seed.

    Returns
    -------
    list of Split

    Examples
    --------
    >>> from sparsecut.evaluation import fraction_splits
    >>> (split,) = fraction_splits(["a"] * 10 + ["b"] * 20, train=0.6, validation=0.2, n_splits=1)
    >>> len(split.train), len(split.validation), len(split.test)
    (18, 6, 6)
    """
    _check_fractions("fraction_splits", train, validation)
    _, members = _members_by_class(labels)

    def counts(n_members: int) -> tuple[int, int]:
        n_train = min(max(1, round(train * n_members)), n_members - 1)
        return n_train, min(round(validation * n_members), n_members - 1 - n_train)

    return _draw(members, counts, n_splits, random_state, "fraction_splits")


def uniform_splits(labels: ArrayLike, train: float, validation: float, n_splits: int, random_state: int = 0) -> list[Split]:
    """Random splits by fractions of all labelled nodes, whatever their class.

    The usual 10/10/80 split is drawn like this. Parts have floor(fraction · n) nodes and the rest is tested; the split at
    position i is a permutation by the seed `random_state` + i.

    Parameters
    ----------
    labels : array-like of shape (n,)
        One class per node; nodes without a label are in no split.
    train : float
        The fraction of the labelled nodes to train on, above 0.
    validation : float
        The fraction to validate on, 0 or more. What is left is tested.
    n_splits : int
        How many splits to draw.
    random_state : int, default=0
        The seed of the first split.

    Returns
    -------
    list of Split

    Examples
    --------
    >>> from sparsecut.evaluation import uniform_splits
    >>> (split,) = uniform_splits(["a"] * 10 + ["b"] * 20, train=0.1, validation=0.1, n_splits=1)
    >>> len(split.train), len(split.validation), len(split.test)
    (3, 3, 24)
    """
    _check_fractions("uniform_splits", train, validation)
    check_integer("uniform_splits", "n_splits", n_splits, 1)
    check_integer("uniform_splits", "random_state", random_state, 0)
    _, codes = encode_labels(labels)
    nodes = np.flatnonzero(codes >= 0)
    # 0.29 · 100 is a little below 29: what a hair's breadth separates from a whole number is that number.
    n_train, n_validation = (int(fraction * len(nodes) + 1e-9) for fraction in (train, validation))
    if n_train == 0:
        raise InputError(
            f"A fraction of {train:g} of {len(nodes):,} labelled nodes is less than one node to train on. Ask for more."
        )
    splits = []
    for number in range(n_splits):
        order = np.random.default_rng(random_state + number).permutation(nodes)
        splits.append(Split(*np.split(order, [n_train, n_train + n_validation])))
    return splits


def role_split(train: ArrayLike, validation: ArrayLike | None, test: ArrayLike | None, n_nodes: int) -> Split:
    """The split of given roles, as inductive datasets bring them.

    Parameters
    ----------
    train : array-like
        Node positions, or a mask of shape (n,).
    validation : array-like or None
        Node positions or a mask; None where there are none.
    test : array-like or None
        Node positions or a mask; None takes all the other nodes.
    n_nodes : int
        How many nodes the graph has.

    Returns
    -------
    Split

    Examples
    --------
    >>> from sparsecut.evaluation import role_split
    >>> role_split([0, 2], None, None, n_nodes=5).test
    array([1, 3, 4])
    """
    training = _positions("training", train, n_nodes)
    validating = _positions("validation", [] if validation is None else validation, n_nodes)
    others = np.setdiff1d(np.arange(n_nodes), np.concatenate([training, validating]))
    testing = others if test is None else _positions("test", test, n_nodes)
    for name, nodes in (("training", training), ("test", testing)):
        if len(nodes) == 0:
            raise InputError(f"A split needs {name} nodes. Got none.")
    n_roles = np.bincount(np.concatenate([training, validating, testing]), minlength=n_nodes)
    if n_roles.max() > 1:
        raise InputError(
            "The parts of a split must be disjoint, each node in at most one and once. "
            f"These occur more often: {first_few(np.flatnonzero(n_roles > 1))}."
        )
    return Split(training, validating, testing)


def _check_fractions(caller: str, train: float, validation: float) -> None:
    check_real(caller, "train", train, above=0)
    check_real(caller, "validation", validation, minimum=0)
    if train + validation >= 1:
        raise InputError(
            f"The fractions train and validation must leave nodes to test on: their sum must be below 1. "
            f"Got {train:g} and {validation:g}."
        )


def _members_by_class(labels: ArrayLike) -> tuple[NDArray[Any], list[Nodes]]:
    """The classes and the nodes of each, all of them with at least two."""
    classes, codes = encode_labels(labels)
    if len(classes) < 2:
        got = f"one class, {classes[0]}" if len(classes) else "no label at all"
        raise InputError(f"A probe needs nodes of at least two classes. Got {got}, for {len(codes):,} nodes.")
    members = [np.flatnonzero(codes == position) for position in range(len(classes))]
    lonely = [str(name) for name, nodes in zip(classes, members, strict=True) if len(nodes) < 2]
    if lonely:
        raise InputError(
            "A class needs at least two nodes, one to train on and one to test on. These have one: "
            f"{first_few(lonely)}. Leave such labels out."
        )
    return classes, members


def _draw(
    members: list[Nodes], counts: Callable[[int], tuple[int, int]], n_splits: int, random_state: int, caller: str
) -> list[Split]:
    """Splits that take `counts(members of a class)` nodes for training and validation, uniformly within each class."""
    check_integer(caller, "n_splits", n_splits, 1)
    check_integer(caller, "random_state", random_state, 0)
    generator = np.random.default_rng(random_state)
    splits = []
    for _ in range(n_splits):
        parts: tuple[list[Nodes], list[Nodes], list[Nodes]] = ([], [], [])
        for nodes in members:
            n_train, n_validation = counts(len(nodes))
            pieces = np.split(generator.permutation(nodes), [n_train, n_train + n_validation])
            for part, piece in zip(parts, pieces, strict=True):
                part.append(piece)
        splits.append(Split(*(np.concatenate(part) for part in parts)))
    return splits


def _positions(name: str, nodes: ArrayLike, n_nodes: int) -> Nodes:
    array = np.asarray(nodes)
    if array.dtype == bool:
        if array.shape != (n_nodes,):
            raise InputError(f"The {name} mask must have one value for each of the {n_nodes:,} nodes. Got {array.shape}.")
        return np.flatnonzero(array)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"The {name} nodes must be a list of positions or a mask. Got {array.dtype}, shape {array.shape}.")
    if array.min() < 0 or array.max() >= n_nodes:
        raise InputError(
            f"The {name} nodes must be positions from 0 to {n_nodes - 1:,}. Got some from {array.min()} to {array.max()}."
        )
    return array.astype(np.int64)
