"""pycleora: P to the 40th power of hashed vectors, every row scaled to length 1 and the columns whitened at every step.

    E_0 = hash of the node's id (n × 256)        E_k = whiten(normalise(P E_k−1)),  P = D⁻¹A

Two nodes of an edge are a line of text, as its README has it. With features there are two rows: its function for them, where
E_0 is half hash and half features, with its defaults; and what its README recommends, E_0 a random projection of the
features and fewer steps than 40, three here. The projection is normal and of its default width, 256.
A node without edges is not in its graph: its row is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pycleora
import scipy.sparse as sp
from pycleora import datasets, metrics

if TYPE_CHECKING:
    from sparsecut import Graph

WIDTH = pycleora.DEFAULT_FEATURE_DIM
FEW_STEPS = 3


def embed(graph: Graph, seed: int) -> Any:
    """`pycleora.embed` as it comes. It has no chance in it: the seed changes nothing."""
    matrix = to_matrix(graph)
    return in_order(matrix, pycleora.embed(matrix), graph.n_nodes)


def embed_features(graph: Graph, seed: int) -> Any:
    """`pycleora.embed_with_node_features` as it comes."""
    matrix = to_matrix(graph)
    features = {str(node): row for node, row in enumerate(project(graph, seed))}
    return in_order(matrix, pycleora.embed_with_node_features(matrix, features), graph.n_nodes)


def embed_features_in_few_steps(graph: Graph, seed: int) -> Any:
    """`pycleora.embed` that starts from the features themselves and takes three steps."""
    matrix = to_matrix(graph)
    start = project(graph, seed)[np.array(matrix.entity_ids, dtype=np.int64)]
    return in_order(matrix, pycleora.embed(matrix, initial_embeddings=start, num_iterations=FEW_STEPS), graph.n_nodes)


def project(graph: Graph, seed: int) -> Any:
    directions = np.random.default_rng(seed).standard_normal((graph.n_features, WIDTH)) / np.sqrt(WIDTH)
    return np.asarray(graph.features @ directions, dtype=np.float32)


def score_generated(graph_name: str, n_classes: int) -> float:
    """Percent by pycleora's own scorer on what its `datasets` makes under a graph's name, where its cache is empty."""
    edges, labels, _ = datasets._generate_citation_graph(graph_name, n_classes)
    matrix = pycleora.SparseMatrix.from_iterator(iter(edges), "complex::reflexive::paper")
    return 100 * float(metrics.node_classification_scores(matrix, pycleora.embed(matrix), labels)["accuracy"])


def to_matrix(graph: Graph) -> Any:
    edges = sp.triu(graph.adjacency, k=1).tocoo()
    lines = (f"{i} {j}" for i, j in zip(edges.row, edges.col, strict=True))
    return pycleora.SparseMatrix.from_iterator(lines, "complex::reflexive::node")


def in_order(matrix: Any, rows: Any, n_nodes: int) -> Any:
    """The rows in the order of our nodes: pycleora numbers them as it meets them."""
    Z = np.zeros((n_nodes, rows.shape[1]), dtype=np.float32)
    Z[np.array(matrix.entity_ids, dtype=np.int64)] = rows
    return Z
