"""Passes over a graph whose rows are cut anywhere, as arrays or as tensors of the CPU, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from as_tensors import as_tensors
from sparsecut.engines.in_process import ArrayBlock, InProcess, TensorBlock
from sparsecut.graph import Graph


def cut(graph: Graph, cuts: Sequence[int] = (), *, with_tensors: bool = False) -> InProcess:
    """Passes over blocks from cut to cut."""
    passes = InProcess(as_tensors(graph) if with_tensors else graph)
    ends = [0, *sorted({cut for cut in cuts if 0 < cut < graph.n_nodes}), graph.n_nodes]
    held, features = passes.graph.held_edges, passes.graph.held_features
    named = None if graph.has_plain_ids else graph.node_ids
    offsets = graph.adjacency.indptr
    passes.blocks = [
        TensorBlock(slice(*rows), slice(*offsets[list(rows)].tolist()), held, features, named)
        if with_tensors
        else ArrayBlock(slice(*rows), held, features, named)
        for rows in pairwise(ends)
    ]
    return passes
