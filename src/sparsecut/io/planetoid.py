"""Planetoid's raw files: ind.NAME.x, .tx, .allx, .graph and so on, of which one names the others.

Those files are pickles, which can run any code when loaded. They are read here by an unpickler that knows just the types
they hold: a file that asks for anything else is refused before it gets it.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.errors import InputError
from sparsecut.graph import Graph
from sparsecut.io.adjacency import build_adjacency
from sparsecut.io.files import check_readable
from sparsecut.io.guards import check_claim, reading

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


def find_planetoid(path: Path) -> tuple[Path, str] | None:
    """(folder, name) of the graph that a Planetoid file or the folder of such files belongs to; None for other paths."""
    if path.is_dir():
        names = sorted(file.name[4:-6] for file in path.glob("ind.*.graph"))
        if len(names) > 1:
            raise InputError(f"The folder {path} holds several Planetoid graphs: {', '.join(names)}. Name a file of one.")
        return (path, names[0]) if names else None
    for part in PARTS:
        if path.name.startswith("ind.") and path.name.endswith(f".{part}"):
            return path.parent, path.name[4 : -len(part) - 1]
    return None


def read_planetoid_folder(folder: Path, name: str, directed: str = "symmetrize") -> Graph:
    """The whole graph. Citeseer's test nodes without a row get no features and class 0, as in the published splits."""
    paths = {part: check_readable(folder / f"ind.{name}.{part}", "Planetoid") for part in PARTS}
    tx, allx = (_as_features(load_restricted(paths[part]), paths[part]) for part in ("tx", "allx"))
    ty, ally = (_as_labels(load_restricted(paths[part]), paths[part]) for part in ("ty", "ally"))
    neighbors = _as_neighbors(load_restricted(paths["graph"]), paths["graph"])
    with reading(paths["test.index"], "Planetoid"):
        test_nodes = np.array(paths["test.index"].read_text().split(), dtype=np.int64)

    n_known = allx.shape[0]
    n_nodes = max(n_known, int(test_nodes.max(initial=-1)) + 1)
    i, j = neighbors
    same = len(test_nodes) == tx.shape[0] == len(ty) and n_known == len(ally)
    if not same or tx.shape[1] != allx.shape[1] or ty.shape[1] != ally.shape[1] or (test_nodes < 0).any():
        raise InputError(f"The Planetoid files of {name} in {folder} do not fit together: their sizes differ.")
    if len(i) and max(int(i.max()), int(j.max())) >= n_nodes:
        raise InputError(f"The Planetoid file {paths['graph']} names a node beyond the {n_nodes:,} there are.")
    check_claim(n_nodes, allx.shape[1], n_known + len(test_nodes), paths["test.index"], "Planetoid")
    rows = np.concatenate([np.arange(n_known), test_nodes])  # the node behind each stacked row
    stacked = sp.coo_array(sp.vstack([allx, tx]))
    features = sp.coo_array((stacked.data, (rows[stacked.row], stacked.col)), shape=(n_nodes, allx.shape[1]))
    one_hot = np.zeros((n_nodes, ally.shape[1]))
    one_hot[rows] = np.vstack([ally, ty])

    adjacency, n_loops = build_adjacency(i, j, None, n_nodes, directed)
    notes = (f"{n_loops:,} self-loops were dropped: filters count each node in its own neighbourhood once.",) * bool(n_loops)
    return Graph.from_canonical(
        adjacency,
        features=features,
        labels=one_hot.argmax(axis=1),
        node_ids=np.arange(n_nodes),
        directed=directed,
        notes=notes,
    )


def load_restricted(path: Path) -> Any:
    """What a Planetoid pickle holds, or an error if it names anything but the types such a file needs."""
    try:
        content = path.read_bytes()
        # Looked through before it is run: the sizes a pickle asks for must be there, and its memo no longer than itself.
        for opcode, argument, _ in pickletools.genops(content):
            if "PUT" in opcode.name and isinstance(argument, int) and argument > len(content):
                raise pickle.UnpicklingError
        return _PlanetoidUnpickler(io.BytesIO(content), encoding="latin1").load()
    except InputError:
        raise
    except (Exception, MemoryError) as error:  # a damaged pickle raises whatever its bytes happen to call for
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
        if module.startswith("numpy") and name == "_reconstruct":
            return _empty_array
        if name == "ndarray":
            return _NoArray
        return super().find_class(module, name)


class _NoArray:
    """Stands for numpy.ndarray, which a pickle names and never calls: called, it could ask for any amount of memory."""

    def __init__(self, *_: Any) -> None:
        raise pickle.UnpicklingError


def _empty_array(kind: Any, shape: Any, code: Any) -> NDArray[Any]:
    """The array that a pickle fills afterwards; genuine ones ask for an empty one."""
    if kind is not _NoArray or tuple(shape) != (0,):
        raise pickle.UnpicklingError
    return np.empty((0,), dtype=np.int8)


def _as_features(value: Any, path: Path) -> sp.csr_array:
    """A matrix built afresh from the parts of one whose attributes a pickle has set."""
    with reading(path, "Planetoid"):
        if not isinstance(value, sp.csr_matrix):
            raise InputError(f"The Planetoid file {path} must hold a sparse matrix. Got {type(value).__name__}.")
        state = value.__dict__
        data, indices, indptr = (np.asarray(state[name]) for name in ("data", "indices", "indptr"))
        n_rows, n_columns = (int(size) for size in state.get("_shape", state.get("shape")))
        if data.dtype.kind not in "biuf" or indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
            raise InputError(f"The Planetoid file {path} must hold a matrix of real numbers.")
        check_claim(n_rows, n_columns, len(data), path, "Planetoid")
        matrix = sp.csr_array((data, indices, indptr), shape=(n_rows, n_columns))
        matrix.check_format(full_check=True)
        return matrix


def _as_labels(value: Any, path: Path) -> NDArray[Any]:
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.dtype.kind not in "biuf" or not value.shape[1]:
        raise InputError(f"The Planetoid file {path} must hold one row of numbers a node.")
    return np.asarray(value)


def _as_neighbors(value: Any, path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(sources, targets) from the dictionary of neighbours."""
    with reading(path, "Planetoid"):
        if not isinstance(value, dict) or not all(isinstance(others, list) for others in value.values()):
            raise InputError(f"The Planetoid file {path} must hold a dictionary of lists: node → neighbours.")
        i = np.repeat(np.array(list(value), dtype=np.int64), [len(others) for others in value.values()])
        j = np.array([other for others in value.values() for other in others], dtype=np.int64)
        if len(i) and min(i.min(), j.min()) < 0:
            raise InputError(f"The Planetoid file {path} must hold nodes numbered from 0.")
        return i, j
