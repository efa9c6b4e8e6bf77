"""The adjacency of an edge list against a dense one built edge by edge."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.io.edges.adjacency import build_adjacency, offset_type, undirected_adjacency


def dense_reference(edges, weights, n_nodes, directed):
    A = np.zeros((n_nodes, n_nodes))
    for (i, j), weight in zip(edges, weights if weights is not None else [1] * len(edges), strict=True):
        if i != j:
            A[i, j] = A[i, j] + weight if weights is not None else 1
    return {"symmetrize": np.maximum(A, A.T), "out": A, "in": A.T}[directed]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40),
    st.booleans(),
    st.sampled_from(["symmetrize", "out", "in"]),
)
def test_matches_the_dense_reference(edges, is_weighted, directed):
    weights = np.array([k % 4 for k in range(len(edges))], dtype=np.float32) if is_weighted else None
    i, j = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    A, n_loops = build_adjacency(i, j, weights, 7, directed)
    assert (A.toarray() == dense_reference(edges, weights, 7, directed)).all()
    assert n_loops == len({a for a, b in edges if a == b})
    fresh = sp.csr_array((A.data, A.indices, A.indptr), shape=A.shape)
    assert fresh.has_canonical_format
    assert A.dtype == np.float32
    assert (A.data != 0).all()


def test_undirected_adjacency_leaves_self_loops_to_the_graph():
    A = undirected_adjacency([0, 0, 1], [0, 1, 2], None, 3)
    assert A.toarray().tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert sc.Graph(A).notes == ("1 self-loops were dropped: filters count each node in its own neighbourhood once.",)


def test_repeats_beyond_a_byte_stay_one_edge():
    A, _ = build_adjacency(np.zeros(1000, dtype=np.int32), np.ones(1000, dtype=np.int32), None, 2)
    assert A.toarray().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("n_nodes", "n_entries", "expected"),
    [(10, 2**31 - 1, np.int32), (10, 2**31, np.int64), (2**31, 10, np.int64), (2**31 - 1, 0, np.int32)],
)
def test_offsets_have_64_bits_beyond_two_to_the_31_entries(n_nodes, n_entries, expected):
    assert offset_type(n_nodes, n_entries) is expected


def test_an_undirected_edge_counts_twice_for_the_offsets():
    """1.1 · 10⁹ edges fit 32 bits one way and not both ways: tested with a limit a hundred million times smaller."""
    i, j = np.arange(11), np.arange(1, 12)
    assert build_adjacency(i, j, None, 12, max_32_bit=21)[0].indptr.dtype == np.int64
    assert build_adjacency(i, j, None, 12, "out", max_32_bit=21)[0].indptr.dtype == np.int32


def test_a_graph_forced_into_64_bits_embeds_as_in_32(tmp_path):
    generator = np.random.default_rng(0)
    edges = generator.integers(0, 40, (200, 2))
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n" + "\n".join(f"{a},{b}" for a, b in edges))
    np.save(tmp_path / "features.npy", generator.normal(size=(40, 6)).astype(np.float32))
    short = sc.read_graph(path, features=tmp_path / "features.npy")
    long = short.replace(adjacency=build_adjacency(*short.adjacency.nonzero(), None, 40, max_32_bit=10)[0])
    assert short.adjacency.indices.dtype == short.adjacency.indptr.dtype == np.int32
    assert long.adjacency.indices.dtype == long.adjacency.indptr.dtype == np.int64
    assert (short.adjacency != long.adjacency).nnz == 0
    embeddings = [
        sc.SCE(dimension=4, random_state=0, engine=sc.Memory(device="cpu")).fit_transform(graph) for graph in (short, long)
    ]
    assert (embeddings[0] == embeddings[1]).all()
