"""Graphs from matrix files: Matrix Market, scipy's and the gnn-benchmark's npz, MATLAB's v5 .mat.

A header is held against the size of the file before anything is made of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.matlab import read_matlab
from sparsecut.io.matrix_market import read_matrix_market_file
from sparsecut.io.numpy_files import Archive

ADJACENCY_NAMES = ("adjacency", "adj", "adj_matrix", "network", "net", "graph", "A", "W", "G")
FEATURE_NAMES = ("features", "attributes", "attrb", "attr", "X")
LABEL_NAMES = ("labels", "label", "group", "class", "gnd", "y")


@dataclass(frozen=True)
class GraphParts:
    """What a file says about a graph, before it is one."""

    adjacency: Any
    features: Any = None
    labels: Any = None
    notes: tuple[str, ...] = ()


def read_matrix_market(path: Path, name: str | None = None) -> GraphParts:
    return GraphParts(read_matrix_market_file(path), notes=(f"Adjacency: {path}, Matrix Market.",))


def read_npz_graph(path: Path, name: str | None = None) -> GraphParts:
    archive = Archive(path, "graph")
    if "adj_data" in archive:
        return read_gnn_benchmark(archive)
    if "format" in archive and "shape" in archive:
        return GraphParts(archive.sparse(), notes=(f"Adjacency: {path}, scipy's sparse matrix.",))
    chosen = _choose(archive.names, name, ADJACENCY_NAMES, path)
    return GraphParts(archive[chosen], notes=(f"Adjacency: {path}, array {chosen!r}.",))


def read_gnn_benchmark(archive: Archive) -> GraphParts:
    """Adjacency and attributes as the parts of CSR matrices, or attributes as a dense matrix; a label per node."""
    features = None
    if "attr_data" in archive:
        features = archive.sparse("attr_")
    elif "attr_matrix" in archive:
        features = archive["attr_matrix"]
    labels = archive.get("labels")
    return GraphParts(archive.sparse("adj_"), features, labels, (f"Graph: {archive.path}, gnn-benchmark keys.",))


def read_mat(path: Path, name: str | None = None) -> GraphParts:
    """The adjacency `name`, or the one with a usual name, or the only square matrix; features and labels by usual names."""
    content = read_matlab(path)
    squares = [key for key, value in content.items() if _is_matrix(value) and value.shape[0] == value.shape[1] > 1]
    if name is None and not squares:
        raise InputError(f"The graph file {path} holds no square matrix. It has: {', '.join(content) or 'nothing'}.")
    chosen = _choose(squares if name is None else list(content), name, ADJACENCY_NAMES, path)
    adjacency = content[chosen]
    if not _is_matrix(adjacency):
        raise InputError(f"The graph file {path} must hold a matrix of numbers as {chosen!r}.")
    n_nodes = adjacency.shape[0]
    features = _named(content, FEATURE_NAMES, lambda value: _is_matrix(value) and value.shape[0] == n_nodes)
    labels = _named(content, LABEL_NAMES, lambda value: _is_matrix(value) and sorted(value.shape) == sorted((1, n_nodes)))
    found = {"adjacency": chosen, "features": features, "labels": labels}
    said = ", ".join(f"{role} in {key!r}" for role, key in found.items() if key is not None)
    return GraphParts(
        adjacency,
        None if features is None else content[features],
        None if labels is None else _column(content[labels]),
        (f"MATLAB: {path}, {said}.",),
    )


def _choose(names: list[str], asked: str | None, known: tuple[str, ...], path: Path) -> str:
    if asked is not None:
        if asked not in names:
            raise InputError(f"The graph file {path} has no array {asked!r}. It has: {', '.join(names)}.")
        return asked
    # A SuiteSparse file has its matrix in the field A of a struct: Problem.A.
    named = [name for wanted in known for name in names if name.rpartition(".")[2].lower() == wanted.lower()]
    if named:
        return named[0]
    if len(names) == 1:
        return names[0]
    raise InputError(f"The graph file {path} holds {', '.join(names)}. Say which one is the adjacency.")


def _named(content: dict[str, Any], known: tuple[str, ...], is_fit: Any) -> str | None:
    return next((key for name in known for key in content if key.lower() == name.lower() and is_fit(content[key])), None)


def _is_matrix(value: Any) -> bool:
    return hasattr(value, "dtype") and getattr(value, "ndim", 0) == 2 and value.dtype.kind in "biuf"


def _column(value: Any) -> NDArray[Any]:
    return np.asarray(value.toarray() if sp.issparse(value) else value).ravel()
