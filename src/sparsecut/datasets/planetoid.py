"""Cora, Citeseer and Pubmed from the Planetoid repository's raw files.

Those files are pickles, which can run any code when loaded. They are read here by an unpickler that knows just the types
they hold: a file that asks for anything else is refused before it gets it.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.errors import InputError
from sparsecut.graph import Graph
from sparsecut.io.graphs import undirected_adjacency

PARTS = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")

# Every global the genuine files name, old module names and all.
ALLOWED = {
    ("collections", "defaultdict"),
    ("__builtin__", "list"),
    ("builtins", "list"),
    ("__builtin__", "object"),
    ("builtins", "object"),
    ("copy_reg", "_reconstructor"),
    ("copyreg", "_reconstructor"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("scipy.sparse.csr", "csr_matrix"),
    ("scipy.sparse._csr", "csr_matrix"),
}


def planetoid_files(name: str, folder: str) -> tuple[str, ...]:
    return tuple(f"Planetoid/{folder}/raw/ind.{name}.{part}" for part in PARTS)


def read_planetoid(name: str, folder: str, root: Path) -> Graph:
    """The whole graph. Citeseer's test nodes without a row get no features and class 0, as in the published splits."""
    paths = {part: root / file for part, file in zip(PARTS, planetoid_files(name, folder), strict=True)}
    test_nodes = np.loadtxt(paths["test.index"], dtype=np.int64)
    tx, allx, ty, ally, neighbors = (load_restricted(paths[part]) for part in ("tx", "allx", "ty", "ally", "graph"))

    n_known = allx.shape[0]
    n_nodes = max(n_known, int(test_nodes.max()) + 1)
    rows = np.concatenate([np.arange(n_known), test_nodes])  # the node behind each stacked row
    stacked = sp.coo_array(sp.vstack([allx, tx]))
    features = sp.coo_array((stacked.data, (rows[stacked.row], stacked.col)), shape=(n_nodes, allx.shape[1]))
    one_hot = np.zeros((n_nodes, ally.shape[1]))
    one_hot[rows] = np.vstack([ally, ty])

    i = np.repeat(list(neighbors), [len(others) for others in neighbors.values()])
    j = np.concatenate([np.asarray(others, dtype=np.int64) for others in neighbors.values()])
    return Graph(
        undirected_adjacency(i, j, None, n_nodes),
        features=features,
        labels=one_hot.argmax(axis=1),
    )


def load_restricted(path: Path) -> Any:
    """What a Planetoid pickle holds, or an error if it names anything but the types such a file needs."""
    with path.open("rb") as file:
        try:
            return _PlanetoidUnpickler(file, encoding="latin1").load()
        except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path} is damaged: it could not be read as a Planetoid file.") from error


class _PlanetoidUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise InputError(
                f"A Planetoid file asks for {module}.{name}, which no genuine one does. It was not loaded. "
                "Fetch the file again from its origin."
            )
        if module.startswith("scipy.sparse"):
            return sp.csr_matrix  # under its old name and its new one
        if module == "numpy.core.multiarray":
            module = "numpy._core.multiarray" if hasattr(np, "_core") else module
        return super().find_class(module, name)
