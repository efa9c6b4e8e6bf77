"""One rule for every file or folder that a user names: it is replaced only where that is asked for, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from shell import sparsecut
from sparsecut.evaluation import sample_splits, write_splits

GRAPH = sc.datasets.load("digits").subgraph(range(80))
MODEL = sc.SCE(dimension=4).fit(GRAPH)
Z = MODEL.embedding_

WRITERS: dict[str, Callable[..., Any]] = {
    "vectors.parquet": lambda path, **options: sc.write_embedding(path, Z, **options),
    "model.safetensors": lambda path, **options: MODEL.save(path, **options),
    "live.safetensors": lambda path, **options: MODEL.save(path, with_state=True, **options),
    "report.html": lambda path, **options: sc.report(Z, path, layout_method="pca", **options),
    "index.safetensors": lambda path, **options: sc.Neighbors(Z, index="approximate").save(path, **options),
    "splits.json": lambda path, **options: write_splits(path, sample_splits(GRAPH.labels, 2, 1), range(80), **options),
    "cut.png": lambda path, **options: sc.sparsest_cut(GRAPH).draw(path, **options),
}


@pytest.mark.filterwarnings("ignore::sparsecut.evaluation.SmallClassWarning")
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_exists_is_replaced_only_with_overwrite(name: str, tmp_path: Path) -> None:
    path, write = tmp_path / name, WRITERS[name]
    path.write_bytes(b"precious")
    with pytest.raises(sc.InputError) as refused:
        write(path)
    assert str(refused.value) == f"The output {path} exists. Pass overwrite=True (--force) to replace it."
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]
    write(path, overwrite=True)
    assert path.read_bytes() != b"precious"
    path.unlink()
    write(path)
    assert path.stat().st_size > 8


def test_a_refused_save_leaves_the_log_of_the_model_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    MODEL.save(path, with_state=True)
    live = sc.load(path, in_place=True)
    live.update(edges_added=[(0, 79)] if not GRAPH.adjacency[0, 79] else [], features_changed={0: np.ones(64)})
    expected = live.embedding_
    with pytest.raises(sc.InputError, match="exists"):
        MODEL.save(path, with_state=True)
    live.save(path)  # its own file
    del live
    np.testing.assert_array_equal(sc.load(path).embedding_, expected)


def test_a_store_is_replaced_by_a_whole_one_and_nothing_else_is(tmp_path: Path) -> None:
    np.save(tmp_path / "edges.npy", np.array([[0, 1], [1, 2]]))
    np.save(tmp_path / "more.npy", np.array([[0, 1], [1, 2], [0, 2]]))
    np.save(tmp_path / "features.npy", np.eye(3, dtype=np.float32))

    def build(edges: str, **options: Any) -> None:
        sc.build_store(tmp_path / "store", tmp_path / edges, features=tmp_path / "features.npy", **options)

    build("edges.npy")
    with pytest.raises(sc.InputError, match=r"The output .*store exists\. Pass overwrite=True \(--force\) to replace it\."):
        build("more.npy")
    build("more.npy", overwrite=True)
    assert sc.open_store(tmp_path / "store").n_edges == 3
    with pytest.raises(sc.InputError):
        build("nowhere.npy", overwrite=True)
    assert sc.open_store(tmp_path / "store").n_edges == 3  # the old one until a new one is whole
    (tmp_path / "photos").mkdir()
    with pytest.raises(sc.InputError, match="exists and is no store, so it is not replaced"):
        sc.build_store(tmp_path / "photos", tmp_path / "edges.npy", features=tmp_path / "features.npy", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edges.npy", "features.npy", "more.npy", "photos", "store"]


def test_at_the_shell_the_sentence_is_the_same(tmp_path: Path) -> None:
    sc.write_embedding(tmp_path / "vectors.parquet", Z, GRAPH.node_ids)
    for command, name in (
        (("embed", "digits", "--dimension", "4", "-o"), "vectors.parquet"),
        (("embed", "digits", "--dimension", "4", "-o", "new.parquet", "--save-model"), "model.safetensors"),
        (("report", "vectors.parquet", "--layout", "pca", "-o"), "report.html"),
        (("plot", "vectors.parquet", "--layout", "pca", "-o"), "picture.png"),
        (("partition", "digits", "--cut", "-o"), "sides.parquet"),
    ):
        if not (tmp_path / name).exists():
            (tmp_path / name).write_bytes(b"precious")
        before = (tmp_path / name).read_bytes()
        done = sparsecut(*command, name, folder=tmp_path, expect=2)
        assert f"The output {name} exists. Pass overwrite=True (--force) to replace it." in done.stderr
        assert (tmp_path / name).read_bytes() == before
    sparsecut("report", "vectors.parquet", "--layout", "pca", "--force", "-o", "report.html", folder=tmp_path)
    assert (tmp_path / "report.html").read_bytes() != b"precious"
