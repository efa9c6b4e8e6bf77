"""Edges from lists, arrays, dicts, relations: the same graph as from a frame, and a sentence for what is none."""

import duckdb
import networkx
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc

PAIRS = [(8, 5), (5, 3), (9, 5)]
WORDS = [("q", "p"), ("p", "r"), ("s", "p")]


@pytest.mark.parametrize(
    "make",
    [
        lambda pairs: pairs,
        lambda pairs: [list(pair) for pair in pairs],
        lambda pairs: iter(pairs),
        lambda pairs: (pair for pair in pairs),
        lambda pairs: np.array(pairs),
        lambda pairs: np.array(pairs, dtype=object),
        lambda pairs: {"source": [a for a, _ in pairs], "target": [b for _, b in pairs]},
        lambda pairs: np.array(pairs, dtype=[(name, "i8" if pairs is PAIRS else "U1") for name in "uv"]),
        lambda pairs: polars.LazyFrame(pairs, schema=["u", "v"], orient="row"),
        lambda pairs: duckdb.sql(f"SELECT * FROM (VALUES {', '.join(map(str, pairs))}) AS edges(u, v)"),
        lambda pairs: pa.table({"u": [a for a, _ in pairs], "v": [b for _, b in pairs]}).to_batches()[0],
        lambda pairs: networkx.Graph(pairs).edges,
    ],
)
@pytest.mark.parametrize("pairs", [PAIRS, WORDS])
def test_every_holder_of_edges_gives_the_same_graph(make, pairs):
    graph = sc.from_edges(make(pairs))
    assert {type(node) for node in graph.node_ids.tolist()} == {type(pairs[0][0])}
    edges = {frozenset(graph.node_ids[[i, j]].tolist()) for i, j in zip(*graph.adjacency.nonzero(), strict=True)}
    assert edges == {frozenset(pair) for pair in pairs}
    assert not graph.is_weighted


@pytest.mark.parametrize(
    "edges",
    [
        [("a", "b", 2), ("b", "c", 0.5)],
        np.array([("a", "b", 2), ("b", "c", 0.5)], dtype=object),
        np.array([("a", "b", 2), ("b", "c", 0.5)]),  # numpy made words of the weights
        {"from": ["a", "b"], "to": ["b", "c"], "weight": [2, 0.5]},
    ],
)
def test_weights_stay_beside_words(edges):
    graph = sc.from_edges(edges)
    assert graph.node_ids.tolist() == ["a", "b", "c"]
    assert graph.adjacency.toarray().tolist() == [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 0]]


def test_integers_beside_weights_stay_integers_and_a_star_is_a_star():
    graph = sc.from_edges(np.array([[10, 30, 0.5], [10, 20, 2.0], [10, 40, 1.0]]))
    assert graph.node_ids.tolist() == [10, 20, 30, 40]
    assert graph.adjacency.toarray()[0].tolist() == [0, 2, 0.5, 1]
    assert sc.from_edges(torch.tensor([[0, 1], [1, 2]])).node_ids.tolist() == [0, 1, 2]
    big = 2**62 + 1  # not a float
    assert sc.from_edges([(big, 5)]).node_ids.tolist() == [5, big]


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([("a", 0)], "The table of edges mixes words and integers as node ids: 'a' and 0. Make them one kind first."),
        ([("a", "b"), ("0", 0)], "The table of edges mixes words and integers as node ids: 'a' and 0."),
        ([(0, 1), (1, None)], "The table of edges has None as a node id, in row 2. An id is an integer or a word."),
        ([(0, 1), (1, float("nan"))], "The table of edges has nan as a node id, in row 2."),
        (np.array([[0, 1], [1, np.nan]]), "The table of edges has no number for a node id in row 2."),
        ([(0, 1.5)], "The table of edges mixes integers and fractions as node ids: 0 and 1.5."),
        (np.array([[0, 1.5], [1, 2]]), "must have integers or words as node ids. Got fractions in column 'target'."),
        ([(True, False)], "integers or words as node ids. Got values of type bool, as in True. Pass them as words"),
        ([(0, 1), (1,)], "must be pairs (a, b), or all of them (a, b, weight). Got (1,) in row 2."),
        (["ab", "bc"], "must be pairs (a, b), or all of them (a, b, weight). Got 'ab' in row 1."),
        ([(0, 1, 2), (1, 2)], "Got (1, 2) in row 2."),
        ([(0, 1, "x")], "must have a number as the weight of an edge. Got 'x' in row 1."),
        ([(0, 1, None)], "must have a number as the weight of an edge. Got None in row 1."),
        ([(0, 1, {"weight": 2})], "must have a number as the weight of an edge. Got {'weight': 2} in row 1."),
        ([(0, 2**70)], "Got integers beyond 64 bits, as in 1180591620717411303424. Pass them as words: "),
        ([], "The table of edges has no rows."),
        (np.empty((0, 2)), "The table of edges has no rows."),
        (np.ones((2, 9), dtype=int), "Got an array of shape (2, 9). An edge index of two rows becomes a graph with "
                                     "sc.from_edges(edges.T)."),
        (np.ones(4), "Got an array of shape (4,)."),
        (sp.eye_array(3), "Got a sparse matrix of shape (3, 3). An adjacency is a graph: sc.Graph(adjacency)."),
        (networkx.path_graph(3), "Got a networkx graph (Graph). Convert it first: sc.from_networkx(graph);"),
        ("edges.csv", "Got 'edges.csv', which names a file or a dataset. Read it first: sc.read_graph('edges.csv'),"),
        (7, "or a list of pairs. Got int."),
        ({"u": ["a", 0], "v": ["b", "c"]}, "Column 'u' of the table of edges mixes words and integers as node ids: 'a' and"),
        ({"u": ["a", "b"], "v": ["b"]}, "must have columns of one length."),
        ({"u": ["1", "2"], "v": [1, 2]}, "mixes words in column 'u' and integers in column 'v' as node ids."),
        (pandas.DataFrame({"u": ["a", 0], "v": ["b", "c"]}), "Column 'u' of the table of edges mixes words and integers"),
        (pandas.DataFrame({"u": ["1", "2"], "v": [1, 2]}), "mixes words in column 'u' and integers in column 'v'"),
        (pandas.DataFrame({"u": [0.5, 2], "v": [1, 2]}), "Got fractions in column 'u'."),
        (pandas.DataFrame({"u": [True, False], "v": [1, 2]}), "Got truth values in column 'u'."),
    ],
)  # fmt: skip
def test_what_is_no_edge_gets_a_sentence(edges, expected):
    with pytest.raises(sc.InputError) as caught:
        sc.from_edges(edges)
    assert expected in str(caught.value)


def test_node_ids_of_two_kinds_are_refused():
    with pytest.raises(sc.InputError, match="The list of node_ids mixes words and integers as node ids: 'a' and 0"):
        sc.from_edges([("a", "b")], node_ids=["a", 0, "b"])
    with pytest.raises(sc.InputError, match="The list of node_ids has None as a node id, in row 2"):
        sc.from_edges([("a", "b")], node_ids=["a", None, "b"])


@pytest.mark.parametrize("is_word", [False, True])
@pytest.mark.parametrize("is_index", [False, True])
def test_an_id_column_that_is_found_gives_the_graph_of_one_that_is_named(is_word, is_index):
    """Some nodes have no edge: their rows are looked up once where the column is found, and again where it is named."""
    generator = np.random.default_rng(0)
    names = np.array([f"n{number:03d}" for number in range(90)]) if is_word else np.arange(5, 95)
    ends = generator.integers(0, 60, (2, 300))
    edges = pandas.DataFrame({"source": names[ends[0]], "target": names[ends[1]]})
    features = pandas.DataFrame({"konto": names, "x": generator.normal(size=90)}).sample(frac=1, random_state=0)
    features = features.set_index("konto") if is_index else features.reset_index(drop=True)
    found, named = sc.from_edges(edges, features=features), sc.from_edges(edges, features=features, id_column="konto")
    assert found.n_nodes == 90
    assert found.node_ids.dtype == named.node_ids.dtype
    assert found.node_ids.tolist() == named.node_ids.tolist()
    assert (found.features == named.features).all()
    assert (found.adjacency != named.adjacency).nnz == 0
