"""A model of a graph whose edges age: updates at later times against a graph that is read anew with all weights."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import dense_propagation
from tests.timed_graphs import dense_ages, part_of, timed_edges

import sparsecut as sc
from conftest import times_when_exploring
from sparsecut.base.errors import InputError, OtherWeightsWarning
from sparsecut.updates.change_batch import ChangeBatch
from sparsecut.updates.change_files import Change

HALF_LIFE = 20.0
N_NODES = 60
FIRST, LATER = slice(0, 300), slice(300, 400)


def read(edges: dict[str, Any], **options: Any) -> sc.Graph:
    features = np.random.default_rng(3).standard_normal((N_NODES, 5)).astype(np.float32)
    return sc.from_edges(edges, time="at", half_life=HALF_LIFE, node_ids=np.arange(N_NODES), features=features, **options)


def fitted(edges: dict[str, Any], **options: Any) -> sc.SCE:
    return sc.SCE(filter=sc.Power(order=2), features="given", weighting="none", dimension=5, **options).fit(read(edges))


def pairs_of(edges: dict[str, Any]) -> list[tuple[int, int]]:
    return list(zip(edges["source"].tolist(), edges["target"].tolist(), strict=True))


@pytest.fixture(scope="module")
def edges() -> dict[str, Any]:
    return timed_edges()


def test_new_edges_at_later_times_are_as_all_weights_anew(edges: dict[str, Any]) -> None:
    model, later = fitted(part_of(edges, FIRST)), part_of(edges, LATER)
    model.update(edges_added=pairs_of(later), times=later["at"], now=130, tolerance=0)
    whole = read(edges, now=130)
    np.testing.assert_allclose(model.graph_.adjacency.toarray(), whole.adjacency.toarray(), rtol=1e-5)
    np.testing.assert_allclose(model.embedding_, model.transform(whole), atol=1e-6 * np.abs(model.embedding_).max())
    # By the formula: all weights as of now, and what each node weighs itself as old as the fit.
    moment = edges["at"][FIRST].max()
    A = dense_ages(edges, N_NODES, HALF_LIFE, 130) / 2 ** (-(130 - moment) / HALF_LIFE)
    P = dense_propagation(A)
    expected = P @ P @ np.asarray(whole.features, dtype=np.float64) @ model.weights_[0] - model.offset_
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("n_most", [1, 7, 1000])
def test_a_stream_of_changes_with_times_is_the_graph_read_anew(edges: dict[str, Any], n_most: int) -> None:
    model, later = fitted(part_of(edges, FIRST)), part_of(edges, LATER)
    ends = [(a, b) for a, b in pairs_of(later) if a != b]
    times = [float(at) for (a, b), at in zip(pairs_of(later), later["at"], strict=True) if a != b]
    moved = ends[-1]  # goes in the end, and comes again, heavier, by a time that a file has as text
    changes = [Change("add", a, b, time=at) for (a, b), at in zip(ends, times, strict=True)]
    changes += [Change("remove", *moved), Change("add", *moved, 3.0, time="101"), Change("add", *moved, 2.0)]
    changes += [Change("change", *ends[0], 0.5, time=104), Change("add", *ends[0][::-1], time=90)]
    for start in range(0, len(changes), n_most):
        batch = ChangeBatch(model._live(), model.encoder_)
        for change in changes[start : start + n_most]:
            batch.add(change)
        model._apply(replace(model._checked(**batch.arguments()), now=batch.now), 0.0)
    expected = dense_ages(edges, N_NODES, HALF_LIFE, 104)
    for (a, b), weight in (
        (moved, 3 * 2 ** (-3 / HALF_LIFE) + 2 * 2 ** (-3 / HALF_LIFE)),
        (ends[0], 0.5 + 2 ** (-14 / HALF_LIFE)),
    ):
        expected[a, b] = expected[b, a] = weight
    np.testing.assert_allclose(model.graph_.adjacency.toarray(), expected, rtol=1e-5)
    whole = model.graph_
    np.testing.assert_allclose(model.embedding_, model.transform(whole), atol=1e-6 * np.abs(model.embedding_).max())


def test_a_time_of_another_kind_is_refused_and_its_edge_is_not_there(edges: dict[str, Any]) -> None:
    batch = ChangeBatch(fitted(part_of(edges, FIRST))._live(), None)
    with pytest.raises(InputError, match="The time of an edge must be a number"):
        batch.add(Change("add", 0, 1, time="2024-05-01"))
    assert (batch.arguments()["edges_added"], batch.n_changes) == ([], 0)


def test_ageing_alone_moves_nothing(edges: dict[str, Any]) -> None:
    model = fitted(edges)
    before = model.embedding_.copy()
    changed = model.update(now=500)
    assert len(changed) == 0
    np.testing.assert_array_equal(model.embedding_, before)
    np.testing.assert_allclose(model.transform(read(edges, now=500)), before, atol=1e-6 * np.abs(before).max())
    np.testing.assert_allclose(
        model.graph_.adjacency.toarray(), dense_ages(edges, N_NODES, HALF_LIFE, 500), rtol=1e-5, atol=1e-12
    )


def test_one_edge_a_time_with_repeats_is_as_all_at_once(edges: dict[str, Any]) -> None:
    model, later = fitted(part_of(edges, FIRST)), part_of(edges, LATER)
    for pair, at in zip(pairs_of(later)[:40], later["at"][:40].tolist(), strict=True):
        model.update(edges_added=[pair], times=at, tolerance=0)
    whole = read(part_of(edges, slice(0, 340)))
    np.testing.assert_allclose(model.embedding_, model.transform(whole), atol=2e-6 * np.abs(model.embedding_).max())


@settings(max_examples=times_when_exploring(6, 20), deadline=None)
@given(st.lists(st.sampled_from(["edges", "an edge", "now", "save"]), min_size=2, max_size=5), st.integers(0, 9))
def test_any_order_of_edges_times_and_saving_is_as_all_weights_anew(steps: list[str], seed: int) -> None:
    """What a model is after any sequence of these is a graph that is read anew, to 1e-6 of the vectors."""
    edges, rng = timed_edges(), np.random.default_rng(seed)
    model, known = fitted(part_of(edges, FIRST)), part_of(edges, FIRST)
    now = float(known["at"].max())
    with tempfile.TemporaryDirectory() as folder:
        for number, step in enumerate(steps):
            now += float(rng.integers(1, 15))
            if step == "now":
                model.update(now=now)
            elif step == "save":
                path = Path(folder) / f"{number}.safetensors"
                model.save(path, with_state=True)
                model = sc.load(path)
            else:
                n_new = 1 if step == "an edge" else 8
                new = {"source": rng.integers(0, 30, n_new), "target": rng.integers(30, N_NODES, n_new)}
                new["at"] = now - rng.random(n_new)
                model.update(edges_added=pairs_of(new), times=new["at"], now=now, tolerance=0)
                known = {name: np.concatenate([known[name], new[name]]) for name in known}
    assert model.graph_.clock is not None
    whole = model.transform(read(known, now=model.graph_.clock.now))
    np.testing.assert_allclose(model.embedding_, whole, atol=1e-6 * np.abs(whole).max())


def test_far_from_the_fit_all_weights_are_as_of_now(edges: dict[str, Any]) -> None:
    model, later = fitted(part_of(edges, FIRST)), part_of(edges, LATER)
    far = {**later, "at": later["at"] + 70 * HALF_LIFE}
    changed = model.update(edges_added=pairs_of(far), times=far["at"], tolerance=0)
    assert "All rows were computed again" in changed.notes[-1]
    assert len(changed) == N_NODES
    everything = {name: np.concatenate([edges[name][FIRST], far[name]]) for name in edges}
    for days in (0, 5):
        model.update(edges_added=[(1, 2)], times=far["at"].max() + days, tolerance=0)
        everything = {
            "source": np.append(everything["source"], 1),
            "target": np.append(everything["target"], 2),
            "at": np.append(everything["at"], far["at"].max() + days),
        }
        whole = model.transform(read(everything))
        np.testing.assert_allclose(model.embedding_, whole, atol=2e-6 * np.abs(whole).max())


@pytest.mark.parametrize("is_far", [False, True])
def test_a_saved_model_goes_on_at_its_moment(edges: dict[str, Any], is_far: bool, tmp_path: Path) -> None:
    model, later = fitted(part_of(edges, FIRST)), part_of(edges, LATER)
    path, shift = tmp_path / "model.safetensors", 70 * HALF_LIFE * is_far
    model.save(path, with_state=True)
    followed = sc.load(path, in_place=True)
    for one in (model, followed):
        one.update(edges_added=pairs_of(later)[:50], times=later["at"][:50] + shift)
        one.update(now=200 + shift)
    del followed, one  # as a process that ends: the log has what was changed
    again = sc.load(path)
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
    assert again.graph_.clock == model.graph_.clock
    assert again.graph_.clock is not None
    assert again.graph_.clock.now == 200 + shift
    again.save(path, with_state=True, overwrite=True)
    third = sc.load(path)
    for one in (model, third):
        one.update(edges_added=[(0, 1)], times=210 + shift, tolerance=0)
    np.testing.assert_allclose(third.embedding_, model.embedding_, atol=1e-3 * np.abs(model.embedding_).max())
    with pytest.raises(sc.InputError, match="cannot go back in time"):
        third.update(now=100)


def test_a_refit_starts_at_the_present(edges: dict[str, Any]) -> None:
    model = fitted(part_of(edges, FIRST))
    model.update(now=130)
    assert model.refit(align=False).graph_.clock == read(edges, now=130).clock
    again = sc.SCE(filter=sc.Power(order=2), features="given", weighting="none", dimension=5)
    fresh = again.fit_transform(read(part_of(edges, FIRST), now=130))
    np.testing.assert_allclose(model.embedding_, fresh, atol=1e-4 * np.abs(fresh).max())


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"edges_added": [(0, 1)], "times": [120, 130]}, "one time for each of edges_added"),
        ({"edges_added": [(0, 1)], "times": 120, "now": 110}, "an edge of 120, later than now=110"),
        ({"now": 3}, "cannot go back in time"),
        ({"now": "2026-01-01"}, "now parameter of SCE.update must be a number"),
        ({"edges_added": [(0, 1)], "times": ["2026-01-01"]}, "times parameter of SCE.update must be plain numbers"),
    ],
    ids=str,
)
def test_what_an_update_refuses(edges: dict[str, Any], given: dict[str, Any], match: str) -> None:
    model = fitted(edges)
    before = model.embedding_.copy()
    with pytest.raises(sc.InputError, match=match):
        model.update(**given)
    np.testing.assert_array_equal(model.embedding_, before)


def test_graphs_without_times_and_of_other_half_lives(edges: dict[str, Any]) -> None:
    model = fitted(edges)
    other = sc.from_edges(edges, time="at", half_life=7, features=np.ones((N_NODES, 5)), node_ids=np.arange(N_NODES))
    with pytest.raises(sc.InputError, match=r"Read it with half_life=20\.0"):
        model.transform(other)
    weighed = {"source": edges["source"], "target": edges["target"], "weight": edges["at"] + 1}
    plain = sc.from_edges(weighed, features=np.ones((N_NODES, 5)), node_ids=np.arange(N_NODES))
    with pytest.warns(OtherWeightsWarning, match="fitted on edges that age"):
        model.transform(plain)
    with pytest.raises(sc.InputError, match=r"update\(now=…\) is for graphs whose edges have times"):
        sc.SCE(features="structure").fit(sc.from_edges(weighed)).update(now=3)
