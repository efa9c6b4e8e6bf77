"""Embeddings that mean nothing: every row is the same, up to rounding, so the embedding is useless.

The rows are compared with the first one, block by block, and the first block that holds another row ends the search: an
embedding with different rows costs a comparison of its first rows. Why all rows are alike is found only where they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.errors import MeaninglessEmbeddingWarning
from sparsecut.graph import Graph
from sparsecut.kernels.streaming import dense_blocks
from sparsecut.kernels.transfer import as_array

ROUNDING = 3e-6  # rows that differ by no larger a share of their size differ by rounding alone
SMALLEST = 1e-18  # the square of a smaller number is zero in float32
FIRST_ROWS = 64


def check_meaning(embedding: Any, graph: Graph, caller: str, notes: list[str], *, is_structure: bool = False) -> None:
    """Warn, and add to `notes`, if an embedding has the same row for every node.

    `graph` is the one that was embedded, with the features that were.
    """
    if not are_alike(embedding):
        return
    message = f"The embedding by {caller} is useless, since every node has the same vector: {why_alike(graph, is_structure)}"
    notes.append(message)
    warnings.warn(message, MeaninglessEmbeddingWarning, stacklevel=3)


def check_features(weights: Sequence[Tensor], graph: Graph, caller: str, notes: list[str]) -> None:
    """Warn, and add to `notes`, if features stand beside other channels and add nothing: their weights are all zero."""
    if any(bool(matrix.any()) for matrix in weights):
        return
    message = (
        f"The features add nothing to the embedding by {caller}, which is of the graph alone: "
        f"{why_alike(graph, is_structure=False)}"
    )
    notes.append(message)
    warnings.warn(message, MeaninglessEmbeddingWarning, stacklevel=3)


def are_alike(rows: Any) -> bool:
    """Whether all rows of a dense or sparse matrix are the same up to rounding, or too small to compare."""
    _, block = next(dense_blocks(rows[:FIRST_ROWS]))
    first = np.array(_here(block)[0], dtype=np.float64)
    tolerance = max(ROUNDING * float(np.abs(first).max(initial=0)), SMALLEST)

    def is_like_the_first(block: Any) -> bool:
        return float(np.abs(_here(block) - first).max(initial=0)) <= tolerance

    return is_like_the_first(block) and all(is_like_the_first(block) for _, block in dense_blocks(rows))


def _here(block: Any) -> NDArray[Any]:
    """A block of rows in the host's memory."""
    return as_array(block) if isinstance(block, Tensor) else block


def why_alike(graph: Graph, is_structure: bool) -> str:
    """Why every node of a graph gets the same row, and what to do."""
    if graph.n_nodes == 1:
        return "the graph has one node. Give it more."
    if is_structure:
        if graph.n_edges == 0:
            return "the graph has neither edges nor features. Give it one of them."
        return (
            f"by structure its {graph.n_nodes:,} nodes are equal, as each is linked to the others in the same way (two "
            "nodes, a triangle). Give it features, or more nodes."
        )
    largest = max(float(np.abs(block).max(initial=0)) for _, block in dense_blocks(graph.features))
    if largest == 0:
        return "all features are zero. Give the graph others, or embed its structure: SCE(features='structure')."
    if largest <= SMALLEST:
        return (
            f"the features are too small for float32, which has zero for their squares. The largest is {largest:g}. Scale "
            "them up, for example divide each column by its standard deviation."
        )
    if are_alike(graph.features):
        return (
            "every node has the same features, or they differ by rounding alone. Subtract each column's mean before they "
            "are rounded to float32 if they differ, or embed the structure: SCE(features='structure')."
        )
    return (
        "the nodes' features differ, but averaged over neighbours they no longer do, as where every node is linked to every "
        "other. Take fewer hops: filter=Power(order=0) leaves the features as they are."
    )
