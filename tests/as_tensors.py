"""Graphs whose edges and features are tensors of the CPU: what serves a GPU runs here on them, against scipy and numpy."""

from __future__ import annotations

import torch

from sparsecut.graph import Graph
from sparsecut.graph.placing import features_on
from sparsecut.kernels.entries import entries_on

CPU = torch.device("cpu")


def as_tensors(graph: Graph) -> Graph:
    features = None if graph.features is None else features_on(graph.features, CPU)
    return graph._moved(entries_on(graph.adjacency, CPU), features)
