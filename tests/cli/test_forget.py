"""`sparsecut forget`: the model of a fit without the nodes, all vectors anew, and earlier files without them."""

from __future__ import annotations

import gc
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from conftest import random_graph
from full_disk import ROOM, full_disk
from shell import sparsecut
from sparsecut import SCE, Graph, Power, from_tables, load, read_embedding, write_embedding
from sparsecut.base.errors import ReadingWarning
from sparsecut.explore import index_beside
from sparsecut.updates.update_log import log_path

GRAPH = random_graph(30, 4, seed=1, density=0.2)
NAMED = GRAPH.replace(node_ids=np.array([f"node-{number}" for number in range(30)]))


def save(folder: Path, graph: object = GRAPH) -> Path:
    model = SCE(filter=Power(order=2), dimension=3).fit(graph)
    model.save(folder / "m.safetensors", with_state=True)
    write_embedding(folder / "z.parquet", model.embedding_, model.graph_.node_ids)
    return folder / "m.safetensors"


def test_nodes_are_forgotten_in_place(tmp_path: Path) -> None:
    path = save(tmp_path)
    done = sparsecut("forget", path, 3, 7, "-o", "z.parquet", "--force", "--json", folder=tmp_path)
    told = json.loads(done.stdout)
    assert (told["forgotten"], told["vectors"], told["absent"]) == (2, 28, 0)
    kept = np.setdiff1d(np.arange(30), [3, 7])
    expected = SCE(filter=Power(order=2), dimension=3).fit_transform(GRAPH.subgraph(positions=kept))
    Z, ids = read_embedding(tmp_path / "z.parquet")
    assert ids.tolist() == kept.tolist()
    np.testing.assert_allclose(Z, expected, atol=1e-5)
    np.testing.assert_array_equal(load(path).embedding_, Z)


def test_vectors_of_a_graph_with_types_keep_their_types(tmp_path: Path) -> None:
    ends = np.array([(user, user * 7 % 5) for user in range(20)] + [(user, (user + 1) % 5) for user in range(20)])
    graph = from_tables({"user": None, "film": None}, {("user", "saw", "film"): ends})
    SCE(filter=Power(order=2), dimension=3).fit(graph).save(tmp_path / "m.safetensors", with_state=True)
    sparsecut("forget", "m.safetensors", "user:3", "-o", "z.parquet", folder=tmp_path)
    written = pq.read_table(tmp_path / "z.parquet")
    assert written["type"].to_pylist() == [name.split(":")[0] for name in written["id"].to_pylist()]
    assert written.num_rows == 24


def test_words_from_a_file_and_earlier_vectors(tmp_path: Path) -> None:
    path = save(tmp_path, NAMED)
    (tmp_path / "ids.txt").write_text("node-3\nnode-21\n")
    lines = [{"id": "node-3", "embedding": [1.0]}, {"id": "node-4", "embedding": [2.0]}, {"line": 2, "offset": 90}]
    (tmp_path / "changed.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "z.csv").write_text("id,z0\nnode-21,0.1000\nnode-2,0.2000\n")
    (tmp_path / "before.parquet").write_bytes((tmp_path / "z.parquet").read_bytes())
    for name in ("z.parquet", "before.parquet"):
        index_beside(tmp_path / name, "cosine").write_text("node-3")  # a real one is built for 50,000 nodes and more
    sparsecut(
        *("forget", path, "--batch", "ids.txt", "-o", "z.parquet", "--force"),
        *("--clean", "changed.ndjson", "--clean", "z.csv", "--clean", "before.parquet"),
        folder=tmp_path,
    )
    assert [json.loads(line) for line in (tmp_path / "changed.ndjson").read_text().splitlines()] == lines[1:]
    assert (tmp_path / "z.csv").read_text().replace('"', "") == "id,z0\nnode-2,0.2000\n"
    assert len(read_embedding(tmp_path / "before.parquet")[1]) == 28
    files = [path, log_path(path), *(tmp_path / name for name in ("z.parquet", "changed.ndjson", "z.csv", "before.parquet"))]
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in files} | {"ids.txt"}
    assert not [file.name for file in files for name in (b'node-3"', b"node-21") if name in file.read_bytes()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("99", "-o", "z.npy"), "has no node '99'"),
        (("003", "-o", "z.npy"), "has no node '003'"),  # which 3 does not spell
        (("3",), "Say where they go"),
        (("-o", "z.npy"), "needs a node"),
        (("3", "-o", "z.parquet"), "exists"),
        (("3", "-o", "z.npy", "--clean", "m.safetensors"), "are taken out of files of vectors in .parquet, .csv, .ndjson"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_changes(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    path = save(tmp_path)
    before = path.read_bytes()
    done = sparsecut("forget", path, *arguments, folder=tmp_path, expect=2)
    assert message in done.stderr
    assert path.read_bytes() == before


def test_a_request_that_was_killed_is_repeated(tmp_path: Path) -> None:
    path = save(tmp_path)
    sparsecut("forget", path, 3, "-o", "z.parquet", "--force", folder=tmp_path)
    done = sparsecut("forget", path, 3, "-o", "z.parquet", "--force", "--missing-ok", "--json", folder=tmp_path)
    told = json.loads(done.stdout)
    assert (told["forgotten"], told["absent"], told["vectors"]) == (0, 1, 29)


def test_a_disk_that_is_full_when_vectors_are_written_is_said(tmp_path: Path) -> None:
    path = save(tmp_path)
    with full_disk(tmp_path / "disk", "mounted") as disk:
        (disk / "filler").write_bytes(bytes(ROOM))
        done = sparsecut("forget", path, 3, "-o", disk / "z.parquet", folder=tmp_path, expect=74)
        assert "The model has forgotten the nodes; run the command again with --missing-ok" in done.stderr
        assert [file.name for file in disk.iterdir()] == ["filler"]
    gc.collect()  # the error holds the model, and that its log, as long as a process is there
    assert 3 not in load(path).graph_.node_ids
    sparsecut("forget", path, 3, "-o", "new.parquet", "--missing-ok", folder=tmp_path)
    assert read_embedding(tmp_path / "new.parquet").ids.tolist() == load(path).graph_.node_ids.tolist()


def test_what_a_fit_warns_of_is_said_in_a_sentence(tmp_path: Path) -> None:
    people = pd.DataFrame({"age": np.arange(30.0), "note": [f"wrote at length about number {n}" for n in range(30)]})
    with pytest.warns(ReadingWarning, match="free text"):
        model = SCE(filter=Power(order=2)).fit(Graph(GRAPH.adjacency, features=people))
    model.save(tmp_path / "m.safetensors", with_state=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # one that is no sentence of the command's
        done = sparsecut("forget", "m.safetensors", 3, "-o", "z.parquet", folder=tmp_path)
    assert "Warning:" not in done.stderr
