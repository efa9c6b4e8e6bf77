"""After `forget` a fit is owed: whatever is read first makes it, once, and until then nothing learned is anywhere."""

from __future__ import annotations

import copy
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from person import SECRET, person_graph
from sparsecut import SCE, InputError, Power, load


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_failure_in_the_fit_that_is_owed_leaves_it_owed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    path = tmp_path / "m.safetensors"
    SCE(dimension=4, filter=Power(order=2)).fit(person_graph()).save(path, with_state=True)
    model: Any = load(path, in_place=True)
    changed = model.forget([SECRET])
    before, written = dict(vars(model)), path.read_bytes()
    with monkeypatch.context() as patch:

        def fail(*_: Any, **__: Any) -> None:
            raise error("in the middle")

        patch.setattr("sparsecut.model.embedding_model.fit", fail)
        for read in (lambda: model.weights_, lambda: model.embedding_, lambda: changed.rows, lambda: model.update()):
            with pytest.raises(error, match="in the middle"):
                read()
            assert list(vars(model)) == list(before)
            assert all(value is before[name] for name, value in vars(model).items())
    assert path.read_bytes() == written
    np.testing.assert_array_equal(changed.rows, load(path).embedding_)
    assert model._owed is None


def test_a_full_disk_at_the_fit_that_is_owed_is_said_and_the_file_owes_it_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.safetensors"
    SCE(dimension=4, filter=Power(order=2)).fit(person_graph()).save(path, with_state=True)
    model: Any = load(path, in_place=True)
    model.forget([SECRET])
    written = path.read_bytes()
    with monkeypatch.context() as patch:

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr("os.fsync", full)
        with pytest.warns(UserWarning, match="fitted again when it is loaded"):
            Z = model.embedding_
    assert path.read_bytes() == written
    np.testing.assert_array_equal(load(path).embedding_, Z)
    model.update(features_changed={"person-2": {"income": 52.0}}, tolerance=0)
    model._log.close()
    np.testing.assert_allclose(load(path, in_place=True).embedding_, model.embedding_, atol=1e-5)


READS: dict[str, Any] = {
    "weights_": lambda model, graph: model.weights_,
    "history_": lambda model, graph: model.history_,
    "encoder_": lambda model, graph: model.encoder_,
    "transform": lambda model, graph: model.transform(graph),
    "update": lambda model, graph: model.update(features_changed={"person-2": {"income": 52.0}}),
    "refit": lambda model, graph: model.refit(choices="kept", align=False),
    "explain": lambda model, graph: model.explain(),
    "save": lambda model, graph: None,
    "drift_": lambda model, graph: model.drift_,
    "again": lambda model, graph: model.forget([]),
}


@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.NewValuesWarning")  # a subgraph has the whole table
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("is_loaded", [False, True])
def test_whatever_is_read_first_has_the_fit_that_is_owed(tmp_path: Path, read: str, is_loaded: bool) -> None:
    """Against the same model whose vectors were read first."""
    graph, path = person_graph(), tmp_path / "m.safetensors"
    models: list[Any] = []
    for _ in range(2):
        model: Any = SCE(dimension=4, filter=Power(order=2)).fit(graph)
        if is_loaded:
            model.save(path, with_state=True, overwrite=True)
            model = load(path)
        model.forget([SECRET])
        models.append(model)
    late, early = models
    _ = early.embedding_
    assert late._owed is not None
    left = graph.subgraph(~np.isin(graph.node_ids, [SECRET]))
    for model in models:
        READS[read](model, left)
    late.save(path, overwrite=True)
    np.testing.assert_array_equal(late.transform(left), early.transform(left))
    np.testing.assert_array_equal(load(path).transform(left), early.transform(left))
    np.testing.assert_array_equal(late.embedding_, early.embedding_)
    assert (late.explain(), late.drift_) == (early.explain(), early.drift_)
    assert late.feature_names_in_.tolist() == early.feature_names_in_.tolist()


def test_people_are_forgotten_one_after_the_other_with_one_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And their vectors are those of whoever is left then; those in between were never computed."""
    import sparsecut.model.embedding_model as module

    graph, path = person_graph(), tmp_path / "m.safetensors"
    SCE(dimension=4, filter=Power(order=2)).fit(graph).save(path, with_state=True)
    model: Any = load(path, in_place=True)
    fits: list[int] = []
    fit = module.fit
    monkeypatch.setattr(module, "fit", lambda *given, **named: (fits.append(1), fit(*given, **named))[1])
    first, second = model.forget([SECRET]), model.forget(["person-3", "person-9"])
    assert not fits
    ids, rows = second
    assert len(fits) == 1
    assert ids.tolist() == [node for node in graph.node_ids.tolist() if node not in (SECRET, "person-3", "person-9")]
    np.testing.assert_array_equal(rows, model.embedding_)
    with pytest.raises(InputError, match="changed again before they were read"):
        _ = first.rows
    notes = [note for note in model.explain().splitlines() if "forgotten" in note]
    assert [note.split(" forgotten")[0] for note in notes] == ["1 node was", "2 nodes were"]
    model.update(features_changed={"person-2": {"income": 52.0}})
    np.testing.assert_array_equal(second.rows, rows)
    one: Any = SCE(dimension=4, filter=Power(order=2)).fit(graph)
    expected = one.forget([SECRET, "person-3", "person-9"]).rows
    np.testing.assert_allclose(rows @ rows.T, expected @ expected.T, atol=1e-5 * float(np.abs(expected @ expected.T).max()))


def test_a_copy_and_a_pickle_of_a_model_that_owes_a_fit_owe_it_too() -> None:
    model: Any = SCE(dimension=4, filter=Power(order=2)).fit(person_graph())
    changed = model.forget([SECRET])
    others = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]  # noqa: S301 - its own
    assert not hasattr(SCE(), "weights_")
    assert all(other._owed is not None for other in others)
    assert SECRET.encode() not in pickle.dumps(model)
    assert all(np.array_equal(other.embedding_, changed.rows) for other in others)
    again = pickle.loads(pickle.dumps(changed))  # noqa: S301 - its own
    np.testing.assert_array_equal(again.rows, model.embedding_)
    assert (again.removed, again.notes) == (changed.removed, changed.notes)


def test_threads_that_read_at_once_make_one_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    import sparsecut.model.embedding_model as module

    model: Any = SCE(dimension=4, filter=Power(order=2)).fit(person_graph())
    model.forget([SECRET])
    fits: list[int] = []
    fit = module.fit
    monkeypatch.setattr(module, "fit", lambda *given, **named: (fits.append(1), fit(*given, **named))[1])
    found: list[Any] = []
    start = threading.Barrier(4)
    reads = (lambda: model.weights_[0], lambda: model.embedding_, lambda: model.weights_[0], lambda: model.embedding_)

    def read(call: Any) -> None:
        start.wait()
        found.append(call())

    threads = [threading.Thread(target=read, args=(call,)) for call in reads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fits) == 1
    assert {id(array) for array in found} == {id(model.weights_[0]), id(model.embedding_)}


def test_a_file_that_owes_a_fit_has_no_weight_and_no_vector(tmp_path: Path) -> None:
    """And no idf, of a model with one: of choices alone."""
    from sparsecut.model.persistence import read_model

    path = tmp_path / "m.safetensors"
    SCE(dimension=4, weighting="tf-idf").fit(person_graph()).save(path, with_state=True)
    model: Any = load(path, in_place=True)
    model.forget([SECRET])
    header, tensors = read_model(path)
    assert not {name for name in tensors if name.startswith(("weights", "offset", "recipe", "columns", "places"))}
    assert "state.embedding" not in tensors
    assert sorted(header) == ["encoder", "estimator", "graph", "owed", "parameters", "state"]
    _ = model.embedding_
    header, tensors = read_model(path)
    assert "owed" not in header
    assert {"weights.0", "state.embedding"} <= set(tensors)
