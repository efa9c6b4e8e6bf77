"""The matrices of a MATLAB v5 file (save -v6, -v7): full and sparse ones, and those that are fields of a struct.

scipy's reader ends the process on some damaged files, so it runs in the sandbox.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.io.formats.graph_format import GraphFormat, GraphParts, GraphRequest, choose_adjacency
from sparsecut.io.hostile.guards import reading
from sparsecut.io.hostile.sandbox import read_matrices

HEADER_BYTES = 128
FEATURE_NAMES = ("features", "attributes", "attrb", "attr", "X")
LABEL_NAMES = ("labels", "label", "group", "class", "gnd", "y")
BYTE_ORDERS = (b"IM", b"MI")  # how the header of a v5 file ends


def read_matlab(path: Path) -> dict[str, Any]:
    """The matrices by name; a field is called STRUCT.FIELD. Text, cells and the like are left out."""
    with reading(path, "graph"), path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if header.startswith((b"MATLAB 7.3", b"\x89HDF")):
        raise InputError(
            f"The graph file {path} is MATLAB v7.3 (HDF5), which is not read. Save it in MATLAB with "
            "save(..., '-v7') instead."
        )
    if header[-2:] not in BYTE_ORDERS or len(header) < HEADER_BYTES:
        raise InputError(f"The graph file {path} is no MATLAB v5 file. Save it in MATLAB with save(..., '-v7').")
    return read_matrices(path, "graph", "mat")


def read_mat(request: GraphRequest) -> Graph:
    """The requested adjacency, or one with a usual name, or the only square matrix; features and labels by usual names."""
    path, content = request.path, read_matlab(request.path)
    squares = [name for name, matrix in content.items() if matrix.shape[0] == matrix.shape[1] > 1]
    if request.adjacency is None and not squares:
        raise InputError(f"The graph file {path} holds no square matrix. It has: {', '.join(content) or 'nothing'}.")
    chosen = choose_adjacency(squares if request.adjacency is None else list(content), request.adjacency, path)
    n_nodes = content[chosen].shape[0]
    features = _named(content, FEATURE_NAMES, lambda matrix: matrix.shape[0] == n_nodes)
    labels = _named(content, LABEL_NAMES, lambda matrix: sorted(matrix.shape) == sorted((1, n_nodes)))
    found = {"adjacency": chosen, "features": features, "labels": labels}
    said = ", ".join(f"{role} in {name!r}" for role, name in found.items() if name is not None)
    return GraphParts(
        content[chosen],
        None if features is None else content[features],
        None if labels is None else _column(content[labels]),
        (f"MATLAB: {path}, {said}.",),
    ).graph(request.directed)


def _named(content: dict[str, Any], known: tuple[str, ...], is_fit: Callable[[Any], bool]) -> str | None:
    """The first matrix with one of the known names that is fit."""
    return next((key for name in known for key in content if key.lower() == name.lower() and is_fit(content[key])), None)


def _column(matrix: Any) -> NDArray[Any]:
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix).ravel()


FORMATS = (GraphFormat((".mat",), read_mat, options=("adjacency",)),)
