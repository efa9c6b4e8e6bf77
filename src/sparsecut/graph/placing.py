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
    if device.type == "cpu":
        return graph if graph.entries is None else graph.replace(adjacency=graph.adjacency, features=graph.features)
    if device.index is None:
        device = torch.device(device.type, torch.cuda.current_device())
    entries, features = graph.entries, graph.feature_tensor
    is_there = entries is not None and entries.indices.device == device
    if is_there and (features is not None or not graph.has_features):
        return graph
    here = graph.replace()
    if not is_there:
        entries = entries_on(graph.adjacency, device)
    if features is not None:
        features = features.to(device)
    elif graph.features is not None:
        features = features_on(graph.features, device)
    here._place(entries, features)
    return here


def features_on(features: Any, device: torch.device) -> Tensor:
    """Features, dense or sparse, on a device."""
    if not sp.issparse(features):
        return as_tensor(features, device)
    offsets, columns, values = (as_tensor(part, device) for part in (features.indptr, features.indices, features.data))
    return csr_tensor(offsets, columns, values, features.shape)
