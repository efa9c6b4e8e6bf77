"""Named graphs: what is there, where it comes from, and `load`.

    graph = sparsecut.datasets.load("cora")

Files are looked for under $SPARSECUT_DATA, then in the user's cache, in PyTorch Geometric's folder layout, and only then
fetched into that cache. `digits` is built in and needs none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, did_you_mean
from sparsecut.base.progress import Reporter, reporting
from sparsecut.datasets.dataset import Dataset, GraphSizes, RawFile, Roles
from sparsecut.datasets.lookup import locate, provide, roots
from sparsecut.datasets.registry import DATASETS
from sparsecut.graph import Graph, encode_labels

__all__ = [
    "DATASETS",
    "Dataset",
    "GraphSizes",
    "RawFile",
    "Roles",
    "brings_features",
    "find_dataset",
    "is_known",
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
    """Load a named graph with its features and labels; its counts are checked against the published ones.

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
    folder = provide(dataset, root, is_fetched=download, progress=progress)
    if dataset.build is not None:
        with reporting(progress) as report:
            dataset.build(folder, report)
    graph = dataset.read(folder)
    expected = dataset.sizes
    if graph.features is None and dataset.without_features:
        expected = expected._replace(features=0)
    sizes = GraphSizes(graph.n_nodes, graph.n_edges, graph.n_features, _count_classes(graph.labels))
    if sizes != expected:
        raise InputError(
            f"The files of {dataset.name} are not what they should be: expected {expected._asdict()}, got {sizes._asdict()}."
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
    sparsecut.base.errors.InputError: The nodes of digits have no roles. Those of flickr and reddit have.
    """
    dataset = find_dataset(name)
    if dataset.read_roles is None:
        inductive = [other.name for other in DATASETS.values() if other.read_roles is not None]
        raise InputError(f"The nodes of {dataset.name} have no roles. Those of {' and '.join(inductive)} have.")
    roles = dataset.read_roles(provide(dataset, root, is_fetched=download, progress=progress))
    nodes = np.concatenate(roles)
    sizes = tuple(len(part) for part in roles)
    if sizes != dataset.role_sizes or not np.array_equal(np.unique(nodes), np.arange(dataset.n_nodes)):
        raise InputError(
            f"The files of {dataset.name} are not what they should be: expected roles for each of {dataset.n_nodes:,} "
            f"nodes, {dataset.role_sizes} of them, got {sizes}."
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
    sparsecut.base.errors.InputError: The publishers of digits made no splits. Those of ...
    """
    dataset = find_dataset(name)
    if dataset.read_roles is not None:
        return (load_roles(name, root, download=download, progress=progress),)
    if dataset.read_splits is None:
        made = [other.name for other in DATASETS.values() if other.has_splits]
        raise InputError(f"The publishers of {dataset.name} made no splits. Those of {', '.join(made)} did.")
    splits = dataset.read_splits(provide(dataset, root, is_fetched=download, progress=progress))
    sizes = tuple((len(split.train), len(split.validation), len(split.test)) for split in splits)
    if sizes != dataset.split_sizes:
        raise InputError(
            f"The files of {dataset.name} are not what they should be: expected splits of {dataset.split_sizes} nodes, "
            f"got {sizes}."
        )
    for split in splits:
        nodes = np.concatenate(split)
        if len(np.unique(nodes)) != len(nodes) or nodes.min() < 0 or nodes.max() >= dataset.n_nodes:
            raise InputError(
                f"The files of {dataset.name} are not what they should be: a split should name nodes from 0 to "
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
    GraphSizes(nodes=2708, edges=5278, features=1433, classes=7)
    """
    if not is_known(name):
        raise InputError(f"There is no dataset {name!r}. There are: {', '.join(DATASETS)}.{did_you_mean(name, DATASETS)}")
    return DATASETS[name if name in DATASETS else _underscored(name)]


def is_known(name: str) -> bool:
    """Whether `load` knows a name. Hyphens may stand for underscores: OGB writes ogbn-arxiv.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.datasets.is_known("amazon-photo"), sc.datasets.is_known("imdb")
    (True, False)
    """
    return name in DATASETS or _underscored(name) in DATASETS


def _count_classes(labels: NDArray[Any] | None) -> int:
    """Numbers are counted up to the largest, as publishers do: a class that no node has is one of them."""
    if labels is None:
        return 0
    return int(labels.max()) + 1 if labels.dtype.kind in "iu" else len(encode_labels(labels)[0])


def _underscored(name: str) -> str:
    return name.replace("-", "_")


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
