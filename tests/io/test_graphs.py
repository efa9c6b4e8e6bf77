"""Every format of graph, written by the library it belongs to and read back."""

import json

import networkx
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite

import sparsecut as sc
from sparsecut.base.errors import DirectedGraphWarning

DENSE = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]], dtype=np.float32)


def adjacency_by_id(graph):
    """{(id, id): weight}, whatever the order of the nodes."""
    entries = graph.adjacency.tocoo()
    ids = [str(node) for node in graph.node_ids]
    return {(ids[i], ids[j]): float(w) for i, j, w in zip(*entries.coords, entries.data, strict=True)}


EXPECTED = {(str(i), str(j)): float(DENSE[i, j]) for i, j in zip(*np.nonzero(DENSE), strict=True)}


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow"])
@pytest.mark.parametrize("kind", [pa.int32(), pa.uint64(), pa.float64(), pa.string(), pa.large_string(), "dictionary"])
def test_columnar_files(suffix, kind, tmp_path):
    ends = {"dst": pa.array(["1", "2", "3"]), "src": pa.array(["0", "1", "2"])}
    if kind == "dictionary":
        ends = {name: end.dictionary_encode() for name, end in ends.items()}
    else:
        ends = {name: end.cast(kind) for name, end in ends.items()}
    table = pa.table({"when": [1, 2, 3], **ends, "weight": pa.array([2, 1, 3], pa.float32())})
    write = pyarrow.parquet.write_table if suffix == ".parquet" else pyarrow.feather.write_feather
    write(table, tmp_path / f"edges{suffix}")
    graph = sc.read_graph(tmp_path / f"edges{suffix}")
    assert adjacency_by_id(graph) == EXPECTED
    assert graph.node_ids.dtype.kind == ("i" if kind in (pa.int32(), pa.uint64(), pa.float64()) else "U")


@pytest.mark.parametrize(
    ("directed", "expected"),
    [("symmetrize", [[0, 1, 1], [1, 0, 1], [1, 1, 0]]), ("out", [[0, 1, 1], [0, 0, 1], [0, 0, 0]]),
     ("in", [[0, 0, 0], [1, 0, 0], [1, 1, 0]])],
)  # fmt: skip
@pytest.mark.parametrize("form", ["csv", "mtx", "npz", "graphml", "gml", "json"])
def test_directions(directed, expected, form, tmp_path):
    edges = [("a", "b"), ("a", "c"), ("b", "c")]
    A = sp.coo_array(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=np.float64))
    G = networkx.DiGraph(edges)
    path = tmp_path / f"x.{form}"
    if form == "csv":
        path.write_text("source,target\n" + "\n".join(f"{a},{b}" for a, b in edges))
    elif form == "mtx":
        mmwrite(path, A)
    elif form == "npz":
        sp.save_npz(path, A)
    elif form == "json":
        path.write_text(json.dumps(networkx.node_link_data(G, edges="edges")))
    else:
        getattr(networkx, f"write_{form}")(G, path)
    if directed == "symmetrize" and form in ("mtx", "npz"):
        with pytest.warns(DirectedGraphWarning):
            graph = sc.read_graph(path, directed=directed)
    else:
        graph = sc.read_graph(path, directed=directed)
    assert graph.adjacency.toarray().tolist() == expected
    assert graph.is_directed == (directed != "symmetrize")
    assert graph.n_edges == 3


def test_directions_reach_the_embedding():
    """a → b alone: looking out, a sees b's features; looking in, b sees a's."""
    A, X = np.array([[0, 1], [0, 0]]), np.array([[1.0, 0], [0, 1]], dtype=np.float32)
    from sparsecut.operators.propagation import propagation_matrix

    smoothed = {}
    for directed in ("out", "in"):
        P = propagation_matrix(sc.Graph(A, features=X, directed=directed).adjacency)
        smoothed[directed] = (P @ X).tolist()
    assert smoothed == {"out": [[0.5, 0.5], [0, 1]], "in": [[1, 0], [0.5, 0.5]]}


def test_a_directed_graph_stays_directed_in_subgraphs_and_pickles():
    import pickle

    graph = sc.Graph(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), directed="in")
    for same in (pickle.loads(pickle.dumps(graph)), graph.subgraph([0, 1, 2])):  # noqa: S301
        assert same.is_directed
        assert (same.adjacency.toarray() == graph.adjacency.toarray()).all()
    assert repr(graph) == "Graph(3 nodes, 2 directed edges)"
    with pytest.raises(sc.InputError, match="directed parameter of Graph must be one of 'symmetrize', 'out', 'in'"):
        sc.Graph(np.eye(2), directed="both")
