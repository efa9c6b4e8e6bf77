"""What safetensors says about a disk is an error of the system, as it is of any other file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from full_disk import full_disk
from sparsecut.io.tensor_files import save_tensors


def test_tensors_are_written_or_an_oserror_says_why(tmp_path: Path) -> None:
    turned = np.arange(6.0).reshape(2, 3).T
    save_tensors(tmp_path / "small", {"x": turned}, {"format": "test"})
    assert np.array_equal(load_file(tmp_path / "small")["x"], turned)
    with full_disk(tmp_path / "full", "limited") as folder, pytest.raises(OSError, match="File too large") as caught:
        save_tensors(folder / "large", {"x": np.zeros(100_000)}, {})
    assert caught.value.errno == 27
