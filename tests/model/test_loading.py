"""Models read back from their files: every parameter, every choice, every bit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

import sparsecut
from conftest import random_graph
from sparsecut import SCE, InputError, MoSCE
from sparsecut.base.choice import Choice
from sparsecut.base.parameters import parameters_of
from sparsecut.operators.filters.series import Series

GRAPH = random_graph()


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


# Every choice of the library; each parameter is other than its default in one of them at least.
CHOICES: dict[str, list[Choice]] = {
    "filter": [
        sparsecut.Power(order=1),
        sparsecut.Symmetric(order=3),
        sparsecut.Lazy(order=np.int64(4)),
        sparsecut.Paired(order=1),
        sparsecut.PageRank(restart=0.35, order=3, normalization="symmetric"),
        sparsecut.Heat(time=np.float32(1.5), order=4, normalization="symmetric"),
        sparsecut.Average(order=5, normalization="symmetric"),
        sparsecut.Difference(),
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
        sparsecut.Memory(device="cpu", precision="half", n_jobs=2),
        sparsecut.Memory(devices=["cpu", "cpu"]),  # which stands in place of `device`
        sparsecut.Disk(memory_limit="1GiB", scratch=Path(tempfile.gettempdir())),
        sparsecut.Auto(device="cpu", memory_limit="1GiB", scratch=Path(tempfile.gettempdir())),
    ],
}


def test_every_choice_is_among_those_that_are_saved() -> None:
    for name, choices in CHOICES.items():
        known = {kind for kind in SCE.kinds[name]._members.values() if kind.__module__.startswith("sparsecut.")}
        # A series is a filter of its own making; a fit with Dask starts workers, and `tests/engines/dask` saves one.
        assert known - {Series, sparsecut.Dask} == {type(choice) for choice in choices}
        for kind in {type(choice) for choice in choices}:
            values = [choice.get_params() for choice in choices if type(choice) is kind]
            for key, parameter in parameters_of(kind).items():
                assert any(value[key] is not parameter.default for value in values), (kind, key)


@pytest.mark.parametrize(
    ("name", "choice"), [(name, choice) for name, choices in CHOICES.items() for choice in choices], ids=str
)
def test_every_choice_is_saved_with_its_parameters(name: str, choice: Choice, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    model = SCE(dimension=4, **{name: choice}).fit(GRAPH)
    model.save(path)
    loaded = sparsecut.load(path)
    assert np.array_equal(loaded.transform(GRAPH), model.transform(GRAPH))
    assert loaded.explain() == model.explain()
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


def test_pairs_are_saved_with_the_model(tmp_path: Path) -> None:
    model = SCE(apart=[(0, 1), (2, 3)], dimension=4).fit(GRAPH)
    model.save(tmp_path / "model.safetensors")
    assert np.array_equal(sparsecut.load(tmp_path / "model.safetensors").apart, [(0, 1), (2, 3)])
