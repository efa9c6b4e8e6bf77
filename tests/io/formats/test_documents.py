"""GraphML, GML and node-link JSON, written by networkx and read back."""

import gzip
import json

import networkx
import numpy as np
import pytest

import sparsecut as sc

DENSE = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]], dtype=np.float32)


def adjacency_by_id(graph):
    """{(id, id): weight}, whatever the order of the nodes."""
    entries = graph.adjacency.tocoo()
    ids = [str(node) for node in graph.node_ids]
    return {(ids[i], ids[j]): float(w) for i, j, w in zip(*entries.coords, entries.data, strict=True)}


EXPECTED = {(str(i), str(j)): float(DENSE[i, j]) for i, j in zip(*np.nonzero(DENSE), strict=True)}


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
