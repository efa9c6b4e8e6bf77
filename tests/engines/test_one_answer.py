"""One answer: the choices, the columns and every number of a fit follow from the graph alone.

They do not follow from the engine, its memory limit, its plan or its threads.
`make explore` compares every model and graph of `benchmarks/compare_engines.py` with every engine; `make test` a few.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from compare_engines import CASES, ENGINES, FILMS, MEMORY, MODELS, compare, fitted, is_same, load
from conftest import data_file, load_or_skip
from disk_cases import community_graph
from local_cluster import address
from sparsecut.engines import Job
from sparsecut.features.weighting import Weighting
from sparsecut.operators.negatives import complete_graph

DISK = ("disk 2GiB", "disk 640MiB", "disk smallest")
DASK = ("dask columns", "dask rows")
FEW = [
    *(("cora", "SCE()", engine) for engine in (*DISK, DASK[0], "memory 2 threads")),
    ("citeseer", "SCE()", DISK[2]),
    *(("digits", "SCE()", engine) for engine in (*DISK[::2], DASK[1])),
    *(("films", "SCE()", engine) for engine in (DISK[2], DASK[1])),
    *(("digits", model, DISK[2]) for model in ("MoSCE()", "Adam")),
]
ALL = [(*case, engine) for case in CASES for engine in ENGINES if engine != MEMORY]
IS_EXPLORING = os.environ.get("HYPOTHESIS_PROFILE") == "explore"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@cache
def graph_of(name: str, folder: Path) -> sc.Graph:
    if name == "films":
        data_file(str(FILMS / "movies.csv.gz"))
    elif name != "made":
        load_or_skip(name.partition(" ")[0])
    return load(name, folder)


@cache
def by_memory(name: str, model: str, folder: Path) -> Any:
    return fitted(MEMORY, MODELS[model](), graph_of(name, folder), folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "model", "engine"),
    [
        pytest.param(*case, marks=pytest.mark.cluster if case[2].startswith("dask") else ())
        for case in (ALL if IS_EXPLORING else FEW)
    ],
)
def test_every_engine_gives_memorys_answer_on_real_graphs(
    name: str, model: str, engine: str, folder: Path, tmp_path: Path
) -> None:
    graph = graph_of(name, folder)
    found = compare(fitted(engine, MODELS[model](), graph, tmp_path, address), by_memory(name, model, folder))
    assert is_same(found), found


@pytest.mark.slow
@pytest.mark.parametrize("kind", [{}, {"is_directed": True}, {"is_weighted": True}], ids=str)
def test_wide_sparse_features_are_narrowed_whatever_the_limit(kind: dict[str, bool], tmp_path: Path) -> None:
    """With room for M it was built, and solved without narrowing: other directions, another number of columns."""
    graph = community_graph(300, 1100, is_sparse=True, is_counts=True, **kind)
    expected = fitted(MEMORY, sc.SCE(), graph, tmp_path)
    for engine in DISK:
        model = fitted(engine, sc.SCE(), graph, tmp_path)
        assert is_same(found := compare(model, expected)), (engine, found)
        assert model.history_.reason == expected.history_.reason


@pytest.mark.slow
@pytest.mark.parametrize("model", [sc.SCE(), sc.MoSCE()], ids=repr)
def test_wide_sparse_features_are_never_written_dense(model: Any, tmp_path: Path) -> None:
    graph = community_graph(300, 1100, is_sparse=True, is_counts=True)
    (tmp_path / "work").mkdir()
    largest = 0

    def watch(*_: object) -> None:
        nonlocal largest
        panels = [path for path in (tmp_path / "work").rglob("*-????") if path.name[-4:].isdigit()]
        largest = max([largest, *(path.stat().st_size for path in panels)])

    model.set_params(engine=sc.Disk(scratch=tmp_path / "work")).fit(graph, output=tmp_path / "z.npy", progress=watch)
    assert 0 < largest <= 4 * 300 * (128 + 32 + 16)  # of the directions; those of the features would take 4·300·1100


@pytest.mark.cluster
@pytest.mark.parametrize("filter", [sc.PageRank(restart=0.1), sc.Power(order=2)], ids=repr)
def test_rows_and_their_moments_have_the_same_bits_by_every_engine(filter: Any) -> None:
    """In a graph of more rows than the kernels sum at a time, cut into blocks that end elsewhere.

    Eigenvectors of equal eigenvalues, which a table's columns have, are else another basis by another engine.
    """
    n_nodes = 9000
    nodes, generator = np.arange(n_nodes), np.random.default_rng(0)
    ends = generator.integers(0, n_nodes, (2, 30_000))
    one_way = sp.csr_array((np.ones(30_000, dtype=np.float32), (ends[0], ends[1])), shape=(n_nodes, n_nodes))
    one_way.setdiag(0)
    graph = sc.Graph(one_way + one_way.T, features=generator.normal(size=(n_nodes, 6)).astype(np.float32) + 1)
    by_dask = [sc.Dask(address(), plan="columns", blocks=7), sc.Dask(address(), plan="rows", blocks=7)]
    found = []
    for choice in (sc.Memory(device="cpu"), sc.Disk(), *by_dask):
        with choice.open(Job("test", graph)) as engine:
            smoothed = engine.smooth(engine.load(graph, Weighting("none"), filter), filter.coefficients())
            found.append((engine.take(smoothed, nodes), engine.moments([smoothed], complete_graph(n_nodes))))
    rows, moments = found[0]
    for other_rows, other in found[1:]:
        assert torch.equal(other_rows, rows)
        assert torch.allclose(other.M, moments.M, rtol=1e-14)
        assert torch.allclose(other.mean, moments.mean, rtol=1e-14)
