"""`sparsecut update`: files and streams change what `transform` of the new graph gives; bad lines change nothing."""

from __future__ import annotations

import fcntl
import json
import subprocess
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prepared
from changing import Shadow
from conftest import random_graph
from full_disk import ROOM, full_disk
from packing import pack
from shell import sparsecut
from sparsecut import SCE, Power, from_edges, load, read_embedding
from sparsecut.graph import Graph
from sparsecut.updates.update_log import log_path

GRAPH = random_graph(30, 4, seed=1, density=0.2)
(EDGE, OTHER), FREE = np.argwhere(np.triu(GRAPH.adjacency.toarray()))[:2].tolist(), [0, 29]


def save(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
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
    assert told["span_drift"] == pytest.approx(model.span_drift_)


def save_table(folder: Path) -> tuple[Path, pd.DataFrame]:
    """A model of a table with numbers, categories that spell numbers, and dates."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": generator.normal(40, 10, 30),
            "code": generator.choice(["007", "12", "x"], 30),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, 30), "D"),
        }
    )
    frame.loc[3, "age"] = None
    model = SCE(filter=Power(order=2), weighting="none", dimension=3)
    model.fit(Graph(GRAPH.adjacency, features=frame)).save(folder / "m.safetensors", with_state=True)
    return folder / "m.safetensors", frame


@pytest.mark.parametrize("suffix", [".csv", ".ndjson", ".parquet"])
def test_a_change_of_one_column_names_no_other(suffix: str, tmp_path: Path) -> None:
    path, frame = save_table(tmp_path)
    records = [
        {"op": "change", "node": 4, "code": "007"},
        {"op": "change", "node": 4, "age": 50.5},  # of the same node, in the same batch
        {"op": "change", "node": 5, "since": "2021-02-03"},
        {"op": "add", "node": 77, "age": None, "code": "12", "since": "2021-02-03"},
        {"op": "change", "node": 77, "code": "x"},
        {"op": "add", "source": 77, "target": 4},
    ]
    if suffix == ".ndjson":
        (tmp_path / "c.ndjson").write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        table = pd.DataFrame(records)
        table[["node", "source", "target"]] = table[["node", "source", "target"]].astype("Int64")
        table.to_csv(tmp_path / "c.csv", index=False) if suffix == ".csv" else table.to_parquet(tmp_path / "c.parquet")
    sparsecut("update", path, f"c{suffix}", "-o", "z.csv", "--tolerance", 0, folder=tmp_path)
    frame.loc[4, ["age", "code"]] = [50.5, "007"]
    frame.loc[5, "since"] = pd.Timestamp("2021-02-03")
    frame.loc[77] = [0.0, "x", pd.Timestamp("2021-02-03")]
    frame.loc[77, "age"] = np.nan
    dense = np.pad(GRAPH.adjacency.toarray(), (0, 1))
    dense[30, 4] = dense[4, 30] = 1
    model = load(path)
    exact = model.transform(Graph(dense, features=frame, node_ids=[*range(30), 77]))
    np.testing.assert_allclose(model.embedding_, exact, atol=1e-5)


def test_times_of_changes_are_those_of_the_edges(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    calls = pd.DataFrame(generator.integers(0, 30, (150, 2)), columns=["caller", "callee"]).query("caller != callee")
    calls["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(generator.integers(0, 90, len(calls)), "D")
    options = {"time": "day", "half_life": "20 days", "node_ids": range(30)}
    model = SCE(filter=Power(order=2), features="given", weighting="none", dimension=3)
    features = generator.standard_normal((30, 4)).astype(np.float32)
    model.fit(from_edges(calls, features=features, **options)).save(tmp_path / "m.safetensors", with_state=True)
    again = [int(node) for node in calls[["caller", "callee"]].to_numpy()[0]]
    later = pd.DataFrame([again, [3, 7], [7, 12]], columns=["caller", "callee"])
    later["day"] = ["2024-05-01", "2024-03-01", "2024-06-01"]
    changes = later.set_axis(["source", "target", "time"], axis=1).assign(op="add")
    changes.to_csv(tmp_path / "c.csv", index=False)
    sparsecut("update", "m.safetensors", "c.csv", "-o", "z.csv", "--tolerance", 0, folder=tmp_path)
    whole = from_edges(pd.concat([calls, later.assign(day=pd.to_datetime(later["day"]))]), features=features, **options)
    model = load(tmp_path / "m.safetensors")
    np.testing.assert_allclose(model.graph_.adjacency.toarray(), whole.adjacency.toarray(), rtol=1e-5)
    np.testing.assert_allclose(model.embedding_, model.transform(whole), atol=1e-5)


def test_new_values_are_said_in_a_sentence_and_once(tmp_path: Path) -> None:
    people = pd.DataFrame({"city": ["Bern", "Lima", "Oslo"] * 10, "age": np.arange(30.0)})
    model = SCE(filter=Power(order=2), dimension=3).fit(Graph(GRAPH.adjacency, features=people))
    model.save(tmp_path / "m.safetensors", with_state=True)
    (tmp_path / "c.csv").write_text("op,node,city\nchange,3,Rome\n")
    said = sparsecut("update", "m.safetensors", "c.csv", "-o", "z.csv", folder=tmp_path).stderr
    assert said.count("'Rome'") == 1
    assert "Warning" not in said


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


def follow(path: Path, *options: object, stdin: Any = subprocess.PIPE) -> subprocess.Popen[bytes]:
    command = [prepared.python(), "-m", "sparsecut", "update", str(path), "--follow", "--tolerance", "0", *map(str, options)]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


@pytest.mark.slow
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
    process.terminate()  # kills it
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


def stream_of_changes(n_changes: int) -> tuple[bytes, Shadow]:
    """Lines that can each be made once and in one order only, and the graph that all of them make."""
    shadow, generator, lines = Shadow(GRAPH), np.random.default_rng(3), []
    for number in range(n_changes):
        nodes = list(shadow.nodes)
        source, target = sorted(int(nodes[place]) for place in generator.choice(len(nodes), 2, replace=False))
        record: dict[str, Any]
        if number % 40 == 39:
            row = generator.normal(size=4).round(3)
            record = {"op": "add", "node": 1000 + number, "features": row.tolist()}
            shadow.apply({"nodes_added": {1000 + number: row}})
        elif number % 40 == 20:
            record = {"op": "remove", "node": source}
            shadow.apply({"nodes_removed": [source]})
        elif (source, target) in shadow.edges and number % 2:
            record = {"op": "remove", "source": source, "target": target}
            shadow.apply({"edges_removed": [(source, target)]})
        elif (source, target) in shadow.edges:
            weight = shadow.edges[source, target] + 1
            record = {"op": "change", "source": source, "target": target, "weight": weight}
            shadow.apply({"weights_changed": [(source, target, weight)]})
        else:
            record = {"op": "add", "source": source, "target": target}
            shadow.apply({"edges_added": [(source, target, 1.0)]})
        lines.append(json.dumps(record) + "\n" * (1 + (number % 7 == 0)))  # empty lines count as lines and bytes too
    return "".join(lines).strip().encode() + b"\n", shadow


@pytest.mark.slow
@pytest.mark.parametrize("reads_on", [True, False], ids=["the reader goes on", "the reader loses what is in the pipe"])
def test_killed_and_resumed_at_the_printed_offset_no_change_is_lost_or_made_twice(reads_on: bool, tmp_path: Path) -> None:
    """kill −9 while vectors wait in a full pipe, several times; the changes could not be made twice without an error."""
    path = save(tmp_path)
    content, shadow = stream_of_changes(120)
    (tmp_path / "changes.ndjson").write_bytes(content)
    store: dict[int, list[float]] = {}
    position = {"line": 0, "offset": 0}

    def take(line: bytes) -> None:
        record = json.loads(line)
        if "offset" in record:
            position.update(record)
        elif "removed" in record:
            store.pop(record["id"], None)
        else:
            store[record["id"]] = record["embedding"]

    for n_read in (20, 300, None) if reads_on else (300, None):
        with (tmp_path / "changes.ndjson").open("rb", buffering=0) as stream:
            stream.seek(position["offset"])
            process = follow(path, "--batch", 3, "--start-at", position["offset"], stdin=stream)
        assert process.stdout
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)  # it is full after two changes
        lines = iter(process.stdout.readline, b"")
        for line in lines if n_read is None else islice(lines, n_read):
            take(line)
        if n_read is not None:
            wait_until_it_waits(path)  # with a full pipe, in the middle of a batch that is on the disk
            process.terminate()  # kills it
            process.wait()  # a write that waits goes on where there is room before the signal is looked at
            for line in lines if reads_on else ():
                if line.endswith(b"\n"):
                    take(line)
        assert b"already" not in process.communicate()[1]
        model = load(path)
        assert model._position.offset >= position["offset"]
        if n_read is not None:
            assert model._position.offset > position["offset"]  # killed with vectors that nobody has read
    assert process.returncode == 0
    assert position == {"line": content.count(b"\n"), "offset": len(content)}
    assert model.graph_.node_ids.tolist() == list(shadow.nodes)
    np.testing.assert_array_equal(model.graph_.adjacency.toarray(), shadow.graph().adjacency.toarray())
    np.testing.assert_allclose(model.embedding_, model.transform(shadow.graph()), atol=1e-5)
    start = load(save(tmp_path / "start")).embedding_
    expected = {node: start[node].tolist() for node in range(30) if node in shadow.nodes} | store
    found = np.array([expected[node] for node in shadow.nodes], dtype=np.float32)  # as short as single precision can be said
    np.testing.assert_array_equal(found, model.embedding_)


def wait_until_it_waits(path: Path) -> None:
    """Until the log of a model has not grown for a while."""
    size = -1
    while (now := log_path(path).stat().st_size) != size:
        size = now
        time.sleep(0.7)


@pytest.mark.slow
def test_a_file_of_vectors_goes_on_and_a_wrong_start_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path)
    lines = [json.dumps({"op": "add", "source": 0, "target": 29}), json.dumps({"op": "remove", "source": 0, "target": 29})]
    first, second = (line.encode() + b"\n" for line in lines)
    options = ("-o", tmp_path / "z.ndjson", "--start-at")
    follow(path, *options, 0).communicate(first)
    with (tmp_path / "z.ndjson").open("a") as file:
        file.write('{"id": 3, "embed')  # as a killed process leaves it
    follow(path, *options, 0).communicate(first + second)  # from its beginning: the first is passed over
    records = [json.loads(line) for line in (tmp_path / "z.ndjson").read_text().splitlines()]
    positions = [record for record in records if "offset" in record]
    assert positions[-1] == {"line": 2, "offset": len(first + second)}
    assert load(path).graph_.n_edges == GRAPH.n_edges
    told = follow(path, "--start-at", len(first + second) + 1).communicate(b"")[1].decode()
    assert "would be lost" in told
    told = follow(path, "--start-at", 0).communicate(first)[1].decode()
    assert "must be the stream" in " ".join(told.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("c.csv",), "Say where"),
        (("c.csv", "-o", "z.csv", "--start-at", 0), "--start-at"),
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


@pytest.mark.slow
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
    done = subprocess.run([prepared.python(), "-c", script], input=given, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 74, done.stderr
    assert b"File too large" in done.stderr
    assert b"defect" not in done.stderr
    written = (tmp_path / "z.ndjson").read_text().splitlines()
    assert len(written) > 5
    records = [json.loads(line) for line in written]
    assert "offset" in records[-1]  # a whole batch, and how far it came
    assert all(len(record["embedding"]) == 3 for record in records if "offset" not in record)
    assert len(load(path).embedding_) == 30


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".ndjson"])
def test_changes_that_move_no_vector_leave_no_earlier_vectors(suffix: str, tmp_path: Path) -> None:
    save(tmp_path)
    (tmp_path / "c.csv").write_text("op,source,target\nadd,{},{}\n".format(*FREE))
    (tmp_path / "none.csv").write_text("op,source,target\n")
    sparsecut("update", "m.safetensors", "c.csv", "-o", f"z{suffix}", folder=tmp_path)
    before = (tmp_path / f"z{suffix}").read_bytes()
    sparsecut("update", "m.safetensors", "none.csv", "-o", f"z{suffix}", "--force", folder=tmp_path)
    after = (tmp_path / f"z{suffix}").read_bytes()
    assert after != before
    if suffix == ".ndjson":
        assert after == b""
    else:
        found = pd.read_parquet(tmp_path / "z.parquet") if suffix == ".parquet" else pd.read_csv(tmp_path / "z.csv")
        assert len(found) == 0
        assert found.columns[0] == "id"


def test_a_disk_that_is_full_when_vectors_are_written_says_where_they_are(tmp_path: Path) -> None:
    path = save(tmp_path)
    (tmp_path / "c.csv").write_text("op,source,target\nadd,{},{}\n".format(*FREE))
    with full_disk(tmp_path / "disk", "mounted") as disk:
        (disk / "filler").write_bytes(bytes(ROOM))
        done = sparsecut("update", path, "c.csv", "-o", disk / "z.parquet", folder=tmp_path, expect=74)
    assert "The changes are made, and in the model: sparsecut.load(path).embedding_ has all vectors" in done.stderr
    exact = load(path).transform(Graph(with_edge(weight=1), features=GRAPH.features))
    np.testing.assert_allclose(load(path).embedding_, exact, atol=1e-2 * np.abs(exact).max())
