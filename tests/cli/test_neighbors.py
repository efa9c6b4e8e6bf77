"""`sparsecut neighbors`: what the library finds, an index beside the file, wrong questions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from shell import sparsecut
from sparsecut import Neighbors, write_embedding
from sparsecut.kernels import inverted as neighbors_module


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbors_prints_what_the_library_finds(thirty: Any, metric: str) -> None:
    folder, Z, ids = thirty
    done = sparsecut("neighbors", "z.parquet", "p3", "p9", "-k", 4, "--metric", metric, "--json", folder=folder)
    result = json.loads(done.stdout)
    found = Neighbors(Z, ids, metric=metric).query(["p3", "p9"], k=4)
    assert [row["ids"] for row in result["neighbors"]] == found.ids.tolist()
    values = 1 - found.distances if metric == "cosine" else found.distances
    name = "cosine" if metric == "cosine" else "distance"
    np.testing.assert_allclose([row[name] for row in result["neighbors"]], values, atol=1e-5)
    assert result["recall"] == 1.0
    table = sparsecut("neighbors", "z.parquet", "p3", "--metric", metric, folder=folder).stdout
    assert "Nearest to p3" in table
    assert found.ids[0, 0] in table


def test_a_batch_of_ids_from_a_file(thirty: Any) -> None:
    folder, *_ = thirty
    (folder / "ids.txt").write_text("p1\n\n p2 \n", "utf-8")
    result = json.loads(sparsecut("neighbors", "z.parquet", "p0", "--batch", "ids.txt", "--json", folder=folder).stdout)
    assert [row["node"] for row in result["neighbors"]] == ["p0", "p1", "p2"]


def test_an_index_is_kept_used_and_refused_for_other_vectors(thirty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = thirty[0]
    monkeypatch.setattr(neighbors_module, "EXACT_NODES", 1000)
    Z = np.random.default_rng(0).normal(size=(2000, 8)).astype(np.float32)
    write_embedding(folder / "big.parquet", Z)
    ask = ("neighbors", "big.parquet", 5, "--json")
    first = json.loads(sparsecut(*ask, folder=folder).stdout)
    index = folder / "big.parquet.cosine.neighbors.safetensors"
    assert not first["is_exact"]
    written = index.stat().st_mtime_ns
    assert json.loads(sparsecut(*ask, folder=folder).stdout) == first
    assert index.stat().st_mtime_ns == written
    write_embedding(folder / "big.parquet", Z + 1, overwrite=True)
    error = sparsecut(*ask, folder=folder, expect=2).stderr
    assert "does not belong to this embedding" in error
    assert "--rebuild" in error
    assert json.loads(sparsecut(*ask, "--rebuild", folder=folder).stdout)["recall"] >= 0.98


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z.parquet",), "needs a node"),
        (("z.parquet", "nobody"), "does not: 'nobody'"),
        (("z.parquet", "p1", "-k", 0), "at least 1"),
        (("z.parquet", "p1", "--metric", "l1"), "must be one of 'cosine', 'euclidean'"),
        (("nothing.parquet", "p1"), "does not exist"),
        (("z.parquet", "--batch", "nothing.txt"), "does not exist"),
    ],
)
def test_wrong_questions_are_one_sentence(thirty: Any, arguments: tuple[Any, ...], message: str) -> None:
    done = sparsecut("neighbors", *arguments, folder=thirty[0], expect=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
