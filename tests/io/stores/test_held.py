"""Attributes inside a graph file, by name: what the objects give, the file gives."""

import json
import warnings

import networkx
import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # anndata's own, on import
    import anndata
    import pandas

FORMS = ["graphml", "gml", "json"]


def club():
    G = networkx.karate_club_graph()
    for node in G:
        G.nodes[node]["age"] = node % 5
        G.nodes[node]["size"] = node / 2
        G.nodes[node]["res_0.5"] = f"c{node % 3}"
    return networkx.relabel_nodes(G, {node: f"n{node}" for node in G})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    G = club()
    networkx.write_graphml(G, tmp_path / "x.graphml")
    (tmp_path / "x.json").write_text(json.dumps(networkx.node_link_data(G, edges="links")))
    for _, attributes in G.nodes(data=True):
        del attributes["res_0.5"]  # GML has no such names
    networkx.write_gml(G, tmp_path / "x.gml")
    cells = anndata.AnnData(
        X=np.eye(3, 4, dtype=np.float32),
        obs=pandas.DataFrame({"type": ["T", "B", "T"], "depth": [1, 5, 9]}, index=["c1", "c2", "c3"]),
        obsm={"X_pca": np.arange(6.0).reshape(3, 2)},
        layers={"counts": sp.csr_matrix(np.eye(3, 4, dtype=np.float32) * 7)},
        obsp={"connectivities": sp.csr_matrix(np.ones((3, 3)) - np.eye(3))},
    )
    cells.write_h5ad(tmp_path / "x.h5ad")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("features", [["age", "size"], "age,size", ("age", "size"), "size", ["size"]])
def test_a_document_gives_what_its_object_gives(form, features, scale, folder):
    graph = sc.read_graph(f"x.{form}", features=features, labels="club", scale=scale)
    named = features.split(",") if isinstance(features, str) else list(features)
    expected = sc.from_networkx(club(), features=named, labels="club", scale=scale)
    assert graph.feature_names == tuple(named)
    assert graph.node_ids.tolist() == expected.node_ids.tolist()
    assert np.array_equal(graph.features, expected.features)
    assert graph.labels.tolist() == expected.labels.tolist()
    assert (graph.adjacency != expected.adjacency).nnz == 0
    assert f"x.{form}" in graph.notes[0]
    unused = {"age", "size", "res_0.5"} - set(named) - ({"res_0.5"} if form == "gml" else set())
    said = f" Node attributes not used: {', '.join(sorted(unused))}." if unused else "'weight'."
    assert graph.notes[0].endswith(said)


def test_a_name_with_a_dot_is_an_attribute_where_the_file_has_it(folder):
    assert sc.read_graph("x.graphml", labels="res_0.5").labels.tolist()[:4] == ["c0", "c1", "c2", "c0"]


@pytest.mark.parametrize(
    ("form", "arguments", "expected"),
    [
        ("graphml", {"labels": "team"}, "'team' is neither a file nor in the graph file x.graphml. The file has node "
                                        "attributes: 'age', 'club', 'res_0.5', 'size'."),
        ("json", {"features": ["age", "team"]}, "'team' is neither a file nor in the graph file x.json. The file has node "
                                                "attributes: 'age', 'club', 'res_0.5', 'size'."),
        ("gml", {"features": "team.csv"}, "'team.csv' is neither a file nor in the graph file x.gml. The file has node "
                                          "attributes: 'age', 'club', 'size'."),
        ("h5ad", {"features": "umap"}, "'umap' is neither a file nor in the graph file x.h5ad. The file has obsm: 'X_pca'; "
                                       "layers: 'counts'; obs: 'type', 'depth'."),
        ("h5ad", {"labels": "cell"}, "'cell' is neither a file nor in the graph file x.h5ad. The file has obsm: 'X_pca'; "
                                     "layers: 'counts'; obs: 'type', 'depth'."),
    ],
)  # fmt: skip
def test_a_name_that_is_nowhere_lists_what_the_file_has(form, arguments, expected, folder):
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(f"x.{form}", **arguments)
    assert str(caught.value) == expected


def test_an_attribute_wins_over_a_file_of_its_name_and_says_so(folder):
    rows = "".join(f"n{node},z{node % 2}\n" for node in range(34))
    (folder / "club").write_text("id,label\n" + rows)
    (folder / "club.csv").write_text("id,label\n" + rows)
    said = "'club' was taken from the graph file; the file of this name was not read. './club' names the file."
    with pytest.warns(UserWarning, match="'club' was taken from the graph file"):
        graph = sc.read_graph("x.graphml", labels="club")
    assert set(graph.labels.tolist()) == {"Mr. Hi", "Officer"}
    assert said in graph.notes
    assert sc.read_graph("x.graphml", labels="club.csv").labels.tolist()[:2] == ["z0", "z1"]
    assert sc.read_graph("x.graphml", labels=folder / "club.csv").labels.tolist()[:2] == ["z0", "z1"]


def test_other_files_and_node_tables_still_serve(folder):
    (folder / "x_nodes.csv").write_text(
        "id,team,age\n" + "".join(f"n{node},t{node % 2},{100 + node}\n" for node in range(34))
    )
    beside = sc.read_graph(
        "x.graphml", labels="team", features="age", scale=False
    )  # one of the table, the other the file's own
    assert beside.labels.tolist()[:2] == ["t0", "t1"]
    assert beside.features[:3].tolist() == [[0], [1], [2]]
    table = sc.read_graph("x.graphml", nodes="x_nodes.csv", labels="team", features=["age"], scale=False)
    assert table.features[:2].tolist() == [[100], [101]]
    np.save(folder / "f.npy", np.eye(34, dtype=np.float32))
    assert (sc.read_graph("x.graphml", features="f.npy", labels="club").features == np.eye(34)).all()


@pytest.mark.slow
def test_everything_in_an_h5ad(folder):
    graph = sc.read_graph("x.h5ad", features="X_pca", labels="type")
    assert graph.features.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert graph.labels.tolist() == ["T", "B", "T"]
    assert (sc.read_graph("x.h5ad", features="counts").features.toarray() == np.eye(3, 4) * 7).all()
    assert (sc.read_graph("x.h5ad").features == np.eye(3, 4)).all()
    assert (sc.read_graph("x.h5ad", features="X").features == np.eye(3, 4)).all()
    assert sc.read_graph("x.h5ad", features=["depth"], scale=False).features.tolist() == [[1], [5], [9]]
    assert sc.read_graph("x.h5ad", features="layers:counts").features[1, 1] == 7
    np.save(folder / "f.npy", np.ones((3, 2)))
    other = sc.read_graph("x.h5ad", features="f.npy")
    assert other.features.tolist() == [[1, 1]] * 3
    assert other.notes[0] == "AnnData: graph in obsp['connectivities'], no features."


@pytest.mark.parametrize(
    ("nodes", "links", "expected"),
    [
        ([{"id": "a"}, {"id": 0}], [], "mixes words and integers as node ids: 'a' and 0."),
        ([{"id": "7"}, {"id": "8"}], [{"source": 7, "target": 8}],
         "has an edge that names the node 7, which is not among its nodes. A link names a node as the node's id does: 7 is "
         "not '7'."),
        ([{"id": True}], [], "must have integers or words as node ids. Got values of type bool, as in True."),
    ],
)  # fmt: skip
def test_ids_in_json_stay_what_they_are(nodes, links, expected, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"nodes": nodes, "links": links}))
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(path)
    assert str(caught.value).startswith(f"The graph file {path} {expected}")


def test_an_object_is_not_a_file():
    with pytest.raises(sc.InputError, match=r"read_graph reads files. Got a networkx graph .* sc.from_networkx"):
        sc.read_graph(club())
    with pytest.raises(sc.InputError, match=r"read_graph reads files. Got int, which is no path"):
        sc.read_graph(7)
