"""Vectors that changed, as files: one row per node, or per node and time; nodes that went are told in lines of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from sparsecut import InputError, read_embedding
from sparsecut.updates.live import Changed
from sparsecut.updates.vector_files import CHANGED_SUFFIXES, remove_vectors, write_changed

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
    (tmp_path / "z.npy").write_bytes(b"")
    with pytest.raises(InputError, match="taken out of files of vectors"):
        remove_vectors(tmp_path / "z.npy", [])
    (tmp_path / "bare.csv").write_text("z0,z1\n1,2\n")
    with pytest.raises(InputError, match="no column of ids"):
        remove_vectors(tmp_path / "bare.csv", [])
