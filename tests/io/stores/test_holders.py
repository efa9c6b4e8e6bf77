"""PyTorch Geometric and AnnData, with the real libraries, there and back."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # these libraries' own, on import
    import anndata
    import pandas
    from torch_geometric.data import Data
    from torch_geometric.utils import to_dense_adj
DENSE = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]], dtype=np.float32)


def graph_of(is_sparse=False):
    X = np.array([[1, 0], [0, 2], [3, 3]], dtype=np.float32)
    return sc.Graph(DENSE, features=sp.csr_array(X) if is_sparse else X, labels=[4, 5, 4], node_ids=["a", "b", "c"])


@pytest.mark.parametrize("is_sparse", [False, True])
def test_pyg_round_trip(is_sparse):
    graph = graph_of(is_sparse)
    data = sc.to_pyg(graph)
    assert (to_dense_adj(data.edge_index, edge_attr=data.edge_weight)[0].numpy() == DENSE).all()
    assert data.y.tolist() == [4, 5, 4]
    assert data.node_id == ["a", "b", "c"]
    back = sc.from_pyg(data)
    assert (back.adjacency.toarray() == DENSE).all()
    assert back.features.tolist() == [[1, 0], [0, 2], [3, 3]]
    assert back.labels.tolist() == [4, 5, 4]


def test_pyg_words_as_labels_directions_and_plain_edges():
    data = Data(edge_index=torch.tensor([[0, 1, 1], [1, 2, 1]]), num_nodes=4)
    assert sc.from_pyg(data, directed="out").adjacency.toarray().tolist() == [[0, 1, 0, 0], [0, 0, 1, 0], [0] * 4, [0] * 4]
    weighted = Data(edge_index=torch.tensor([[0], [1]]), edge_attr=torch.tensor([[2.5]]), num_nodes=2)
    assert sc.from_pyg(weighted).adjacency.toarray().tolist() == [[0, 2.5], [2.5, 0]]
    words = sc.to_pyg(sc.Graph(DENSE, labels=["q", "", "p"]))
    assert words.y.tolist() == [1, -1, 0]
    assert words.classes == ["p", "q"]
    with pytest.raises(sc.InputError, match="edge_index names nodes beyond the 2"):
        sc.from_pyg(Data(edge_index=torch.tensor([[0], [5]]), num_nodes=2))


def test_several_labels_per_node_of_pyg_are_left_out_with_a_note():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3, y=torch.eye(3)[:, :2])
    graph = sc.from_pyg(data)
    assert graph.labels is None
    assert any("y has 2 columns" in note for note in graph.notes)


def test_embedding_into_a_pyg_data():
    data = sc.to_pyg(graph_of())
    sc.add_embedding(data, [[3.0], [1.0], [2.0]], ["c", "a", "b"])
    assert data.embedding.tolist() == [[1], [2], [3]]
    sc.add_embedding(data, [[3.0], [1.0], [2.0]], key="z")
    assert data.z.tolist() == [[3], [1], [2]]


def cells():
    return anndata.AnnData(
        X=sp.csr_matrix(np.eye(3, 5, dtype=np.float32)),
        obs=pandas.DataFrame({"type": pandas.Categorical(["T", "B", "T"]), "depth": [1, 5, 9]}, index=["c1", "c2", "c3"]),
        layers={"counts": sp.csr_matrix(np.eye(3, 5, dtype=np.float32) * 7)},
        obsm={"X_pca": np.arange(6.0).reshape(3, 2)},
        obsp={"connectivities": sp.csr_matrix(DENSE), "distances": sp.csr_matrix(DENSE.T * 2)},
    )


def test_swapped_or_repeated_ids_of_an_embedding():
    vectors, ids = [[3.0], [1.0], [2.0]], [2, 0, 1]
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3)
    with pytest.raises(sc.InputError, match=r"vectors come first, then the ids: add_embedding\(holder, Z, ids\)"):
        sc.add_embedding(data, ids, vectors)
    with pytest.raises(sc.InputError, match=r"vectors must be numbers, one row per node: add_embedding\(holder, Z, ids\)"):
        sc.add_embedding(cells(), ["c1", "c2", "c3"])
    with pytest.raises(sc.InputError, match="more than one row for 0"):
        sc.add_embedding(data, vectors, [0, 0, 1])
    with pytest.raises(sc.InputError, match="ids must be one for each of the 3 rows"):
        sc.add_embedding(data, vectors, [0, 1])


def test_embeddings_that_do_not_fit():
    with pytest.raises(sc.InputError, match="The embedding has no row for these nodes of the AnnData object: 'c2', 'c3'"):
        sc.add_embedding(cells(), [[1.0]], ["c1"])
    with pytest.raises(sc.InputError, match="The embedding must have one row for each of the 3 nodes"):
        sc.add_embedding(cells(), [[1.0]])
    with pytest.raises(sc.InputError, match=r"goes into an AnnData or a PyG Data object\. Got dict"):
        sc.add_embedding({}, [[1.0]])
