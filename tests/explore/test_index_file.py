"""An index on disk: restored for its own vectors, refused for others and where it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from near_vectors import clustered
from sparsecut import Neighbors
from sparsecut.base.errors import InputError


def test_saved_and_loaded_it_answers_the_same(tmp_path: Path) -> None:
    Z, ids = clustered(), np.array([f"n{number}" for number in range(4000)])
    near = Neighbors(Z, ids, index="approximate")
    near.save(tmp_path / "index.safetensors")
    loaded = Neighbors.load(tmp_path / "index.safetensors", Z, ids)
    assert loaded.recall_ == near.recall_
    np.testing.assert_array_equal(loaded.nearest(5).ids, near.nearest(5).ids)
    assert (tmp_path / "index.safetensors").stat().st_size < Z.nbytes / 5


def test_an_index_of_other_vectors_ids_or_order_is_refused(tmp_path: Path) -> None:
    Z, path = clustered(), tmp_path / "index.safetensors"
    ids = np.arange(len(Z))
    Neighbors(Z, ids, index="approximate").save(path)
    changed = Z.copy()
    changed[7, 3] = np.nextafter(changed[7, 3], 9)
    for other, names in ((changed, ids), (Z[::-1], ids), (Z, ids + 1), (Z[:-1], ids[:-1]), (Z[:, :8], ids)):
        with pytest.raises(InputError, match="does not belong to this embedding"):
            Neighbors.load(path, other, names)


def test_damaged_and_foreign_index_files_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    from sparsecut.kernels.exact_search import fingerprint

    Z, path = clustered(), tmp_path / "index.safetensors"
    ids = np.arange(len(Z))
    header = {"metric": "cosine", "n_probed": 4, "recall": 0.99, "belongs_to": fingerprint(Z, ids)}
    metadata = {"format": "sparsecut-neighbors", "format_version": "1", "index": json.dumps(header)}
    centroids, lists = np.zeros((4, 16), dtype=np.float32), np.zeros(len(Z), dtype=np.int32)
    outside = lists.copy()
    outside[9] = 4
    for arrays_ in ({}, {"centroids": centroids, "list_of": outside}, {"centroids": centroids[:, :3], "list_of": lists}):
        save_file({"x": lists, **arrays_}, path, metadata=metadata)
        with pytest.raises(InputError, match="is damaged"):
            Neighbors.load(path, Z, ids)
    save_file({"x": lists}, path)
    with pytest.raises(InputError, match="is not an index of this version"):
        Neighbors.load(path, Z, ids)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="damaged or not an index"):
        Neighbors.load(path, Z, ids)
