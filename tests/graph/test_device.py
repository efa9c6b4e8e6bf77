"""Graphs of torch tensors, checked where they lie, against the same graphs of scipy.

On tensors of the CPU here; the CUDA tests are the same on a GPU, and that nothing leaves it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from as_tensors import as_tensors
from conftest import random_graph
from sparsecut.base.errors import DirectedGraphWarning
from sparsecut.engines import Job
from sparsecut.features import FeatureMatrix
from sparsecut.graph.canonical import check_adjacency
from sparsecut.graph.device import check_edges, check_feature_tensor, check_tensor, is_symmetric, transposed
from sparsecut.kernels.entries import Entries, csr_tensor, entries_on

CPU = torch.device("cpu")
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")


def csr(A: sp.csr_array) -> torch.Tensor:
    parts = (torch.from_numpy(np.array(part)) for part in (A.indptr, A.indices, A.data))
    return csr_tensor(*parts, A.shape)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.data())
def test_any_matrix_becomes_what_scipys_becomes(data: st.DataObject) -> None:
    n_nodes = data.draw(st.integers(1, 6))
    values = st.sampled_from([0, 0, 1, 2.5]) if data.draw(st.booleans()) else st.sampled_from([0, 1])
    A = np.array(data.draw(st.lists(values, min_size=n_nodes**2, max_size=n_nodes**2)), dtype=np.float32)
    A = A.reshape(n_nodes, n_nodes)
    A = np.maximum(A, A.T) if data.draw(st.booleans()) else A
    directed = data.draw(st.sampled_from(["symmetrize", "out", "in"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectedGraphWarning)
        expected, expected_notes = check_adjacency(sp.csr_array(A), directed)
        for tensor in (csr(sp.csr_array(A)), torch.from_numpy(A), torch.from_numpy(A).to_sparse_coo()):
            entries, notes = check_tensor(tensor, directed)
            made = entries.to_scipy(n_nodes)
            assert np.array_equal(made.toarray(), expected.toarray())
            assert made.has_canonical_format
            assert notes == expected_notes
            assert (entries.values is None) == bool((expected.data == 1).all())
        matrix = csr(sp.csr_array(A))
        graph = sc.Graph((matrix.crow_indices(), matrix.col_indices(), matrix.values()), directed=directed)
        assert np.array_equal(graph.adjacency.toarray(), expected.toarray())


def test_a_matrix_that_needs_no_change_is_shared() -> None:
    A = random_graph().adjacency
    tensor = csr(A)
    entries, _ = check_tensor(tensor, "symmetrize")
    assert entries.indices.data_ptr() == tensor.col_indices().data_ptr()


@pytest.mark.parametrize("is_weighted", [True, False])
def test_every_single_change_makes_a_matrix_unlike_its_transpose(is_weighted: bool) -> None:
    A = random_graph(30, is_weighted=is_weighted, density=0.3).adjacency
    assert is_symmetric(entries_on(A, CPU))
    for place in range(0, A.nnz, 5):
        B = sp.csr_array((A.data.copy(), A.indices, A.indptr), shape=A.shape)
        B.data[place] *= 2
        entries = entries_on(B, CPU)
        assert not is_symmetric(entries)
        assert np.array_equal(transposed(entries).to_scipy(30).toarray(), B.toarray().T)


@pytest.mark.parametrize("directed", ["symmetrize", "out", "in"])
def test_an_edge_index_is_the_graph_of_its_edges(directed: str) -> None:
    edges = torch.tensor([[0, 1, 1, 3, 0, 2, 2], [1, 0, 2, 0, 1, 2, 1]])
    graph = sc.Graph(edges, features=torch.eye(5), directed=directed)
    pairs = {(0, 1), (1, 0), (1, 2), (3, 0), (2, 1)}
    pairs = {(j, i) for i, j in pairs} if directed == "in" else pairs | {(0, 3)} if directed == "symmetrize" else pairs
    assert set(zip(*(ends.tolist() for ends in graph.adjacency.tocoo().coords), strict=True)) == pairs
    assert graph.n_nodes == 5
    assert graph.notes[0].startswith("1 self-loops")
    assert sc.Graph(edges).n_nodes == 4
    weights = torch.tensor([1.0, 5.0, 2.0, 1.0, 1.0, 9.0, 0.5])
    entries, _ = check_edges(edges, weights, 5, "symmetrize")
    dense = np.zeros((5, 5))
    for i, j, weight in [(0, 1, 5), (1, 2, 2), (0, 3, 1)]:
        dense[i, j] = dense[j, i] = weight
    assert np.array_equal(entries.to_scipy(5).toarray(), dense)


WRONG: dict[str, tuple[Any, str]] = {
    "not square": (lambda: check_tensor(torch.ones(2, 3), "out"), "must be square"),
    "empty": (lambda: check_tensor(torch.ones(0, 0), "out"), "at least one node"),
    "complex": (lambda: check_tensor(torch.ones(2, 2, dtype=torch.complex64), "out"), "real numbers"),
    "negative": (lambda: check_tensor(torch.tensor([[0, 1.0], [-2.0, 0]]), "out"), "Got -2 between .* positions 1 and 0"),
    "not finite": (lambda: check_tensor(torch.tensor([[0, float("inf")], [1.0, 0]]), "out"), "finite. Got inf .* 0 and 1"),
    "beyond": (lambda: check_edges(torch.tensor([[0, 7, 1], [1, 0, 1]]), None, 3, "out"), "beyond the 3"),
    "no nodes": (lambda: check_edges(torch.zeros(2, 0, dtype=torch.int64), None, None, "out"), "at least one node"),
    "edge weight": (
        lambda: check_edges(torch.tensor([[0, 1, 1], [1, 0, 1]]), torch.tensor([1.0, -1, 1]), 3, "out"),
        "Got -1 between .* positions 1 and 0",
    ),
    "offsets that end elsewhere": (lambda: sc.Graph((torch.tensor([0, 1, 1]), torch.tensor([1, 0]))), "Got 0 to 1"),
    "offsets that fall": (lambda: sc.Graph((torch.tensor([0, 2, 1, 2]), torch.tensor([1, 0]))), "must rise from 0"),
    "columns beyond": (lambda: sc.Graph((torch.tensor([0, 1, 2]), torch.tensor([1, 2]))), "0 to 1. Got 1 to 2"),
    "a weight too few": (lambda: sc.Graph((torch.tensor([0, 1, 2]), torch.tensor([1, 0]), torch.ones(1))), "a weight for"),
    "no offsets": (lambda: sc.Graph((torch.tensor([0]), torch.tensor([], dtype=torch.int64))), "at least one node"),
    "features in one dimension": (lambda: check_feature_tensor(torch.ones(3), 3), "two-dimensional"),
    "rows": (lambda: check_feature_tensor(torch.ones(2, 1), 3), "one row for each of the 3 nodes. Got 2"),
    "columns": (lambda: check_feature_tensor(torch.ones(3, 0), 3), "at least one column"),
    "complex features": (lambda: check_feature_tensor(torch.ones(3, 1, dtype=torch.complex64), 3), "real numbers"),
    "NaN": (lambda: check_feature_tensor(torch.tensor([[1.0, 2], [3, float("nan")]]), 2), "Got nan in row 1, column 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_graph_is_refused(name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises(sc.InputError, match=message):
        call()


def test_features_keep_their_type_where_it_can_be_kept() -> None:
    for dtype, kept in ((torch.float32, torch.float32), (torch.float16, torch.float16), (torch.int64, torch.float32)):
        given = torch.ones(3, 2, dtype=dtype)
        assert check_feature_tensor(given, 3).dtype == kept
    given = torch.ones(3, 2)
    assert check_feature_tensor(given, 3).data_ptr() == given.data_ptr()
    sparse = check_feature_tensor(torch.eye(3).to_sparse_coo(), 3)
    assert sparse.layout == torch.sparse_csr
    assert torch.equal(sparse.to_dense(), torch.eye(3))


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", ["plain", "weighted", "counts", "words"])
def test_a_fit_of_tensors_asks_the_host_for_nothing(kind: str, is_sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of the CPU take the way of those of a GPU; of their edges and features no array is made."""
    graph = random_graph(300, 20, density=0.05, is_weighted=kind == "weighted")
    numbers = np.floor(np.abs(3 * graph.features)) if kind in ("counts", "words") else graph.features
    graph = graph.replace(features=sp.csr_array(numbers) if is_sparse else numbers)
    if kind == "words":
        graph = graph.replace(node_ids=np.array([f"node {number}" for number in range(300)]))
    given = as_tensors(graph)
    given._set({"_adjacency": None, "_matrix": None, "_source": FeatureMatrix(given.held_features)})
    expected = sc.SCE(features="given", engine=sc.Memory(device="cpu")).fit(graph)
    monkeypatch.setattr(Entries, "to_scipy", lambda *_: pytest.fail("the edges went to the host"))
    model = sc.SCE(features="given", engine=sc.Memory(device="cpu")).fit(given)
    assert given._adjacency is None
    assert given._matrix is None
    assert model.recipe_.weighting.name == expected.recipe_.weighting.name
    np.testing.assert_allclose(model.embedding_, expected.embedding_, atol=1e-5 * np.abs(expected.embedding_).max())
    np.testing.assert_allclose(given.degrees, graph.degrees)


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("is_weighted", [False, True], ids=["plain", "weighted"])
def test_a_graph_of_device_tensors_is_the_graph(is_weighted: bool, is_sparse: bool) -> None:
    graph = random_graph(500, 60, density=0.02, is_weighted=is_weighted, is_sparse=is_sparse)
    A = graph.adjacency
    features = csr(graph.features) if is_sparse else torch.from_numpy(np.array(graph.features))
    placed = sc.Graph(csr(A).cuda(), features=features.cuda())
    assert placed.held_edges.indices.is_cuda
    assert repr(placed).startswith(repr(graph)[:-1])
    Z = sc.SCE(features="given").fit_transform(placed, output="torch")
    assert Z.is_cuda
    expected = sc.SCE(features="given", engine=sc.Memory(device="cpu")).fit_transform(graph)
    assert np.allclose(Z.cpu(), expected, atol=2e-4 * np.abs(expected).max())
    assert np.allclose(sc.SCE(features="given").fit_transform(placed), Z.cpu(), atol=1e-6 * np.abs(expected).max())
    assert placed._adjacency is None  # nothing asked the host for its edges
    whole, there = sc.SCE().fit_transform(graph), sc.SCE().fit_transform(placed)  # with what the graph says by itself
    assert np.allclose(there, whole, atol=2e-4 * np.abs(whole).max())
    assert np.array_equal(placed.adjacency.toarray(), A.toarray())
    there = graph.to("cuda")
    assert there.to("cuda") is there
    assert there.replace(labels=np.zeros(500)).to("cuda").held_edges is there.held_edges
    with sc.Memory().open(Job("test", there)) as engine:
        assert engine.here is there  # nothing is copied for a fit
    assert np.allclose(sc.SCE(features="given").fit_transform(there), Z.cpu(), atol=1e-6 * np.abs(expected).max())
    assert np.array_equal(there.to("cpu").adjacency.toarray(), A.toarray())


@pytest.mark.cuda
@needs_cuda
def test_an_edge_index_on_a_device_is_the_graph() -> None:
    graph = random_graph(200, 10)
    edges = torch.from_numpy(np.stack(graph.adjacency.tocoo().coords)).long().cuda()
    placed = sc.Graph(edges, features=torch.from_numpy(np.array(graph.features)).cuda().half())
    assert placed.held_features.dtype == torch.float16
    assert np.array_equal(placed.adjacency.toarray(), graph.adjacency.toarray())
    Z = sc.SCE(engine=sc.Memory(precision="half")).fit_transform(placed)
    expected = sc.SCE(engine=sc.Memory(device="cpu")).fit_transform(graph)
    assert np.abs(np.abs(Z @ Z.T) - np.abs(expected @ expected.T)).max() < 0.02 * (expected**2).sum(axis=1).max()
