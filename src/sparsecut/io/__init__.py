"""Files in and out."""

from sparsecut.io.embeddings import read_embedding, write_embedding
from sparsecut.io.graphs import read_graph

__all__ = ["read_embedding", "read_graph", "write_embedding"]
