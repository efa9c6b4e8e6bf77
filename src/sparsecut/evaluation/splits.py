"""Splits of labelled nodes into training, validation and test: drawn by seed, or the 50 published with the paper."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut import datasets
from sparsecut.errors import InputError, check_integer
from sparsecut.io.files import check_readable

Nodes = NDArray[np.int64]


@dataclass(frozen=True)
class Split:
    """Three disjoint lists of node positions."""

    train: Nodes
    validation: Nodes
    test: Nodes


def labelled_nodes(labels: NDArray[Any]) -> Nodes:
    """The nodes that have a label: not −1, None, NaN or ""."""
    if labels.dtype.kind == "f":
        return np.flatnonzero(~np.isnan(labels) & (labels != -1))
    if labels.dtype.kind in "iu":
        return np.flatnonzero(labels != -1)
    return np.flatnonzero([label is not None and label == label and label != "" for label in labels.tolist()])


def sample_splits(labels: ArrayLike, per_class: int, n_splits: int, random_state: int = 0) -> list[Split]:
    """Random splits: `per_class` nodes of each class to train on, as many to validate on, the rest to test on.

    A class with fewer than 2·per_class + 1 members gives half of them to training (the paper's rule for small classes) and
    the rest to testing.
    """
    labels = np.asarray(labels)
    check_integer("sample_splits", "per_class", per_class, 1)
    check_integer("sample_splits", "n_splits", n_splits, 1)
    known = labelled_nodes(labels)
    classes, class_of = np.unique(labels[known], return_inverse=True)
    if len(classes) < 2:
        raise InputError(
            f"A probe needs at least two classes. Got {len(classes)}: {', '.join(map(str, classes)) or 'none'}."
        )
    members = [known[class_of == position] for position in range(len(classes))]
    lonely = [str(name) for name, nodes in zip(classes, members, strict=True) if len(nodes) < 2]
    if lonely:
        raise InputError(
            f"A class needs at least two nodes, one to train on and one to test on. Got one of {', '.join(lonely)}. "
            "Leave that label out."
        )
    generator = np.random.default_rng(random_state)
    return [_sample_split(members, per_class, generator) for _ in range(n_splits)]


def published_splits(dataset: str, per_class: int, n_nodes: int, root: str | Path | None = None) -> list[Split]:
    """The 50 random splits published with the paper's code; the test nodes of a split are all the others."""
    folders = datasets.roots() if root is None else [Path(root)]
    folder = next((folder for folder in folders if (folder / "splits").is_dir()), folders[0]) / "splits"
    train, validation = (
        [
            np.array(ast.literal_eval(line), dtype=np.int64)
            for line in check_readable(folder / f"{dataset}_{per_class}_{part}.txt", "split").read_text().splitlines()
        ]
        for part in ("train", "val")
    )
    splits = []
    for train_nodes, validation_nodes in zip(train, validation, strict=True):
        is_test = np.ones(n_nodes, dtype=bool)
        is_test[train_nodes] = is_test[validation_nodes] = False
        splits.append(Split(train_nodes, validation_nodes, np.flatnonzero(is_test)))
    return splits


def _sample_split(members: list[Nodes], per_class: int, generator: np.random.Generator) -> Split:
    parts: tuple[list[Nodes], list[Nodes], list[Nodes]] = ([], [], [])
    for nodes in members:
        shuffled = generator.permutation(nodes)
        is_small = len(nodes) < 2 * per_class + 1
        n_train, n_validation = (len(nodes) // 2, 0) if is_small else (per_class, per_class)
        for part, chosen in zip(parts, np.split(shuffled, [n_train, n_train + n_validation]), strict=True):
            part.append(chosen)
    return Split(*(np.concatenate(part) for part in parts))
