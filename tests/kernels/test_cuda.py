"""CPU and CUDA give the same answer; where there is no GPU, asking for one is a clear error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone

from conftest import random_graph
from filter_cases import FILTERS, make_filter
from sparsecut import SCE, Adam, Graph, InputError, Memory, MoSCE, Pairs, load
from sparsecut.engines import MemoryEngine
from sparsecut.engines.rows import Rows
from sparsecut.evaluation import Split
from sparsecut.features.weighting import Weighting
from sparsecut.kernels import cuda
from sparsecut.kernels.halves import halved
from sparsecut.lab.baselines import GAT, GCN, SGC, MixHop
from sparsecut.operators.negatives import complete_graph
from sparsecut.operators.propagation import Propagation

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")

CASES = {
    "complete over gram": SCE(solver=Adam(route="gram")),
    "complete over rows": SCE(solver=Adam(route="rows")),
    "sampled, two layers": SCE(negatives="sampled", solver=Adam(depth=2)),
    "sparsifier": SCE(filter="symmetric", negatives="sparsifier"),
    "given pairs": SCE(negatives=Pairs([(0, 1), (5, 9)])),
    "mini-batches": SCE(solver=Adam(batch_size=100)),
    "sampled mini-batches": SCE(negatives="sampled", solver=Adam(batch_size=100)),
    "concat": MoSCE(aggregation="concat", solver=Adam(depth=[1, 2])),
    "mean": MoSCE(aggregation="mean"),
    "max": MoSCE(aggregation="max", solver="adam"),
    "no loss": SCE(solver=Adam(loss="none")),
}


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("case", CASES)
def test_cuda_agrees_with_cpu(case: str, is_sparse: bool) -> None:
    graph = random_graph(500, 60, density=0.02, is_weighted=True, is_sparse=is_sparse)
    on_cpu, on_cuda = (clone(CASES[case]).set_params(engine__device=device).fit(graph) for device in ("cpu", "cuda"))
    scale = np.abs(on_cpu.embedding_).max()
    assert np.allclose(on_cuda.embedding_, on_cpu.embedding_, atol=2e-4 * scale)
    assert np.allclose(on_cuda.transform(graph), on_cuda.embedding_, atol=2e-4 * scale)
    assert on_cuda.history_.effective_rank == pytest.approx(on_cpu.history_.effective_rank, rel=1e-3)


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "model",
    [GCN(dropout=0), SGC(), GAT(dropout=0), MixHop(dropout=0, hidden_dropout=0)],
    ids=lambda model: type(model).__name__,
)
def test_methods_that_predict_train_on_cuda_as_on_cpu(model: Any, is_sparse: bool) -> None:
    """Without dropout, which the devices draw differently; and twice on CUDA gives the same bits with it."""
    graph = random_graph(500, 60, density=0.02, is_weighted=True, is_sparse=is_sparse)
    graph = Graph(graph.adjacency, features=graph.features, labels=np.arange(500) % 3)
    split = Split(np.arange(100), np.arange(100, 200), np.arange(200, 500))
    on_cpu, on_cuda = (
        type(model)(**{**model.get_params(deep=False), "epochs": 20, "device": device}).fit(graph, split=split)
        for device in ("cpu", "cuda")
    )
    assert np.allclose(on_cuda.history_.loss, on_cpu.history_.loss, rtol=1e-3)
    assert (on_cuda.predict(graph) == on_cpu.predict(graph)).mean() > 0.99
    first, again = (type(model)(epochs=20, device="cuda").fit(graph, split=split) for _ in range(2))
    assert first.history_.loss == again.history_.loss


@pytest.mark.cuda
@needs_cuda
def test_structure_on_cuda_separates_planted_communities() -> None:
    side = np.arange(300) % 2
    probability = np.where(side[:, None] == side, 0.15, 0.01)
    upper = np.triu(np.random.default_rng(0).random((300, 300)) < probability, 1)
    Z = SCE(engine=Memory(device="cuda")).fit_transform(Graph((upper | upper.T).astype(np.float32)))
    centres = np.array([Z[side == label].mean(axis=0) for label in (0, 1)])
    nearest = ((Z[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == side).mean() > 0.98


@pytest.mark.cuda
@needs_cuda
def test_auto_takes_the_gpu_and_a_model_moves_to_the_cpu(tmp_path: Path) -> None:
    graph = random_graph(100, 10)
    torch.cuda.reset_peak_memory_stats()
    model = SCE().fit(graph)
    assert torch.cuda.max_memory_allocated() > 0
    model.save(tmp_path / "model.safetensors")
    on_cpu = load(tmp_path / "model.safetensors").set_params(engine__device="cpu")
    assert np.allclose(on_cpu.transform(graph), model.embedding_, atol=1e-4)


@pytest.mark.cuda
@needs_cuda
def test_a_gpu_that_is_not_there() -> None:
    with pytest.raises(InputError, match="GPUs, counted from 0"):
        SCE(engine=Memory(device="cuda:99")).fit(random_graph())


def hub_and_ring(n_nodes: int, is_weighted: bool, is_directed: bool) -> Graph:
    """A ring with one node that knows all others, and three nodes that know nobody."""
    generator = np.random.default_rng(1)
    A = np.zeros((n_nodes + 3, n_nodes + 3))
    A[np.arange(n_nodes), np.roll(np.arange(n_nodes), 1)] = 1
    A[0, 1:n_nodes] = 1
    A *= generator.uniform(0.5, 2, A.shape) if is_weighted else 1
    return Graph(A if is_directed else np.maximum(A, A.T), directed="out" if is_directed else "symmetrize")


# The roundings of a sum's result, relative to the largest number in it.
ERRORS = {torch.float32: 1e-6, torch.float16: 2**-10, torch.bfloat16: 2**-7}


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("dtype", ERRORS, ids=str)
@pytest.mark.parametrize("width", [1, 7, 16, 100, 128, 129, 602])
@pytest.mark.parametrize("filter", ["row", "symmetric", "lazy"])
@pytest.mark.parametrize("kind", ["plain", "weighted", "directed"])
def test_the_hop_kernel_is_the_library_call(kind: str, filter: str, width: int, dtype: torch.dtype) -> None:
    graph = hub_and_ring(300, kind == "weighted", kind == "directed")
    rows = torch.randn(303, width, generator=torch.Generator().manual_seed(0)).to(dtype)
    on_cpu, on_cuda = (
        Propagation.of(graph.adjacency, make_filter(filter), torch.device(device), is_directed=graph.is_directed)
        for device in ("cpu", "cuda")
    )
    for P, P_cuda in ((on_cpu, on_cuda), (on_cpu.T, on_cuda.T)):
        expected = P @ rows.float()
        for given in (rows.cuda(), rows.cuda().T.contiguous().T):  # as it lies in memory, and with columns first
            result = P_cuda @ given
            assert result.dtype == dtype
            assert result.shape == rows.shape
            assert np.allclose(result.cpu().float(), expected, atol=ERRORS[dtype] * float(expected.abs().max()))


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("kind", ["plain", "weighted", "directed"])
@pytest.mark.parametrize("filter", ["row", "symmetric"])
@pytest.mark.parametrize("width", [1, 5, 16, 64, 100, 602])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_some_rows_of_a_hop_are_those_of_all(kind: str, filter: str, width: int, dtype: torch.dtype) -> None:
    graph = hub_and_ring(300, kind == "weighted", kind == "directed")
    rows = torch.randn(303, width, generator=torch.Generator().manual_seed(0)).to(dtype)
    nodes = torch.tensor([0, 302, 17, 4, 4, 299])
    on_cpu, on_cuda = (
        Propagation.of(graph.adjacency, make_filter(filter), torch.device(device), is_directed=graph.is_directed)
        for device in ("cpu", "cuda")
    )
    for coefficients in ((0.0, 1.0), (0.25, 0.75)):
        expected = on_cpu.smooth(coefficients, rows.float())[nodes]
        for given in (rows.cuda(), rows.cuda().T.contiguous().T, torch.cat([rows, rows], dim=1).cuda()[:, :width]):
            some = on_cuda.smooth_some(coefficients, given, nodes.cuda())
            assert some.dtype == torch.float32
            assert np.allclose(some.cpu(), expected, atol=1e-6 * float(expected.abs().max()))


def test_kernels_are_launched_on_the_gpu_that_has_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton launches on the current GPU, whichever the tensors are on: with several GPUs each has its turn."""
    current: list[torch.device] = []
    launched: list[tuple[torch.device, tuple[int, int]]] = []

    @contextmanager
    def made_current(device: torch.device) -> Iterator[None]:
        current.append(device)
        yield
        current.pop()

    class Kernel:
        def __getitem__(self, grid: tuple[int, int]) -> Any:
            return lambda *_, **__: launched.append((current[-1], grid))

    monkeypatch.setattr(torch.cuda, "device", made_current)
    monkeypatch.setattr(cuda, "_kernel", lambda n_rows: Kernel())
    P = Propagation.of(hub_and_ring(50, False, False).adjacency, make_filter("row"), torch.device("cpu"))
    rows = torch.zeros(53, 128)
    cuda.hop(*P.neighbors, P.diagonals, rows, torch.arange(53))
    cuda.hop_some(*P.neighbors, P.diagonals, (0.0, 1.0), rows, torch.arange(7))
    # Two rows of a program, and panels of 64 columns.
    assert launched == [(rows.device, (27, 2)), (rows.device, (4, 2))]


@pytest.mark.cuda
@needs_cuda
def test_the_hop_kernel_takes_64_bit_offsets_beside_32_bit_neighbors() -> None:
    graph = hub_and_ring(50, False, False)
    P = Propagation.of(graph.adjacency, make_filter("row"), torch.device("cuda"))
    wide = Propagation(P.neighbors._replace(offsets=P.neighbors.offsets.long()), P.diagonals)
    rows = torch.randn(53, 40, device="cuda")
    assert torch.equal(wide @ rows, P @ rows)


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("width", [1, 16, 100, 128, 300])
@pytest.mark.parametrize("n_rows", [1, 63, 5000])
def test_the_gram_of_halves_is_the_float64_one(n_rows: int, width: int) -> None:
    features = torch.randn(n_rows, width, generator=torch.Generator().manual_seed(0)) + 3  # a mean that must cancel
    halves, scale = halved(features.cuda())
    S = halves.cpu().double() * scale
    expected = n_rows * S.T @ S - torch.outer(S.sum(dim=0), S.sum(dim=0))
    engine, rows = MemoryEngine(torch.device("cuda")), Rows(halves, coefficients=(scale,))
    M = engine.moments([rows], complete_graph(n_rows)).M.cpu().double()
    assert np.allclose(M, expected, atol=1e-5 * float((n_rows * S.T @ S).abs().max()))
    again = engine.moments([rows], complete_graph(n_rows)).M.cpu().double()
    assert torch.equal(M, again)


@pytest.mark.cuda
@needs_cuda
@pytest.mark.parametrize("filter", FILTERS)
def test_half_precision_on_cuda_is_near_single(filter: str) -> None:
    graph = random_graph(500, 60, density=0.02, is_weighted=True)
    weights = torch.randn(60, 20, device="cuda")
    results = []
    for precision in ("single", "half"):
        engine = MemoryEngine(torch.device("cuda"), precision)
        large = graph.replace(features=1e6 * graph.features)
        chosen = make_filter(filter, 4)
        rows = engine.smooth(engine.load(large, Weighting("none"), chosen), chosen.coefficients())
        results.append((rows @ weights, engine.moments([rows], complete_graph(500)).M))
    assert results[1][0].dtype == torch.float32
    for single, half in zip(*results, strict=True):
        assert float((half - single).norm() / single.norm()) < 2e-3


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_asking_for_cuda_where_there_is_none(device: str) -> None:
    graph = Graph(np.ones((3, 3)), features=np.eye(3))
    with pytest.raises(InputError, match=f"device='{device}', but torch sees no CUDA GPU here. Use device='cpu'"):
        SCE(engine=Memory(device=device)).fit(graph)
