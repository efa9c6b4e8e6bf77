"""A disk that is full is told in one sentence, whatever is written, and nothing half-written stays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from full_disk import REASONS, full_disk, no_room_left
from sparsecut.base.errors import WriteError
from sparsecut.explore.index_file import write_index
from sparsecut.io.embeddings import EMBEDDING_SUFFIXES
from sparsecut.io.result_files import write_columns
from sparsecut.updates.live import Changed
from sparsecut.updates.vector_files import write_changed

Z = np.random.default_rng(0).normal(size=(4000, 64)).astype(np.float32)


@pytest.fixture(params=list(REASONS))
def disk(request: Any, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    with full_disk(tmp_path / "full", request.param) as folder:
        yield folder, REASONS[request.param]


def refused(disk: tuple[Path, str], name: str, write: Callable[[Path], Any]) -> None:
    folder, reason = disk
    before = set(folder.iterdir())
    with pytest.raises(WriteError) as caught:
        write(folder / name)
    said = f"The output {folder / name} could not be written: {reason}. Nothing of it was left behind. Free some room, or "
    assert str(caught.value) == said + "write to another disk."
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("suffix", EMBEDDING_SUFFIXES)
def test_embeddings(suffix: str, disk: tuple[Path, str]) -> None:
    refused(disk, f"vectors{suffix}", lambda path: sc.write_embedding(path, Z))


def test_an_old_embedding_stays(disk: tuple[Path, str]) -> None:
    for suffix in (".npy", ".parquet"):
        path = disk[0] / f"old{suffix}"
        sc.write_embedding(path, Z[:5])
        refused(disk, path.name, lambda path: sc.write_embedding(path, Z, overwrite=True))
        assert np.array_equal(sc.read_embedding(path).vectors, Z[:5])


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".ndjson"])
def test_changed_vectors(suffix: str, disk: tuple[Path, str]) -> None:
    changed = Changed(np.arange(len(Z)), Z, [])
    refused(disk, f"changed{suffix}", lambda path: write_changed(path, [(changed, None)]))


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_columns(suffix: str, disk: tuple[Path, str]) -> None:
    columns = {"id": np.arange(len(Z)), "x": Z[:, 0], "y": Z[:, 1], "z": Z[:, 2], "a": Z[:, 3], "b": Z[:, 4], "c": Z[:, 5]}
    refused(disk, f"clusters{suffix}", lambda path: write_columns(path, columns))


@pytest.fixture(scope="module")
def model() -> Any:
    return sc.SCE(dimension=32).fit(sc.datasets.load("digits"))


@pytest.mark.parametrize("with_state", [False, True])
def test_models(with_state: bool, disk: tuple[Path, str], model: Any) -> None:
    if not with_state:
        model = sc.SCE(dimension=64).fit(sc.Graph(sc.datasets.load("digits").adjacency, features=np.tile(Z[:1797], 12)))
    refused(disk, "model.safetensors", lambda path: model.save(path, with_state=with_state))


def test_an_index(disk: tuple[Path, str]) -> None:
    refused(disk, "index.safetensors", lambda path: write_index(path, {}, {"rows": Z}))


def test_the_report(disk: tuple[Path, str]) -> None:
    refused(disk, "report.html", lambda path: sc.report(Z, path, xy=Z[:, :2], n_neighbors=0, layout_method="pca"))


def test_a_picture(disk: tuple[Path, str]) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    from sparsecut.io import write_whole

    figure = Figure()
    figure.subplots().scatter(Z[:, 0], Z[:, 1])

    def draw(path: Path) -> None:
        with write_whole(path) as temporary:
            figure.savefig(temporary)

    refused(disk, "map.svg", draw)


def test_a_store(disk: tuple[Path, str], tmp_path: Path) -> None:
    """The room is measured first; a disk that fills up meanwhile is told, and nothing is left of the store."""
    folder, reason = disk
    small = tmp_path / "source"
    small.mkdir()
    pairs = np.random.default_rng(0).integers(0, 400, (4000, 2))
    with (small / "edges.npy").open("wb") as file:
        np.save(file, pairs)
    with (small / "features.npy").open("wb") as file:
        np.save(file, Z[:400].astype(np.float16))  # as float32 it has no room
    if reason == REASONS["mounted"]:
        with pytest.raises(sc.InputError, match=r"has .* free, and .* are needed"):
            sc.build_store(folder / "store", small / "edges.npy", features=small / "features.npy")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparsecut.io.stores.building.check_room", lambda *_: None)
        with pytest.raises(WriteError) as caught:
            sc.build_store(folder / "store", small / "edges.npy", features=small / "features.npy")
    assert f"could not be written: {reason}." in str(caught.value)
    assert list(folder.iterdir()) == []


def small_model(path: Path) -> Any:
    """A model that follows its file: 60 nodes of 24 features."""
    graph = sc.Graph(sc.datasets.load("digits").adjacency[:60, :60], features=Z[:60, :24])
    sc.SCE(dimension=4, filter="power").fit(graph).save(path, with_state=True)
    return sc.load(path, in_place=True)


def test_an_update_that_has_no_room_is_not_made(disk: tuple[Path, str]) -> None:
    folder, reason = disk
    kind = next(kind for kind, words in REASONS.items() if words == reason)
    model = small_model(folder / "model.safetensors")
    model.update(features_changed=([5], Z[5:6, 8:32]), tolerance=0)
    before = model.embedding_.copy()
    rows = (np.arange(60), Z[:60, 24:48])
    other = sc.SCE(dimension=2, filter="power").fit(sc.datasets.load("digits"))
    saved = folder / "saved.safetensors"
    other.save(saved)
    with no_room_left(folder, kind):
        with pytest.raises(WriteError, match=rf"The log .*\.log could not be written: {reason}"):
            model.update(features_changed=rows, tolerance=0)
        assert np.array_equal(model.embedding_, before)
        assert np.allclose(sc.load(folder / "model.safetensors").embedding_, before, atol=1e-6)
        with pytest.raises(WriteError):  # and what is there is not lost by a save that fails
            other.save(saved, with_state=True, overwrite=True)
        assert np.array_equal(sc.load(saved).weights_, other.weights_)
    model.update(features_changed=rows, tolerance=0)
    assert not np.allclose(model.embedding_, before, atol=1e-2)
    assert np.allclose(sc.load(folder / "model.safetensors").embedding_, model.transform(model.graph_), atol=1e-5)


def test_a_long_log_that_cannot_be_taken_into_the_model_is_kept(disk: tuple[Path, str]) -> None:
    folder, reason = disk
    path = folder / "model.safetensors"
    model = small_model(path)

    def full(*_: Any, **__: Any) -> None:
        raise WriteError(f"The output {path} could not be written: {reason}.")

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model._log.long_bytes = 0
        patch.setattr("sparsecut.model.persistence.write_model", full)
        for first in (0, 3):  # the second finds a log that is long
            model.update(features_changed=(first + np.arange(3), Z[:3, 24:48]), tolerance=0)
    assert any("What was changed before is kept in the log" in str(one.message) for one in caught)
    assert np.allclose(sc.load(path).embedding_, model.embedding_, atol=1e-6)
