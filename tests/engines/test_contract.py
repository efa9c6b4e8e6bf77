"""The contract: every engine against dense matrices, call by call, and then whole fits against each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from local_cluster import address
from reference import complete_pairs, dense_filter, dense_laplacian, dense_propagation
from sparsecut.engines import Job
from sparsecut.features.weighting import learn_weighting
from sparsecut.graph import Graph
from sparsecut.kernels.block import sums_over_neighbours
from sparsecut.operators.aggregation import Projection, aggregate
from sparsecut.operators.negatives import AllPairs, ListedPairs, NegativeGraph, with_apart
from toy_engine import Toy

N_NODES, N_FEATURES = 30, 6
ENGINES: dict[str, Any] = {
    "memory": sc.Memory(device="cpu"),
    "devices": sc.Memory(devices=["cpu", "cpu", "cpu"]),
    "disk": sc.Disk(),
    "toy": Toy(),
    "dask": None,  # made when its cluster runs
}
PLANS = {"plain": "columns", "weighted": "rows", "directed": "rows", "sparse": "columns"}  # of dask, by the kind of graph
KINDS = ("plain", "weighted", "directed", "sparse")


# Every engine with every kind of graph. The tests of one pair follow one another and share the open engine, as a fit does.
PAIRS = [(name, kind) for name in ENGINES for kind in KINDS]


def pair_of(pair: tuple[str, str], *case: Any, label: str = "") -> Any:
    """The parameters of a test: an engine, a kind of graph, and what else it is about."""
    return pytest.param(
        pair, *case, id="-".join([*pair, label]).rstrip("-"), marks=pytest.mark.cluster if pair[0] == "dask" else ()
    )


def with_pairs(names: str, cases: dict[str, tuple[Any, ...]]) -> pytest.MarkDecorator:
    """Every case by every engine of this process with every kind of graph, and by the cluster with one kind.

    A call takes longest there. The first case has the first kind, the next one the next kind, so that plans alternate.
    """
    parameters = [
        pair_of((name, kind), *case, label=label)
        for name, kind in PAIRS
        for number, (label, case) in enumerate(cases.items())
        if name != "dask" or kind == KINDS[number % len(KINDS)]
    ]
    return pytest.mark.parametrize(f"pair, {names}", parameters, indirect=["pair"], scope="module")


@pytest.fixture(scope="module", params=[pair_of(pair) for pair in PAIRS])
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    name_and_kind: tuple[str, str] = request.param
    return name_and_kind


@pytest.fixture(scope="module", autouse=True)
def several_panels() -> Iterator[None]:
    """Panels so narrow that a graph of few columns has one on every device."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparsecut.engines.split_rows.LEAST_COLUMNS", 2)
        yield


@pytest.fixture(scope="module")
def choice(pair: tuple[str, str]) -> Any:
    name, kind = pair
    return sc.Dask(address(), plan=PLANS[kind], blocks=3) if name == "dask" else ENGINES[name]


@pytest.fixture(scope="module")
def graph(pair: tuple[str, str]) -> Graph:
    return make_graph(pair[1])


def make_graph(kind: str) -> Graph:
    generator = np.random.default_rng(3)
    upper = np.triu(generator.random((N_NODES, N_NODES)) < 0.15, 1).astype(np.float32)
    if kind == "weighted":
        upper *= generator.uniform(0.2, 3, upper.shape).astype(np.float32)
    features: Any = np.abs(generator.normal(size=(N_NODES, N_FEATURES))).astype(np.float32)
    if kind == "sparse":
        features = sp.csr_array(features * (generator.random(features.shape) < 0.5))
    if kind == "directed":
        lower = np.tril(generator.random((N_NODES, N_NODES)) < 0.15, -1)
        return Graph(sp.csr_array(upper + lower), features=features, directed="out")
    return Graph(sp.csr_array(upper + upper.T), features=features)


@pytest.fixture(scope="module")
def engine(choice: Any, graph: Graph) -> Iterator[Any]:
    with choice.open(Job("test", graph, n_levels=2, n_columns=4)) as opened:
        yield opened


FILTERS = (
    (sc.Power(order=2), ("row", 2, 0)),
    (sc.Symmetric(order=3), ("symmetric", 3, 0)),
    (sc.Lazy(order=2), ("lazy", 2, 0)),
    (sc.PageRank(restart=0.3, order=7), ("pagerank", 7, 0.3)),
    (sc.Heat(time=2.0, order=5, normalization="symmetric"), ("heat-symmetric", 5, 2.0)),
    (sc.Average(order=4), ("average", 4, 0)),
    (sc.Power(order=0), ("row", 0, 0)),
)


def dense_features(graph: Graph) -> np.ndarray:
    features: Any = graph.features
    return np.asarray(features.toarray() if sp.issparse(features) else features, dtype=np.float64)


def weighted(graph: Graph, name: str) -> np.ndarray:
    """The weighting from its definition."""
    F = dense_features(graph)
    if name == "tf-idf":
        F = F * (np.log((1 + len(F)) / (1 + (F != 0).sum(axis=0))) + 1)
    lengths = np.linalg.norm(F, axis=1, keepdims=True)
    return F if name == "none" else F / np.where(lengths > 0, lengths, 1)


def rows_of(engine: Any, rows: Any, graph: Graph) -> np.ndarray:
    return engine.take(rows, np.arange(graph.n_nodes)).numpy()


def load(engine: Any, graph: Graph, filter: Any, weighting: str = "none") -> Any:
    return engine.load(graph, learn_weighting(weighting, engine), filter)


@pytest.mark.parametrize("weighting", ["none", "l2", "tf-idf"])
def test_load_weighs_the_features_and_takes_no_hop(engine: Any, graph: Graph, weighting: str) -> None:
    rows = load(engine, graph, sc.Power(), weighting)
    np.testing.assert_allclose(rows_of(engine, rows, graph), weighted(graph, weighting), atol=1e-6)


def test_load_takes_other_features_by_slices(engine: Any, graph: Graph) -> None:
    class Positions:
        shape = (N_NODES, 2)

        def __getitem__(self, rows: slice) -> np.ndarray:
            numbers = np.arange(N_NODES, dtype=np.float32)[rows]
            return np.column_stack([numbers, numbers**2])

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
            return self[:]

        def __repr__(self) -> str:
            return "Positions()"

    rows = engine.load(graph, learn_weighting("none", engine), sc.Power(), Positions())
    np.testing.assert_allclose(rows_of(engine, rows, graph), Positions()[:])


@with_pairs("filter, dense", {str(filter): (filter, dense) for filter, dense in FILTERS})
def test_smooth_is_the_polynomial_of_p(engine: Any, graph: Graph, filter: Any, dense: tuple[str, int, float]) -> None:
    rows = load(engine, graph, filter)
    expected = dense_filter(graph.adjacency.toarray(), *dense) @ dense_features(graph)
    smoothed = engine.smooth(rows, filter.coefficients())
    np.testing.assert_allclose(rows_of(engine, smoothed, graph), expected, atol=1e-5)
    identity = torch.eye(N_FEATURES)
    lazy = engine.multiply([engine.smooth(rows, filter.coefficients(), lazily=True)], identity)
    np.testing.assert_allclose(rows_of(engine, lazy, graph), expected, atol=1e-5)


def test_smoothed_rows_can_be_smoothed_on(engine: Any, graph: Graph) -> None:
    once = engine.smooth(load(engine, graph, sc.Power()), (0.0, 1.0))
    P = dense_propagation(graph.adjacency.toarray())
    np.testing.assert_allclose(
        rows_of(engine, engine.smooth(once, (0.0, 0.0, 1.0)), graph), P @ P @ P @ dense_features(graph), atol=1e-5
    )


def negative_graphs() -> dict[str, tuple[NegativeGraph, np.ndarray]]:
    """Negative graphs, and their Laplacians a pair at a time."""
    generator = np.random.default_rng(5)
    pairs = complete_pairs(N_NODES)
    a = generator.uniform(0, 3, N_NODES)
    a[3] = 0
    some = generator.integers(0, N_NODES, (40, 2))
    weights = generator.uniform(0.1, 2, 40).astype(np.float32)
    even = NegativeGraph(N_NODES, (AllPairs(N_NODES, 0.5),), base_weight=1.0)
    product = NegativeGraph(N_NODES, (AllPairs(N_NODES, 0.25, torch.from_numpy(a)),))
    listed = NegativeGraph(N_NODES, listed=(ListedPairs(N_NODES, some, weights),))
    several = NegativeGraph(N_NODES, (*even.all_pairs, *product.all_pairs), listed.listed)
    L_even = dense_laplacian(N_NODES, pairs, np.full(len(pairs), 0.5))
    L_product = dense_laplacian(N_NODES, pairs, 0.25 * a[pairs[:, 0]] * a[pairs[:, 1]])
    L_listed = dense_laplacian(N_NODES, some, weights)
    total = N_NODES * (N_NODES - 1) / 4
    apart = with_apart(even, [(0, 7), (2, 9)], np.arange(N_NODES), "test")
    L_apart = L_even + dense_laplacian(N_NODES, np.array([(0, 7), (2, 9)]), np.full(2, total / 2))
    return {
        "even": (even, L_even),
        "product": (product, L_product),
        "listed": (listed, L_listed),
        "several": (several, L_even + L_product + L_listed),
        "apart": (apart, L_apart),
        "none": (NegativeGraph(N_NODES, (AllPairs(N_NODES, 1.0, torch.zeros(N_NODES, dtype=torch.float64)),)), 0 * L_even),
    }


NEGATIVES = negative_graphs()


@with_pairs("name", {name: (name,) for name in NEGATIVES})
def test_moments_and_products_are_those_of_dense_matrices(engine: Any, graph: Graph, name: str) -> None:
    negatives, L = NEGATIVES[name]
    rows = load(engine, graph, sc.Power())
    levels = [engine.smooth(rows, (0.0, 1.0)), engine.smooth(rows, (0.25, 0.25, 0.5))]
    P, F = dense_propagation(graph.adjacency.toarray()), dense_features(graph)
    S = np.concatenate([P @ F, 0.25 * F + 0.25 * P @ F + 0.5 * P @ P @ F], axis=1)
    M = S.T @ L @ S
    size = max(np.abs(S.T @ S).max() * np.abs(L).max(), 1e-9)

    moments = engine.moments(levels, negatives)
    np.testing.assert_allclose(moments.M.numpy(), M, atol=1e-5 * size)
    assert moments.M.dtype == moments.mean.dtype == torch.float64
    np.testing.assert_allclose(moments.mean.numpy(), S.mean(axis=0), atol=1e-5)
    if moments.scatter is not None:
        centred = S - S.mean(axis=0)
        np.testing.assert_allclose(moments.scatter.numpy(), centred.T @ centred, atol=1e-5 * np.abs(S.T @ S).max())
    assert moments.n_rows == N_NODES
    np.testing.assert_allclose(
        engine.moments(levels[:1], negatives).M.numpy(), M[:N_FEATURES, :N_FEATURES], atol=1e-5 * size
    )

    W = torch.from_numpy(np.random.default_rng(1).normal(size=(2 * N_FEATURES, 3)).astype(np.float32))
    image = engine.multiply(levels, W)
    np.testing.assert_allclose(rows_of(engine, image, graph), S @ W.numpy(), atol=1e-4)
    np.testing.assert_allclose(
        engine.transpose_multiply(levels, image, negatives).numpy(), M @ W.numpy(), atol=1e-4 * max(np.abs(M).max(), 1e-3)
    )


def test_moments_are_those_of_the_negatives_that_are_given(engine: Any, graph: Graph) -> None:
    """One after another from one engine, which may keep what it has computed."""
    rows = engine.smooth(load(engine, graph, sc.Power()), (0.0, 1.0))
    S = dense_propagation(graph.adjacency.toarray()) @ dense_features(graph)
    for name in ("even", "product", "listed", "apart", "even"):
        negatives, L = NEGATIVES[name]
        size = np.abs(S.T @ S).max() * np.abs(L).max()
        np.testing.assert_allclose(engine.moments([rows], negatives).M.numpy(), S.T @ L @ S, atol=1e-5 * size)


@with_pairs(
    "aggregation, is_lazy",
    {f"{name}-{is_lazy}": (name, is_lazy) for name in ("mean", "concat", "max") for is_lazy in (False, True)},
)
def test_project_aggregates_and_takes_the_offset_off(engine: Any, graph: Graph, aggregation: Any, is_lazy: bool) -> None:
    rows = load(engine, graph, sc.Power(), "l2")
    levels = [engine.smooth(rows, polynomial, lazily=is_lazy) for polynomial in ((0.0, 1.0), (0.5, 0.0, 0.5))]
    P, F = dense_propagation(graph.adjacency.toarray()), weighted(graph, "l2")
    generator = np.random.default_rng(2)
    weights = [generator.normal(size=(N_FEATURES, 2)) for _ in levels]
    parts = [torch.from_numpy(S @ W) for S, W in zip((P @ F, (F + P @ P @ F) / 2), weights, strict=True)]
    expected = aggregate(parts, aggregation).numpy()
    offset = generator.normal(size=expected.shape[1])
    projection = Projection(
        tuple(torch.from_numpy(W.astype(np.float32)) for W in weights), aggregation, torch.from_numpy(offset).float()
    )
    Z = np.asarray(engine.project(levels, projection))
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z, expected - offset, atol=1e-5)


def scaled_beside(first: torch.Tensor, second: torch.Tensor, length: float, shift: np.ndarray) -> torch.Tensor:
    """Rows of one length from the sum of two levels: not linear, and row by row."""
    both = first + second - torch.from_numpy(shift)
    return length * both / both.norm(dim=1, keepdim=True)


def test_map_is_the_function_of_all_rows_and_can_be_smoothed_on(engine: Any, graph: Graph) -> None:
    rows = load(engine, graph, sc.Power(order=1))
    smoothed = engine.smooth(rows, (0.0, 1.0))
    shift = np.linspace(0, 1, N_FEATURES).astype(np.float32)
    mapped = engine.map([rows, smoothed], scaled_beside, N_FEATURES, 3.0, shift)
    F, P = dense_features(graph), dense_filter(graph.adjacency.toarray(), "row", 1, 0)
    both = F + P @ F - shift
    expected = 3 * both / np.linalg.norm(both, axis=1, keepdims=True)
    np.testing.assert_allclose(rows_of(engine, mapped, graph), expected, atol=1e-5)
    np.testing.assert_allclose(rows_of(engine, engine.smooth(mapped, (0.0, 1.0)), graph), P @ expected, atol=1e-5)


def test_take_gives_some_rows(engine: Any, graph: Graph) -> None:
    nodes = np.array([0, 3, 4, 28])
    rows = load(engine, graph, sc.Power())
    np.testing.assert_allclose(engine.take(rows, nodes).numpy(), dense_features(graph)[nodes], atol=1e-6)


def test_without_is_the_graph_less_some_edges(engine: Any, graph: Graph) -> None:
    coordinates = graph.adjacency.tocoo()
    is_edge = (coordinates.row < coordinates.col) if not graph.is_directed else np.ones(coordinates.nnz, dtype=bool)
    edges = np.stack([coordinates.row[is_edge], coordinates.col[is_edge]]).astype(np.int64)[:, ::5]
    A = graph.adjacency.toarray()
    A[edges[0], edges[1]] = 0
    if not graph.is_directed:
        A[edges[1], edges[0]] = 0
    rows = load(engine, graph, sc.Symmetric())
    less = engine.without(rows, edges)
    P = dense_propagation(A, "symmetric")
    np.testing.assert_allclose(
        rows_of(engine, engine.smooth(less, (0.0, 0.0, 1.0)), graph), P @ P @ dense_features(graph), atol=1e-5
    )
    whole = dense_propagation(graph.adjacency.toarray(), "symmetric")  # the rows it was made of are as before
    np.testing.assert_allclose(
        rows_of(engine, engine.smooth(rows, (0.0, 1.0)), graph), whole @ dense_features(graph), atol=1e-5
    )


def rows_and_sums(block: Any, factor: float) -> tuple[slice, np.ndarray]:
    return block.rows, factor * np.asarray(sums_over_neighbours(block))


def ones_and_features(block: Any) -> np.ndarray:
    features = block.features()
    counts = np.asarray(features.sum(axis=0)).ravel() if sp.issparse(features) else features.sum(axis=0)
    return np.concatenate([[float(len(block.ids()))], np.round(64 * counts)])


def positions_of(block: Any) -> np.ndarray:
    return np.arange(block.rows.start, block.rows.stop, dtype=np.float64)


def neighbours_named(block: Any, column: Any) -> np.ndarray:
    """Σ_j over the neighbours of each node of what a column has for them."""
    return np.asarray(sums_over_neighbours(block, np.asarray(column[block.neighbours().astype(np.int64)])))


def positions_twice(block: Any, column: Any) -> np.ndarray:
    own = np.asarray(column[block.rows])
    return np.stack([own, 2 * own], axis=1)


def test_passes_see_every_row_once_in_order(engine: Any, graph: Graph) -> None:
    found = engine.each(rows_and_sums, 2.0)
    assert [rows.start for rows, _ in found] == [0, *(rows.stop for rows, _ in found[:-1])]
    assert found[-1][0].stop == N_NODES
    A = graph.adjacency.toarray().astype(np.float64)
    np.testing.assert_allclose(np.concatenate([sums for _, sums in found]), 2 * A.sum(axis=1), rtol=1e-6)
    assert engine.total(ones_and_features)[0] == N_NODES
    np.testing.assert_allclose(engine.total(ones_and_features)[1:] / 64, dense_features(graph).sum(axis=0), atol=0.5)


def test_a_column_is_read_by_every_block(engine: Any, graph: Graph) -> None:
    column = engine.column("positions", np.float64, positions_of)
    assert np.asarray(column[slice(3, 6)]).tolist() == [3, 4, 5]
    assert np.asarray(column[np.array([7, 0])]).tolist() == [7, 0]
    found = np.concatenate(engine.each(neighbours_named, column))
    A = graph.adjacency.toarray().astype(np.float64)
    np.testing.assert_allclose(found, A @ np.arange(N_NODES), rtol=1e-6)
    table = engine.column("positions-twice", np.float64, positions_twice, column, width=2)
    assert np.asarray(table[slice(3, 5)]).tolist() == [[3, 6], [4, 8]]
    assert np.asarray(table[np.array([7, 0])]).tolist() == [[7, 14], [0, 0]]


def test_an_array_is_placed_where_every_block_reads_it(engine: Any, graph: Graph) -> None:
    A, values = graph.adjacency.toarray().astype(np.float64), np.arange(N_NODES, dtype=np.float64)
    for factor in (1.0, 3.0):  # the second takes the place of the first
        placed = engine.placed("values", factor * values)
        assert np.asarray(placed[slice(3, 5)]).tolist() == [3 * factor, 4 * factor]
        found = np.concatenate(engine.each(neighbours_named, placed))
        np.testing.assert_allclose(found, factor * (A @ values), rtol=1e-6)


def test_a_checkpoint_gives_back_what_was_computed(engine: Any) -> None:
    assert engine.checkpoint("number", lambda: 1 / 3) == 1 / 3
    assert engine.checkpoint("list", lambda: [2**60, "word"]) == [2**60, "word"]
    arrays = engine.checkpoint("arrays", lambda: {"a": np.arange(3), "b": np.ones((2, 2), dtype=np.float32)})
    assert arrays["a"].tolist() == [0, 1, 2]
    assert arrays["b"].dtype == np.float32


def test_an_engine_refuses_what_it_does_not_support_before_any_work(choice: Any, graph: Graph) -> None:
    unsupported = {"max", "batches", "rows", "output"} - choice.supports
    assert unsupported
    for need in unsupported:
        with pytest.raises(sc.InputError, match=r"test\(engine=.*\) cannot .*, or use engine='"):  # noqa: SIM117
            with choice.open(Job("test", graph, needs=frozenset({need}))):
                pytest.fail("it was opened")


FITS: dict[str, Any] = {
    "default": sc.SCE(dimension=4),
    "degrees": sc.SCE(dimension=4, negatives="degrees", filter=sc.Heat(time=1.0, order=3)),
    "sampled": sc.SCE(dimension=4, filter="symmetric", negatives=sc.Sampled(n_negatives=2)),
    "apart": sc.SCE(dimension=4, apart=[(0, 3), (1, 9)]),
    "levels": sc.MoSCE(dimension=4, levels=3),
    "adam": sc.SCE(dimension=4, solver=sc.Adam(epochs=4, depth=2)),
    "concat": sc.MoSCE(dimension=5, aggregation="concat", solver=sc.Adam(epochs=3)),
}


@with_pairs("name", {name: (name,) for name in FITS})
def test_a_fit_is_the_same_by_every_engine(choice: Any, graph: Graph, name: str, tmp_path: Path) -> None:
    expected = FITS[name].set_params(engine=sc.Memory(device="cpu")).fit(graph)
    model = type(expected)(**{**expected.get_params(deep=False), "engine": choice}).fit(graph)
    products = expected.embedding_ @ expected.embedding_.T
    tolerance = 1e-5 * np.abs(products).max()
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, products, atol=tolerance)
    again = model.transform(graph)
    np.testing.assert_allclose(again @ again.T, products, atol=tolerance)
    assert model.history_.effective_rank == pytest.approx(expected.history_.effective_rank, rel=1e-5)
    model.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    assert loaded.engine == choice
    assert (loaded.transform(graph) == again).all()


def test_the_toy_is_small() -> None:
    lines = (Path(__file__).parents[1] / "toy_engine.py").read_text().splitlines()
    assert len(lines) < 160
