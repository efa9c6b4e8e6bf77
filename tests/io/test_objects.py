"""Conversions from and to networkx, igraph and frames, with the real libraries."""

import igraph
import networkx
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import sparsecut as sc


def karate():
    G = networkx.karate_club_graph()
    for node in G:
        G.nodes[node]["vector"] = [float(node), 1.0, -float(node)]
        G.nodes[node]["age"] = node % 5
    return G


def test_networkx_round_trip():
    G = karate()
    graph = sc.from_networkx(G, features="vector", labels="club")
    assert graph.node_ids.tolist() == list(G)
    assert (graph.adjacency.toarray() == networkx.to_numpy_array(G)).all()
    assert graph.features[3].tolist() == [3, 1, -3]
    back = sc.to_networkx(graph)
    assert set(back) == set(G)
    assert {frozenset(edge): w for *edge, w in back.edges(data="weight")} == {
        frozenset(edge): w for *edge, w in G.edges(data="weight")
    }
    assert all(back.nodes[node]["label"] == G.nodes[node]["club"] for node in G)
    again = sc.from_networkx(back, features="features", labels="label")
    assert (again.adjacency != graph.adjacency).nnz == 0
    assert (again.features == graph.features).all()


def test_networkx_with_words_directions_and_parallel_edges():
    G = networkx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "c"), ("c", "c")])
    graph = sc.from_networkx(G, directed="out")
    assert graph.node_ids.tolist() == ["a", "b", "c"]
    assert graph.adjacency.toarray().tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert sc.to_networkx(graph).is_directed()
    assert set(sc.to_networkx(graph).edges) == {("a", "b"), ("b", "c")}
    heavy = networkx.MultiGraph()
    heavy.add_edge("a", "b", weight=2)
    heavy.add_edge("a", "b", weight=3)
    heavy.add_edge("b", "c")
    assert sc.from_networkx(heavy).adjacency.toarray().tolist() == [[0, 5, 0], [5, 0, 1], [0, 1, 0]]
    assert not sc.from_networkx(heavy, weight=None).is_weighted


def test_networkx_attributes_become_features():
    graph = sc.from_networkx(karate(), features=["age", "club"])
    assert graph.features.shape == (34, 3)  # age, and one column a club
    assert graph.encoder.notes == ("Features: 1 column of numbers standardised; 'club' became 2 features.",)
    assert graph.features[:, 0].mean() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"features": "nothing"}, "The networkx graph has no node attribute 'nothing'. It has: 'age', 'club', 'vector'."),
        ({"labels": "nothing"}, "The networkx graph has no node attribute 'nothing'. It has: 'age', 'club', 'vector'."),
        ({"weight": "word"}, "The networkx graph must have numbers as edge weights. Got others."),
        ({"directed": "both"}, "The directed parameter of from_networkx must be one of 'symmetrize', 'out', 'in'. "
                               "Got 'both' instead."),
    ],
)  # fmt: skip
def test_networkx_errors(arguments, expected):
    G = karate()
    networkx.set_edge_attributes(G, "x", "word")
    with pytest.raises(sc.InputError) as caught:
        sc.from_networkx(G, **arguments)
    assert str(caught.value) == expected


def test_igraph():
    g = igraph.Graph(directed=True)
    g.add_vertices(["x", "y", "z"])
    g.add_edges([("x", "y"), ("y", "z"), ("z", "z")])
    g.es["weight"] = [2.0, 0.5, 9.0]
    g.vs["kind"] = ["p", "q", "p"]
    graph = sc.from_igraph(g, directed="in", labels="kind", features=["kind"])
    assert graph.node_ids.tolist() == ["x", "y", "z"]
    assert graph.adjacency.toarray().tolist() == [[0, 0, 0], [2, 0, 0], [0, 0.5, 0]]
    assert graph.labels.tolist() == ["p", "q", "p"]
    assert graph.features.tolist() == [[1, 0], [0, 1], [1, 0]]
    famous = igraph.Graph.Famous("Zachary")
    same = sc.from_igraph(famous, features=np.eye(34))
    assert (same.adjacency.toarray() == np.array(famous.get_adjacency().data)).all()
    assert same.node_ids.tolist() == list(range(34))


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pa.table])
def test_frames_of_edges(make):
    frame = make({"from": ["a", "b", "a"], "to": ["b", "c", "b"], "weight": [1.0, 2.0, 0.5]})
    graph = sc.from_edges(frame)
    assert graph.node_ids.tolist() == ["a", "b", "c"]
    assert graph.adjacency.toarray().tolist() == [[0, 1.5, 0], [1.5, 0, 2], [0, 2, 0]]
    ordered = sc.from_edges(frame, node_ids=["c", "b", "a", "z"], features=np.eye(4), labels=[1, 2, 3, 4])
    assert ordered.adjacency.toarray()[1].tolist() == [2, 0, 1.5, 0]
    assert ordered.labels.tolist() == [1, 2, 3, 4]
    with pytest.raises(sc.InputError, match="names nodes that node_ids does not: 'a'"):
        sc.from_edges(frame, node_ids=["c", "b"])


def test_frames_with_integers_gaps_and_categories():
    graph = sc.from_edges(pandas.DataFrame({"u": [3.0, 5.0], "v": [5.0, 8.0]}))  # floats that are integers
    assert graph.node_ids.tolist() == [3, 5, 8]
    words = pandas.DataFrame({"u": ["q", "p"], "v": ["p", "r"]}, dtype="category")
    assert sc.from_edges(words).node_ids.tolist() == ["q", "p", "r"]
    with pytest.raises(sc.InputError, match="The table of edges has an empty node id in row 2 of column 'v'"):
        sc.from_edges(pandas.DataFrame({"u": [1, 2], "v": [5, None]}))
    with pytest.raises(sc.InputError, match="The table of edges has no rows"):
        sc.from_edges(pandas.DataFrame({"u": [], "v": []}))


def test_nodes_of_two_kinds_are_refused_and_none_gets_a_sentence():
    with pytest.raises(sc.InputError) as caught:
        sc.from_networkx(networkx.Graph([("a", 0)]))
    assert str(caught.value) == (
        "The networkx graph mixes words and integers as node ids: 'a' and 0. Make them one kind first. "
        "networkx.relabel_nodes(G, str) makes words of all."
    )
    with pytest.raises(sc.InputError, match=r"must have integers or words as node ids. Got values of type bool"):
        sc.from_networkx(networkx.Graph([(True, False)]))
    g = igraph.Graph([(0, 1), (1, 2)])
    g.vs["name"] = ["x", None, "z"]
    with pytest.raises(sc.InputError, match="The igraph graph, in its attribute 'name', has None as a node id, in row 2"):
        sc.from_igraph(g)
    g.vs["name"] = ["x", 7, "z"]
    with pytest.raises(sc.InputError, match="mixes words and integers as node ids: 'x' and 7"):
        sc.from_igraph(g)


def test_tuples_as_in_grids_become_their_text_with_a_note():
    graph = sc.from_networkx(networkx.grid_2d_graph(2, 2))
    assert graph.node_ids.tolist() == ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]
    assert graph.notes == ("Node ids: tuples became their text, as in '(0, 0)'.",)


def test_labels_that_are_numbers_stay_numbers_where_some_are_missing():
    G = networkx.path_graph(3)
    G.nodes[0]["grade"], G.nodes[2]["grade"] = 1.5, 2
    assert np.array_equal(sc.from_networkx(G, labels="grade").labels, [1.5, np.nan, 2], equal_nan=True)


@pytest.mark.parametrize("directed", ["symmetrize", "out", "in"])
def test_signs_of_networkx_and_igraph_are_those_of_the_edges(directed):
    ratings = [("a", "b", 2.0), ("b", "c", -1.0), ("c", "a", -3.0), ("a", "c", 1.0)]
    wanted = sc.from_edges(ratings, signed=True, directed=directed)
    one = networkx.DiGraph()
    one.add_nodes_from("abc")
    one.add_weighted_edges_from(ratings)
    other = igraph.Graph(3, [("abc".index(i), "abc".index(j)) for i, j, _ in ratings], directed=True)
    other.vs["name"], other.es["weight"] = list("abc"), [weight for *_, weight in ratings]
    for graph in (
        sc.from_networkx(one, signed=True, directed=directed),
        sc.from_igraph(other, signed=True, directed=directed),
    ):
        assert graph.node_ids.tolist() == wanted.node_ids.tolist()
        for name in ("adjacency", "demands"):
            assert np.array_equal(getattr(graph, name).toarray(), getattr(wanted, name).toarray())
        assert any("ask for distance" in note for note in graph.notes)
    with pytest.raises(sc.InputError, match="signed=True"):
        sc.from_networkx(one)


@pytest.mark.parametrize("directed", ["out", "symmetrize"])
def test_demands_go_to_networkx_and_come_back(directed: str) -> None:
    ratings = pandas.DataFrame({"source": [0, 0, 1, 3, 2], "target": [1, 2, 2, 0, 3], "weight": [2.0, -3.0, 1.0, -1.0, 4.0]})
    graph = sc.from_edges(ratings, signed=True, directed=directed)
    made = sc.to_networkx(graph)
    assert made.edges[0, 2]["weight"] == -3
    again = sc.from_networkx(made, signed=True, directed=directed)
    place = [again.node_ids.tolist().index(one) for one in graph.node_ids.tolist()]
    for one, other in ((graph.adjacency, again.adjacency), (graph.demands, again.demands)):
        np.testing.assert_array_equal(one.toarray(), other.toarray()[np.ix_(place, place)])


def test_a_pair_that_is_friend_and_enemy_has_no_one_edge() -> None:
    ratings = pandas.DataFrame({"source": [0, 1, 1], "target": [1, 0, 2], "weight": [2.0, -3.0, 1.0]})
    with pytest.raises(sc.InputError, match="one edge per pair"):
        sc.to_networkx(sc.from_edges(ratings, signed=True))
