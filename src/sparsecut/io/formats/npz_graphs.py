"""Graphs in .npz files: a sparse matrix as scipy saves it, the arrays of the gnn-benchmark, or an adjacency among arrays."""

from __future__ import annotations

from sparsecut.graph import Graph
from sparsecut.io.formats.graph_format import GraphFormat, GraphParts, GraphRequest, choose_adjacency
from sparsecut.io.stores.numpy_files import Archive


def read_npz_graph(request: GraphRequest) -> Graph:
    """The graph of an .npz file; `request.adjacency` names an array where there are several."""
    archive = Archive(request.path, "graph")
    if "adj_data" in archive:
        return read_gnn_benchmark(archive).graph(request.directed)
    if "format" in archive and "shape" in archive:
        parts = GraphParts(archive.sparse(), notes=(f"Adjacency: {request.path}, scipy's sparse matrix.",))
        return parts.graph(request.directed)
    chosen = choose_adjacency(archive.names, request.adjacency, request.path)
    return GraphParts(archive[chosen], notes=(f"Adjacency: {request.path}, array {chosen!r}.",)).graph(request.directed)


def read_gnn_benchmark(archive: Archive) -> GraphParts:
    """Adjacency and attributes as the parts of CSR matrices, or attributes as a dense matrix; a label per node."""
    features = None
    if "attr_data" in archive:
        features = archive.sparse("attr_")
    elif "attr_matrix" in archive:
        features = archive["attr_matrix"]
    labels = archive.get("labels")
    return GraphParts(archive.sparse("adj_"), features, labels, (f"Graph: {archive.path}, gnn-benchmark keys.",))


FORMATS = (GraphFormat((".npz",), read_npz_graph, options=("adjacency",)),)
