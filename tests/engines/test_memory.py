"""The engine in memory: sparse rows, half precision, the embedding over the rows, devices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from conftest import random_graph
from reference import dense_propagation
from sparsecut import SCE, Adam, InputError, Memory
from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.engines.memory import _is_sparse_hop_cheaper, _project_over
from sparsecut.engines.rows import Rows
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.kernels.polynomials import power
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.filters import Average, Power

ENGINE = MemoryEngine(torch.device("cpu"))


def load(graph: Graph) -> Rows:
    return ENGINE.load(graph, Weighting("none"), Power())


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_smoothing_is_the_power_of_p(order: int, is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse, is_weighted=True)
    F = graph.features.toarray() if is_sparse else graph.features
    P = dense_propagation(graph.adjacency.toarray())
    rows = ENGINE.smooth(load(graph), power(order))
    assert np.allclose(rows @ torch.eye(12), np.linalg.matrix_power(P, order) @ F, atol=1e-5)


def test_smoothing_reports_every_hop() -> None:
    reports: list[tuple[str, int, int]] = []
    engine = MemoryEngine(torch.device("cpu"), report=lambda *report: reports.append(report))
    loaded = engine.load(random_graph(), Weighting("none"), Average())
    engine.smooth(loaded, Average(order=3).coefficients())
    assert reports == [("smoothing", hop, 3) for hop in (1, 2, 3)]


def test_sparse_features_stay_sparse_while_that_is_cheaper() -> None:
    n_nodes = 2000
    ring = sp.diags_array([np.ones(n_nodes - 1)], offsets=[1], shape=(n_nodes, n_nodes))
    words = sp.random_array((n_nodes, 5000), density=0.001, rng=np.random.default_rng(0), dtype=np.float32).tocsr()
    loaded = load(Graph(ring + ring.T, features=words))
    assert isinstance(ENGINE.smooth(loaded, power(2)).features, SparseMatrix)

    loaded = load(Graph(ring + ring.T, features=sp.csr_array(np.ones((n_nodes, 8), dtype=np.float32))))
    assert not _is_sparse_hop_cheaper(loaded.propagation, loaded.features.csr)
    assert isinstance(ENGINE.smooth(loaded, power(2)).features, torch.Tensor)


def test_an_isolated_node_keeps_its_features() -> None:
    graph = Graph(sp.csr_array((4, 4)), features=np.arange(8).reshape(4, 2))
    assert np.array_equal(ENGINE.smooth(load(graph), power(1)).features, graph.features)


@pytest.mark.parametrize(("n_columns", "dimension", "is_over"), [(6, 6, True), (6, 4, True), (6, 2, False), (3, 5, False)])
def test_the_embedding_takes_the_place_of_s_where_it_fits(n_columns: int, dimension: int, is_over: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    S, W = torch.randn(50, n_columns, generator=generator), torch.randn(n_columns, dimension, generator=generator)
    expected = (S.double() @ W.double() * 2).numpy()
    kept, projection = S.clone(), Projection((W,), "mean")
    # Rows in memory of their own, and rows that are the user's.
    own, users = Rows(S, coefficients=(2.0,), is_spare=True), Rows(S, coefficients=(2.0,))
    for rows, is_last_use in ((own, False), (users, True)):
        assert np.allclose(ENGINE.project([rows], projection, is_last_use=is_last_use), expected, atol=1e-5)
        assert torch.equal(S, kept)
    if is_over:
        in_blocks = _project_over(Rows(S.clone(), coefficients=(2.0,), is_spare=True), W, row_block=7)
        assert np.allclose(in_blocks, expected, atol=1e-5)
    over = ENGINE.project([own], projection, is_last_use=True)
    assert np.shares_memory(over, S.numpy()) == is_over
    assert np.allclose(over, expected, atol=1e-5)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_half_precision_of_sparse_features_says_that_it_changes_nothing(is_sparse: bool) -> None:
    graph = random_graph(60, 8, is_sparse=is_sparse)
    half = SCE(features="given", engine=Memory(precision="half")).fit(graph)
    assert any("single precision" in line for line in half.history_.notes) == is_sparse
    assert np.array_equal(half.embedding_, SCE(features="given").fit_transform(graph)) == is_sparse


@pytest.mark.parametrize(
    "solver",
    ["closed_form", Adam(epochs=3), Adam(epochs=3, route="rows"), Adam(epochs=2, batch_size=10)],
    ids=repr,
)
def test_half_precision_is_near_single_precision(solver: object) -> None:
    graph = random_graph()
    single, half = (SCE(solver=solver, engine=Memory(precision=precision)).fit(graph) for precision in ("single", "half"))
    assert half.embedding_.dtype == np.float32
    gram, expected = half.embedding_ @ half.embedding_.T, single.embedding_ @ single.embedding_.T
    assert np.abs(gram - expected).max() < 0.01 * np.abs(expected).max()
    assert np.allclose(half.transform(graph), half.embedding_, atol=0.01 * np.abs(half.embedding_).max())


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        (Memory(device="tpu"), "The device parameter of SCE must be 'auto', 'cpu', 'cuda' or 'cuda:N'. Got 'tpu' instead."),
        (Memory(device="cuda:x"), "The device parameter of SCE must be"),
        (Memory(precision="quarter"), "The precision parameter of Memory must be one of 'single', 'half'. Got 'quarter'"),
        (
            "tape",
            "The engine parameter of SCE must be one of 'auto', 'dask', 'disk', 'memory', or an EngineChoice object. "
            "Got 'tape'",
        ),
        (3, "must be one of 'auto', 'dask', 'disk', 'memory', or an EngineChoice object. Got 3 instead."),
    ],
    ids=repr,
)
def test_engines_that_cannot_be(engine: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        SCE(engine=engine).fit(random_graph())
    assert message in str(caught.value)


def test_a_file_to_write_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError) as caught:
        SCE().fit(random_graph(), output="z.npy")
    assert str(caught.value) == (
        "SCE(engine='memory') cannot write a file. Write what it returns with sparsecut.write_embedding, or use "
        "engine='disk'."
    )


def test_devices() -> None:
    assert resolve_device("cpu", "SCE") == torch.device("cpu")
    assert resolve_device("auto", "SCE").type == ("cuda" if torch.cuda.is_available() else "cpu")
