"""Models on disk: whole or absent, readable or refused with the reason."""

from __future__ import annotations

import json
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import sparsecut
from conftest import random_graph
from sparsecut import SCE, InputError, MoSCE
from sparsecut.choice import Choice
from sparsecut.operators.filters.series import Series
from sparsecut.version import __version__

GRAPH = random_graph()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    SCE(dimension=4, solver=sparsecut.Adam(epochs=3)).fit(GRAPH).save(path)
    return path


@pytest.mark.parametrize(
    "model",
    [
        SCE(dimension=4, negatives=sparsecut.Pairs(np.array([[0.0, 1.0, 2.5]])), solver=sparsecut.Adam(alpha=3.0, depth=2)),
        MoSCE(levels=11, aggregation="concat", dimension=np.int64(22), solver=sparsecut.Adam(depth=(1,) * 11)),
        MoSCE(aggregation="max", random_state=None, solver="adam"),
    ],
    ids=["SCE with given pairs", "eleven levels", "max"],
)
def test_round_trip_keeps_every_parameter_and_bit(model: SCE, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    model.fit(GRAPH).save(path)
    loaded = sparsecut.load(path)
    assert type(loaded) is type(model)
    assert np.array_equal(loaded.transform(GRAPH), model.transform(GRAPH))
    assert loaded.history_ == model.history_
    for name, value in model.get_params().items():
        if not isinstance(value, Choice):  # of which the parameters follow, an array or a tuple among them
            assert np.array_equal(loaded.get_params()[name], value), name


# Every choice of the library, none of its parameters as it is by default.
CHOICES: dict[str, list[Choice]] = {
    "filter": [
        sparsecut.Power(order=1),
        sparsecut.Symmetric(order=3),
        sparsecut.Lazy(order=np.int64(4)),
        sparsecut.PageRank(restart=0.35, order=3, normalization="symmetric"),
        sparsecut.Heat(time=np.float32(1.5), order=4, normalization="symmetric"),
        sparsecut.Average(order=5, normalization="symmetric"),
    ],
    "negatives": [
        sparsecut.Complete(),
        sparsecut.Degrees(),
        sparsecut.Sampled(n_negatives=3),
        sparsecut.Sparsifier(),
        sparsecut.Pairs([(0, 1, 0.5), (3, 9, 2.0)]),
    ],
    "solver": [
        sparsecut.ClosedForm(effective_rank=4.5, length=2.0),
        sparsecut.Adam(
            epochs=3,
            learning_rate=0.01,
            loss="negative",
            alpha=0.1,
            l2=0.2,
            depth=(2,),
            widths=[7],
            batch_size=20,
            route="rows",
        ),
    ],
    "engine": [
        sparsecut.Memory(device="cpu", precision="half"),
        sparsecut.Disk(memory_limit="1GiB", scratch=Path(tempfile.gettempdir())),
    ],
}


def test_every_choice_is_among_those_that_are_saved() -> None:
    for name, choices in CHOICES.items():
        known = {kind for kind in SCE.kinds[name]._members.values() if kind.__module__.startswith("sparsecut.")}
        assert known - {Series} == {type(choice) for choice in choices}
        for choice in choices:
            defaults = {key: parameter.default for key, parameter in choice._parameters().items()}
            assert not [key for key, value in choice.get_params().items() if value is defaults[key]]


@pytest.mark.parametrize(
    ("name", "choice"), [(name, choice) for name, choices in CHOICES.items() for choice in choices], ids=str
)
def test_every_choice_is_saved_with_its_parameters(name: str, choice: Choice, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    model = SCE(dimension=4, **{name: choice}).fit(GRAPH)
    model.save(path)
    loaded = sparsecut.load(path)
    assert np.array_equal(loaded.transform(GRAPH), model.transform(GRAPH))
    assert loaded.explain().splitlines()[1:] == model.explain().splitlines()[1:]
    kept = getattr(loaded, name)
    assert type(kept) is type(choice)
    for key, value in choice.get_params().items():
        expected = str(value) if isinstance(value, Path) else value
        assert np.array_equal(getattr(kept, key), expected), key
    refitted = loaded.fit(GRAPH)
    assert np.allclose(refitted.embedding_, model.embedding_, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "word"), [(name, choice.word) for name, choices in CHOICES.items() for choice in choices if choice.word]
)
def test_a_word_is_short_for_the_object_and_stays_a_word(name: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    by_word = SCE(dimension=4, **{name: word}).fit(GRAPH)
    by_object = SCE(dimension=4, **{name: SCE.kinds[name].of(word, "SCE", name)}).fit(GRAPH)
    assert np.array_equal(by_word.embedding_, by_object.embedding_)
    by_word.save(path)
    assert getattr(sparsecut.load(path), name) == word


def test_a_parameter_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    model = SCE(dimension=4).fit(GRAPH)
    with pytest.raises(InputError, match=r"cannot hold the parameter time of Heat\. Got <object"):
        model.set_params(filter=sparsecut.Heat(time=object())).save(tmp_path / "model.safetensors")
    assert not list(tmp_path.iterdir())


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
        SCE().fit(GRAPH).save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_an_unwritable_place_is_refused(tmp_path: Path) -> None:
    model = SCE().fit(GRAPH)
    with pytest.raises(InputError, match=r"the folder .*nowhere does not exist. Make it first"):
        model.save(tmp_path / "nowhere" / "model.safetensors")
    with pytest.raises(InputError, match="is a directory"):
        model.save(tmp_path)
