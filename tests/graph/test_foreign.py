"""Objects of other libraries where a graph is expected: they work, or the error is the call that converts them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import igraph
import networkx
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from sparsecut import compare
from sparsecut.evaluation import evaluate_clusters, evaluate_links, measure_health
from sparsecut.graph import Graph
from sparsecut.lab.baselines import GCN, LINE, RawFeatures

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # these libraries' own, on import
    import anndata
    from torch_geometric.data import Data, HeteroData

A = np.array([[0, 2, 0, 1], [2, 0, 1, 0], [0, 1, 0, 3], [1, 0, 3, 0]], dtype=np.float32)
X = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
EDGES = pandas.DataFrame({"source": [0, 1, 2], "target": [1, 2, 3], "weight": [1.0, 2.0, 3.0]})

OBJECTS = {
    "networkx": (networkx.path_graph(4), r"\(Graph\). Convert it first: sc.from_networkx\(graph\); features= and labels="),
    "a directed one": (networkx.DiGraph([(0, 1)]), r"\(DiGraph\). Convert it first: sc.from_networkx"),
    "PyG": (Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), r"Convert it first: sc.from_pyg\(data\)"),
    "PyG of several kinds": (HeteroData(), r"Convert it first: sc.from_pyg\(data\)"),
    "igraph": (igraph.Graph.Ring(4), r"Convert it first: sc.from_igraph\(graph\)"),
    "AnnData": (anndata.AnnData(np.eye(3)), r"Convert it first: sc.from_anndata\(cells\)"),
    "a string": ("x.csv", r"Got 'x.csv', which names a file or a dataset. Read it first: sc.read_graph\('x.csv'\), or"),
    "a path": (Path("g.csv"), r"Read it first: sc.read_graph\('g.csv'\), or"),
    "pandas": (EDGES, r"Got a pandas frame \(DataFrame\). Convert it first: sc.from_edges\(frame"),
    "pandas, a square": (pandas.DataFrame(A), r"Got a pandas frame \(DataFrame\). Convert it first: sc.from_edges\(frame"),
    "polars": (polars.from_pandas(EDGES), r"Got a polars frame \(DataFrame\). Convert it first: sc.from_edges\(frame"),
    "polars, lazy": (polars.from_pandas(EDGES).lazy(), r"\(LazyFrame\). Convert it first: sc.from_edges"),
    "pyarrow": (pa.table({"u": [0], "v": [1]}), r"Convert it first: sc.from_edges\(table"),
    "DuckDB": ("made below", r"Convert it first: sc.from_edges\(relation"),
    "a dict": ({"a": ["b"]}, r"Got a dict. Convert it first: sc.from_networkx\(networkx.Graph"),
    "pairs": ([(0, 1), (1, 2), (2, 3)], r"Got shape \(3, 2\). A list of edges becomes a graph with sc.from_edges\(edges\)"),
    "words": ([("a", "b"), ("b", "c")], r"Got list of shape \(2, 2\) instead. Edges become a graph with sc.from_edges"),
    "an edge index": (np.array([[0, 1, 2, 0], [1, 2, 3, 1]]), r"sc.from_edges\(edges.T\)"),
    "a number": (7, "Got int instead"),
}  # fmt: skip

CALLS: dict[str, Callable[[Any], object]] = {
    "Graph": lambda thing: sc.Graph(thing),
    "SCE.fit": lambda thing: sc.SCE().fit(thing),
    "MoSCE.fit_transform": lambda thing: sc.MoSCE().fit_transform(thing),
    "SCE.transform": lambda thing: sc.SCE(dimension=2).fit(A, features=X).transform(thing),
    "LINE.fit": lambda thing: LINE().fit(thing),
    "RawFeatures.transform": lambda thing: RawFeatures().transform(thing),
    "GCN.fit": lambda thing: GCN().fit(thing, split=None),
    "evaluate_links": lambda thing: evaluate_links(thing, lambda graph: X),
    "evaluate_clusters": lambda thing: evaluate_clusters(X, graph=thing, n_clusters=2),
    "measure_health": lambda thing: measure_health(X, thing),
    "compare": lambda thing: compare(thing, ["raw"]),
}


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("call", ["Graph", "SCE.fit"])
def test_what_is_no_graph_names_the_call_that_makes_it_one(name: str, call: str) -> None:
    thing, message = OBJECTS[name]
    if name == "DuckDB":  # which complains of what is still open when the process ends
        thing = duckdb.sql("SELECT 0 AS u, 1 AS v")
    with pytest.raises(sc.InputError, match=message) as caught:
        CALLS[call](thing)
    assert "ndarray" not in str(caught.value)


@pytest.mark.parametrize("call", CALLS)
def test_every_entrance_says_so(call: str) -> None:
    with pytest.raises(sc.InputError, match=r"Convert it first: sc.from_networkx"):
        CALLS[call](networkx.path_graph(4))


@pytest.mark.parametrize("call", [sc.to_networkx, sc.to_pyg, lambda thing: sc.keep_close(thing, [(0, 1)])])
def test_what_needs_a_graph_of_ours_says_so(call: Callable[[Any], object]) -> None:
    with pytest.raises(sc.InputError, match=r"needs a sparsecut.Graph. Got a networkx graph .*sc.from_networkx"):
        call(networkx.path_graph(4))
    with pytest.raises(sc.InputError, match=r"needs a sparsecut.Graph. Got ndarray. Pass sc.Graph\(adjacency"):
        call(A)


def test_the_converters_name_each_other() -> None:
    with pytest.raises(sc.InputError, match=r"from_networkx needs a networkx graph. Got an igraph graph .*sc.from_igraph"):
        sc.from_networkx(igraph.Graph.Ring(3))
    with pytest.raises(sc.InputError, match=r"from_igraph needs an igraph graph. Got a networkx graph .*sc.from_networkx"):
        sc.from_igraph(networkx.path_graph(3))
    with pytest.raises(sc.InputError, match=r"from_anndata needs an AnnData object. Got a networkx graph"):
        sc.from_anndata(networkx.path_graph(3))
    with pytest.raises(sc.InputError, match="is a Graph already"):
        sc.Graph(sc.Graph(A))


TENSORS = {
    "dense": lambda: torch.tensor(A),
    "with a gradient": lambda: torch.tensor(A, requires_grad=True),
    "half": lambda: torch.tensor(A, dtype=torch.bfloat16),
    "whole numbers": lambda: torch.tensor(A).long(),
    "COO": lambda: torch.tensor(A).to_sparse(),
    "COO, not coalesced": lambda: (torch.tensor(A).to_sparse() + torch.tensor(A).to_sparse()) / 2,
    "CSR": lambda: torch.tensor(A).to_sparse_csr(),
    "CSC": lambda: torch.tensor(A).to_sparse_csc(),
    "blocks": lambda: torch.tensor(A).to_sparse_bsr((2, 2)),
}


@pytest.mark.parametrize("name", TENSORS)
@pytest.mark.filterwarnings(
    "ignore:Sparse CS[RC] tensor support:UserWarning", "ignore:Sparse BSR tensor support:UserWarning"
)
def test_a_tensor_is_its_matrix(name: str) -> None:
    graph = Graph(TENSORS[name](), features=X)
    assert np.array_equal(graph.adjacency.toarray(), A)
    if name in ("dense", "COO", "CSR"):
        Z = sc.SCE(dimension=2).fit_transform(TENSORS[name](), features=X)
        assert np.array_equal(Z, sc.SCE(dimension=2).fit_transform(sp.csr_array(A), features=X))


@pytest.mark.filterwarnings("ignore:Sparse invariant checks:UserWarning")
def test_repeated_entries_of_a_tensor_are_summed_as_scipys_are() -> None:
    tensor = torch.sparse_coo_tensor(torch.tensor([[0, 0, 1, 1], [1, 1, 0, 0]]), torch.ones(4), (2, 2))
    assert Graph(tensor).adjacency.toarray().tolist() == [[0, 2], [2, 0]]
    with pytest.raises(sc.InputError, match=r"must have two dimensions to be a matrix. Got shape \(2,\)"):
        Graph(torch.tensor([0.0, 1.0]).to_sparse())


def test_a_frame_whose_index_and_columns_are_the_nodes_is_an_adjacency() -> None:
    names = ["d", "c", "b", "a"]
    frame = pandas.DataFrame(A, index=names, columns=names)
    assert Graph(frame).node_ids.tolist() == names
    assert np.array_equal(Graph(frame).adjacency.toarray(), A)
    assert Graph(frame, node_ids=names).node_ids.tolist() == names
    assert Graph(frame.set_axis([7, 3, 5, 9]).set_axis([7, 3, 5, 9], axis=1)).node_ids.tolist() == [7, 3, 5, 9]
    with pytest.raises(sc.InputError, match="node_ids differ from the index of the adjacency"):
        Graph(frame, node_ids=names[::-1])
    with pytest.raises(sc.InputError, match="The index of the adjacency mixes words and integers"):
        Graph(frame.set_axis(["a", "b", "c", 0]).set_axis(["a", "b", "c", 0], axis=1))
    with pytest.raises(sc.InputError, match=r"Convert it first: sc.from_edges"):
        Graph(frame[names[::-1]])  # columns in another order


@pytest.mark.parametrize(
    "y", [X, X.tolist(), sp.csr_array(X), torch.tensor(X), pandas.DataFrame(X), polars.DataFrame(X), "features.csv",
          Path("x"), X[:, :1]],
    ids=lambda y: type(y).__name__,
)  # fmt: skip
@pytest.mark.parametrize("estimator", [sc.SCE(), sc.MoSCE(), LINE(), RawFeatures()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_second_matrix_is_not_ignored(y: Any, estimator: Any, method: str) -> None:
    with pytest.raises(sc.InputError, match=r"second argument is y, which is ignored.*Pass features by name: features=X"):
        getattr(estimator, method)(A, y)
    with pytest.raises(sc.InputError, match="Pass features by name: features=X"):
        getattr(estimator, method)(sc.Graph(A, features=X), y)


@pytest.mark.parametrize(
    "y", [[0, 1, 0, 1], np.array([0, 1, 0, 1]), list("abab"), pandas.Series([0, 1, 0, 1]), torch.tensor([0, 1, 0, 1]),
          polars.Series([0, 1, 0, 1]), pa.array([0, 1, 0, 1]), None],
    ids=lambda y: type(y).__name__,
)  # fmt: skip
def test_labels_as_y_are_ignored_as_in_scikit_learn(y: Any) -> None:
    model = sc.SCE(dimension=2)
    assert np.array_equal(model.fit_transform(A, y, features=X), model.fit_transform(A, features=X))


def test_a_graph_is_no_labels() -> None:
    with pytest.raises(sc.InputError, match=r"Got a Graph: pass graph.labels"):
        evaluate_clusters(X, sc.Graph(A))
