"""Stores of graphs with types, times, signs and two sides: every engine gives memory's vectors of the tables themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from local_cluster import address
from tables_by_type import files_by_type
from timed_graphs import timed_edges

SCORES: dict[str, Any] = {"weight": {"writes": "score"}, "signed": {"writes": True}}
KINDS: dict[str, dict[str, Any]] = {
    "types": {},
    "times": {"time": "day", "half_life": "30d"},
    "signs": {"time": {"writes": "day"}, "half_life": "90d", **SCORES},
}
LIMITS = ("530MiB", "2GiB")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    return files_by_type(tmp_path_factory.mktemp("tables"))


def assert_near(found: Any, wanted: Any, share: float) -> None:
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=0, atol=share * np.abs(wanted).max())


@pytest.mark.parametrize("kind", KINDS)
def test_disk_gives_memorys_vectors_of_a_store_by_type(kind: str, files: Any, tmp_path: Path) -> None:
    nodes, edges = files
    graph = sc.from_tables(nodes, edges, **KINDS[kind])
    model = sc.SCE().fit(graph)
    sc.build_store(tmp_path / "store", edges, nodes=nodes, **KINDS[kind])
    stored = sc.open_store(tmp_path / "store")
    np.testing.assert_array_equal(sc.SCE().fit_transform(stored), model.embedding_)
    for limit in LIMITS:
        on_disk = sc.SCE(engine=sc.Disk(memory_limit=limit)).fit(stored)
        if kind == "signs":  # pairs that ask for distance are summed in another order
            assert_near(on_disk.embedding_, model.embedding_, 1e-5)
        else:
            np.testing.assert_array_equal(on_disk.embedding_, model.embedding_)
        assert_near(on_disk.transform(stored), model.transform(graph), 1e-5)
    on_disk.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.transform(stored), on_disk.transform(stored))


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS)
def test_dask_builds_the_store_and_gives_memorys_vectors(kind: str, files: Any, tmp_path: Path) -> None:
    nodes, edges = files
    graph = sc.from_tables(nodes, edges, **KINDS[kind])
    wanted = sc.SCE().fit_transform(graph)
    engine = sc.Dask(address(), scratch=tmp_path)
    engine.build_store(tmp_path / "store", edges, nodes=nodes, **KINDS[kind])
    stored = sc.open_store(tmp_path / "store")
    np.testing.assert_array_equal(stored.adjacency.toarray(), graph.adjacency.toarray())
    model = sc.SCE(engine=engine).fit(stored, output=tmp_path / "vectors")
    found = sc.read_embedding(tmp_path / "vectors")
    assert found.ids.tolist() == graph.node_ids.tolist()
    assert_near(found.vectors, wanted, 1e-5)
    assert pd.read_parquet(tmp_path / "vectors")["type"].tolist() == graph.types.tolist()
    assert_near(model.transform(stored), sc.SCE().fit(graph).transform(graph), 1e-5)


def two_sides(folder: Path, n_parts: int = 3) -> dict[str, Any]:
    """Ratings of users and movies whose numbers are the same, with days, in a folder; features of both by their side."""
    generator = np.random.default_rng(0)
    ratings = pd.DataFrame(timed_edges(40, 500)).rename(columns={"source": "user_id", "target": "movie_id"})
    ratings["rating"] = generator.choice([-1.0, 1.0, 2.0], len(ratings))
    (folder / "ratings").mkdir()
    for part in range(n_parts):
        ratings.iloc[part::n_parts].to_parquet(folder / "ratings" / f"{part}.parquet", index=False)
    ids = [f"{side}:{node}" for side in ("user", "movie") for node in range(40)]
    columns = {f"x{column}": generator.normal(size=80) for column in range(5)}
    pd.DataFrame({"id": ids, **columns}).sample(frac=1, random_state=1).to_parquet(folder / "features.parquet", index=False)
    return {"features": folder / "features.parquet", "bipartite": True, "weight": "rating"}


AGES = ({"time": "at", "half_life": 20}, {"time": "at", "signed": True}, {"signed": True, "directed": "out"})


@pytest.mark.parametrize("number", range(3))
def test_two_sides_with_times_and_signs_on_disk(number: int, tmp_path: Path) -> None:
    options = two_sides(tmp_path) | AGES[number]
    if "signed" not in options:
        options["weight"] = None
    frame = pd.concat([pd.read_parquet(path) for path in sorted((tmp_path / "ratings").iterdir())])
    frame.to_parquet(tmp_path / "ratings.parquet", index=False)
    graph = sc.read_graph(tmp_path / "ratings.parquet", **options)
    sc.build_store(tmp_path / "store", tmp_path / "ratings", **options)
    stored = sc.open_store(tmp_path / "store")
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(stored.adjacency, name), getattr(graph.adjacency, name))
    assert (stored.node_types, stored.clock) == (graph.node_types, graph.clock)
    assert (stored.demands is None) == (graph.demands is None)
    wanted = sc.SCE().fit_transform(graph)
    for limit in LIMITS:
        found = sc.SCE(engine=sc.Disk(memory_limit=limit)).fit_transform(stored)
        assert_near(found, wanted, 1e-5 if graph.demands is not None else 0)


@pytest.mark.cluster
@pytest.mark.parametrize("number", range(3))
def test_two_sides_with_times_and_signs_on_a_cluster(number: int, tmp_path: Path) -> None:
    options = two_sides(tmp_path) | AGES[number]
    if "signed" not in options:
        options["weight"] = None
    sc.build_store(tmp_path / "one", tmp_path / "ratings", **options)
    sc.Dask(address(), scratch=tmp_path).build_store(tmp_path / "other", tmp_path / "ratings", **options)
    one, other = sc.open_store(tmp_path / "one"), sc.open_store(tmp_path / "other")
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one.adjacency, name), getattr(other.adjacency, name))
    assert (one.clock, one.node_types) == (other.clock, other.node_types)
    assert one.notes[-1] == other.notes[-1]
    if one.demands is not None:
        assert other.demands is not None
        np.testing.assert_array_equal(one.demands.toarray(), other.demands.toarray())


def test_a_store_is_updated_as_a_graph_in_memory(files: Any, tmp_path: Path) -> None:
    nodes, edges = files
    settings: dict[str, Any] = {"features": "given", "filter": sc.Power(order=2)}
    sc.build_store(tmp_path / "store", edges, nodes=nodes)
    stored = sc.SCE(engine=sc.Disk(), **settings).fit(sc.open_store(tmp_path / "store"))
    held = sc.SCE(**settings).fit(sc.from_tables(nodes, edges))
    change = {
        "nodes_added": {"author:900": {"age": 1.0, "h": 2.0}},
        "edges_added": [("author:900", "paper:3"), ("author:900", "paper:5")],
        "edges_removed": [("author:0", "paper:0")] if _has(held.graph_, "author:0", "paper:0") else None,
    }
    for model in (stored, held):
        model.update(**change)
    assert stored.graph_.node_ids.tolist() == held.graph_.node_ids.tolist()
    assert_near(stored.embedding_, held.embedding_, 1e-5)


def _has(graph: sc.Graph, first: str, second: str) -> bool:
    place = {one: row for row, one in enumerate(graph.node_ids.tolist())}
    return bool(graph.adjacency[place[first], place[second]])
