"""Vectors that changed, as files: one row per node, or per node and time; nodes that went are told in lines of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv
import pyarrow.parquet
import pytest

from sparsecut import InputError, read_embedding, write_embedding
from sparsecut.io.embeddings import read_types
from sparsecut.updates.live import Changed
from sparsecut.updates.vector_files import CHANGED_SUFFIXES, WHOLE_SUFFIXES, remove_vectors, write_changed

FIRST = Changed(np.array([1, 2]), np.array([[1, 2], [3, 4]], dtype=np.float32), removed=[9])
SECOND = Changed(np.array([2, 9]), np.array([[5, 6], [7, 8]], dtype=np.float32), removed=[1])


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_without_times_the_last_vector_of_a_node(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"changed{suffix}"
    write_changed(path, [(FIRST, None), (SECOND, None)])
    Z, ids = read_embedding(path)
    assert ids.tolist() == [2, 9]  # 1 went
    assert Z.tolist() == [[5, 6], [7, 8]]


def test_with_times_one_row_for_each(tmp_path: Path) -> None:
    write_changed(tmp_path / "changed.parquet", [(FIRST, "2024"), (SECOND, "2025")])
    table = pyarrow.parquet.read_table(tmp_path / "changed.parquet").to_pylist()
    assert [(row["id"], row["time"], row["embedding"]) for row in table] == [
        (1, "2024", [1, 2]),
        (2, "2024", [3, 4]),
        (2, "2025", [5, 6]),
        (9, "2025", [7, 8]),
    ]


def test_lines_of_json_tell_what_went(tmp_path: Path) -> None:
    write_changed(tmp_path / "changed.ndjson", [(FIRST, 1), (SECOND, 2)])
    lines = [json.loads(line) for line in (tmp_path / "changed.ndjson").read_text().splitlines()]
    assert {"id": 1, "time": 2, "removed": True} in lines
    assert {"id": 9, "time": 2, "embedding": [7.0, 8.0]} in lines
    assert sum("removed" in line for line in lines) == 1


def test_vectors_of_some_nodes_are_taken_out(tmp_path: Path) -> None:
    part = Changed(np.array(["a", "b", 'c"x']), np.arange(6, dtype=np.float32).reshape(3, 2), ["gone"])
    for suffix in CHANGED_SUFFIXES:
        path = tmp_path / f"z{suffix}"
        write_changed(path, [(part, 17)])
        before = path.read_bytes()
        assert remove_vectors(path, ["nobody"]) == 0
        assert path.read_bytes() == before
        assert remove_vectors(path, ["a", "gone"]) == (2 if suffix == ".ndjson" else 1)
        assert remove_vectors(path, ['c"x']) == 1
        content = path.read_bytes()
        assert b"gone" not in content
        assert b'c"' not in content
    assert (tmp_path / "z.csv").read_text().replace('"', "") == "id,time,z0,z1\nb,17,2,3\n"
    (tmp_path / "z.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match="taken out of files of vectors"):
        remove_vectors(tmp_path / "z.safetensors", [])
    (tmp_path / "bare.csv").write_text("z0,z1\n1,2\n")
    with pytest.raises(InputError, match="no column of ids"):
        remove_vectors(tmp_path / "bare.csv", [])


@pytest.mark.parametrize("suffix", WHOLE_SUFFIXES)
def test_vectors_are_taken_out_of_every_format(suffix: str, tmp_path: Path) -> None:
    path, Z = tmp_path / f"z{suffix}", np.arange(9, dtype=np.float32).reshape(3, 3) / 7
    types = np.array(["x", "y", "x"]) if suffix == ".npz" else None
    write_embedding(path, Z, ["x:anna", "y:bo", "x:cleo"], types=types)
    assert remove_vectors(path, ["nobody"]) == 0
    assert remove_vectors(path, ["x:anna"]) == 1
    found = read_embedding(path)
    assert found.ids.tolist() == ["y:bo", "x:cleo"]
    np.testing.assert_array_equal(found.vectors, Z[1:])
    assert (read_types(path) is None) == (types is None)
    for file in tmp_path.iterdir():
        assert "anna".encode("utf-32-le") not in file.read_bytes()
        assert b"anna" not in file.read_bytes()


def test_vectors_without_ids_or_with_other_arrays_are_not_cleaned(tmp_path: Path) -> None:
    np.save(tmp_path / "z.npy", np.eye(3))
    with pytest.raises(InputError, match=r"have no ids beside them \(z.ids.npy\)"):
        remove_vectors(tmp_path / "z.npy", ["a"])
    np.savez(tmp_path / "z.npz", ids=["a", "b", "c"], embedding=np.eye(3), ages=[1, 2, 3])
    before = (tmp_path / "z.npz").read_bytes()
    with pytest.raises(InputError, match=r"Left out: 'ages'\. Nodes are taken out of files that hold nothing else"):
        remove_vectors(tmp_path / "z.npz", ["a"])
    assert (tmp_path / "z.npz").read_bytes() == before


@pytest.mark.parametrize("suffix", [".feather", ".arrow", ".parquet"])
def test_vectors_are_taken_out_of_what_pandas_writes(suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(np.eye(3), columns=["z0", "z1", "z2"], index=["anna", "bo", "cleo"])
    path = tmp_path / f"z{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)  # with the index as a column
    else:
        frame.rename_axis("id").reset_index().to_feather(path)
    assert remove_vectors(path, ["bo"]) == 1
    found = read_embedding(path)
    assert found.ids.tolist() == ["anna", "cleo"]
    np.testing.assert_array_equal(found.vectors, np.eye(3)[[0, 2]])
    assert b"bo" not in path.read_bytes()
