"""`sparsecut update`: files and streams change what `transform` of the new graph gives; bad lines change nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import random_graph
from packing import pack
from shell import sparsecut
from sparsecut import SCE, Power, load, read_embedding
from sparsecut.graph import Graph

GRAPH = random_graph(30, 4, seed=1, density=0.2)
(EDGE, OTHER), FREE = np.argwhere(np.triu(GRAPH.adjacency.toarray()))[:2].tolist(), [0, 29]


def save(folder: Path) -> Path:
    SCE(filter=Power(order=2), dimension=3).fit(GRAPH).save(folder / "m.safetensors", with_state=True)
    return folder / "m.safetensors"


def with_edge(*, weight: float, without: list[int] | None = None) -> np.ndarray:
    dense = GRAPH.adjacency.toarray()
    dense[FREE[0], FREE[1]] = dense[FREE[1], FREE[0]] = weight
    if without is not None:
        dense[without[0], without[1]] = dense[without[1], without[0]] = 0
    return dense


def test_a_file_of_changes_and_the_model_goes_on(tmp_path: Path) -> None:
    path = save(tmp_path)
    (tmp_path / "c.csv").write_text(
        f"op,source,target,weight,node,features,time\nadd,{FREE[0]},{FREE[1]},,,,1\n"
        f"change,{FREE[1]},{FREE[0]},2.5,,,2\nremove,{EDGE[0]},{EDGE[1]},,,,3\n"
        'add,,,,77,"[1,0,0,2]",4\nadd,77,3,,,,5\n'
    )
    done = sparsecut("update", path, "c.csv", "-o", "z.parquet", "--tolerance", 0, "--json", folder=tmp_path)
    told = json.loads(done.stdout)
    Z, ids = read_embedding(tmp_path / "z.parquet")
    dense = np.pad(with_edge(weight=2.5, without=EDGE), (0, 1))
    dense[30, 3] = dense[3, 30] = 1
    whole = Graph(dense, features=np.vstack([GRAPH.features, [1, 0, 0, 2]]), node_ids=[*range(30), 77])
    model = load(path)
    exact = model.transform(whole)
    np.testing.assert_allclose(Z, exact[[whole.node_ids.tolist().index(node) for node in ids.tolist()]], atol=1e-5)
    np.testing.assert_allclose(model.embedding_, exact, atol=1e-5)
    assert (told["changes"], told["vectors"], told["batches"]) == (5, len(ids), 1)
    assert told["drift"] == pytest.approx(model.drift_)


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_bad_line_is_named_and_its_batch_is_whole_or_absent(on_error: str, tmp_path: Path) -> None:
    path = save(tmp_path)
    before = load(path).embedding_
    (tmp_path / "c.ndjson").write_text(
        json.dumps({"op": "add", "source": FREE[0], "target": FREE[1]})
        + "\nnothing\n"
        + json.dumps({"op": "remove", "source": FREE[0], "target": 12345})
        + "\n"
    )
    arguments = ("update", path, "c.ndjson", "-o", "z.ndjson", "--tolerance", 0, "--on-error", on_error)
    done = sparsecut(*arguments, folder=tmp_path, expect=2 if on_error == "stop" else 0)
    assert "Line 2: it is not JSON" in done.stderr
    after = load(path).embedding_
    if on_error == "stop":
        assert "Nothing of its batch was changed" in done.stderr
        np.testing.assert_array_equal(before, after)
        assert not (tmp_path / "z.ndjson").exists()
    else:
        assert "Line 3: the graph has no node 12345" in done.stderr
        expected = load(path).transform(Graph(with_edge(weight=1), features=GRAPH.features))
        np.testing.assert_allclose(after, expected, atol=1e-5)


def test_earlier_batches_stay_when_a_later_one_stops(tmp_path: Path) -> None:
    path = save(tmp_path)
    (tmp_path / "c.csv").write_text(
        f"op,source,target\nadd,{FREE[0]},{FREE[1]}\nremove,{EDGE[0]},{EDGE[1]}\nadd,{FREE[0]},{FREE[1]}\n"
    )
    done = sparsecut("update", path, "c.csv", "-o", "z.csv", "--batch", 1, folder=tmp_path, expect=2)
    assert "Line 4: the graph has the edge 0, 29 already" in done.stderr
    assert len(read_embedding(tmp_path / "z.csv").ids) > 2
    assert load(path).graph_.n_edges == GRAPH.n_edges


def follow(path: Path, *options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sparsecut", "update", str(path), "--follow", "--tolerance", "0", *map(str, options)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


def test_follow_answers_a_line_when_it_comes_and_a_killed_one_has_kept_it(tmp_path: Path) -> None:
    path = save(tmp_path)
    process = follow(path, "--on-error", "skip")
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps({"op": "add", "source": FREE[0], "target": FREE[1], "time": "noon"}).encode() + b"\n")
    first = json.loads(process.stdout.readline())
    assert first["time"] == "noon"
    process.stdin.write(b"bad\n" + json.dumps({"op": "remove", "node": 5}).encode() + b"\n")
    lines = [json.loads(process.stdout.readline())]
    while "removed" not in lines[-1]:
        lines.append(json.loads(process.stdout.readline()))
    assert lines[-1]["id"] == 5
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    keep = [node for node in range(30) if node != 5]
    graph = Graph(with_edge(weight=1)[np.ix_(keep, keep)], features=GRAPH.features[keep], node_ids=keep)
    model = load(path)
    assert model.graph_.node_ids.tolist() == keep
    exact = model.transform(graph)
    np.testing.assert_allclose(model.embedding_, exact, atol=1e-5)
    np.testing.assert_allclose(
        first["embedding"], SCE.transform(model, Graph(with_edge(weight=1), features=GRAPH.features))[first["id"]], atol=1e-5
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("c.csv",), "Say where"),
        ((), "Give one of the two"),
        (("c.csv", "--follow"), "Give one of the two"),
        (("c.csv", "-o", "z.npy"), "must end in"),
        (("c.csv", "-o", "z.csv", "--on-error", "retry"), "--on-error"),
        (("c.csv", "-o", "z.csv", "--batch", 0), "--batch"),
        (("c.csv", "-o", "z.csv", "--tolerance", -1), "--tolerance"),
    ],
)
def test_what_does_not_go_together(arguments: tuple[object, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("op,source,target\nadd,0,29\n")
    done = sparsecut("update", "m.safetensors", *arguments, folder=tmp_path, expect=2)
    assert message in done.stderr


def test_a_model_without_a_state_says_how_to_save_one(tmp_path: Path) -> None:
    SCE().fit(GRAPH).save(tmp_path / "m.safetensors")
    (tmp_path / "c.csv").write_text("op,source,target\nadd,0,29\n")
    done = sparsecut("update", "m.safetensors", "c.csv", "-o", "z.csv", folder=tmp_path, expect=2)
    assert "with_state=True" in done.stderr


def test_embed_saves_a_model_that_can_be_updated(tmp_path: Path) -> None:
    sparsecut("embed", "digits", "-o", "z.parquet", "--save-model", "m.safetensors", "--with-state", folder=tmp_path)
    (tmp_path / "c.csv").write_text("op,source,target\nadd,0,1000\n")
    sparsecut("update", "m.safetensors", "c.csv", "-o", "changed.parquet", folder=tmp_path)
    assert 0 in read_embedding(tmp_path / "changed.parquet").ids
    done = sparsecut("embed", "digits", "-o", "y.parquet", "--with-state", folder=tmp_path, expect=2)
    assert "--save-model" in done.stderr


def test_a_packed_file_of_changes_in_another_encoding(tmp_path: Path) -> None:
    graph = Graph(GRAPH.adjacency, features=GRAPH.features, node_ids=[f"Zoë {node}" for node in range(30)])
    for suffix in ("", ".zst"):
        SCE(filter=Power(order=2), dimension=3).fit(graph).save(tmp_path / f"m{suffix}.safetensors", with_state=True)
        path = tmp_path / "c.csv"
        path.write_bytes(f"op,source,target,weight\nadd,Zoë {FREE[0]},Zoë {FREE[1]},2.5\n".encode("latin-1"))
        path = pack(path, suffix) if suffix else path
        told = sparsecut("update", f"m{suffix}.safetensors", path, "-o", f"z{suffix}.npy", folder=tmp_path, expect=2).stderr
        assert "must end in .parquet, .csv or .ndjson" in told
        words = ("update", f"m{suffix}.safetensors", path, "-o", f"z{suffix}.parquet", "--tolerance", 0)
        assert "--encoding" in sparsecut(*words, folder=tmp_path, expect=2).stderr
        sparsecut(*words, "--encoding", "latin-1", folder=tmp_path)
    first, second = (read_embedding(tmp_path / f"z{suffix}.parquet") for suffix in ("", ".zst"))
    assert np.array_equal(first.vectors, second.vectors)
    exact = load(tmp_path / "m.safetensors").transform(Graph(with_edge(weight=2.5), features=GRAPH.features))
    np.testing.assert_allclose(first.vectors, exact[[int(name.split()[1]) for name in first.ids]], atol=1e-5)


def test_vectors_that_find_no_room_leave_whole_batches(tmp_path: Path) -> None:
    """The stream of changed vectors on a full disk: exit 74, the file ends with a whole line, the model has the change."""
    path = save(tmp_path)
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY));"
        "sys.argv = ['sparsecut', 'update', 'm.safetensors', '--follow', '--batch', '1', '-o', 'z.ndjson'];"
        "from sparsecut.cli import main; main()"
    )
    lines = [{"op": "change", "node": 3, "features": [float(n), 1, 2, 3]} for n in range(400)]
    given = "".join(json.dumps(line) + "\n" for line in lines).encode()
    done = subprocess.run([sys.executable, "-c", script], input=given, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 74, done.stderr
    assert b"File too large" in done.stderr
    assert b"defect" not in done.stderr
    written = (tmp_path / "z.ndjson").read_text().splitlines()
    assert len(written) > 5
    assert all(len(json.loads(line)["embedding"]) == 3 for line in written)
    assert len(load(path).embedding_) == 30
