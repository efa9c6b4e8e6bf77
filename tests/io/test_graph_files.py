"""Every format of graph, written by the library it belongs to and read back."""

import gzip
import json

import networkx
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite, savemat

import sparsecut as sc
from sparsecut.errors import DirectedGraphWarning

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


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_matrix_market(symmetry, field, is_packed, tmp_path):
    matrix = sp.coo_array(DENSE.astype(np.int64) if field == "integer" else DENSE)
    mmwrite(tmp_path / "x.mtx", matrix, comment="made by a test", symmetry=symmetry, field=field)
    path = tmp_path / "x.mtx"
    if is_packed:
        path = tmp_path / "x.mtx.gz"
        path.write_bytes(gzip.compress((tmp_path / "x.mtx").read_bytes()))
    graph = sc.read_graph(path)
    assert (graph.adjacency.toarray() == (DENSE > 0 if field == "pattern" else DENSE)).all()


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_matrix_market_whole_matrix(symmetry, tmp_path):
    mmwrite(tmp_path / "x.mtx", DENSE, symmetry=symmetry)
    assert (sc.read_graph(tmp_path / "x.mtx").adjacency.toarray() == DENSE).all()


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_scipy_npz(layout, tmp_path):
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(DENSE).asformat(layout))
    assert (sc.read_graph(tmp_path / "x.npz").adjacency.toarray() == DENSE).all()


def test_gnn_benchmark_npz_without_touching_its_python_objects(tmp_path):
    A, X = sp.csr_matrix(DENSE), sp.csr_matrix(np.eye(4, 6))
    parts = {f"adj_{name}": getattr(A, name) for name in ("data", "indices", "indptr", "shape")}
    parts |= {f"attr_{name}": getattr(X, name) for name in ("data", "indices", "indptr", "shape")}
    np.savez(tmp_path / "x.npz", **parts, labels=np.arange(4), node_names=np.array(["a", None, 1, 2], dtype=object))
    graph = sc.read_graph(tmp_path / "x.npz")
    assert (graph.adjacency.toarray() == DENSE).all()
    assert (graph.features.toarray() == X.toarray()).all()
    assert graph.labels.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_matlab(is_packed, is_sparse, tmp_path):
    A = sp.csc_array(DENSE.astype(np.float64)) if is_sparse else DENSE
    others = {"X1": np.eye(4), "title": "a graph", "group": np.array([[3], [1], [2], [1]]), "attrb": np.eye(4, 5)}
    savemat(tmp_path / "x.mat", {"Network": A, **others}, do_compression=is_packed)
    graph = sc.read_graph(tmp_path / "x.mat")
    assert (graph.adjacency.toarray() == DENSE).all()
    assert (graph.features == np.eye(4, 5)).all()
    assert graph.labels.tolist() == [3, 1, 2, 1]
    assert graph.notes == (f"MATLAB: {tmp_path}/x.mat, adjacency in 'Network', features in 'attrb', labels in 'group'.",)
    assert (sc.read_graph(tmp_path / "x.mat", adjacency="X1").adjacency.nnz) == 0


def test_matlab_struct_of_the_suite_sparse_collection(tmp_path):
    savemat(tmp_path / "x.mat", {"Problem": {"title": "x", "A": sp.csc_array(DENSE.astype(np.float64)), "id": 3}})
    assert (sc.read_graph(tmp_path / "x.mat").adjacency.toarray() == DENSE).all()


def networkx_graph():
    G = networkx.Graph()
    G.add_nodes_from("0123")
    G.add_weighted_edges_from((str(i), str(j), float(DENSE[i, j])) for i, j in zip(*np.nonzero(np.triu(DENSE)), strict=True))
    return G


@pytest.mark.parametrize("suffix", [".graphml", ".gml", ".json", ".graphml.gz", ".gml.gz", ".json.gz"])
def test_documents(suffix, tmp_path):
    G = networkx_graph()
    content = {
        ".graphml": lambda: "\n".join(networkx.generate_graphml(G)),
        ".gml": lambda: "\n".join(networkx.generate_gml(G)),
        ".json": lambda: json.dumps(networkx.node_link_data(G, edges="links")),
    }[suffix.removesuffix(".gz")]().encode()
    path = tmp_path / f"graph{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)
    assert adjacency_by_id(sc.read_graph(path)) == EXPECTED


def test_gml_without_labels_and_documents_with_attributes(tmp_path):
    (tmp_path / "x.gml").write_text("graph [ node [ id 5 ] node [ id 7 ] edge [ source 5 target 7 ] ]")
    assert sc.read_graph(tmp_path / "x.gml").node_ids.tolist() == [5, 7]
    G = networkx_graph()
    networkx.set_node_attributes(G, {"0": 3, "1": 2}, "age")
    networkx.write_graphml(G, tmp_path / "x.graphml")
    assert sc.read_graph(tmp_path / "x.graphml").notes == (
        f"Graph: {tmp_path}/x.graphml, GraphML, weights in 'weight'. Node attributes not used: age.",
    )
    with pytest.raises(sc.InputError, match="has no 'cost' at any of its edges"):
        sc.read_graph(tmp_path / "x.graphml", weight="cost")


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
    from sparsecut.operators.filters import propagation

    smoothed = {}
    for directed in ("out", "in"):
        P = propagation(sc.Graph(A, features=X, directed=directed).adjacency)
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
