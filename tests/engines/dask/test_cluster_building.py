"""Stores built on the cluster from partitioned files against what `read_graph` makes of the same data in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from local_cluster import address
from sparsecut.base.errors import ReadingWarning
from sparsecut.engines.dask.cluster_building import sort_out
from sparsecut.graph import loop_notes

pytestmark = pytest.mark.cluster

N_NODES, N_EDGES = 90, 400


def data(kind: str) -> tuple[pa.Table, pa.Table]:
    """Edges with repeats, both directions and self-loops; features in another order than any other."""
    generator = np.random.default_rng(1)
    order = generator.permutation(N_NODES)
    names: Any = {
        "rows": np.arange(N_NODES),
        "integers": 10**12 + 7 * np.arange(N_NODES),
        "words": np.array([f"knoten ä{number}" for number in range(N_NODES)]),
        "spelt": np.arange(N_NODES),
    }[kind]
    i, j = generator.integers(0, N_NODES, (2, N_EDGES))
    ids = names if kind == "rows" else names[order]
    edges = pa.table({"src": names[i], "dst": names[j], "weight": generator.integers(1, 4, N_EDGES) / 2})
    if kind == "spelt":
        edges = edges.set_column(0, "src", pa.array(names[i].astype(str)))
        edges = edges.set_column(1, "dst", pa.array(names[j].astype(str)))
    columns = {f"x{column}": generator.normal(size=N_NODES) * 10**column for column in range(4)}
    columns["balance"] = np.exp(0.6 * np.arange(N_NODES) - 30)  # asks for a log scale
    return edges, pa.table({"id": ids, **columns})


def write_folder(table: pa.Table, folder: Path, n_files: int = 3, writer: str = "pyarrow") -> Path:
    """A table in several files, as the writer writes them."""
    folder.mkdir()
    for number in range(n_files):
        part = table.slice(
            number * len(table) // n_files, (number + 1) * len(table) // n_files - number * len(table) // n_files
        )
        path = folder / f"part-{number}.parquet"
        if writer == "polars":
            import polars

            polars.from_arrow(part).write_parquet(path, row_group_size=17)
        elif writer == "duckdb":
            import duckdb

            connection = duckdb.connect()
            connection.register("part", part)
            connection.execute(f"COPY part TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
            connection.close()
        else:
            pyarrow.parquet.write_table(part, path, row_group_size=13)
    (folder / "_SUCCESS").touch()
    return folder


def assert_same(graph: sc.Graph, expected: sc.Graph) -> None:
    assert graph.node_ids.tolist() == expected.node_ids.tolist()
    assert (graph.adjacency != expected.adjacency).nnz == 0
    np.testing.assert_allclose(graph.features, expected.features, rtol=1e-6, atol=1e-6)
    assert any("self-loop" in note for note in graph.notes) == any("self-loop" in note for note in expected.notes)


@pytest.mark.parametrize(
    ("kind", "writer", "directed"),
    [
        ("rows", "pyarrow", "symmetrize"),
        ("integers", "polars", "out"),
        ("words", "duckdb", "symmetrize"),
        ("spelt", "pyarrow", "in"),
    ],
)
def test_a_store_is_the_graph_that_is_read_in_memory(kind: str, writer: str, directed: str, tmp_path: Path) -> None:
    edges, features = data(kind)
    edge_folder = write_folder(edges, tmp_path / "edges", writer=writer)
    feature_folder = write_folder(features, tmp_path / "features", writer=writer)
    engine = sc.Dask(address())
    engine.build_store(tmp_path / "store", edge_folder, features=feature_folder, directed=directed)
    pyarrow.parquet.write_table(edges, tmp_path / "edges.parquet")
    pyarrow.parquet.write_table(features, tmp_path / "features.parquet")
    sc.build_store(tmp_path / "other", tmp_path / "edges.parquet", features=tmp_path / "features.parquet", directed=directed)
    graph = sc.open_store(tmp_path / "store")
    assert_same(graph, sc.open_store(tmp_path / "other"))
    assert graph.encoder.names_out == sc.open_store(tmp_path / "other").encoder.names_out
    assert graph.encoder.names_out[-1] == "log(balance)"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("edges", "edges.parquet", "features", "features.parquet", "other", "store")
    ]


def test_arrays_and_zarr_have_row_numbers_for_ids(tmp_path: Path) -> None:
    import zarr

    generator = np.random.default_rng(0)
    pairs, X = generator.integers(0, 50, (300, 2)), generator.normal(size=(50, 3)).astype(np.float32)
    np.save(tmp_path / "edges.npy", pairs)
    np.save(tmp_path / "features.npy", X)
    stored = zarr.create_array(str(tmp_path / "features.zarr"), shape=X.shape, chunks=(8, 3), dtype="f4")
    stored[:] = X
    for name in ("features.npy", "features.zarr"):
        sc.Dask(address()).build_store(tmp_path / f"of-{name}", tmp_path / "edges.npy", features=tmp_path / name)
        expected = sc.Graph(sc.from_edges(pairs[pairs[:, 0] != pairs[:, 1]]).adjacency)
        graph = sc.open_store(tmp_path / f"of-{name}")
        assert graph.n_edges == expected.n_edges
        np.testing.assert_array_equal(graph.features, X)


def test_self_loops_are_counted_at_the_borders_of_blocks_too(tmp_path: Path) -> None:
    """Two workers, two blocks of 25 rows: loops at the first and the last node of each, and one inside, given twice."""
    loops = [0, 24, 25, 49, 10, 10]
    pairs = np.array([*((node, node + 1) for node in range(49)), *((node, node) for node in loops)])
    np.save(tmp_path / "edges.npy", pairs)
    np.save(tmp_path / "features.npy", np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32))
    sc.Dask(address()).build_store(tmp_path / "store", tmp_path / "edges.npy", features=tmp_path / "features.npy")
    graph = sc.open_store(tmp_path / "store")
    assert [note for note in graph.notes if "self-loop" in note] == list(loop_notes(5))
    assert graph.n_edges == 49
    assert graph.adjacency.diagonal().sum() == 0


@pytest.mark.parametrize("node", [0, 3, 4, 6, 9])
def test_a_self_loop_belongs_to_the_block_of_its_node_alone(node: int) -> None:
    edges = np.array([1, node]), np.array([2, node]), None
    parts = sort_out(edges, (0, 4, 7, 10), "symmetrize", may_be_sides=False)
    held = {block: part[2].tolist() for block, part in enumerate(parts) if len(part[2])}
    assert held == {int(node >= 4) + int(node >= 7): [node]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("unknown", "names nodes that the features folder .* does not: 'nobody'"),
        ("repeated", "has more than one row for 'knoten ä"),
        ("infinite", "must be finite"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_left(change: str, message: str, tmp_path: Path) -> None:
    edges, features = data("words")
    if change == "unknown":
        edges = edges.set_column(0, "src", pa.array(["nobody", *edges["src"].to_pylist()[1:]]))
    if change == "repeated":
        features = pa.concat_tables([features, features.slice(3, 1)])
    if change == "infinite":
        features = features.set_column(1, "x0", pa.array([np.inf, *features["x0"].to_pylist()[1:]]))
    write_folder(edges, tmp_path / "edges")
    write_folder(features, tmp_path / "features")
    with pytest.raises(sc.InputError, match=message):
        sc.Dask(address()).build_store(tmp_path / "store", tmp_path / "edges", features=tmp_path / "features")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edges", "features"]


def test_weights_that_are_all_one_are_not_stored(tmp_path: Path) -> None:
    i = np.arange(49)
    write_folder(pa.table({"src": i, "dst": i + 1, "weight": np.ones(49)}), tmp_path / "edges")
    np.save(tmp_path / "features.npy", np.eye(50, 4, dtype=np.float32) + 1)
    sc.Dask(address()).build_store(tmp_path / "store", tmp_path / "edges", features=tmp_path / "features.npy")
    graph = sc.open_store(tmp_path / "store")
    assert not (tmp_path / "store" / "weights.npy").exists()
    assert (graph.n_edges, graph.is_weighted) == (49, False)


def test_columns_that_names_do_not_tell_are_chosen_by_the_workers(tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    ids = np.array([f"k{number}" for number in range(N_NODES)])
    i, j = generator.integers(0, N_NODES, (2, N_EDGES))
    payments = np.array([f"t{number}" for number in generator.permutation(N_EDGES)])
    edges = pa.table({"buchung": payments, "wer": ids[i], "wen": ids[j], "betrag": generator.random(N_EDGES)})
    features = pa.table({"id": ids, "x": generator.normal(size=N_NODES)})
    write_folder(edges, tmp_path / "edges")
    write_folder(features, tmp_path / "features")
    sc.Dask(address()).build_store(tmp_path / "store", tmp_path / "edges", features=tmp_path / "features")
    graph = sc.open_store(tmp_path / "store")
    assert_same(graph, sc.from_edges(edges, node_ids=ids, features=features))
    assert "Columns left out: 'buchung' (different in every row), 'betrag' (fractions)." in graph.notes


def test_two_sides_on_the_cluster(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    edges = pa.table({"user_id": generator.integers(1, 40, N_EDGES), "item_id": generator.integers(1, 60, N_EDGES)})
    ids = [f"user:{number}" for number in range(1, 40)] + [f"item:{number}" for number in range(1, 60)]
    features = pa.table({"id": ids, "x": generator.normal(size=98)})
    write_folder(edges, tmp_path / "edges")
    write_folder(features, tmp_path / "features")
    engine = sc.Dask(address())
    engine.build_store(tmp_path / "apart", tmp_path / "edges", features=tmp_path / "features", bipartite=True)
    graph = sc.open_store(tmp_path / "apart")
    assert_same(graph, sc.from_edges(edges, node_ids=ids, features=features, bipartite=True))
    assert graph.types.tolist() == [name.split(":")[0] for name in ids]

    write_folder(pa.table({"id": np.arange(60), "x": np.arange(60.0)}), tmp_path / "numbers")
    pyarrow.parquet.write_table(edges, tmp_path / "e.parquet")
    pyarrow.parquet.write_table(pa.table({"id": np.arange(60), "x": np.arange(60.0)}), tmp_path / "f.parquet")
    said = []
    for build, given, beside in (
        (engine.build_store, "edges", "numbers"), (sc.build_store, "e.parquet", "f.parquet"),
    ):  # fmt: skip
        with pytest.warns(ReadingWarning, match="ids in both columns 'user_id' and 'item_id'") as told:
            build(tmp_path / f"one-{given}", tmp_path / given, features=tmp_path / beside)
        said.append(str(told[0].message).partition(" has ")[2])
        assert str(told[0].message) in sc.open_store(tmp_path / f"one-{given}").notes
    assert said[0] == said[1] == str(_doubt_in_memory(edges)).partition(" has ")[2]
    np.save(tmp_path / "rows.npy", np.eye(60))
    with pytest.raises(sc.InputError, match="bipartite=True needs ids that say their side"):
        engine.build_store(tmp_path / "rows", tmp_path / "edges", features=tmp_path / "rows.npy", bipartite=True)


def _doubt_in_memory(edges: pa.Table) -> Any:
    with pytest.warns(ReadingWarning) as told:
        sc.from_edges(edges)
    return told[0].message


@pytest.mark.parametrize("kind", ["rows", "integers", "words"])
def test_the_id_column_is_found_by_its_values(kind: str, tmp_path: Path) -> None:
    """As `read_graph` finds it, wherever it stands and whatever its name."""
    edges, features = data(kind)
    features = features.rename_columns(["konto", *features.column_names[1:]]).select([*features.column_names[1:], "konto"])
    folders = write_folder(edges, tmp_path / "edges"), write_folder(features, tmp_path / "features")
    pyarrow.parquet.write_table(edges, tmp_path / "edges.parquet")
    pyarrow.parquet.write_table(features, tmp_path / "features.parquet")
    expected = sc.read_graph(tmp_path / "edges.parquet", features=tmp_path / "features.parquet")
    sc.Dask(address()).build_store(tmp_path / "store", folders[0], features=folders[1])
    graph = sc.open_store(tmp_path / "store")
    assert graph.node_ids.tolist() == expected.node_ids.tolist() == features.column("konto").to_pylist()
    assert graph.encoder.names_in == ("x0", "x1", "x2", "x3", "balance")
    np.testing.assert_allclose(graph.features, expected.features, atol=1e-6)


def test_two_id_columns_are_refused_until_one_is_named(tmp_path: Path) -> None:
    edges, features = data("integers")
    features = features.rename_columns(["konto", *features.column_names[1:]])
    features = features.append_column("partner", features.column("konto").take(np.arange(N_NODES)[::-1]))
    folders = write_folder(edges, tmp_path / "edges"), write_folder(features, tmp_path / "features")
    with pytest.raises(sc.InputError, match="id_column='konto' or id_column='partner'"):
        sc.Dask(address()).build_store(tmp_path / "store", folders[0], features=folders[1])
    sc.Dask(address()).build_store(tmp_path / "store", folders[0], features=folders[1], id_column="partner")
    assert sc.open_store(tmp_path / "store").node_ids.tolist() == features.column("partner").to_pylist()
