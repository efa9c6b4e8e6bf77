"""PyG's HeteroData and networkx with types, against the graph of the same tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import networkx
import numpy as np
import torch

import sparsecut as sc


class Hetero(dict[Any, Any]):
    """What `from_pyg` uses of a HeteroData object, which warns when it is imported."""

    node_types = ("author", "paper")
    edge_types = (("author", "writes", "paper"), ("paper", "rev_writes", "author"))


def test_hetero_data() -> None:
    ends = torch.tensor([[0, 1, 1], [0, 0, 1]])
    data = Hetero(
        author=SimpleNamespace(x=torch.tensor([[1.0], [2.0]]), num_nodes=2, y=torch.tensor([0, 1])),
        paper=SimpleNamespace(num_nodes=3),
    )
    data["author", "writes", "paper"] = SimpleNamespace(edge_index=ends, edge_weight=torch.tensor([1.0, 2.0, 3.0]))
    data["paper", "rev_writes", "author"] = SimpleNamespace(edge_index=ends.flip(0))
    graph = sc.from_pyg(data)
    assert graph.edge_types == (("author", "writes", "paper"),)  # each edge once
    assert graph.node_ids.tolist() == ["author:0", "author:1", "paper:0", "paper:1", "paper:2"]
    assert graph.adjacency.toarray()[:2, 2:].tolist() == [[1, 0, 0], [2, 3, 0]]
    assert np.asarray(graph.features).ravel().tolist() == [1, 2, 0, 0, 0]
    assert graph.labels is not None
    assert graph.labels.tolist() == [0, 1, -1, -1, -1]
    data["author"].x = torch.eye(2).to_sparse_coo()
    assert sc.from_pyg(data).features.toarray()[:2].tolist() == [[1, 0], [0, 1]]  # type: ignore[union-attr]


def test_networkx_attributes() -> None:
    graph = networkx.Graph()
    graph.add_node(("author", 7), kind="author", age=20)
    graph.add_node(("author", 8), kind="author", age=40)
    graph.add_node(("paper", 7), kind="paper", words=["a", "b"], area="x")
    graph.add_edge(("author", 7), ("paper", 7), rel="writes", weight=2.0)
    graph.add_edge(("paper", 7), ("author", 8), rel="writes")
    found = sc.from_networkx(graph, node_type="kind", edge_type="rel", features=["age", "words"], labels="area", scale=False)
    assert found.node_ids.tolist() == ["author:7", "author:8", "paper:7"]
    assert found.edge_types == (("author", "writes", "paper"),)
    assert found.adjacency.toarray()[2].tolist() == [2, 1, 0]
    assert found.features.toarray().tolist() == [[20, 0, 0], [40, 0, 0], [0, 1, 1]]  # type: ignore[union-attr]
    assert found.labels is not None
    assert found.labels.tolist() == ["", "", "x"]
