"""Files that hold a whole graph: the reader of each format, by its suffix, imported when such a file is read.

Edge lists in text and tables (`tables`), METIS (`metis`), Planetoid's folders and stores are told apart in `graphs`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

# read(path, adjacency) -> GraphParts
MATRICES = {
    ".mtx": "sparsecut.io.matrix_files:read_matrix_market",
    ".npz": "sparsecut.io.matrix_files:read_npz_graph",
    ".mat": "sparsecut.io.matrix_files:read_mat",
}

# read(path, weight, directed, encoding) -> HeldGraph
DOCUMENTS = {
    ".graphml": "sparsecut.io.documents:read_graphml",
    ".gml": "sparsecut.io.documents:read_gml",
    ".json": "sparsecut.io.documents:read_node_link",
}

# read(path, adjacency, directed) -> HeldGraph
CELLS = {".h5ad": "sparsecut.io.cells:read_h5ad"}


def reader_of(home: str) -> Callable[..., Any]:
    """The function that a table names."""
    module, _, name = home.partition(":")
    read: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return read
