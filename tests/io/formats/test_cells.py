"""Graphs from AnnData, with the real library."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # these libraries' own, on import
    import anndata
    import pandas
DENSE = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]], dtype=np.float32)


def cells():
    return anndata.AnnData(
        X=sp.csr_matrix(np.eye(3, 5, dtype=np.float32)),
        obs=pandas.DataFrame({"type": pandas.Categorical(["T", "B", "T"]), "depth": [1, 5, 9]}, index=["c1", "c2", "c3"]),
        layers={"counts": sp.csr_matrix(np.eye(3, 5, dtype=np.float32) * 7)},
        obsm={"X_pca": np.arange(6.0).reshape(3, 2)},
        obsp={"connectivities": sp.csr_matrix(DENSE), "distances": sp.csr_matrix(DENSE.T * 2)},
    )


def test_anndata_there_and_back(tmp_path):
    graph = sc.from_anndata(cells(), labels="type")
    assert graph.node_ids.tolist() == ["c1", "c2", "c3"]
    assert (graph.adjacency.toarray() == DENSE).all()
    assert (graph.features.toarray() == np.eye(3, 5)).all()
    assert graph.labels.tolist() == ["T", "B", "T"]
    other = sc.from_anndata(cells(), adjacency="distances", features="X_pca")
    assert (other.adjacency.toarray() == DENSE * 2).all()
    assert other.features.tolist() == [[0, 1], [2, 3], [4, 5]]

    holder = cells()
    sc.add_embedding(holder, [[3.0, 0], [1, 0], [2, 0]], ["c3", "c1", "c2"])
    holder.write_h5ad(tmp_path / "x.h5ad")
    assert anndata.read_h5ad(tmp_path / "x.h5ad").obsm["X_sparsecut"].tolist() == [[1, 0], [2, 0], [3, 0]]
    read = sc.read_graph(tmp_path / "x.h5ad")
    assert (read.adjacency.toarray() == DENSE).all()
    assert (sc.read_graph(tmp_path / "x.h5ad", adjacency="distances").adjacency.toarray() == DENSE * 2).all()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"adjacency": "x"}, "The AnnData object has no graph obsp['x']. It has: 'connectivities', 'distances'. "
                             "scanpy.pp.neighbors makes one."),
        ({"features": "x"}, "The AnnData object has no 'x' for the features. It has obsm: 'X_pca'; layers: 'counts'; "
                            "obs: 'type', 'depth'."),
        ({"labels": "x"}, "The AnnData object has no 'x' for the labels. It has obs: 'type', 'depth'."),
        ({"labels": "X_pca"}, "The AnnData object has no 'X_pca' for the labels. It has obs: 'type', 'depth'."),
        ({"features": ["X_pca", "depth"]}, "Several features must be columns of obs: obsm['X_pca'] is a matrix. "
                                           "Name it alone."),
    ],
)  # fmt: skip
def test_anndata_errors(arguments, expected):
    with pytest.raises(sc.InputError) as caught:
        sc.from_anndata(cells(), **arguments)
    assert str(caught.value) == expected


def test_everything_that_an_anndata_holds_is_reachable_by_name():
    held = cells()
    assert (sc.from_anndata(held, features="counts").features.toarray() == np.eye(3, 5) * 7).all()
    assert sc.from_anndata(held, features=None).features is None
    assert sc.from_anndata(held, labels="depth").labels.tolist() == [1, 5, 9]
    obs = sc.from_anndata(held, features=["depth", "type"])
    assert obs.notes[0] == "AnnData: graph in obsp['connectivities'], features in obs: depth, type."
    assert obs.features[:, 1:].tolist() == [[0, 1], [1, 0], [0, 1]]  # B, T
    held.obs["type"] = pandas.Categorical(["T", None, "B"])
    assert sc.from_anndata(held, labels="type").labels.tolist() == ["T", "", "B"]  # no label, not the class "nan"
    held.layers["X_pca"] = held.layers["counts"]
    with pytest.raises(sc.InputError, match=r"has 'X_pca' in obsm and in layers. Say which one is meant: 'obsm:X_pca' or"):
        sc.from_anndata(held, features="X_pca")
    assert sc.from_anndata(held, features="obsm:X_pca").features.tolist() == [[0, 1], [2, 3], [4, 5]]
