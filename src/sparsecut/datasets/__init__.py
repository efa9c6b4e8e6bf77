"""Named graphs: what is there, where it comes from, and `load`.

    graph = sparsecut.datasets.load("cora")

Files are looked for under $SPARSECUT_DATA, then in the user's cache, in PyTorch Geometric's folder layout, and only then
fetched into that cache. `digits` is built in and needs none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sparsecut.datasets.dataset import Dataset, RawFile, Roles, Sizes
from sparsecut.datasets.lookup import find_folder, has_files, locate, provide, roots
from sparsecut.datasets.registry import DATASETS
from sparsecut.errors import InputError
from sparsecut.graph import Graph
from sparsecut.progress import Reporter

__all__ = [
    "DATASETS",
    "Dataset",
    "RawFile",
    "Roles",
    "Sizes",
    "brings_features",
    "find_dataset",
    "find_folder",
    "has_files",
    "load",
    "load_roles",
    "load_splits",
    "locate",
    "names",
    "roots",
]


def names() -> tuple[str, ...]:
    """The names that `load` knows.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> import sparsecut as sc
    >>> "cora" in sc.datasets.names()
    True
    """
    return tuple(DATASETS)


def load(name: str, root: str | Path | None = None, *, download: bool = True, progress: Reporter | None = None) -> Graph:
    """A named graph, with features and labels, whose counts are those that were published.

    Parameters
    ----------
    name : str
        One of `names()`.
    root : str or Path, default=None
        The folder to look in, in place of $SPARSECUT_DATA and the user's cache.
    download : bool, default=True
        Whether absent files are fetched, into `root` or the cache.
    progress : callable, default=None
        Called with (stage, done, total); a progress bar where not given.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        Where there is no such dataset, its files are absent and may not be fetched, or they are not what they should be.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.datasets.load("digits")
    Graph(1,797 nodes, 12,339 edges, 64 features, labels)
    """
    dataset = find_dataset(name)
    graph = dataset.read(provide(dataset, root, is_fetched=download, progress=progress))
    expected = dataset.sizes
    if graph.features is None and dataset.without_features:
        expected = expected._replace(features=0)
    n_classes = 0 if graph.labels is None else len(np.unique(graph.labels))
    sizes = Sizes(graph.n_nodes, graph.n_edges, graph.n_features, n_classes)
    if sizes != expected:
        raise InputError(
            f"The files of {name} are not what they should be: expected {expected._asdict()}, got {sizes._asdict()}."
        )
    return graph


def load_roles(
    name: str, root: str | Path | None = None, *, download: bool = True, progress: Reporter | None = None
) -> Roles:
    """The training, validation and test nodes of an inductive graph.

    Parameters
    ----------
    name : str
        "flickr" or "reddit".
    root : str or Path, default=None
        The folder to look in, in place of $SPARSECUT_DATA and the user's cache.
    download : bool, default=True
        Whether absent files are fetched, into `root` or the cache.
    progress : callable, default=None
        Called with (stage, done, total); a progress bar where not given.

    Returns
    -------
    Roles
        `train`, `validation` and `test`: positions in the graph of `load`.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.datasets.load_roles("digits")
    Traceback (most recent call last):
    sparsecut.errors.InputError: The nodes of digits have no roles. Those of flickr and reddit have.
    """
    dataset = find_dataset(name)
    if dataset.read_roles is None:
        inductive = [other.name for other in DATASETS.values() if other.read_roles is not None]
        raise InputError(f"The nodes of {name} have no roles. Those of {' and '.join(inductive)} have.")
    roles = dataset.read_roles(provide(dataset, root, is_fetched=download, progress=progress))
    nodes = np.concatenate(roles)
    sizes = tuple(len(part) for part in roles)
    if sizes != dataset.role_sizes or not np.array_equal(np.unique(nodes), np.arange(dataset.n_nodes)):
        raise InputError(
            f"The files of {name} are not what they should be: expected roles for each of {dataset.n_nodes:,} nodes, "
            f"{dataset.role_sizes} of them, got {sizes}."
        )
    return roles


def load_splits(
    name: str, root: str | Path | None = None, *, download: bool = True, progress: Reporter | None = None
) -> tuple[Roles, ...]:
    """The splits that the publishers of a graph made: one or several.

    Parameters
    ----------
    name : str
        One of `names()`.
    root : str or Path, default=None
        The folder to look in, in place of $SPARSECUT_DATA and the user's cache.
    download : bool, default=True
        Whether absent files are fetched, into `root` or the cache.
    progress : callable, default=None
        Called with (stage, done, total); a progress bar where not given.

    Returns
    -------
    tuple of Roles
        `train`, `validation` and `test` of each split: positions in the graph of `load`.

    Raises
    ------
    InputError
        Where its publishers made none, or the files are not what they should be.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.datasets.load_splits("digits")
    Traceback (most recent call last):
    sparsecut.errors.InputError: The publishers of digits made no splits. Those of ...
    """
    dataset = find_dataset(name)
    if dataset.read_roles is not None:
        return (load_roles(name, root, download=download, progress=progress),)
    if dataset.read_splits is None:
        made = [other.name for other in DATASETS.values() if other.read_splits or other.read_roles]
        raise InputError(f"The publishers of {name} made no splits. Those of {', '.join(made)} did.")
    splits = dataset.read_splits(provide(dataset, root, is_fetched=download, progress=progress))
    sizes = tuple((len(split.train), len(split.validation), len(split.test)) for split in splits)
    if sizes != dataset.split_sizes:
        raise InputError(
            f"The files of {name} are not what they should be: expected splits of {dataset.split_sizes} nodes, got {sizes}."
        )
    for split in splits:
        nodes = np.concatenate(split)
        if len(np.unique(nodes)) != len(nodes) or nodes.min() < 0 or nodes.max() >= dataset.n_nodes:
            raise InputError(
                f"The files of {name} are not what they should be: a split should name nodes from 0 to "
                f"{dataset.n_nodes - 1:,}, each once."
            )
    return splits


def find_dataset(name: str) -> Dataset:
    """What is known of a named graph without reading it: sizes, origin, citation, licence, files.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.datasets.find_dataset("cora").sizes
    Sizes(nodes=2708, edges=5278, features=1433, classes=7)
    """
    if name not in DATASETS:
        raise InputError(f"There is no dataset {name!r}. There are: {', '.join(DATASETS)}.")
    return DATASETS[name]


def brings_features(name: str, root: str | Path | None = None) -> bool:
    """Whether `load` gives a dataset with features: not where only the files of its graph are found.

    Parameters
    ----------
    name : str
        One of `names()`.
    root : str or Path, default=None
        The folder to look in, in place of $SPARSECUT_DATA and the user's cache.

    Returns
    -------
    bool

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.datasets.brings_features("digits")
    True
    """
    dataset = find_dataset(name)
    found = locate(dataset, root)
    return found is None or found.files == dataset.raw
