"""Tensors that are mapped: their numbers, writable in memory alone, and whole when the file is replaced."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from sparsecut.io import write_whole
from sparsecut.io.result_files import save_tensors
from sparsecut.io.stores.mapped_tensors import map_tensors

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files are read whole there")


def test_mapped_tensors_are_those_of_the_file_and_changes_stay_in_memory(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    tensors = {
        "rows": generator.normal(size=(30, 4)).astype(np.float32),
        "numbers": generator.integers(0, 9, 50),
        "bytes": generator.integers(0, 9, 101).astype(np.uint8),
        "small": np.ones(2, np.float32),
    }
    path = tmp_path / "a.safetensors"
    save_tensors(path, tensors, {"format": "test"})
    before = path.read_bytes()
    mapped = map_tensors(path, least=100)
    assert sorted(mapped) == ["bytes", "numbers", "rows"]
    for name, rows in mapped.items():
        assert rows.dtype == tensors[name].dtype
        np.testing.assert_array_equal(rows, tensors[name])
    mapped["rows"][3] = 7
    assert path.read_bytes() == before
    with write_whole(path) as temporary:
        save_tensors(temporary, {"other": np.zeros(3)}, {})
    np.testing.assert_array_equal(mapped["numbers"], tensors["numbers"])
    assert (mapped["rows"][3] == 7).all()
