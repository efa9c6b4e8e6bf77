"""Columns split over several devices: what one device gives, by devices of the CPU; a GPU more where there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from as_tensors import as_tensors
from conftest import random_graph
from sparsecut.engines import MemoryEngine, memory, memory_choice
from sparsecut.engines.several_devices import FarBlock, SeveralDevices
from sparsecut.features.weighting import Weighting
from sparsecut.kernels.polynomials import power
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.negatives import complete_graph
from timed_graphs import timed_edges
from typed_graphs import typed_graph

CPU = torch.device("cpu")
THREE = sc.Memory(devices=["cpu", "cpu", "cpu"])


@pytest.fixture(autouse=True)
def narrow_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Panels so narrow that a graph of few columns has one on every device."""
    monkeypatch.setattr("sparsecut.engines.split_rows.LEAST_COLUMNS", 4)


def both(precision: str = "single", graph: sc.Graph | None = None) -> tuple[MemoryEngine, SeveralDevices]:
    return MemoryEngine(CPU, precision, graph=graph), SeveralDevices([CPU] * 3, precision, graph=graph)


@pytest.mark.parametrize("precision", ["single", "half"])
@pytest.mark.parametrize("weighting", ["none", "l2"])
@pytest.mark.parametrize("coefficients", [power(2), (0.3, 0.2, 0.5)], ids=["power", "polynomial"])
def test_hops_and_moments_of_panels_are_those_of_one_device_to_the_bit(
    coefficients: Any, weighting: str, precision: str
) -> None:
    """Each column's sums have the same terms in the same order; M is summed up from whole rows."""
    graph = random_graph(300, 24, is_weighted=True)
    found = []
    for engine in both(precision):
        rows = engine.load(graph, Weighting(weighting), sc.Power())  # type: ignore[arg-type]
        smoothed = engine.smooth(rows, coefficients)
        moments = engine.moments([smoothed], complete_graph(300))
        found.append((engine.take(smoothed, np.arange(300)), moments.M, moments.mean, moments.scatter))
    for one, several in zip(*found, strict=True):
        if precision == "single":
            assert torch.equal(one, several)
        else:  # each panel is scaled by its own largest number, which float16 rounds by where it is below the normal range
            torch.testing.assert_close(one, several, rtol=2e-3, atol=1e-3 * float(one.abs().max()))


def test_each_device_has_its_share_of_the_columns_and_one_p_for_all_of_them() -> None:
    graph = random_graph(100, 12)
    engine = SeveralDevices([CPU] * 3)
    rows = engine.load(graph, Weighting("none"), sc.Power())
    assert [panel.shape for panel in rows.panels] == [(100, 4)] * 3
    assert len({id(home.propagation) for home in rows.homes}) == 1  # of one device
    image = engine.multiply([rows], torch.eye(12))
    assert [panel.shape for panel in image.panels] == [(100, 4)] * 3
    less = engine.without(rows, np.array([[0], [int(graph.adjacency.indices[0])]]))
    assert len({id(panel.propagation) for panel in less.panels}) == 1


def graph_of(kind: str) -> sc.Graph:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(200, 20)).astype(np.float32)
    if kind == "typed":
        return typed_graph()
    if kind == "timed":
        edges = timed_edges(n_nodes=200, n_edges=3000)
        ends = np.stack([edges["source"], edges["target"]], axis=1)
        graph = sc.from_edges(ends, node_ids=np.arange(200), time=edges["at"], half_life=30.0, now=100.0)
        return graph.replace(features=features)
    if kind == "signed":
        pairs, signs = generator.integers(0, 200, (3000, 2)), generator.choice([-1.0, 1.0], 3000)
        return sc.from_edges(np.column_stack([pairs, signs]), node_ids=np.arange(200), signed=True).replace(
            features=features
        )
    if kind == "directed":
        return sc.Graph(sp.random_array((200, 200), density=0.05, rng=generator), features=features, directed="out")
    return random_graph(400, 40, density=0.05, is_weighted=kind == "weighted", is_sparse=kind == "sparse")


MODELS: dict[str, Any] = {
    "default": sc.SCE,
    "two hops": lambda: sc.SCE(filter=sc.Power(order=2), dimension=8),
    "adam": lambda: sc.SCE(solver=sc.Adam(epochs=3, depth=2), dimension=8),
    "adam over rows": lambda: sc.SCE(solver=sc.Adam(epochs=3, route="rows"), dimension=8),
    "mini-batches": lambda: sc.SCE(solver=sc.Adam(epochs=2, batch_size=64), dimension=8),
    "max": lambda: sc.MoSCE(aggregation="max", solver="adam", dimension=8),
    "levels": lambda: sc.MoSCE(dimension=8),
    "structure": lambda: sc.SCE(features="structure", dimension=8),
}
CASES = [
    *((kind, "default") for kind in ("plain", "weighted", "directed", "sparse", "typed", "timed", "signed")),
    *(("plain", model) for model in MODELS if model != "default"),
    *(("sparse", model) for model in ("two hops", "mini-batches", "levels")),
]


@pytest.mark.parametrize(("kind", "name"), CASES, ids=["-".join(case) for case in CASES])
def test_a_fit_and_a_transform_are_those_of_one_device(kind: str, name: str) -> None:
    graph, model = graph_of(kind), MODELS[name]()
    one = model.set_params(engine=sc.Memory(device="cpu")).fit(graph)
    several = MODELS[name]().set_params(engine=THREE).fit(graph)
    size = np.abs(one.embedding_).max()
    # Of a product with W the columns of a panel are summed up by themselves, in float32.
    np.testing.assert_allclose(several.embedding_, one.embedding_, atol=1e-5 * size)
    np.testing.assert_allclose(several.transform(graph), one.transform(graph), atol=1e-5 * size)


def test_half_precision_and_output_as_a_tensor() -> None:
    graph = random_graph(400, 40, density=0.05)
    one = sc.SCE(dimension=8, engine=sc.Memory(device="cpu", precision="half")).fit(graph)
    several = sc.SCE(dimension=8, engine=sc.Memory(devices=["cpu", "cpu"], precision="half"))
    Z = several.fit_transform(graph, output="torch")
    assert Z.device == CPU
    np.testing.assert_allclose(Z.numpy(), one.embedding_, atol=5e-3 * np.abs(one.embedding_).max())
    assert several.fit(random_graph(is_sparse=True)).history_.notes.count(memory.SPARSE_IS_SINGLE) == 1


def test_features_elsewhere_come_to_a_block_as_they_are_read() -> None:
    """Blocks of a GPU's edges, with features of the host: here the edges are tensors of the CPU."""
    graph = random_graph(50, 6)
    edges = as_tensors(graph).held_edges
    for held in (graph.features, torch.from_numpy(graph.features)):
        (rows, places), *_ = edges.blocks(40)
        block = FarBlock(rows, places, edges, held, None)
        some = torch.tensor([0, 2])
        assert torch.equal(block.features(), torch.from_numpy(graph.features[rows]))
        assert torch.equal(block.features(some), torch.from_numpy(graph.features[rows][[0, 2]]))


def test_rows_that_overflow_are_an_error() -> None:
    graph, engine = random_graph(40, 8), SeveralDevices([CPU, CPU], graph=random_graph(40, 8))
    rows = engine.load(graph, Weighting("none"), sc.Power())
    with pytest.raises(sc.InputError, match="overflow"):
        engine.project([rows], Projection((torch.full((8, 2), 3e38),), "mean"))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")
@pytest.mark.parametrize("kind", ["plain", "weighted", "directed", "sparse", "typed", "timed", "signed"])
@pytest.mark.parametrize("names", [("cuda:0", "cuda:0"), ("cuda:0", "cpu")], ids="+".join)
def test_panels_on_a_gpu_give_what_one_device_gives(
    kind: str, names: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One GPU twice stands for two: `Memory` refuses it, for nobody gains by it."""
    monkeypatch.setattr(memory_choice, "resolve_devices", lambda given, _: [torch.device(name) for name in given])
    graph = graph_of(kind)
    for name in ("default", "two hops", "adam over rows", "levels"):
        one = MODELS[name]().set_params(engine=sc.Memory(device="cuda")).fit(graph)
        several = MODELS[name]().set_params(engine=sc.Memory(devices=list(names))).fit(graph)
        size = np.abs(one.embedding_).max()
        np.testing.assert_allclose(several.embedding_, one.embedding_, atol=2e-4 * size)
        np.testing.assert_allclose(several.transform(graph), one.embedding_, atol=2e-4 * size)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")
@pytest.mark.parametrize("name", ["default", "two hops", "adam over rows", "levels"])
def test_panels_of_halves_on_a_gpu(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_choice, "resolve_devices", lambda given, _: [torch.device(one) for one in given])
    monkeypatch.setattr("sparsecut.engines.split_rows.LEAST_COLUMNS", 16)
    graph = random_graph(3000, 100, density=0.01)
    half = sc.Memory(devices=["cuda:0", "cuda:0"], precision="half")
    one, several = (
        MODELS[name]().set_params(engine=engine).fit(graph) for engine in (sc.Memory(device="cuda", precision="half"), half)
    )
    size = np.abs(one.embedding_).max()
    np.testing.assert_allclose(several.embedding_, one.embedding_, atol=1e-2 * size)
    np.testing.assert_allclose(several.transform(graph), one.transform(graph), atol=1e-2 * size)
