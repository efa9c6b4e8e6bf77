"""PyG's HeteroData and networkx with types, against the graph of the same tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import igraph
import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from sparsecut.base.errors import DirectedGraphWarning


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


SCORED = pd.DataFrame(
    {"source": [0, 1, 1, 2], "target": [1, 2, 0, 3], "weight": [1.0, -2.0, 3.0, -0.5], "at": [10.0, 20.0, 30.0, 5.0]}
)
AGES: dict[str, Any] = {"half_life": 10, "signed": True}


def assert_alike(found: sc.Graph, wanted: sc.Graph) -> None:
    assert found.clock == wanted.clock
    assert found.demands is not None
    assert wanted.demands is not None
    np.testing.assert_array_equal(found.adjacency.toarray(), wanted.adjacency.toarray())
    np.testing.assert_array_equal(found.demands.toarray(), wanted.demands.toarray())


def test_times_and_signs_of_every_library() -> None:
    wanted = sc.from_edges(SCORED, time="at", node_ids=[0, 1, 2, 3], **AGES)
    plain = networkx.MultiGraph()
    plain.add_nodes_from(range(4))
    links = list(SCORED.itertuples(index=False))
    plain.add_edges_from((int(a), int(b), {"weight": w, "at": t}) for a, b, w, t in links)
    assert_alike(sc.from_networkx(plain, time="at", **AGES), wanted)
    ends = torch.tensor(SCORED[["source", "target"]].to_numpy().T)
    held: dict[str, Any] = {"edge_index": ends, "at": torch.tensor(SCORED["at"].to_numpy()), "num_nodes": 4}
    for name in ("edge_weight", "edge_attr"):
        weights = torch.tensor(SCORED["weight"].to_numpy())
        data = SimpleNamespace(**held, **{name: weights if name == "edge_weight" else weights[:, None]})
        assert_alike(sc.from_pyg(data, time="at", **AGES), wanted)
    other = igraph.Graph(n=4, edges=[(int(a), int(b)) for a, b, *_ in links])
    other.es["weight"], other.es["at"] = SCORED["weight"].tolist(), SCORED["at"].tolist()
    assert_alike(sc.from_igraph(other, time="at", **AGES), wanted)
    unaged = sc.from_edges(SCORED, node_ids=[0, 1, 2, 3], signed=True)
    A = np.zeros((4, 4))
    A[SCORED["source"], SCORED["target"]] = SCORED["weight"]
    with pytest.warns(DirectedGraphWarning):
        assert_alike(sc.Graph(sp.csr_array(A), signed=True), unaged)


def test_times_and_signs_of_types() -> None:
    writes = SCORED.assign(source=SCORED["source"] % 2, target=SCORED["target"] % 3)
    nodes: dict[str, Any] = {"author": np.arange(2), "paper": np.arange(3)}
    wanted = sc.from_tables(nodes, {("author", "writes", "paper"): writes}, time="at", **AGES)
    ends = torch.tensor(writes[["source", "target"]].to_numpy().T)
    data = Hetero(author=SimpleNamespace(num_nodes=2), paper=SimpleNamespace(num_nodes=3))
    held = {"edge_index": ends, "edge_weight": torch.tensor(writes["weight"].to_numpy())}
    data["author", "writes", "paper"] = SimpleNamespace(**held, at=torch.tensor(writes["at"].to_numpy()))
    data["paper", "rev_writes", "author"] = SimpleNamespace(edge_index=ends.flip(0))
    assert_alike(sc.from_pyg(data, time="at", **AGES), wanted)
    named = networkx.MultiGraph()
    for name, ids in nodes.items():
        named.add_nodes_from(((name, int(node)) for node in ids), kind=name)
    for a, b, weight, at in writes.itertuples(index=False):
        named.add_edge(("author", int(a)), ("paper", int(b)), rel="writes", weight=weight, at=at)
    asked: dict[str, Any] = {"node_type": "kind", "edge_type": "rel"}
    assert_alike(sc.from_networkx(named, time="at", **asked, **AGES), wanted)
    for read, given in ((sc.from_pyg, data), (sc.from_networkx, named)):
        with pytest.raises(sc.InputError, match="'when', which is to hold"):
            read(given, time="when", **AGES, **(asked if given is named else {}))
        with pytest.raises(sc.InputError, match="signed=True"):
            read(given, **(asked if given is named else {}))


def test_edges_without_a_time_are_told() -> None:
    graph = networkx.Graph([(0, 1, {"at": 3.0}), (1, 2)])
    with pytest.raises(sc.InputError, match=r"The networkx graph, in its attribute 'at', has no time in row 2"):
        sc.from_networkx(graph, time="at")
    with pytest.raises(sc.InputError, match="no edge with the attribute 'when'"):
        sc.from_networkx(graph, time="when")
    with pytest.raises(sc.InputError, match="no times of edges"):
        sc.from_networkx(graph, half_life=3)
    data = SimpleNamespace(edge_index=torch.tensor([[0, 1], [1, 2]]), at=torch.tensor([1.0]), num_nodes=3)
    with pytest.raises(sc.InputError, match="must be one time for each of its 2 edges"):
        sc.from_pyg(data, time="at")
    with pytest.raises(sc.InputError, match="The Data object has no 'when'"):
        sc.from_pyg(data, time="when")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"features": ["age", "hight"]}, "no node attribute 'hight'. It has: 'age', 'area', 'kind', 'words'"),
        ({"labels": "aera"}, "no node attribute 'aera'"),
        ({"edge_type": "relation"}, "no edge with the attribute 'relation', .* Edges have: 'rel'"),
    ],
)
def test_a_misspelt_attribute_of_networkx_is_refused(options: dict[str, Any], match: str) -> None:
    graph = networkx.Graph()
    graph.add_node("a", kind="author", age=20)
    graph.add_node("p", kind="paper", words=["a", "b"], area="x")
    graph.add_edge("a", "p", rel="writes")
    with pytest.raises(sc.InputError, match=match):
        sc.from_networkx(graph, node_type="kind", **{"edge_type": "rel", **options})


def test_labels_and_attributes_of_hetero_data_are_kept_or_named() -> None:
    data = Hetero(
        author=SimpleNamespace(num_nodes=2, y=torch.tensor([[0], [1]])),
        paper=SimpleNamespace(num_nodes=3, y=torch.tensor([1, 2, 2])),
    )
    ends = torch.tensor([[0, 1, 1], [0, 0, 1]])
    data["author", "writes", "paper"] = SimpleNamespace(edge_index=ends, edge_attr=torch.ones((3, 4)))
    data["paper", "rev_writes", "author"] = SimpleNamespace(edge_index=ends.flip(0))
    graph = sc.from_pyg(data)
    assert graph.labels is not None
    assert graph.labels.tolist() == [0, 1, 1, 2, 2]
    assert any(note.startswith("Labels of author and paper are in part the same") for note in graph.notes)
    assert "author:writes:paper: edge_attr (4 columns) was left out. Weights are in edge_weight." in graph.notes
    data["author"].y, data["author", "writes", "paper"].edge_attr = torch.ones((2, 5)), torch.ones((3, 1))
    graph = sc.from_pyg(data)
    assert graph.labels is not None
    assert graph.labels.tolist() == [-1, -1, 1, 2, 2]
    assert "author: y has 5 columns and was left out: pass it to evaluate(embedding, data.y)." in graph.notes
    assert not any("edge_attr" in note or "in part the same" in note for note in graph.notes)
