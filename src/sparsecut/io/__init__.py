"""Files in and out, and other libraries' objects."""

from sparsecut.io.building import build_store
from sparsecut.io.cells import from_anndata
from sparsecut.io.embeddings import read_embedding, write_embedding
from sparsecut.io.graphs import read_graph
from sparsecut.io.holders import add_embedding, from_pyg, to_pyg
from sparsecut.io.objects import from_edges, from_igraph, from_networkx, to_networkx
from sparsecut.io.store import open_store

__all__ = [
    "add_embedding",
    "build_store",
    "from_anndata",
    "from_edges",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "open_store",
    "read_embedding",
    "read_graph",
    "to_networkx",
    "to_pyg",
    "write_embedding",
]
