"""METIS files: real ones against networkx, written ones against the graph they were written from, broken ones."""

import gzip
import shutil

import networkx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparsecut as sc
from conftest import data_file

FIRST = "must be a METIS file and begin with the numbers of nodes and edges, and what its lines hold: n m [fmt [ncon]]."
ONE_WAY = "has an edge in one direction only:"
NAMES = ("4elt", "PGPgiantcompo", "airfoil1", "fe_4elt2", "hep-th", "polblogs", "power")


@pytest.mark.parametrize("name", NAMES)
def test_real_files_against_their_headers_and_networkx(name):
    path = data_file(f"partition/{name}.graph")
    graph = sc.read_graph(path)
    header, *lines = path.read_text().splitlines()
    n_nodes, n_edges = map(int, header.split()[:2])
    assert (graph.n_nodes, graph.n_edges) == (n_nodes, n_edges)
    oracle = networkx.Graph()
    oracle.add_nodes_from(range(1, n_nodes + 1))
    oracle.add_edges_from((node, int(word)) for node, line in enumerate(lines, 1) for word in line.split())
    A = networkx.to_scipy_sparse_array(oracle, nodelist=range(1, n_nodes + 1))
    assert (graph.adjacency != A).nnz == 0
    assert graph.node_ids.tolist() == list(range(1, n_nodes + 1))


@st.composite
def written(draw):
    """(text of a file, the adjacency it was written from): every format, comments and spaces anywhere."""
    n = draw(st.integers(1, 8))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=12))
    edges = {(min(a, b), max(a, b)): draw(st.integers(1, 9)) for a, b in pairs if a != b}
    sizes, weights, edge_weights = (draw(st.booleans()) for _ in range(3))
    n_weights = draw(st.integers(1, 3)) if weights else 0
    A = np.zeros((n, n))
    for (a, b), weight in edges.items():
        A[a, b] = A[b, a] = weight if edge_weights else 1
    form = f"{sizes:d}{weights:d}{edge_weights:d}".lstrip("0") or "0"
    tail = f" {n_weights}" if n_weights > 1 else ""
    lines = [f"{n} {len(edges)} {form}{tail}" if form != "0" or draw(st.booleans()) else f"{n} {len(edges)}"]
    for node in range(n):
        words = ["7"] * sizes + ["5"] * n_weights
        for neighbour in draw(st.permutations(np.flatnonzero(A[node]).tolist())):
            words += [str(neighbour + 1)] + [f"{A[node, neighbour]:.0f}"] * edge_weights
        lines.append(draw(st.sampled_from(["", " ", "\t"])) + draw(st.sampled_from([" ", "  "])).join(words))
    for at in draw(st.lists(st.integers(0, len(lines)), max_size=3)):
        lines.insert(at, "% 1 2 3")
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return newline.join(lines) + newline, A


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written(), st.sampled_from([".graph", ".metis", ".graph.gz"]))
def test_what_is_written_is_read(tmp_path, file, suffix):
    text, A = file
    path = tmp_path / f"x{suffix}"
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    graph = sc.read_graph(path)
    assert graph.adjacency.toarray().tolist() == A.tolist()
    assert graph.adjacency.has_sorted_indices
    assert graph.adjacency.dtype == np.float32


def test_a_note_says_what_is_not_used(tmp_path):
    path = tmp_path / "x.graph"
    path.write_text("2 1 111 2\n3 1 1 2 4\n3 1 1 1 4\n")
    assert sc.read_graph(path).notes == (
        f"Graph: {path}, METIS, weights of edges, nodes counted from 1. The sizes and weights of its nodes are not used.",
    )
    path.write_text("2 1\n2\n1\n")
    assert sc.read_graph(path).notes == (f"Graph: {path}, METIS, no weights, nodes counted from 1.",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("% no more\n", f"{FIRST} Got '' in line 2."),
        ("source,target\na,b\n", f"{FIRST} Got 'source,target' in line 1."),
        ("2 1 2\n2\n1\n", "must say what its lines hold by up to three digits, each 0 or 1. Got '2' in line 1."),
        ("%\n2 1 1 2\n2 1\n1 1\n", "contradicts itself in line 2: by its format '1' each node has no weights, and by "
                                   "the next number 2."),
        ("0 0\n", "has no nodes. A graph needs at least one node."),
        ("3 1\n2\n1", "must have one line for each of its 3 nodes. There are 2."),
        ("3 1\n2\n", "must have one line for each of its 3 nodes. There are 1."),
        ("2 1\n% a\n2\n1\n\n% b\n1\n", "must have one line for each of its 2 nodes. Line 5 is one too many."),
        ("% a\n3 2\n2\n% b\n1 4\n2\n", "must name neighbours from 1 to 3. Got 4 in line 5."),
        ("2 1\n2 0\n1\n", "must name neighbours from 1 to 2. Got 0 in line 2."),
        ("2 1\n2\n2\n", "must not join a node to itself. Got 2 in line 3."),
        ("2 1\n2 2\n1\n", "names the neighbour 2 twice in line 2."),
        ("3 2\n2\n3\n2\n", f"{ONE_WAY} line 2 names the neighbour 2, and line 3, the one of that node, does not name 1."),
        ("3 2\n3\n1 3\n1 2\n",
         f"{ONE_WAY} line 3 names the neighbour 1, and line 2, the one of that node, does not name 2."),
        ("2 7\n2\n1\n", "says that it has 7 edges, and has 1."),
        ("2 1 1\n2 4\n1 5\n", "gives an edge two weights: 4 in line 2 and 5 in line 3."),
        ("2 1 1\n2 4\n1\n", "must give each neighbour a weight, two numbers each. Line 3 has 1 numbers."),
        ("2 1 1\n2 0\n1 0\n", "must have edge weights above 0. Got 0 in line 2."),
        ("2 1 110\n1 1 2\n1\n", "must begin each line with 2 numbers, the sizes and weights of its node. Line 3 has 1."),
        ("2 1\n2\n% a\n1.5\n", "must hold integers of zero or more. Got '1.5' in line 4."),
        ("2 1\n-2\n1\n", "must hold integers of zero or more. Got '-2' in line 2."),
        ("2 1\n2\n1 % no comment\n", "must hold integers of zero or more. Got '%' in line 3."),
        ("2 1\n2\n99999999999999999999\n", "has a number that is too large in line 3."),
        ("99999999999 1\n2\n1\n", "claims 99,999,999,999 rows and 99,999,999,999 columns for 1 entries. "
                                  "It is damaged or not what it claims to be."),
    ],
)  # fmt: skip
def test_broken_files_name_the_line(text, expected, tmp_path):
    path = tmp_path / "x.graph"
    path.write_text(text)
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(path)
    assert str(caught.value) == f"The graph file {path} {expected}"


def test_planetoids_files_of_that_suffix_are_still_planetoids(tmp_path):
    for part in ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"):
        shutil.copy(data_file(f"Planetoid/Cora/raw/ind.cora.{part}"), tmp_path)
    shutil.copy(data_file("partition/power.graph"), tmp_path)
    assert sc.read_graph(tmp_path / "ind.cora.graph").n_features == 1433
    assert sc.read_graph(tmp_path / "power.graph").n_nodes == 4941


def test_tables_beside_it_are_matched_by_its_numbers(tmp_path):
    (tmp_path / "x.graph").write_text("3 2\n2\n1 3\n2\n")
    (tmp_path / "l.csv").write_text("id,label\n3,c\n1,a\n2,b\n")
    np.save(tmp_path / "f.npy", np.array([[1.0], [2.0], [3.0]]))
    graph = sc.read_graph(tmp_path / "x.graph", labels=tmp_path / "l.csv", features=tmp_path / "f.npy")
    assert graph.labels.tolist() == ["a", "b", "c"]
    assert graph.features.tolist() == [[1], [2], [3]]
    with pytest.raises(sc.InputError, match="has no use for weight='w'"):
        sc.read_graph(tmp_path / "x.graph", weight="w")
    assert sp.issparse(sc.read_graph(tmp_path / "x.graph", directed="out").adjacency)
