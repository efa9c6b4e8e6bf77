"""networkx's own edge lists keep their weights, and what stands in them is never run."""

import networkx
import numpy as np
import pytest

import sparsecut as sc


@pytest.mark.parametrize("delimiter", [" ", ",", "\t", ";"])
@pytest.mark.parametrize("data", [True, ["weight"]])
def test_weights_of_networkx(tmp_path, delimiter, data):
    G = networkx.karate_club_graph()
    networkx.write_edgelist(G, tmp_path / "x.edgelist", delimiter=delimiter, data=data)
    graph = sc.read_graph(tmp_path / "x.edgelist")
    assert graph.is_weighted
    assert (graph.adjacency.toarray() == networkx.to_numpy_array(G, nodelist=graph.node_ids.tolist())).all()


def test_all_that_an_edge_may_carry(tmp_path):
    G = networkx.Graph()
    G.add_edge("a", "b", cost=2.5, kind="it's, well, {this}")
    G.add_edge("b", "c", weight=1e-3, cost=4)
    G.add_edge("c", "d")
    G.add_edge("d", "e", weight=10**30, tags=["x", {"weight": 9}])
    path = tmp_path / "x.edgelist"
    networkx.write_edgelist(G, path)
    nodes = ["a", "b", "c", "d", "e"]
    for weight, unused in (("weight", "cost, kind, tags"), ("cost", "kind, tags, weight")):
        graph = sc.read_graph(path, weight=weight)
        assert graph.node_ids.tolist() == nodes
        expected = networkx.to_numpy_array(G, nodelist=nodes, weight=weight, dtype=np.float32)
        assert graph.adjacency.toarray().tolist() == expected.tolist()
        assert graph.notes[0].endswith(f"weight in column 'f2' under {weight!r}.")
        assert graph.notes[1] == f"Edge attributes not used: {unused}."
    assert (sc.read_graph(path).adjacency != sc.read_graph(path, weight="weight").adjacency).nnz == 0


def test_no_weight_at_all(tmp_path):
    path = tmp_path / "x.edgelist"
    path.write_text("a b {}\nb c {'cost': 3}\n")
    graph = sc.read_graph(path)
    assert not graph.is_weighted
    assert graph.notes[0].endswith("no weights.")
    assert graph.notes[1] == "Edge attributes not used: cost."


@pytest.mark.parametrize(
    ("cell", "weight", "expected"),
    [
        ("{'weight': __import__('os')}", None,
         "must end its lines with attributes like {'weight': 4}. Got \"{'weight': __import__('os')}\"."),
        ("{'weight': 1 + 1}", None, "must end its lines with attributes like {'weight': 4}. Got \"{'weight': 1 + 1}\"."),
        ("{3, 4}", None, "must end its lines with attributes like {'weight': 4}. Got '{3, 4}'."),
        ("{'weight': 'much'}", None, "must hold numbers under 'weight', the weights of its edges. Got 'much'."),
        ("{'weight': -2}", None, "must hold finite weights of zero or more in column 'weight'. Got -2.0 in row 1."
         " Weights below zero ask for distance, where a graph is read with signed=True (--signed)."),
        ("{'cost': 2}", "price", "has no 'price' at any of its edges. It has: 'cost'."),
        ("{" * 9999 + "}", None, "must end its lines with attributes like {'weight': 4}. Got '" + "{" * 60 + "'."),
    ],
)  # fmt: skip
def test_what_is_no_attribute_is_one_sentence(tmp_path, cell, weight, expected):
    path = tmp_path / "x.edgelist"
    path.write_text(f"a b {cell}\nb c {{}}\n")
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(path, weight=weight)
    assert str(caught.value) == f"The edge file {path} {expected}"
