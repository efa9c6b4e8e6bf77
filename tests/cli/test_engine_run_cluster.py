"""`--engine dask`: folders of Parquet files in, a folder of Parquet files out, the answers those of memory."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from disk_cases import community_graph
from local_cluster import address
from shell import sparsecut
from sparsecut.engines.dask.feature_sources import sizes_of
from sparsecut.model.cost_estimate import _measured, workload


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A graph of words in two folders of two files each."""
    graph = community_graph(120, 8)
    entries = graph.adjacency.tocoo()
    is_upper = entries.row < entries.col
    names = np.array([f"node {number}" for number in range(120)])
    edges = pa.table({"source": names[entries.row[is_upper]], "target": names[entries.col[is_upper]]})
    features = pa.table({"id": names, **{f"x{column}": graph.features[:, column] for column in range(8)}})
    for name, table in (("edges", edges), ("features", features)):
        (tmp_path / name).mkdir()
        for part in range(2):
            half = table.slice(part * (len(table) // 2), len(table) // 2 if part == 0 else None)
            pyarrow.parquet.write_table(half, tmp_path / name / f"part-{part}.parquet")
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet")
    return tmp_path


@pytest.mark.cluster
def test_folders_in_and_a_folder_out_that_every_command_reads(folder: Path) -> None:
    cluster = ("--engine", "dask", "--scheduler", address())
    sparsecut("embed", "edges", "-f", "features", *cluster, "--save-model", "m.safetensors", "-o", "vectors", folder=folder)
    sparsecut("embed", "edges.parquet", "-f", "features.parquet", "-o", "z.npy", folder=folder)
    Z, ids = sc.read_embedding(folder / "vectors")
    expected, other_ids = sc.read_embedding(folder / "z.npy")
    assert ids.tolist() == other_ids.tolist()
    products = expected @ expected.T
    np.testing.assert_allclose(Z @ Z.T, products, atol=1e-5 * np.abs(products).max())
    assert len(list((folder / "vectors").iterdir())) > 1
    sparsecut("transform", "m.safetensors", "edges", "-f", "features", *cluster, "-o", "again", folder=folder)
    np.testing.assert_allclose(sc.read_embedding(folder / "again").vectors, Z, atol=1e-4 * np.abs(Z).max())
    assert "node 7" in sparsecut("neighbors", "vectors", "node 7", folder=folder).stdout
    labels = "id,label\n" + "".join(f"node {number},{number % 4}\n" for number in range(120))
    (folder / "labels.csv").write_text(labels, encoding="utf-8")
    scores = [
        sparsecut("evaluate", of, "--labels", "labels.csv", "--per-class", "5", folder=folder) for of in ("vectors", "z.npy")
    ]
    assert scores[0].stdout == scores[1].stdout
    left = {path.name for path in folder.iterdir()}
    assert left == {
        *("edges", "edges.parquet", "features", "features.parquet", "m.safetensors", "vectors", "again"),
        *("labels.csv", "z.npy", "z.ids.npy"),
    }


@pytest.mark.cluster
def test_duckdb_reads_the_parts(folder: Path) -> None:
    import duckdb

    sparsecut(
        *("embed", "edges.parquet", "-f", "features", "--engine", "dask", "--scheduler", address(), "-o", "vectors"),
        folder=folder,
    )
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT count(*), count(DISTINCT id) FROM '{folder}/vectors/*.parquet'").fetchone()
    assert found == (120, 120)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--scheduler", "tcp://x:1", "-o", "z.npy"), "--scheduler is for --engine dask"),
        (("--engine", "dask", "--scheduler", "x"), "must be an address such as"),
        (("--engine", "dask", "--scheduler", "tcp://x:1", "--workers", "2"), r"Dask\(workers=…\) is for a cluster on this"),
        (("--engine", "dask", "--missing", "zero"), "--missing needs the graph in memory"),
        (("--engine", "dask", "--source", "nosuch"), "has no column 'nosuch' for the source. It has: source, target"),
        (("--engine", "dask", "-f", "nowhere"), "The features file nowhere does not exist"),
        (("--engine", "dask", "-f", "empty"), r"The features folder empty must be a folder of \.parquet files"),
    ],
)
def test_what_cannot_be_is_refused_before_a_worker_starts(words: tuple[str, ...], message: str, folder: Path) -> None:
    (folder / "empty").mkdir()
    done = sparsecut("embed", "edges", "-f", "features", "-o", "vectors", *words, folder=folder, expect=2)
    assert re.search(message, done.stderr)
    assert "Dashboard" not in done.stdout + done.stderr
    assert not (folder / "vectors").exists()


@pytest.mark.cluster
def test_what_is_wrong_with_the_edges_is_said_of_them(folder: Path) -> None:
    """The features are given and are right: the sentence is about the edges."""
    (folder / "empty").mkdir()
    (folder / "links.csv").write_text("source,target\na,b\n")
    for name, said in (
        ("wrong/", "The edge file wrong does not exist."),
        ("empty", "The edge folder empty must be a folder of .parquet files"),
        ("links.csv", "The edge file links.csv must be a folder of .parquet files, a .parquet file, an .npy file or a Zarr"),
        ("https://example.org/edges/", "https://example.org/edges/ is a URL, and URLs are not read."),
        ("digits", "The dataset digits has its own features. Leave --features out."),
    ):
        done = sparsecut("embed", name, "-f", "features", "--engine", "dask", "-o", "vectors", folder=folder, expect=2)
        assert said in done.stderr
        assert "needs features" not in done.stderr
    done = sparsecut("embed", "edges", "--engine", "dask", "-o", "vectors", folder=folder, expect=2)
    assert "The folder of edges edges needs features beside it that are read in parts too" in done.stderr


def test_folders_are_estimated_by_their_sizes(folder: Path) -> None:
    """As the graph is that they hold, and without reading them."""
    graph = sc.read_graph(folder / "edges.parquet", features=folder / "features.parquet")
    sizes = {"n_nodes": 120, "n_edges": graph.n_edges, "n_features": 8}
    assert sizes_of(folder / "edges", folder / "features") == sizes
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(np.ones(120 * 5)), 5)
    pyarrow.parquet.write_table(pa.table({"id": np.arange(120), "x": vectors}), folder / "lists.parquet")
    np.save(folder / "rows.npy", np.ones((120, 3)))
    for name, n_columns in (("lists.parquet", 5), ("rows.npy", 3)):
        assert sizes_of(folder / "edges", folder / name)["n_features"] == n_columns
    assert workload(_measured(folder / "edges", folder / "features"), sc.SCE()) == workload(sizes, sc.SCE())
    found = sc.estimate(folder / "edges", features=folder / "features")
    assert found.best.engine == "memory"
    done = sparsecut("estimate", "edges/", "--features", "features/", folder=folder)
    assert "Take engine='memory'." in done.stdout
    refused = sparsecut("estimate", "edges", folder=folder, expect=2)
    assert "The folder of edges edges needs features beside it: features= (--features)" in refused.stderr
