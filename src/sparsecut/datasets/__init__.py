"""Named graphs: what is there, where it comes from, and `load`.

    graph = sparsecut.datasets.load("cora")

Files are looked for under $SPARSECUT_DATA, then in the user's cache, in PyTorch Geometric's folder layout. `digits` is built
in and needs none.
"""

from __future__ import annotations

import os
from pathlib import Path

from sparsecut.datasets.registry import DATASETS, Dataset
from sparsecut.errors import InputError
from sparsecut.graph import Graph

__all__ = ["DATASETS", "Dataset", "find_folder", "load", "names", "roots"]


def names() -> tuple[str, ...]:
    """The names `load` knows."""
    return tuple(DATASETS)


def load(name: str, root: str | Path | None = None) -> Graph:
    """A named graph, with features and labels. `root` takes the place of $SPARSECUT_DATA and the cache."""
    dataset = find_dataset(name)
    graph = dataset.read(find_folder(dataset, root))
    counts = {"nodes": graph.n_nodes, "edges": graph.n_edges, "features": graph.n_features}
    expected = {"nodes": dataset.n_nodes, "edges": dataset.n_edges, "features": dataset.n_features}
    if counts != expected:
        raise InputError(f"The files of {name} are not what they should be: expected {expected}, got {counts}.")
    return graph


def find_dataset(name: str) -> Dataset:
    if name not in DATASETS:
        raise InputError(f"There is no dataset {name!r}. There are: {', '.join(DATASETS)}.")
    return DATASETS[name]


def roots() -> list[Path]:
    """Where files are looked for, in this order."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sparsecut"
    named = os.environ.get("SPARSECUT_DATA")
    return [Path(named), cache] if named else [cache]


def has_files(dataset: Dataset, folder: Path) -> bool:
    return all((folder / file).is_file() for file in dataset.files)


def find_folder(dataset: Dataset, root: str | Path | None = None) -> Path:
    """The root that holds all files of a dataset, or an error that says which files to put where."""
    searched = roots() if root is None else [Path(root)]
    for folder in searched:
        if has_files(dataset, folder):
            return folder
    missing = [file for file in dataset.files if not (searched[0] / file).is_file()]
    raise InputError(
        f"The files of {dataset.name} are not here. Put {', '.join(missing)} into {searched[0]} "
        f"(from {dataset.origin}), or set SPARSECUT_DATA to the folder that holds them."
    )
