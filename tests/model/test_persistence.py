"""Models on disk: whole or absent, readable or refused with the reason."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import sparsecut
from conftest import random_graph
from sparsecut import SCE, InputError
from sparsecut.base.package_version import __version__

GRAPH = random_graph()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    SCE(dimension=4, solver=sparsecut.Adam(epochs=3)).fit(GRAPH).save(path)
    return path


def test_the_header_names_the_version_and_the_parameters(saved: Path) -> None:
    with safe_open(saved, framework="numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == "sparsecut-model"
    assert metadata["version"] == __version__
    assert json.loads(metadata["model"])["parameters"]["dimension"] == 4


@pytest.mark.parametrize("n_bytes", [0, 5, 40, 400, -1])
def test_a_truncated_file_is_refused(saved: Path, n_bytes: int) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[:n_bytes])
    with pytest.raises(InputError, match="is cut short: no model could be read from it"):
        sparsecut.load(saved)


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    path.write_bytes(b"PK\x03\x04 this is a zip file, or so it says")
    with pytest.raises(InputError, match="is not a safetensors file"):
        sparsecut.load(path)
    save_file({"x": np.ones(2)}, path)
    with pytest.raises(InputError, match="not a model saved by sparsecut"):
        sparsecut.load(path)


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    class Payload:
        def __reduce__(self) -> tuple:
            return Path.touch, (tmp_path / "ran",)

    path = tmp_path / "model.safetensors"
    path.write_bytes(pickle.dumps(Payload()))
    with pytest.raises(InputError, match="is not a safetensors file"):
        sparsecut.load(path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"format_version": "99", "version": "7.0.0"}, r"saved by sparsecut 7\.0\.0, which is newer than this one.*Upgrade"),
        ({"format_version": "one"}, "damaged header"),
        ({"model": "{"}, "damaged header"),
        ({"model": json.dumps({"estimator": "SCE"})}, "does not hold a whole sparsecut model"),
        ({"model": json.dumps({"estimator": "DGI", "parameters": {}, "history": {}})}, "does not hold a whole"),
        ({"model": json.dumps({"estimator": "SCE", "parameters": {"size": 1}, "history": {}})}, "does not hold a whole"),
    ],
)
def test_newer_and_damaged_headers_are_refused(saved: Path, metadata: dict[str, str], message: str) -> None:
    with safe_open(saved, framework="numpy") as file:
        header = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    save_file(tensors, saved, metadata={**header, **metadata})
    with pytest.raises(InputError, match=message):
        sparsecut.load(saved)


def test_a_missing_file_or_a_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model file .*absent\.safetensors does not exist"):
        sparsecut.load(tmp_path / "absent.safetensors")
    with pytest.raises(InputError, match="is a directory"):
        sparsecut.load(tmp_path)


def test_a_failed_save_leaves_nothing_behind(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def full_disk(*arguments: object, **keywords: object) -> None:
        Path(arguments[1]).write_bytes(b"half")  # type: ignore[arg-type]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", full_disk)
    with pytest.raises(InputError, match="could not be written: No space left on device"):
        SCE().fit(GRAPH).save(saved, overwrite=True)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_an_unwritable_place_is_refused(tmp_path: Path) -> None:
    model = SCE().fit(GRAPH)
    with pytest.raises(InputError, match=r"the folder .*nowhere does not exist. Make it first"):
        model.save(tmp_path / "nowhere" / "model.safetensors")
    with pytest.raises(InputError, match="is a directory"):
        model.save(tmp_path)
