"""Folders that are no store, each with the sentence a user sees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.io.stores.store import HEADER


@pytest.fixture
def files(tmp_path: Path) -> Path:
    pyarrow.parquet.write_table(pa.table({"src": [0, 1], "dst": [1, 2]}), tmp_path / "plain.parquet")
    np.save(tmp_path / "features.npy", np.eye(4, dtype=np.float32))
    return tmp_path


def test_stores_that_are_none(files: Path) -> None:
    with pytest.raises(sc.InputError, match=r"is not a store of a graph: it has no graph.json. Make one with"):
        sc.open_store(files)
    sc.build_store(files / "store", files / "plain.parquet", features=files / "features.npy")
    with pytest.raises(sc.InputError, match=r"The output .* exists\. Pass overwrite=True \(--force\) to replace it"):
        sc.build_store(files / "store", files / "plain.parquet", features=files / "features.npy")
    np.save(files / "store" / "features.npy", np.ones((3, 5), dtype=np.float32))
    with pytest.raises(sc.InputError, match=r"has shape \(3, 5\), which is not what graph.json says. Build the store again"):
        sc.open_store(files / "store")
    (files / "store" / HEADER).write_text("{")
    with pytest.raises(sc.InputError, match=r"The store file .* could not be read"):
        sc.open_store(files / "store")


def test_features_that_a_store_points_to_are_looked_through_again(files: Path) -> None:
    sc.build_store(files / "store", files / "plain.parquet", features=files / "features.npy", link_features=True)
    assert sc.open_store(files / "store").has_plain_ids
    changed = np.load(files / "features.npy")
    changed[2, 1] = np.nan
    np.save(files / "features.npy", changed)
    with pytest.raises(sc.InputError, match=r"The features must be finite. Got nan in row 2, column 1"):
        sc.open_store(files / "store")


def test_features_of_another_type_become_what_a_graph_has(files: Path) -> None:
    sc.build_store(files / "store", files / "plain.parquet", features=files / "features.npy")
    assert sc.open_store(files / "store").features.dtype == np.float32
    np.save(files / "store" / "features.npy", np.eye(4))
    assert sc.open_store(files / "store").features.dtype == np.float32
