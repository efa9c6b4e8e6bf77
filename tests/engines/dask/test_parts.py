"""The folder of an output: whole or absent, and read as one array."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.engines.dask.parts import PartedRows, Parts, check_output


def write(parts: Parts, Z: np.ndarray, order: np.ndarray, starts: tuple[int, ...]) -> None:
    parts.open()
    for block, (first, last) in enumerate(pairwise(starts)):
        sc.write_embedding(parts.path(block), Z[order[first:last]], order[first:last])


@pytest.mark.parametrize("by_parts", [False, True])
def test_rows_come_back_in_the_order_of_the_nodes(by_parts: bool, tmp_path: Path) -> None:
    Z = np.random.default_rng(0).normal(size=(9, 2)).astype(np.float32)
    order = np.random.default_rng(1).permutation(9) if by_parts else np.arange(9)
    parts, starts = Parts(tmp_path / "z", ".work"), (0, 4, 5, 9)
    write(parts, Z, order, starts)
    assert not (tmp_path / "z").exists()
    parts.finish()
    place = np.argsort(order) if by_parts else None
    rows = PartedRows(tmp_path / "z", starts, 2, place)
    np.testing.assert_array_equal(np.asarray(rows), Z)
    np.testing.assert_array_equal(rows[2:7], Z[2:7])
    np.testing.assert_array_equal(rows[3], Z[3])
    found = sc.read_embedding(tmp_path / "z")
    np.testing.assert_array_equal(found.vectors, Z[found.ids])


def test_a_former_output_is_replaced_and_other_files_are_not(tmp_path: Path) -> None:
    for value in (1, 2):
        parts = Parts(tmp_path / "z", ".work")
        write(parts, np.full((2, 1), value, dtype=np.float32), np.arange(2), (0, 2))
        check_output(tmp_path / "z")
        parts.finish()
    assert sc.read_embedding(tmp_path / "z").vectors.ravel().tolist() == [2, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["z"]
    (tmp_path / "z" / "mine.txt").touch()
    with pytest.raises(sc.InputError, match=r"holds other files \(mine.txt\)"):
        check_output(tmp_path / "z")
    with pytest.raises(sc.InputError, match="must be a folder of Parquet files"):
        check_output(tmp_path / "z.npy")
