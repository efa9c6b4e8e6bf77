"""A store of tables by type is the graph that `from_tables` holds: types, times, signs, ids, features."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.io.stores import typed_building
from tables_by_type import IN, WRITES, files_by_type, tables

SCORES: dict[str, Any] = {"weight": {"writes": "score"}, "signed": {"writes": True}}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "dated": {"time": "day", "half_life": "30d"},
    "chosen": {"time": "day"},
    "signed": SCORES,
    "hours of one type": {"time": {"writes": "hour"}, "half_life": 200},
    "all": {"time": "day", "decay": 1e-7, "now": "2026-06-01", "directed": "in", **SCORES},
    "out": {"directed": "out", "time": {"in": "day"}, "half_life": "90d", **SCORES},
}


def assert_same_matrix(found: Any, wanted: Any) -> None:
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)


def assert_same_graph(found: sc.Graph, wanted: sc.Graph) -> None:
    assert_same_matrix(found.adjacency, wanted.adjacency)
    assert found.node_ids.tolist() == wanted.node_ids.tolist()
    assert (found.node_types, found.edge_types, found.clock) == (wanted.node_types, wanted.edge_types, wanted.clock)
    assert found.is_directed == wanted.is_directed
    assert (found.demands is None) == (wanted.demands is None)
    if wanted.demands is not None:
        assert_same_matrix(found.demands, wanted.demands)
    if wanted.relations is not None:
        assert found.relations is not None
        assert found.relations.undated == wanted.relations.undated
        for one, other in zip(found.relations.matrices, wanted.relations.matrices, strict=True):
            assert_same_matrix(one, other)
        assert found.type_codes.tolist() == wanted.type_codes.tolist()
    assert found.has_features == wanted.has_features
    if wanted.has_features:
        np.testing.assert_array_equal(np.asarray(found.features), np.asarray(wanted.features))
        assert found.feature_names == wanted.feature_names


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    folder = tmp_path_factory.mktemp("tables")
    return folder, *files_by_type(folder)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_store_is_what_from_tables_holds(name: str, files: Any, tmp_path: Path) -> None:
    _, nodes, edges = files
    sc.build_store(tmp_path / "store", edges, nodes=nodes, **OPTIONS[name])
    graph = sc.open_store(tmp_path / "store")
    wanted = sc.from_tables(nodes, edges, **OPTIONS[name])
    assert_same_graph(graph, wanted)
    assert_same_graph(sc.read_graph(tmp_path / "store"), wanted)
    assert graph.notes[:-1] == tuple(note for note in wanted.notes if not note.startswith("The table of nodes 'paper'"))
    assert graph.notes[-1].endswith("labels in column 'label' were left out.")
    assert {path.name for path in tmp_path.iterdir()} == {"store"}


def test_other_formats_one_type_and_ids_of_every_kind(tmp_path: Path) -> None:
    """Words, words that say their type, the same numbers in two types, rows of an array, nodes that only edges name."""
    write = pyarrow.parquet.write_table
    write(pa.table({"person": ["p:b", "p:a", "p:c"], "age": [30, 20, 70], "grade": [1, 5, 2]}), tmp_path / "p.parquet")
    np.save(tmp_path / "shop.npy", np.arange(8, dtype=np.float64).reshape(4, 2))
    pyarrow.feather.write_feather(pa.table({"key": [3, 1, 2]}), str(tmp_path / "day.feather"))
    write(pa.table({"who": ["p:a", "p:c", "p:a"], "where": [3, 0, 3]}), tmp_path / "buys.parquet")
    write(pa.table({"shop": [0, 1, 2], "day_id": [1, 2, 2]}), tmp_path / "opens.parquet")
    np.save(tmp_path / "near.npy", np.array([[0, 1], [1, 2], [3, 3]]))
    write(pa.table({"shop": [2, 1], "town": ["Ulm", "Bern"]}), tmp_path / "lies.parquet")
    nodes = {"p": tmp_path / "p.parquet", "shop": tmp_path / "shop.npy", "day": tmp_path / "day.feather", "town": None}
    edges = {
        ("p", "buys", "shop"): tmp_path / "buys.parquet",
        ("shop", "opens", "day"): tmp_path / "opens.parquet",
        ("shop", "near", "shop"): tmp_path / "near.npy",
        ("shop", "in", "town"): tmp_path / "lies.parquet",
    }
    sc.build_store(tmp_path / "store", edges, nodes=nodes)
    graph, wanted = sc.open_store(tmp_path / "store"), sc.from_tables(nodes, edges)
    assert_same_graph(graph, wanted)
    assert graph.node_ids.tolist()[:3] == ["p:b", "p:a", "p:c"]
    assert graph.nodes("town").tolist() == ["Ulm", "Bern"]
    alone = {("shop", "in", "town"): tmp_path / "lies.parquet"}
    sc.build_store(tmp_path / "alone", alone)
    assert_same_graph(sc.open_store(tmp_path / "alone"), sc.from_tables(edges=alone))
    assert not sc.open_store(tmp_path / "alone").has_features


def test_a_folder_of_one_table_per_type(tmp_path: Path) -> None:
    nodes, edges = files_by_type(tmp_path)
    (tmp_path / "tables").mkdir()
    for name, path in (*nodes.items(), *(("__".join(key), path) for key, path in edges.items())):
        if path is not None:
            path.rename(tmp_path / "tables" / f"{name}{path.suffix}")
    sc.build_store(tmp_path / "store", nodes=tmp_path / "tables", time="day", half_life="10d")
    wanted = sc.from_tables(tmp_path / "tables", time="day", half_life="10d")
    assert_same_graph(sc.open_store(tmp_path / "store"), wanted)


def test_lines_in_another_order_are_the_same_graph(files: Any, tmp_path: Path) -> None:
    _, nodes, edges = files
    mixed = {}
    for key, folder in edges.items():
        mixed[key] = tmp_path / f"{key[1]}.parquet"
        pd.read_parquet(folder).sample(frac=1, random_state=3).to_parquet(mixed[key], index=False)
    options = OPTIONS["all"]
    sc.build_store(tmp_path / "one", edges, nodes=nodes, **options)
    sc.build_store(tmp_path / "other", mixed, nodes=nodes, **options)
    one, other = sc.open_store(tmp_path / "one"), sc.open_store(tmp_path / "other")
    assert one.node_ids.tolist() == other.node_ids.tolist()
    np.testing.assert_allclose(one.adjacency.toarray(), other.adjacency.toarray(), rtol=1e-6)
    assert one.demands is not None
    assert other.demands is not None
    np.testing.assert_allclose(one.demands.toarray(), other.demands.toarray(), rtol=1e-6)


def test_next_months_tables_are_encoded_as_the_fitted_ones(files: Any, tmp_path: Path) -> None:
    _, nodes, edges = files
    model = sc.SCE(features="given").fit(sc.from_tables(nodes, edges))
    (tmp_path / "later").mkdir()
    later_nodes, later_edges = files_by_type(tmp_path / "later", 90)
    sc.build_store(tmp_path / "store", later_edges, nodes=later_nodes, encoder=model)
    wanted = model.transform(sc.from_tables(later_nodes, later_edges))
    np.testing.assert_array_equal(model.transform(sc.open_store(tmp_path / "store")), wanted)
    sc.build_store(tmp_path / "other", later_edges, nodes=later_nodes)
    with pytest.raises(sc.InputError, match=r"build_store\(\.\.\., encoder=model\)"):
        model.transform(sc.open_store(tmp_path / "other"))
    with pytest.raises(sc.InputError, match="Nodes of type 'paper' have no features, and had some"):
        sc.build_store(tmp_path / "fewer", later_edges, nodes={**later_nodes, "paper": None}, encoder=model)
    sc.build_store(tmp_path / "less", {IN: later_edges[IN]}, nodes=later_nodes, encoder=model)
    fewer = sc.from_tables(later_nodes, {IN: later_edges[IN]})
    np.testing.assert_array_equal(model.transform(sc.open_store(tmp_path / "less")), model.transform(fewer))
    cites = tmp_path / "cites.npy"
    np.save(cites, np.array([[0, 1], [2, 3]]))
    sc.build_store(tmp_path / "more", {**later_edges, ("paper", "cites", "paper"): cites}, nodes=later_nodes, encoder=model)
    with pytest.raises(sc.InputError, match=r"does not know how much others weigh. Got 'paper:cites:paper'"):
        model.transform(sc.open_store(tmp_path / "more"))


def test_weights_of_types_may_be_set_and_a_later_moment_has_other_weights(files: Any, tmp_path: Path) -> None:
    _, nodes, edges = files
    options = {"time": {"writes": "day"}, "half_life": "30d"}
    sc.build_store(tmp_path / "store", edges, nodes=nodes, **options)
    stored, held = sc.open_store(tmp_path / "store"), sc.from_tables(nodes, edges, **options)
    settings: dict[str, Any] = {"features": "given", "relations": {"in": 3.0, "writes": 0.0}}
    wanted = sc.SCE(**settings).fit_transform(held)
    np.testing.assert_array_equal(sc.SCE(**settings).fit_transform(stored), wanted)
    assert stored.clock is not None
    later = stored.clock.now + 20 * 86400.0
    assert_same_graph(stored.at(later), held.at(later))
    assert_same_graph(stored.subgraph(positions=[0, 5, 70, 180]), held.subgraph(positions=[0, 5, 70, 180]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"time": "when"}, "No table of edges has a column 'when'"),
        ({"time": {"in": "when"}}, "The table of edges paper:in:venue has no column 'when' for the time"),
        ({"weight": "score"}, "Weights below zero ask for distance, where a graph is read with signed=True"),
        ({"time": {"in": "day", "writes": "hour"}}, "must have times of one kind"),
        ({"time": "day", "now": "2025-03-01"}, "has edges later than now: row"),
        ({"time": {"in": np.arange(3)}}, "build_store reads the times of paper:in:venue from a column"),
        ({"half_life": "30d"}, "no times of edges"),
        ({"features": "x.npy"}, "build_store has no use for features=… of tables by type"),
        ({"memory_limit": "300MiB"}, "The memory_limit of build_store is too small for this graph"),
    ],
)
def test_what_cannot_be_built_is_told_and_leaves_nothing(
    changes: dict[str, Any], words: str, files: Any, tmp_path: Path
) -> None:
    with pytest.raises(sc.InputError, match=words):
        sc.build_store(tmp_path / "store", files[2], nodes=files[1], **changes)
    assert list(tmp_path.iterdir()) == []


def test_tables_that_cannot_be_read_in_parts(files: Any, tmp_path: Path) -> None:
    folder, nodes, edges = files
    frames, _ = tables()
    frames["author"].to_parquet(folder / "words.parquet", index=False)
    assert typed_building.column_of_words("author", folder / "words.parquet") == "country"
    assert typed_building.column_of_words("author", folder / "author.parquet") is None
    assert not typed_building.reads_by_type({"author": folder / "words.parquet"}, edges)
    assert typed_building.reads_by_type(nodes, edges)
    store = tmp_path / "store"
    with pytest.raises(sc.InputError, match=r"Column 'country' holds others. Leave it out, make numbers of it"):
        sc.build_store(store, edges, nodes={**nodes, "author": folder / "words.parquet"})
    with pytest.raises(sc.InputError, match=r"Got DataFrame for 'author'. A graph of tables in memory is from_tables"):
        sc.build_store(store, edges, nodes={**nodes, "author": frames["author"]})
    (tmp_path / "p.csv").write_text("id,x\n1,2\n")
    with pytest.raises(sc.InputError, match=r"cannot be read in parts. .* or be a folder of Parquet files"):
        sc.build_store(store, edges, nodes={**nodes, "paper": tmp_path / "p.csv"})
    few = pd.read_parquet(folder / "author.parquet").iloc[:20]
    few.to_parquet(tmp_path / "few.parquet", index=False)
    with pytest.raises(sc.InputError, match="author:writes:paper names nodes of type 'author' that have no"):
        sc.build_store(store, edges, nodes={**nodes, "author": tmp_path / "few.parquet"})
    writes = pd.read_parquet(edges[WRITES])
    writes.assign(day=writes["day"].where(writes["hour"] > 5)).to_parquet(tmp_path / "gaps.parquet", index=False)
    with pytest.raises(sc.InputError, match="has no time in row"):
        sc.build_store(store, {**edges, WRITES: tmp_path / "gaps.parquet"}, nodes=nodes, time="day")


def test_types_without_rows_are_told(files: Any, tmp_path: Path) -> None:
    _, nodes, edges = files
    pd.read_parquet(nodes["author"]).iloc[:0].to_parquet(tmp_path / "nobody.parquet", index=False)
    pd.read_parquet(edges[IN]).iloc[:0].to_parquet(tmp_path / "nothing.parquet", index=False)
    with pytest.raises(sc.InputError, match=r"has no rows. Leave this type of nodes out."):
        sc.build_store(tmp_path / "store", edges, nodes={**nodes, "editor": tmp_path / "nobody.parquet"})
    fewer = {**edges, IN: tmp_path / "nothing.parquet"}
    with pytest.raises(sc.InputError, match=r"paper:in:venue has no rows. Leave this type of edges out."):
        sc.build_store(tmp_path / "store", fewer, nodes={**nodes, "venue": None})
    frames = {WRITES: edges[WRITES], IN: pd.DataFrame({"paper": [], "venue": []})}
    with pytest.raises(sc.InputError, match=r"paper:in:venue has no rows. Leave this type of edges out."):
        sc.from_tables({**nodes, "venue": [0, 1]}, frames)


KILLED = """
import os, sys
from pathlib import Path
import sparsecut as sc
from tables_by_type import IN, WRITES
folder, stage = Path(sys.argv[1]), sys.argv[2]
n_calls = 0
def report(name, done, total):
    global n_calls
    n_calls += name == stage
    if n_calls == 2:
        os._exit(9)
nodes = {"author": folder / "author.parquet", "paper": folder / "paper", "venue": None}
edges = {WRITES: folder / "writes", IN: folder / "in"}
sc.build_store(folder / "store", edges, nodes=nodes, time="day", half_life="9d", weight={"writes": "score"},
               signed={"writes": True}, progress=report)
"""


def test_a_build_that_is_killed_goes_on(tmp_path: Path) -> None:
    nodes, edges = files_by_type(tmp_path)
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    beside = {"cwd": str(Path(__file__).parents[2]), "capture_output": True, "text": True}
    assert subprocess.run([*command, "merging edges"], check=False, **beside).returncode == 9  # type: ignore[call-overload]
    assert not (tmp_path / "store").exists()
    assert subprocess.run([*command, "none"], check=False, **beside).returncode == 0  # type: ignore[call-overload]
    wanted = sc.from_tables(nodes, edges, time="day", half_life="9d", **SCORES)
    assert_same_graph(sc.open_store(tmp_path / "store"), wanted)
    assert not list(tmp_path.glob(".sparsecut-*"))
