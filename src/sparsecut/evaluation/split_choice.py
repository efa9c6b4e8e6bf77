"""How the labelled nodes are split, by a word: the one place that every command and `evaluate` ask.

    random       so many nodes of each class to train on, drawn by the seed (`sample_splits`)
    cv           all labelled nodes in ten parts of the same mix of classes, each tested on once, the next one to validate
                 on, the others to train on; further splits divide the nodes anew (`fold_splits`)
    published    the 50 splits published with the paper, for its transductive graphs (`published_splits`)
    public       Planetoid's split of Cora, Citeseer and Pubmed: the 20 nodes per class of its files `x` to train on, the
                 next 500 to validate on, the 1,000 of `test.index` to test on
    official     what the publishers of a graph made: OGB's, the masks of the heterophilous graphs, Planetoid's, the roles of
                 the inductive graphs
    10-10-80     percent to train on, to validate on and to test on, of all labelled nodes, drawn by the seed; any three
                 numbers with the sum 100

Shares are drawn uniformly, not class by class, as most papers do that report 10-10-80: a class may be larger in one split
than in another, and a small one may be absent from training. `fraction_splits` draws them class by class.
"""

from __future__ import annotations

import re
from pathlib import Path

from numpy.typing import ArrayLike

from sparsecut.base.errors import InputError, check_integer
from sparsecut.datasets import Dataset, find_dataset, load_splits, names
from sparsecut.evaluation.split_files import published_splits
from sparsecut.evaluation.splits import Split, check_class_sizes, fold_splits, role_split, sample_splits, uniform_splits
from sparsecut.graph import encode_labels

AUTO = "auto"  # "random" for classes, "cv" for other targets
RANDOM, CV, PUBLISHED, PUBLIC, OFFICIAL = "random", "cv", "published", "public", "official"
OF_A_DATASET = (PUBLISHED, PUBLIC, OFFICIAL)
PER_CLASS = (AUTO, RANDOM, PUBLISHED)  # which take `per_class`
WORDS = "random, cv, published, public, official, or three percentages such as 10-10-80"
WITH_PUBLIC = ("cora", "citeseer", "pubmed")

_SHARES = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")


def make_splits(
    split: str,
    labels: ArrayLike,
    *,
    dataset: str | None = None,
    per_class: int = 20,
    n_splits: int = 50,
    random_state: int = 0,
    root: str | Path | None = None,
) -> list[Split]:
    """The splits that a word stands for.

    Parameters
    ----------
    split : {"auto", "random", "cv", "published", "public", "official"} or str
        How the labelled nodes are split, or percentages such as "10-10-80"; the module's documentation says what each is.
        "auto" is "random".
    labels : array-like of shape (n,)
        One class per node; nodes without a label are in no random split.
    dataset : str, default=None
        The named graph whose nodes the labels are of, in its order. "published", "public" and "official" need it.
    per_class : int, default=20
        Training nodes of each class: any number for "random", 5 or 20 for "published". The others do not use it.
    n_splits : int, default=50
        How many splits. Of "published", "public" and "official" there are only so many: the first ones are taken.
    random_state : int, default=0
        The seed of "random". Of percentages the splits have the seeds random_state, random_state + 1, …
    root : str or Path, default=None
        The folder that the dataset's files are in, in place of $SPARSECUT_DATA and the user's cache.

    Returns
    -------
    list of Split

    Raises
    ------
    InputError
        Where there is no such word, the graph has no such splits, or the labels are not of its nodes.

    Examples
    --------
    >>> from sparsecut.evaluation import make_splits
    >>> first, *others = make_splits("10-10-80", ["a"] * 50 + ["b"] * 150, n_splits=10)
    >>> len(others), len(first.train), len(first.validation), len(first.test)
    (9, 20, 20, 160)
    """
    check_integer("make_splits", "n_splits", n_splits, 1)
    if split in (AUTO, RANDOM):
        check_class_sizes(labels, per_class)
        return sample_splits(labels, per_class, n_splits, random_state)
    if split == CV:
        return fold_splits(labels, n_splits, random_state)
    if split in OF_A_DATASET:
        return _of_dataset(split, labels, dataset, per_class, root)[:n_splits]
    shares = shares_of(split)
    if shares is None:
        raise InputError(
            f"The splits must be {WORDS}. Got {split!r}. Splits of your own go to `probe`, at the shell to "
            "evaluate --split FILE."
        )
    return uniform_splits(labels, shares[0] / 100, shares[1] / 100, n_splits, random_state)


def is_word(split: str) -> bool:
    """Whether a word stands for splits; otherwise it may be a file of them."""
    return split in (AUTO, RANDOM, CV) or split in OF_A_DATASET or shares_of(split) is not None


def shares_of(split: str) -> tuple[float, float, float] | None:
    """The three percentages that a word spells; None where it is another word."""
    spelled = _SHARES.fullmatch(split)
    if spelled is None:
        return None
    train, validation, test = (float(share) for share in spelled.groups())
    if abs(train + validation + test - 100) > 1e-9 or min(train, test) <= 0:
        raise InputError(
            "Percentages to train on, to validate on and to test on must have the sum 100, the first and the last above 0. "
            f"Got {split}."
        )
    return train, validation, test


def _of_dataset(split: str, labels: ArrayLike, dataset: str | None, per_class: int, root: str | Path | None) -> list[Split]:
    """All the splits that were published for a graph."""
    if dataset is None:
        raise InputError(
            f"The {split} splits are those of a named graph. Name it: dataset='cora' (at the shell, --labels cora or "
            "--graph cora)."
        )
    about = find_dataset(dataset)
    n_labels = len(encode_labels(labels)[1])
    if n_labels != about.n_nodes:
        raise InputError(
            f"The {split} splits of {about.name} are of its {about.n_nodes:,} nodes, in its order. Got {n_labels:,} labels."
        )
    if split == PUBLISHED:
        return published_splits(about.name, per_class, about.n_nodes, root)
    if split == PUBLIC and about.name not in WITH_PUBLIC:
        raise InputError(
            f"There is no public split of {about.name}: it is that of Planetoid's files, of {', '.join(WITH_PUBLIC)}. "
            f"{_remedy(about)}"
        )
    if split == OFFICIAL and not about.has_splits:
        made = [name for name in names() if find_dataset(name).has_splits]
        raise InputError(f"The publishers of {about.name} made no splits; those of {', '.join(made)} did. {_remedy(about)}")
    return [role_split(*roles, n_nodes=about.n_nodes) for roles in load_splits(about.name, root)]


def _remedy(about: Dataset) -> str:
    return f"Use {'official, ' if about.has_splits else ''}10-10-80 or random instead."
