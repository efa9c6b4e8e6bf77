"""engine="disk": the same answers as in memory, whatever the filter, the negatives, the solver and the graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone

import sparsecut as sc
from conftest import random_graph
from disk_cases import assert_alike, assert_same_rows, community_graph, limit_for, mapped, names_in
from filter_cases import make_filter
from reference import dense_filter, dense_laplacian
from sparsecut.engines import Job
from sparsecut.engines.disk.disk_engine import DiskEngine
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.model.auto.constants import Constants, FilterRule
from sparsecut.operators.negatives import AllPairs, ListedPairs, NegativeGraph


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        sc.SCE(),
        sc.SCE(filter="power"),
        sc.SCE(filter=sc.Symmetric(order=3)),
        sc.SCE(filter="lazy", weighting="l2"),
        sc.SCE(filter=sc.Average(order=3, normalization="symmetric")),
        sc.SCE(filter=sc.PageRank(restart=0.2, normalization="symmetric"), dimension=5),
        sc.SCE(filter=sc.Heat(time=2.0)),
        sc.SCE(filter=sc.Power(order=0)),
        sc.SCE(negatives="degrees"),
        sc.SCE(negatives=sc.Sampled(n_negatives=3)),
        sc.SCE(negatives="sparsifier"),
        sc.SCE(negatives="complete", apart=[[0, 1], [4, 9]]),
        sc.SCE(negatives="degrees", apart=[[0, 1, 2.0]]),
        sc.SCE(negatives=sc.Pairs([[0, 5], [3, 8], [8, 8], [200, 7]]), filter="power"),
        sc.SCE(solver=sc.ClosedForm(effective_rank=4.0, length=2.0)),
        sc.SCE(solver=sc.Adam(epochs=5), dimension=6),
        sc.SCE(solver=sc.Adam(epochs=5, depth=2), negatives="sampled"),
        sc.SCE(solver=sc.Adam(loss="none")),
    ],
    ids=repr,
)
def test_answers_are_those_of_memory(model: sc.SCE, tmp_path: Path, small_blocks: None) -> None:
    assert_alike(model, community_graph(), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["is_weighted", "is_directed", "is_sparse", "is_counts"])
@pytest.mark.parametrize("model", [sc.SCE(), sc.SCE(filter="symmetric", negatives="degrees")], ids=repr)
def test_answers_are_those_of_memory_on_any_graph(model: sc.SCE, kind: str, tmp_path: Path, small_blocks: None) -> None:
    assert_alike(model, community_graph(seed=1, **{kind: True}), tmp_path)


@pytest.mark.parametrize(
    "model",
    [
        sc.MoSCE(),
        sc.MoSCE(levels=3, filter="symmetric"),
        sc.MoSCE(aggregation="concat", solver=sc.Adam(epochs=4), dimension=9),
        sc.MoSCE(solver=sc.Adam(epochs=4), dimension=9),
    ],
    ids=repr,
)
def test_several_levels(model: sc.MoSCE, tmp_path: Path, small_blocks: None) -> None:
    assert_alike(model, community_graph(seed=2), tmp_path)


@pytest.mark.slow
def test_a_real_graph(digits: Graph, tmp_path: Path) -> None:
    assert_alike(sc.SCE(), digits, tmp_path, n_columns=30)


def test_wide_features_iterate_as_in_memory(tmp_path: Path, small_blocks: None) -> None:
    graph = random_graph(60, 1100, seed=3)
    model = assert_alike(sc.SCE(dimension=8, filter="power"), graph, tmp_path, n_columns=400)
    assert "products with S" in model.history_.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "is_sparse"),
    [
        (sc.SCE(dimension=8, filter="power"), False),
        (sc.SCE(dimension=8, filter="power"), True),  # their hops are taken in each product
        (sc.SCE(dimension=8, filter=sc.PageRank(restart=0.3, order=3)), True),
        (sc.SCE(dimension=8, filter="power", negatives="degrees", apart=[(0, 1), (5, 9)]), False),
        (sc.MoSCE(dimension=8), False),
    ],
    ids=repr,
)
def test_wide_features_go_by_products_and_m_is_never_built(
    model: Any, is_sparse: bool, tmp_path: Path, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = random_graph(60, 1100, seed=3, is_sparse=is_sparse)
    built: list[tuple[int, int]] = []
    moments = DiskEngine.moments

    def watch(engine: Any, *arguments: Any) -> Any:
        found = moments(engine, *arguments)
        built.append(tuple(found.M.shape))
        return found

    monkeypatch.setattr(DiskEngine, "moments", watch)
    assert_alike(model, graph, tmp_path, n_columns=400)
    assert built
    assert max(shape[0] for shape in built) <= 64 + 8  # of the probes and the embedding: M itself was never built


class Trying(sc.SCE):
    """`SCE` that holds out edges of graphs with few of them."""

    constants = Constants(filter=FilterRule(min_edges=200))


@pytest.mark.slow
def test_the_choice_of_the_restart_of_wide_features_goes_by_products_too(tmp_path: Path, small_blocks: None) -> None:
    graph = community_graph(100, 1100)
    assert graph.n_edges > 200
    model = assert_alike(Trying(dimension=8, channels="smoothed"), graph, tmp_path, n_columns=300)
    assert "predicts held-out edges best" in model.explain()


def test_a_graph_without_edges(tmp_path: Path, small_blocks: None) -> None:
    graph = Graph(sp.csr_array((30, 30)), features=np.random.default_rng(0).normal(size=(30, 5)))
    assert_alike(sc.SCE(), graph, tmp_path, n_columns=2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.MeaninglessEmbeddingWarning")
def test_rows_that_are_all_alike(tmp_path: Path, small_blocks: None) -> None:
    graph = Graph(random_graph().adjacency, features=np.ones((40, 3)))
    assert_alike(sc.SCE(weighting="none"), graph, tmp_path, n_columns=1)


def test_panels_take_all_hops_of_the_definition(tmp_path: Path, small_blocks: None) -> None:
    graph = community_graph(is_weighted=True)
    A = graph.adjacency.toarray()
    model = sc.SCE(weighting="none", filter=sc.Heat(time=1.5, order=3), engine=sc.Disk(memory_limit=limit_for(300, 3)))
    Z = model.fit_transform(graph, output=tmp_path / "z.npy")
    S = dense_filter(A, "heat", 3, 1.5) @ graph.features
    np.testing.assert_allclose(Z, S @ model.weights_[0] - model.offset_, atol=1e-4)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-5)


def test_gram_is_that_of_the_laplacian(tmp_path: Path, small_blocks: None) -> None:
    """Rows about a mean that must cancel, in panels of four columns and blocks of a few rows."""
    generator = np.random.default_rng(0)
    S = generator.normal(size=(50, 11)).astype(np.float32) + 5
    pairs = generator.integers(0, 50, (80, 2))
    weights = generator.random(80).astype(np.float32)
    L = dense_laplacian(50, pairs, weights) + 50 * np.eye(50) - 1
    negatives = NegativeGraph(50, (AllPairs(50),), (ListedPairs(50, pairs, weights),))
    graph = Graph(sp.csr_array((50, 50)), features=S)
    with sc.Disk(memory_limit=limit_for(50, 4), scratch=tmp_path).open(Job("test", graph)) as engine:
        spread = engine.moments([engine.load(graph, Weighting("none"), sc.Power())], negatives)
    np.testing.assert_allclose(spread.M, S.T @ L @ S, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(spread.mean, S.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(spread.scatter, (S - S.mean(axis=0)).T @ (S - S.mean(axis=0)), rtol=1e-4, atol=1e-3)


def test_moments_of_the_same_rows_are_remembered_by_their_negatives(tmp_path: Path) -> None:
    """Two negative graphs of the same scale are two graphs."""
    generator = np.random.default_rng(0)
    S = generator.normal(size=(20, 3)).astype(np.float32)
    graph = Graph(sp.csr_array((20, 20)), features=S)
    degrees = [torch.from_numpy(generator.random(20)) for _ in range(2)]
    lists = [generator.integers(0, 20, (9, 2)) for _ in range(2)]
    with sc.Disk(scratch=tmp_path).open(Job("test", graph)) as engine:
        rows = engine.load(graph, Weighting("none"), sc.Power())
        for a in degrees:
            M = engine.moments([rows], NegativeGraph(20, (AllPairs(20, 1.0, a),))).M
            w = a.numpy()
            np.testing.assert_allclose(M, S.T @ (w.sum() * np.diag(w) - np.outer(w, w)) @ S, rtol=1e-4, atol=1e-4)
        for pairs in lists:
            listed = ListedPairs(20, pairs, np.ones(9, dtype=np.float32))
            M = engine.moments([rows], NegativeGraph(20, listed=(listed,))).M
            np.testing.assert_allclose(M, S.T @ dense_laplacian(20, pairs, np.ones(9)) @ S, rtol=1e-4, atol=1e-4)


def test_a_graph_in_memory_maps_gives_the_same_bits(tmp_path: Path) -> None:
    graph = community_graph()
    maps = mapped(graph, tmp_path)
    again = Graph(
        sp.csr_array((maps["data"], maps["indices"], maps["indptr"]), shape=graph.adjacency.shape), features=maps["features"]
    )
    model = sc.SCE(engine=sc.Disk(memory_limit="1GB"))
    assert (model.fit_transform(again) == clone(model).fit_transform(graph)).all()


def test_progress_counts_every_block_of_every_hop(tmp_path: Path, small_blocks: None) -> None:
    seen: list[tuple[str, int, int]] = []
    model = sc.SCE(filter=sc.Power(order=2), engine=sc.Disk(memory_limit=limit_for(300, 7, n_panels=2)))
    model.fit(community_graph(), output=tmp_path / "z.npy", progress=lambda *report: seen.append(report))
    smoothing = [(done, total) for stage, done, total in seen if stage == "smoothing"]
    assert smoothing == [(number + 1, len(smoothing)) for number in range(len(smoothing))]
    assert len(smoothing) > 2 * 3  # hops and panels
    assert {stage for stage, _, _ in seen} == {"reading features", "smoothing", "Gram matrix", "spectrum", "projection"}


def test_a_model_fitted_on_disk_is_saved_and_embeds_elsewhere(tmp_path: Path) -> None:
    graph = community_graph()
    model = sc.SCE(engine=sc.Disk(memory_limit="1GiB", scratch=tmp_path))
    Z = model.fit_transform(graph, output=tmp_path / "z.npy")
    model.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    assert loaded.engine == sc.Disk(memory_limit="1GiB", scratch=str(tmp_path))
    np.testing.assert_allclose(loaded.transform(graph, output=tmp_path / "again.npy"), Z, atol=1e-4)
    np.testing.assert_allclose(loaded.set_params(engine="memory").transform(graph), Z, atol=1e-4)
    assert names_in(tmp_path) == ["again.npy", "model.safetensors", "z.npy"]


def test_callbacks_see_the_weights_of_their_epoch() -> None:
    graph = community_graph()
    seen: dict[str, list[Any]] = {"memory": [], "disk": []}
    for engine, weights in seen.items():
        model = sc.SCE(engine=engine, solver=sc.Adam(epochs=3), dimension=4)
        model.fit(graph, callback=lambda epoch, history, m=model, w=weights: w.append(m.weights_[0].copy()))  # type: ignore[misc]
    np.testing.assert_allclose(seen["disk"], seen["memory"], atol=1e-5)


def test_a_new_seed_is_drawn_once() -> None:
    graph = community_graph()
    model = sc.SCE(random_state=None, dimension=4, solver=sc.Adam(epochs=2), engine="disk")
    assert (model.fit_transform(graph) != clone(model).fit_transform(graph)).any()


def test_an_embedding_without_a_file_is_the_one_with_a_file(tmp_path: Path) -> None:
    graph = community_graph()
    model = sc.SCE(engine="disk")
    assert_same_rows(model.fit_transform(graph), clone(model).fit_transform(graph, output=tmp_path / "z.npy"))


def test_rows_of_another_weighting_or_filter_are_other_rows(tmp_path: Path) -> None:
    graph = community_graph(40)
    F = graph.features
    A = graph.adjacency.toarray()
    asked = [(name, filter) for name in ("none", "l2") for filter in ("row", "symmetric", "lazy")]
    with sc.Disk(scratch=tmp_path).open(Job("test", graph)) as engine:
        smoothed = {
            (name, filter): engine.smooth(engine.load(graph, Weighting(name), make_filter(filter)), (0.0, 1.0))
            for name, filter in asked
        }
        for name, filter in asked:
            weighted = F / np.linalg.norm(F, axis=1, keepdims=True) if name == "l2" else F
            expected = dense_filter(A, filter, 1, 0.0) @ weighted
            np.testing.assert_allclose(engine.take(smoothed[name, filter], np.arange(40)), expected, atol=1e-5)
