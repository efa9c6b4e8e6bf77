"""A graph copied to a GPU, whole: its edges first, so that work on them runs while the features are on their way."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
import torch
from torch import Tensor

from sparsecut.graph.graph import Graph
from sparsecut.kernels.entries import csr_tensor, entries_on
from sparsecut.kernels.transfer import as_tensor


def placed(graph: Graph, device: Any) -> Graph:
    """The graph with its edges and features on a device; itself where they are there already."""
    device = torch.device(device)
    edges = graph.held_edges
    if device.type == "cpu":
        return graph if sp.issparse(edges) else graph.replace(adjacency=graph.adjacency, features=graph.features)
    if device.index is None:
        device = torch.device(device.type, torch.cuda.current_device())
    is_there = not sp.issparse(edges) and edges.indices.device == device
    if not is_there:
        edges = entries_on(graph.adjacency, device)
    features = graph.held_features
    if features is None or (isinstance(features, Tensor) and features.device == device):
        return graph if is_there else graph._moved(edges, features)
    return graph._moved(edges, features.to(device) if isinstance(features, Tensor) else features_on(features, device))


def features_on(features: Any, device: torch.device) -> Tensor:
    """Features, dense or sparse, on a device."""
    if not sp.issparse(features):
        return as_tensor(features, device)
    offsets, columns, values = (as_tensor(part, device) for part in (features.indptr, features.indices, features.data))
    return csr_tensor(offsets, columns, values, features.shape)
