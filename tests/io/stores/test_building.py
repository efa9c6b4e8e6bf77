"""A graph built on disk is the graph that `read_graph` holds, however little memory there is, killed or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import prepared
import sparsecut as sc
from sparsecut.io.stores import building
from sparsecut.io.stores.store import HEADER, is_store

N_NODES = 60


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Edges with repeats in both directions, self-loops and weights of zero, in every format; features in most."""
    generator = np.random.default_rng(0)
    i, j = generator.integers(0, N_NODES, (2, 400))
    weights = np.where(generator.random(400) < 0.1, 0, generator.random(400)).astype(np.float32)
    features = generator.normal(size=(N_NODES, 5)).astype(np.float32)
    names = np.array([f"node-{number}" for number in generator.permutation(N_NODES)])
    numbers = generator.permutation(10 * N_NODES)[:N_NODES]
    columns = {f"f{column}": features[:, column] for column in range(5)}
    write = pyarrow.parquet.write_table
    write(pa.table({"src": i, "dst": j}), tmp_path / "plain.parquet", row_group_size=70)
    write(pa.table({"src": i, "dst": j, "weight": weights}), tmp_path / "weighted.parquet", row_group_size=70)
    write(pa.table({"src": numbers[i], "dst": numbers[j]}), tmp_path / "numbers.parquet")
    pyarrow.feather.write_feather(
        pa.table({"src": names[i], "dst": names[j], "weight": weights}), str(tmp_path / "names.feather"), chunksize=90
    )
    np.save(tmp_path / "plain.npy", np.stack([i, j], axis=1))
    np.save(tmp_path / "features.npy", features)
    np.save(tmp_path / "doubles.npy", np.asfortranarray(features.astype(np.float64)))
    write(pa.table({"id": names, **columns}), tmp_path / "names-features.parquet", row_group_size=13)
    write(pa.table({"id": numbers, **columns}), tmp_path / "numbers-features.parquet")
    lists = pa.FixedSizeListArray.from_arrays(pa.array(features.ravel()), 5)
    pyarrow.feather.write_feather(pa.table({"id": numbers, "x": lists}), str(tmp_path / "lists.arrow"), chunksize=11)
    return tmp_path


def assert_same(graph: Any, expected: Any) -> None:
    for name in ("indptr", "indices", "data"):
        assert (getattr(graph.adjacency, name) == getattr(expected.adjacency, name)).all(), name
    assert graph.adjacency.indices.dtype == expected.adjacency.indices.dtype
    assert graph.features.dtype == np.float32
    assert (graph.features == expected.features).all()
    assert (graph.node_ids == expected.node_ids).all()
    assert graph.is_directed == expected.is_directed
    assert graph.is_weighted == expected.is_weighted


@pytest.mark.parametrize("directed", ["symmetrize", "out", "in"])
@pytest.mark.parametrize(
    ("edges", "features"),
    [
        ("plain.parquet", "features.npy"),
        ("plain.npy", "doubles.npy"),
        ("weighted.parquet", "features.npy"),
        ("names.feather", "names-features.parquet"),
        ("numbers.parquet", "numbers-features.parquet"),
        ("numbers.parquet", "lists.arrow"),
    ],
)
@pytest.mark.parametrize("range_entries", [None, 50])
def test_the_store_is_what_read_graph_holds(
    edges: str, features: str, directed: str, range_entries: int | None, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if range_entries is not None:
        monkeypatch.setattr(building, "range_size", lambda *_: range_entries)
    sc.build_store(files / "store", files / edges, features=files / features, directed=directed)
    graph = sc.open_store(files / "store")
    expected = sc.read_graph(files / edges.replace(".npy", ".parquet"), features=files / features, directed=directed)
    assert_same(graph, expected)
    assert_same(sc.read_graph(files / "store"), expected)
    if edges.endswith("parquet"):
        assert graph.notes[: len(expected.notes)] == expected.notes[: len(graph.notes)]
    assert not list(files.glob(".sparsecut-*"))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edges=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 3)), min_size=1, max_size=40),
    directed=st.sampled_from(["symmetrize", "out", "in"]),
    is_weighted=st.booleans(),
    range_entries=st.integers(1, 20),
)
def test_any_edges_make_the_same_graph(
    tmp_path_factory: Any, edges: list[tuple[int, int, int]], directed: str, is_weighted: bool, range_entries: int
) -> None:
    folder = tmp_path_factory.mktemp("store")
    columns = dict(zip(("source", "target", "weight"), np.array(edges).T, strict=True))
    if not is_weighted:
        del columns["weight"]
    pyarrow.parquet.write_table(pa.table(columns), folder / "edges.parquet")
    np.save(folder / "features.npy", np.ones((9, 2)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "range_size", lambda *_: range_entries)
        asked = {"source": "source", "target": "target"}
        sc.build_store(folder / "s", folder / "edges.parquet", features=folder / "features.npy", directed=directed, **asked)
    expected = sc.read_graph(folder / "edges.parquet", features=folder / "features.npy", directed=directed, **asked)
    assert_same(sc.open_store(folder / "s"), expected)


def test_linked_features_stay_where_they_are(files: Path) -> None:
    sc.build_store(files / "store", files / "plain.parquet", features=files / "features.npy", link_features=True)
    assert (files / "store" / "features.npy").is_symlink()
    assert (sc.open_store(files / "store").features == np.load(files / "features.npy")).all()
    sc.build_store(files / "other", files / "plain.parquet", features=files / "doubles.npy", link_features=True)
    assert not (files / "other" / "features.npy").is_symlink()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"memory_limit": "1MB"}, "The memory_limit of build_store is too small for this graph: 1 MiB. It needs at least"),
        ({"edges": "edges.csv"}, "cannot be read in parts. For graphs larger than memory it must end in .parquet, .feather"),
        ({"edges": "features.npy"}, "must hold integers in two columns, (m, 2). Got float32 of shape (60, 5)."),
        ({"edges": "names.feather"}, "must be integers from 0 to 59. Got 'node-"),
        ({"edges": "numbers.parquet"}, "must be integers from 0 to 59. Got "),
        ({"features": "names-features.parquet"}, "names nodes that the features file"),
        (
            {"features": "bad.npy"},
            "The features must be finite. Got nan in row 3, column 1. Fill or drop such values first.",
        ),
        (
            {"features": "words.parquet"},
            "must hold numbers without gaps, or one column of lists, to be read in parts. Column",
        ),
        ({"features": "no.npy"}, "does not exist"),
        ({"source": "from"}, "has no column 'from' for the source. It has: src, dst."),
        ({"edges": "plain.npy", "source": "src"}, "has no use for source='src': it has two columns without names."),
        ({"directed": "both"}, "The directed parameter of build_store must be one of 'symmetrize', 'out', 'in'."),
    ],
    ids=lambda value: "" if isinstance(value, str) else str(value),
)
def test_what_cannot_be_built_is_told_and_leaves_nothing(changes: dict[str, str], words: str, files: Path) -> None:
    (files / "edges.csv").write_text("0,1\n")
    features = np.load(files / "features.npy")
    features[3, 1] = np.nan
    np.save(files / "bad.npy", features)
    pyarrow.parquet.write_table(pa.table({"id": range(60), "x": ["a"] * 60, "y": ["b"] * 60}), files / "words.parquet")
    before = sorted(files.iterdir())
    asked: dict[str, Any] = {"edges": "plain.parquet", "features": "features.npy"} | changes
    asked |= {name: files / asked[name] for name in ("edges", "features")}
    with pytest.raises(sc.InputError) as caught:
        sc.build_store(files / "store", asked.pop("edges"), **asked)
    assert words in str(caught.value)
    assert sorted(files.iterdir()) == before


RUNS = """
import os, signal, sys
from pathlib import Path
import numpy as np
import sparsecut as sc
from killing import run_killed
from sparsecut.io.stores import building
building.range_size = lambda *_: 60
folder = Path(sys.argv[1])
generator = np.random.default_rng(int(sys.argv[2]))

def run(store, kill_at=None):
    def work(event):
        sc.build_store(store, folder / "weighted.parquet", features=folder / "doubles.npy", progress=event)
        return 0
    return run_killed(work, folder / "events", kill_at)

assert run(folder / "whole") == 0
n_all = int((folder / "events").read_text())
n_kills = 0
for kill_at in generator.integers(1, n_all // 2, 8):
    code = run(folder / "store", int(kill_at))
    n_kills += code == -signal.SIGKILL
    if code == 0:
        break
if code:
    assert run(folder / "store") == 0
for name in os.listdir(folder / "whole"):
    assert (folder / "whole" / name).read_bytes() == (folder / "store" / name).read_bytes(), name
print(n_kills)
"""


@pytest.mark.slow
def test_a_build_that_is_killed_goes_on(files: Path) -> None:
    done = subprocess.run(
        [prepared.python(), "-c", RUNS, str(files), "0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 2
    assert is_store(files / "store")
    assert not list(files.glob(".sparsecut-*"))


def test_a_store_lies_on_disk_and_without_weights_takes_none(files: Path) -> None:
    sc.build_store(files / "store", files / "plain.parquet", features=files / "features.npy")
    graph = sc.open_store(files / "store")
    assert sorted(path.name for path in (files / "store").iterdir()) == [
        "features.npy",
        HEADER,
        "indices.npy",
        "indptr.npy",
    ]
    assert graph.adjacency.data.strides == (0,)
    assert isinstance(graph.features.base, np.ndarray)
    expected = sc.SCE().fit_transform(sc.read_graph(files / "plain.parquet", features=files / "features.npy"))
    np.testing.assert_allclose(sc.SCE().fit_transform(graph), expected, atol=1e-4)
    np.testing.assert_allclose(sc.SCE(engine="disk").fit_transform(graph), expected, atol=1e-4)
