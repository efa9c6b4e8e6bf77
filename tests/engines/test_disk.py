"""engine="disk": the same answers as in memory, under a limit, whatever happens on the way."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sparsecut.engines.panels import Panels
from sparsecut.model.restart import _hold_out
from sparsecut.model.spectral import solve_gram

import sparsecut as sc
from conftest import random_graph
from reference import dense_filter, dense_laplacian
from sparsecut.engines import disk
from sparsecut.graph import Graph
from sparsecut.io import workfolder
from sparsecut.io.workfolder import fingerprint_of, work_folder
from sparsecut.model import on_disk, restart_on_disk
from sparsecut.operators.negatives import CompleteNegatives, EdgeNegatives, SumOfNegatives


def limit_for(n_nodes: int, n_columns: int, *, n_panels: int = disk.N_PANELS) -> int:
    """The limit under which panels have that many columns."""
    return disk.BASE_BYTES + n_nodes * (disk.NODE_BYTES + 4 * n_panels * n_columns) + disk.N_BLOCKS * disk.MIN_BLOCK


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows and a few entries, and no more memory than a few columns take."""
    monkeypatch.setattr(disk, "MIN_BLOCK", 1 << 12)
    monkeypatch.setattr(disk, "MAX_BLOCK", 1 << 12)
    monkeypatch.setattr(disk, "GRAM_MATRICES", 0)
    monkeypatch.setattr(on_disk, "PAIR_BYTES", 0)


def community_graph(n_nodes: int = 300, n_features: int = 20, *, seed: int = 0, **kinds: bool) -> Graph:
    """Four groups, enough edges to hold some out."""
    generator = np.random.default_rng(seed)
    group = np.arange(n_nodes) % 4
    chance = np.where(group[:, None] == group, 0.2, 0.02)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < chance, 1).astype(np.float32)
    if kinds.get("is_weighted"):
        upper *= generator.uniform(0.1, 3, upper.shape).astype(np.float32)
    features = generator.normal(size=(4, n_features))[group] + 2 * generator.normal(size=(n_nodes, n_features))
    if kinds.get("is_counts"):
        features = np.floor(np.abs(features))
    matrix: Any = sp.csr_array(features.astype(np.float32)) if kinds.get("is_sparse") else features
    if kinds.get("is_directed"):
        lower = np.tril(generator.random((n_nodes, n_nodes)) < chance, -1)
        return Graph(sp.csr_array(upper + lower), features=matrix, directed="out")
    return Graph(sp.csr_array(upper + upper.T), features=matrix)


def assert_alike(model: Any, graph: Graph, tmp_path: Path, n_columns: int = 7) -> None:
    """The disk engine with panels of a few columns against the memory engine."""
    expected = model.fit_transform(graph)
    other = clone(model).set_params(engine="disk", memory_limit=limit_for(graph.n_nodes, n_columns))
    Z = other.fit_transform(graph, output=tmp_path / "z.npy")
    assert isinstance(Z, np.memmap)
    assert_same_rows(Z, expected)
    assert_same_rows(other.transform(graph, output=tmp_path / "z.npy"), expected)
    assert other.history_.effective_rank == pytest.approx(model.history_.effective_rank, rel=1e-5)
    assert other.recipe_.strength == model.recipe_.strength
    assert names_in(tmp_path) == ["z.npy"]


def assert_same_rows(Z: Any, expected: Any) -> None:
    """Inner products agree to the last digits of float32; columns to fewer, where two eigenvalues are nearly the same."""
    assert Z.shape == expected.shape
    products = expected @ expected.T
    np.testing.assert_allclose(Z @ Z.T, products, atol=1e-5 * np.abs(products).max())
    np.testing.assert_allclose(Z, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"filter": "row"},
        {"filter": "symmetric", "order": 3},
        {"filter": "lazy", "weighting": "l2"},
        {"filter": "average", "order": 3},
        {"filter": "average-symmetric", "order": 3},
        {"filter": "pagerank", "order": 4},
        {"filter": "pagerank-symmetric", "strength": 0.2, "dimension": 5},
        {"filter": "heat", "strength": 2.0},
        {"filter": "heat-symmetric"},
        {"order": 0},
        {"negatives": "degrees"},
        {"negatives": "sampled", "n_negatives": 3},
        {"negatives": "sparsifier"},
        {"negatives": "complete", "apart": [[0, 1], [4, 9]]},
        {"negatives": "degrees", "apart": [[0, 1, 2.0]]},
        {"negatives": [[0, 5], [3, 8], [8, 8], [200, 7]], "filter": "row"},
        {"epochs": 5, "dimension": 6},
        {"epochs": 5, "depth": 2, "negatives": "sampled"},
        {"loss": "none"},
    ],
    ids=str,
)
def test_answers_are_those_of_memory(settings: dict[str, Any], tmp_path: Path, small_blocks: None) -> None:
    assert_alike(sc.SCE(**settings), community_graph(), tmp_path)


@pytest.mark.parametrize("kind", ["is_weighted", "is_directed", "is_sparse", "is_counts"])
@pytest.mark.parametrize("settings", [{}, {"filter": "symmetric", "negatives": "degrees"}], ids=str)
def test_answers_are_those_of_memory_on_any_graph(
    settings: dict[str, Any], kind: str, tmp_path: Path, small_blocks: None
) -> None:
    assert_alike(sc.SCE(**settings), community_graph(seed=1, **{kind: True}), tmp_path)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"levels": 3, "filter": "symmetric"},
        {"aggregation": "concat", "epochs": 4, "dimension": 9},
        {"epochs": 4, "dimension": 9},
    ],
    ids=str,
)
def test_several_levels(settings: dict[str, Any], tmp_path: Path, small_blocks: None) -> None:
    assert_alike(sc.MoSCE(**settings), community_graph(seed=2), tmp_path)


def test_a_real_graph(digits: Graph, tmp_path: Path) -> None:
    assert_alike(sc.SCE(), digits, tmp_path, n_columns=30)


def test_wide_features_iterate_as_in_memory(tmp_path: Path, small_blocks: None) -> None:
    assert_alike(sc.SCE(dimension=8, filter="power"), random_graph(60, 1100, seed=3), tmp_path, n_columns=400)


def test_a_graph_without_edges(tmp_path: Path, small_blocks: None) -> None:
    graph = Graph(sp.csr_array((30, 30)), features=np.random.default_rng(0).normal(size=(30, 5)))
    assert_alike(sc.SCE(), graph, tmp_path, n_columns=2)


@pytest.mark.filterwarnings("ignore::sparsecut.errors.MeaninglessEmbeddingWarning")
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
    generator = np.random.default_rng(0)
    S = generator.normal(size=(50, 11)).astype(np.float32) + 5
    pairs = generator.integers(0, 50, (80, 2))
    weights = generator.random(80).astype(np.float32)
    L = dense_laplacian(50, pairs, weights) + 50 * np.eye(50) - 1
    negatives = SumOfNegatives(50, [CompleteNegatives(50), EdgeNegatives(50, pairs, weights, torch.device("cpu"))])
    with work_folder(tmp_path, "test") as work:
        panels = Panels(work, "S", 50, (4, 4, 3))
        panels.fill(lambda: iter(torch.from_numpy(S).split(9)))
        engine = disk.DiskEngine(work, disk.Sizes((4, 4, 3), 1 << 10), lambda *_: None)
        spread = engine.gram([panels], negatives, "gram")
    np.testing.assert_allclose(spread.M, S.T @ L @ S, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(spread.mean, S.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(spread.scatter, (S - S.mean(axis=0)).T @ (S - S.mean(axis=0)), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("is_directed", [False, True])
def test_the_same_edges_are_held_out(is_directed: bool) -> None:
    graph = community_graph(seed=4, is_directed=is_directed)
    kept, edges, others = _hold_out(graph)
    removed, edges_on_disk, others_on_disk = restart_on_disk._hold_out(graph)
    assert (edges == edges_on_disk).all()
    assert (others == others_on_disk).all()
    data = graph.adjacency.data.copy()
    data[removed] = 0
    left = sp.csr_array((data, graph.adjacency.indices, graph.adjacency.indptr), shape=graph.adjacency.shape)
    assert (left != kept).nnz == 0


def test_the_closed_form_from_m_alone_is_that_of_the_rows() -> None:
    S = np.random.default_rng(0).normal(size=(40, 6))
    centred = S - S.mean(axis=0)
    M = torch.from_numpy(40 * centred.T @ centred)
    whole = solve_gram(M, [6], dimension=4, effective_rank=2.0, length=1.0)
    iterated = solve_gram(M, [6], dimension=4, effective_rank=2.0, length=1.0, exact_columns=0, n_iterations=60)
    np.testing.assert_allclose(whole.weights[0], iterated.weights[0], atol=1e-4)
    Z = centred @ whole.weights[0].numpy()
    variances = (Z**2).sum(axis=0)
    shares = variances / variances.sum()
    assert np.exp(-(shares * np.log(shares)).sum()) == pytest.approx(2.0, rel=1e-3)


# Memory maps


def mapped(graph: Graph, folder: Path) -> dict[str, Any]:
    arrays = {name: getattr(graph.adjacency, name) for name in ("indptr", "indices", "data")} | {"features": graph.features}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in arrays}


def test_a_graph_in_memory_maps_is_not_copied(tmp_path: Path) -> None:
    graph = community_graph()
    maps = mapped(graph, tmp_path)
    again = Graph(
        sp.csr_array((maps["data"], maps["indices"], maps["indptr"]), shape=graph.adjacency.shape), features=maps["features"]
    )
    for array, name in ((again.features, "features"), (again.adjacency.indices, "indices"), (again.adjacency.data, "data")):
        assert np.shares_memory(array, maps[name])
    model = sc.SCE(engine=sc.Disk(memory_limit="1GB"))
    assert (model.fit_transform(again) == clone(model).fit_transform(graph)).all()


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("symmetric", lambda A: A.data.__setitem__(5, 2)),
        ("sorted and without repeats", lambda A: A.indices.__setitem__([0, 1], A.indices[[1, 0]])),
        ("without self-loops", lambda A: A.indices.__setitem__(0, 0)),
        ("of finite weights above zero", lambda A: A.data.__setitem__(5, -1)),
        ("whole", lambda A: A.indices.__setitem__(5, 10_000)),
        ("whole", lambda A: A.indptr.__setitem__(2, 10_000_000)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_adjacency_in_memory_maps_needs_no_change_or_is_refused(rule: str, change: Any, tmp_path: Path) -> None:
    graph = community_graph()
    A = graph.adjacency.copy()
    assert A.indices[0] > 0
    change(A)
    maps = mapped(Graph.from_canonical(A, features=graph.features, node_ids=graph.node_ids), tmp_path)
    adjacency = sp.csr_array(A.shape, dtype=np.float32)
    adjacency.data, adjacency.indices, adjacency.indptr = maps["data"], maps["indices"], maps["indptr"]
    with pytest.raises(sc.InputError, match=f"An adjacency in a memory map must be {rule}, since it is not copied"):
        Graph(adjacency)


# What is refused


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (sc.SCE(), "The engine parameter of SCE must be one of 'memory', 'disk'. Got 'tape' instead."),
        (
            sc.SCE(memory_limit="much"),
            "The memory_limit parameter of SCE must be a number of bytes above 0, such as '2GiB' or '500MB'. Got 'much' "
            "instead.",
        ),
        (sc.SCE(scratch=3), "The scratch parameter of SCE must be a folder's path or None. Got 3 instead."),
        (
            sc.SCE(engine=sc.Disk(memory_limit="100MiB")),
            "The memory_limit of SCE is too small for this graph: 100 MiB. It needs at least 498 MiB, of which 480 MiB are "
            "the interpreter and its libraries.",
        ),
        (
            sc.SCE(solver=sc.Adam(batch_size=32), engine="disk"),
            "SCE(engine='disk') cannot train mini-batches, which take rows from everywhere. Leave batch_size out, or use "
            "engine='memory'.",
        ),
        (
            sc.SCE(solver=sc.Adam(route="rows"), engine="disk"),
            "SCE(engine='disk') cannot train over rows. Use route='auto' or 'gram', or use engine='memory'.",
        ),
        (
            sc.SCE(features="structure", engine="disk"),
            "SCE(engine='disk') cannot take structure in place of features. Give the graph features, or use "
            "engine='memory'.",
        ),
        (
            sc.SCE(engine="disk"),
            "SCE(engine='disk') cannot keep rows in precision='half'. Use precision='single', or use engine='memory'.",
        ),
        (
            sc.SCE(engine="disk"),
            "SCE(engine='disk') cannot compute on 'cuda'. Use device='cpu', or use engine='memory'.",
        ),
        (
            sc.MoSCE(aggregation="max", solver="adam", engine="disk"),
            "MoSCE(engine='disk') cannot aggregate by max, which is not a function of the Gram matrix. Use "
            "aggregation='mean' or 'concat', or use engine='memory'.",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else repr(value),
)
def test_refusals_say_what_to_do(model: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(sc.InputError) as caught:
        model.fit(community_graph())
    assert str(caught.value) == words


def test_outputs_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = community_graph()
    model = sc.SCE(filter="power", engine="disk")
    with pytest.raises(sc.InputError, match=r"The output z.csv must end in .npy: it is written row by row."):
        model.fit(graph, output="z.csv")
    with pytest.raises(sc.InputError, match=r"SCE\(engine='memory'\) writes no file. Use engine='disk', or write what it"):
        sc.SCE().fit(graph, output="z.npy")
    with pytest.raises(sc.InputError, match=r"cannot be written: the folder .* does not exist"):
        model.fit(graph, output=tmp_path / "nowhere" / "z.npy")
    with pytest.raises(sc.InputError) as caught:
        sc.SCE(dimension=100_000, filter="power", engine=sc.Disk(memory_limit="500MiB")).fit(graph)
    assert str(caught.value) == (
        "The embedding of SCE, 300 × 100,000, does not fit into the memory_limit of 500 MiB. Write it to disk: "
        "output='embedding.npy'."
    )
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 1000))
    with pytest.raises(sc.InputError) as caught:
        model.fit(graph, output=tmp_path / "z.npy")
    assert "has 1 MiB free, and 1 MiB are needed. Free some, or name a folder on another disk (scratch)." in str(
        caught.value
    )
    assert names_in(tmp_path) == []


def test_scratch_folders_that_cannot_be(tmp_path: Path) -> None:
    graph = community_graph()
    file = tmp_path / "file"
    file.write_text("")
    for scratch, words in (
        (file, "is not a folder. Name a folder that can be written to (scratch)."),
        (tmp_path / "no", "does not exist. Name a folder that can be written to (scratch)."),
        (Path("/proc"), "cannot be written: No such file or directory. Name another one (scratch)."),
    ):
        with pytest.raises(sc.InputError) as caught:
            sc.SCE(filter="power", engine=sc.Disk(scratch=scratch)).fit(graph, output=tmp_path / "z.npy")
        assert str(caught.value) == f"The scratch folder {scratch} {words}"
    assert names_in(tmp_path) == ["file"]


def test_scratch_lies_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    seen = []
    sc.SCE(filter="power", engine=sc.Disk(scratch=tmp_path / "work")).fit(
        community_graph(), output=tmp_path / "z.npy", progress=lambda *_: seen.append(len(names_in(tmp_path / "work")))
    )
    assert set(seen) == {1}
    assert names_in(tmp_path / "work") == []


def test_a_second_run_of_the_same_waits_its_turn(tmp_path: Path) -> None:
    graph, told = community_graph(), []

    def start_again(*_: Any) -> None:
        if not told:
            with pytest.raises(
                sc.InputError, match=r"Another run computes the same in .*\. Wait for it, or name another"
            ) as caught:
                sc.SCE(filter="power", engine="disk").fit(graph, output=tmp_path / "z.npy")
            told.append(caught.value)

    sc.SCE(filter="power", engine="disk").fit(graph, output=tmp_path / "z.npy", progress=start_again)
    assert told
    assert names_in(tmp_path) == ["z.npy"]


# Failures on the way


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("other")], ids=["interrupted", "failed"])
def test_nothing_is_left_of_a_run_that_fails(error: BaseException, tmp_path: Path) -> None:
    def fail(stage: str, done: int, total: int) -> None:
        if stage == "projection":
            raise error

    with pytest.raises(type(error)):
        sc.SCE(filter="power", engine="disk").fit(community_graph(), output=tmp_path / "z.npy", progress=fail)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("n_synced", [1, 4, 6])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    n_synced: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_left = n_synced

    def fill_up(handle: int) -> None:
        nonlocal n_left
        n_left -= 1
        if n_left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fill_up)
    with pytest.raises(sc.InputError, match=r"could not be written: No space left on device. Free some room, or"):
        sc.SCE(filter="power", engine=sc.Disk(memory_limit=limit_for(300, 9))).fit(
            community_graph(), output=tmp_path / "z.npy"
        )
    assert names_in(tmp_path) == []


RUNS = """
import os, resource, signal, sys, time
from pathlib import Path
import numpy as np, torch
import sparsecut as sc
from killing import run_killed
from sparsecut.engines import disk
torch.set_num_threads(1)  # no threads, so that a fork is whole
disk.MIN_BLOCK = disk.MAX_BLOCK = 1 << 12
folder, limit = Path(sys.argv[1]), int(sys.argv[2])
graph = sc.open_store(folder / "store")
generator = np.random.default_rng(int(sys.argv[3]))

def run(output, kill_at=None, prepare=lambda: None):
    def work(event):
        prepare()
        try:
            sc.SCE(engine="disk", memory_limit=limit, scratch=folder).fit(graph, output=output, progress=event)
        except sc.InputError as error:
            (folder / "said").write_text(str(error))
            return 3
        return 0
    return run_killed(work, folder / "events", kill_at)

assert run(folder / "whole.npy") == 0
n_all = int((folder / "events").read_text())
n_kills = 0
at = np.append(generator.integers(1, n_all // 2, 8), [n_all - 1, n_all - 3])
for kill_at in at:
    code = run(folder / "z.npy", int(kill_at))
    n_kills += code == -signal.SIGKILL
    if code == 0:
        break
    assert not (folder / "z.npy").exists()
if code:
    assert run(folder / "z.npy") == 0
assert (folder / "z.npy").read_bytes() == (folder / "whole.npy").read_bytes()
print(n_kills, int((folder / "events").read_text()) < n_all)

def no_large_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
assert run(folder / "small.npy", prepare=no_large_files) == 3
print((folder / "said").read_text())
"""


def test_killed_at_any_point_it_goes_on_and_gives_the_same_bits(tmp_path: Path) -> None:
    graph = community_graph()
    (tmp_path / "store").mkdir()
    for name in ("indptr", "indices"):
        np.save(tmp_path / "store" / f"{name}.npy", getattr(graph.adjacency, name))
    np.save(tmp_path / "store" / "features.npy", graph.features)
    from sparsecut.io.store import write_header

    write_header(tmp_path / "store", n_nodes=300, n_entries=graph.adjacency.nnz, directed="symmetrize")
    done = subprocess.run(
        [sys.executable, "-c", RUNS, str(tmp_path), str(limit_for(300, 6)), "0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    killed, said = done.stdout.splitlines()
    n_kills, is_shorter = killed.split()
    assert int(n_kills) >= 3
    assert is_shorter == "True"  # the last run did not begin at the beginning
    assert "could not be written: File too large. Free some room, or name another folder (scratch)." in said
    assert names_in(tmp_path) == ["events", "said", "store", "whole.npy", "z.npy"]


def test_the_same_call_has_the_same_fingerprint_and_no_other(tmp_path: Path) -> None:
    graph = community_graph()
    maps = mapped(graph, tmp_path)
    same = fingerprint_of(graph.adjacency, maps["features"], {"order": 2}, None)
    assert same == fingerprint_of(graph.adjacency, np.load(tmp_path / "features.npy", mmap_mode="r"), {"order": 2}, None)
    assert same != fingerprint_of(graph.adjacency, maps["features"], {"order": "2"}, None)
    os.utime(tmp_path / "features.npy", (1, 1))
    assert same != fingerprint_of(graph.adjacency, maps["features"], {"order": 2}, None)
    assert fingerprint_of(graph.features) == fingerprint_of(graph.features.copy())
    assert fingerprint_of(graph.features) != fingerprint_of(graph.features + 1)
    assert fingerprint_of([1], [2]) != fingerprint_of([1, 2], [])


def test_progress_counts_every_block_of_every_hop(tmp_path: Path, small_blocks: None) -> None:
    seen: list[tuple[str, int, int]] = []
    model = sc.SCE(filter=sc.Power(order=2), engine=sc.Disk(memory_limit=limit_for(300, 7, n_panels=2)))
    model.fit(community_graph(), output=tmp_path / "z.npy", progress=lambda *report: seen.append(report))
    smoothing = [(done, total) for stage, done, total in seen if stage == "smoothing"]
    assert smoothing == [(number + 1, len(smoothing)) for number in range(len(smoothing))]
    assert len(smoothing) > 2 * 3  # hops and panels
    assert {stage for stage, _, _ in seen} == {"reading features", "smoothing", "Gram matrix", "projection"}


def test_a_model_fitted_on_disk_is_saved_and_embeds_elsewhere(tmp_path: Path) -> None:
    graph = community_graph()
    model = sc.SCE(engine=sc.Disk(memory_limit="1GiB", scratch=tmp_path))
    Z = model.fit_transform(graph, output=tmp_path / "z.npy")
    model.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    assert (loaded.engine, loaded.memory_limit, loaded.scratch) == ("disk", "1GiB", str(tmp_path))
    np.testing.assert_allclose(loaded.transform(graph, output=tmp_path / "again.npy"), Z, atol=1e-4)
    np.testing.assert_allclose(loaded.set_params(engine="memory").transform(graph), Z, atol=1e-4)


def test_callbacks_see_the_weights_of_their_epoch(tmp_path: Path) -> None:
    graph = community_graph()
    seen: dict[str, list[Any]] = {"memory": [], "disk": []}
    for engine, weights in seen.items():
        model = sc.SCE(engine=engine, epochs=3, dimension=4)
        model.fit(graph, callback=lambda epoch, history, m=model, w=weights: w.append(m.weights_[0].copy()))  # type: ignore[misc]
    np.testing.assert_allclose(seen["disk"], seen["memory"], atol=1e-5)


def test_a_new_seed_is_drawn_once(tmp_path: Path) -> None:
    graph = community_graph()
    model = sc.SCE(random_state=None, dimension=4, solver=sc.Adam(epochs=2), engine="disk")
    assert (model.fit_transform(graph) != clone(model).fit_transform(graph)).any()


def test_locks_of_runs_that_have_ended_do_not_hold_anyone_up(tmp_path: Path) -> None:
    with work_folder(tmp_path, "x") as work:
        assert (work / workfolder.LOCK).exists()
    with work_folder(tmp_path, "x"):
        pass
    assert names_in(tmp_path) == []
