"""`sparsecut neighbors`, `sparsecut report` and `embed --xy` as a person runs them."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shell import sparsecut
from sparsecut import Neighbors, read_embedding, write_embedding
from sparsecut.explore import neighbors as neighbors_module
from sparsecut.io.embeddings import read_positions


@pytest.fixture
def vectors(tmp_path: Path) -> tuple[Path, np.ndarray, list[str]]:
    Z = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    ids = [f"p{number}" for number in range(30)]
    write_embedding(tmp_path / "z.parquet", Z, ids)
    return tmp_path, Z, ids


def meta_of(path: Path) -> dict[str, Any]:
    text = re.search(r'data-block="meta">([^<]*)<', path.read_text("utf-8")).group(1)
    return dict(json.loads(gzip.decompress(base64.b64decode(text))))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbors_prints_what_the_library_finds(vectors: Any, metric: str) -> None:
    folder, Z, ids = vectors
    done = sparsecut("neighbors", "z.parquet", "p3", "p9", "-k", 4, "--metric", metric, "--json", folder=folder)
    result = json.loads(done.stdout)
    found = Neighbors(Z, ids, metric=metric).query(["p3", "p9"], k=4)
    assert [row["ids"] for row in result["neighbors"]] == found.ids.tolist()
    values = 1 - found.distances if metric == "cosine" else found.distances
    name = "cosine" if metric == "cosine" else "distance"
    np.testing.assert_allclose([row[name] for row in result["neighbors"]], values, atol=1e-5)
    assert result["recall"] == 1.0
    table = sparsecut("neighbors", "z.parquet", "p3", "--metric", metric, folder=folder).stdout
    assert "Nearest to p3" in table
    assert found.ids[0, 0] in table


def test_a_batch_of_ids_from_a_file(vectors: Any) -> None:
    folder, *_ = vectors
    (folder / "ids.txt").write_text("p1\n\n p2 \n", "utf-8")
    result = json.loads(sparsecut("neighbors", "z.parquet", "p0", "--batch", "ids.txt", "--json", folder=folder).stdout)
    assert [row["node"] for row in result["neighbors"]] == ["p0", "p1", "p2"]


def test_an_index_is_kept_used_and_refused_for_other_vectors(vectors: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = vectors[0]
    monkeypatch.setattr(neighbors_module, "EXACT_NODES", 1000)
    Z = np.random.default_rng(0).normal(size=(2000, 8)).astype(np.float32)
    write_embedding(folder / "big.parquet", Z)
    ask = ("neighbors", "big.parquet", 5, "--json")
    first = json.loads(sparsecut(*ask, folder=folder).stdout)
    index = folder / "big.parquet.cosine.neighbors.safetensors"
    assert not first["is_exact"]
    written = index.stat().st_mtime_ns
    assert json.loads(sparsecut(*ask, folder=folder).stdout) == first
    assert index.stat().st_mtime_ns == written
    write_embedding(folder / "big.parquet", Z + 1, overwrite=True)
    error = sparsecut(*ask, folder=folder, expect=2).stderr
    assert "does not belong to this embedding" in error
    assert "--rebuild" in error
    assert json.loads(sparsecut(*ask, "--rebuild", folder=folder).stdout)["recall"] >= 0.98


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z.parquet",), "needs a node"),
        (("z.parquet", "nobody"), "does not: 'nobody'"),
        (("z.parquet", "p1", "-k", 0), "at least 1"),
        (("z.parquet", "p1", "--metric", "l1"), "must be one of 'cosine', 'euclidean'"),
        (("nothing.parquet", "p1"), "does not exist"),
        (("z.parquet", "--batch", "nothing.txt"), "does not exist"),
    ],
)
def test_wrong_questions_are_one_sentence(vectors: Any, arguments: tuple[Any, ...], message: str) -> None:
    done = sparsecut("neighbors", *arguments, folder=vectors[0], expect=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_report_reads_graph_labels_nodes_and_model(tmp_path: Path) -> None:
    options = ("--dimension", 8, "--epochs", 4, "--save-model", "model.safetensors", "-o", "z.parquet")
    sparsecut("embed", "digits", *options, folder=tmp_path)
    (tmp_path / "nodes.csv").write_text("id,writer\n" + "\n".join(f"{number},w{number % 9}" for number in range(1797)))
    command = ("report", "z.parquet", "--graph", "digits", "--nodes", "nodes.csv", "--model", "model.safetensors")
    done = sparsecut(*command, "--layout", "pca", "-o", "r.html", folder=tmp_path)
    assert "r.html" in done.stdout
    meta = meta_of(tmp_path / "r.html")
    assert [column["name"] for column in meta["columns"]] == ["label", "degree", "length", "cluster", "writer"]
    assert {"choices", "separation", "degree"} <= {section["id"] for section in meta["sections"]}
    assert meta["title"] == "z.parquet"
    repeat = next(section for section in meta["sections"] if section["id"] == "repeat")["code"]
    assert repeat == (
        "sparsecut report z.parquet --graph digits --nodes nodes.csv --model model.safetensors --layout pca --force "
        "-o r.html"
    )
    error = sparsecut(*command, "-o", "r.html", folder=tmp_path, expect=2).stderr
    assert "--force" in error
    sparsecut(*repeat.split()[1:], folder=tmp_path)  # the command in the page works as it stands


def test_labels_from_a_table_may_leave_nodes_out(vectors: Any) -> None:
    folder, *_ = vectors
    (folder / "labels.csv").write_text("id,label\np1,x\np2,y\np3,x\nstranger,y\n")
    sparsecut("report", "z.parquet", "--labels", "labels.csv", "--layout", "pca", folder=folder)
    label = meta_of(folder / "report.html")["columns"][0]
    assert label["names"] == ["x", "y"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z.parquet", "-o", "r.pdf"), "must end in .html"),
        (("z.parquet", "--layout", "magic"), "must be one of"),
        (("z.parquet", "--labels", "nothing.csv"), "does not exist"),
        (("z.parquet", "--nodes", "nothing.csv"), "does not exist"),
        (("z.parquet", "--graph", "digits"), "does not have these nodes of the embedding: 'p0'"),
        (("z.parquet", "--model", "z.parquet"), "no model could be read"),
    ],
)
def test_wrong_reports_are_one_sentence_and_no_file(vectors: Any, arguments: tuple[Any, ...], message: str) -> None:
    before = sorted(path.name for path in vectors[0].iterdir())
    done = sparsecut("report", "-q", *arguments, folder=vectors[0], expect=2)
    assert message in done.stderr
    assert sorted(path.name for path in vectors[0].iterdir()) == before


def test_embed_writes_positions_that_others_and_the_report_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    from sparsecut import layout

    # Any layout serves here, and the others take their time; the module has the name of its function.
    monkeypatch.setattr(sys.modules["sparsecut.explore.layout"], "METHODS", ("pca",))
    sparsecut("embed", "digits", "--dimension", 8, "--xy", "-o", "z.parquet", folder=tmp_path)
    table = pq.read_table(tmp_path / "z.parquet")
    assert table.column_names == ["id", "x", "y", "embedding"]
    Z, ids = read_embedding(tmp_path / "z.parquet")
    xy = read_positions(tmp_path / "z.parquet")
    np.testing.assert_array_equal(xy, layout(Z, method="pca"))
    assert len(ids) == 1797
    sparsecut("report", "z.parquet", folder=tmp_path)
    assert "given beside the vectors" in str(meta_of(tmp_path / "report.html")["sections"][-1])
    sparsecut("embed", "digits", "--dimension", 8, "-o", "plain.parquet", folder=tmp_path)
    assert read_positions(tmp_path / "plain.parquet") is None
    error = sparsecut("embed", "digits", "--xy", "-o", "z.npy", folder=tmp_path, expect=2).stderr
    assert "--xy writes the columns x and y of a .parquet file" in error
