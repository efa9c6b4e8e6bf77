"""`update` gives what `transform` of the whole new graph gives, whatever changes; a refit keeps vectors comparable."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changing import Shadow, distance
from conftest import random_graph
from sparsecut import (
    SCE,
    Adam,
    Average,
    Difference,
    Filter,
    Graph,
    Heat,
    InputError,
    Lazy,
    MoSCE,
    PageRank,
    Power,
    Symmetric,
    load,
)
from sparsecut.base.errors import NewValuesWarning
from sparsecut.operators.diagonals import Diagonals

FILTERS = (
    Power(order=0),
    Power(order=1),
    Power(order=3),
    Symmetric(order=2),
    Lazy(order=2),
    PageRank(restart=0.3),
    PageRank(restart=0.2, normalization="symmetric", order=4),
    Heat(time=1.0, order=4),
    Average(order=3),
    Difference(),
)
MODELS = (
    *(SCE(filter=filter, dimension=8) for filter in FILTERS),
    SCE(channels=("own", "smoothed"), dimension=10),
    SCE(channels={"own": 0.5, "neighbors": 1.0, "difference": 0.2}, dimension=10),
    SCE(filter=Symmetric(order=2), channels=("neighbors", "smoothed"), dimension=10),
    MoSCE(levels=2),
    MoSCE(levels=2, aggregation="concat", solver=Adam(epochs=2), dimension=8),
    MoSCE(levels=3, aggregation="max", solver=Adam(epochs=2), dimension=6),
)


def start(seed: int, *, is_directed: bool = False, is_sparse: bool = False, n_nodes: int = 40) -> Graph:
    graph = random_graph(n_nodes, 8, seed=seed, density=0.05, is_weighted=True, is_sparse=is_sparse)
    if not is_directed:
        return graph
    generator = np.random.default_rng(seed)
    oriented = graph.adjacency.multiply(generator.random(graph.adjacency.shape) < 0.6).tocsr()
    return Graph(oriented, features=graph.features, directed="out")


@pytest.mark.slow
@pytest.mark.parametrize("is_directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_hundreds_of_mixed_changes_give_what_transform_gives(model: SCE, is_directed: bool) -> None:
    graph = start(1, is_directed=is_directed)
    model = model.fit(graph)
    shadow, generator, n_changes = Shadow(graph), np.random.default_rng(2), 0
    for _ in range(25):
        batch = shadow.random_batch(generator)
        before = dict(zip(model.graph_.node_ids.tolist(), model.embedding_, strict=True))
        ids, rows = model.update(**batch, tolerance=0)
        shadow.apply(batch)
        n_changes += sum(map(len, batch.values()))
        Z = model.embedding_
        now = dict(zip(shadow.nodes, Z, strict=True))
        assert model.graph_.node_ids.tolist() == list(shadow.nodes)
        assert rows.tolist() == [now[node].tolist() for node in ids.tolist()]
        unchanged = set(now) - set(ids.tolist())
        assert all(np.array_equal(now[node], before[node]) for node in unchanged)
        assert distance(Z, model.transform(shadow.graph())) < 1e-5
    assert n_changes > 200


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(MODELS),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["none", "l2", "tf-idf"]),
    st.lists(st.sampled_from([0.0, 1e-4, 1e-2, 0.1]), min_size=3, max_size=12),
)
def test_no_row_is_further_than_the_tolerance_after_any_sequence(
    seed: int, model: SCE, is_directed: bool, is_sparse: bool, weighting: str, tolerances: list[float]
) -> None:
    """A tolerance may change from batch to batch: the last one holds, for rows that earlier ones left too."""
    graph = start(seed % 1000, is_directed=is_directed, is_sparse=is_sparse)
    if weighting == "tf-idf":
        graph = graph.replace(features=abs(graph.features))
    model.set_params(weighting=weighting).fit(graph)
    length = np.sqrt(np.square(model.embedding_ - model.embedding_.mean(axis=0)).sum(axis=1).mean())
    shadow, generator = Shadow(graph), np.random.default_rng(seed)
    for tolerance in tolerances:
        batch = shadow.random_batch(generator)
        model.update(**batch, tolerance=tolerance)
        shadow.apply(batch)
        exact = model.transform(shadow.graph())
        assert np.linalg.norm(model.embedding_ - exact, axis=1).max() <= (tolerance + 1e-5) * length


@pytest.mark.slow
def test_the_tolerance_does_not_add_up_over_a_long_sequence() -> None:
    graph = random_graph(600, 8, seed=3, density=0.008)
    model = SCE(filter=PageRank(restart=0.2, order=6), dimension=6).fit(graph)
    length = np.sqrt(np.square(model.embedding_ - model.embedding_.mean(axis=0)).sum(axis=1).mean())
    generator, shadow, reached = np.random.default_rng(0), Shadow(graph), []
    for step in range(400):
        source, target = sorted(generator.choice(600, 2, replace=False).tolist())
        is_there = (source, target) in shadow.edges
        batch = {"edges_removed": [(source, target)]} if is_there else {"edges_added": [(source, target, 1.0)]}
        reached.append(len(model.update(**batch, tolerance=0.05)))
        shadow.apply(batch)
        if step % 100 == 99:
            exact = model.transform(shadow.graph())
            errors = np.linalg.norm(model.embedding_ - exact, axis=1) / length
            assert errors.max() <= 0.05
            assert errors.max() > 1e-3  # it is made use of: rows are left where they are
    assert np.mean(reached) < 60


def test_a_tolerance_reaches_fewer_rows_and_says_when_hops_are_for_all() -> None:
    graph = random_graph(400, 8, seed=3, density=0.01)
    model = SCE(filter=PageRank(restart=0.2)).fit(graph)
    first, second = ((0, int(other)) for other in np.flatnonzero(graph.adjacency[[0]].toarray()[0] == 0)[1:3])
    assert len(model.update(edges_added=[first], tolerance=0.01)) < 100
    exact = model.update(edges_added=[second], tolerance=0)
    assert len(exact) > 200
    assert "computed for the whole graph" in exact.notes[0]


def test_by_hand_on_a_path() -> None:
    """0–1–2 with features 0, 3, 6: the mean over closed neighbourhoods, before and after the edge 1–2 goes."""
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    model = SCE(filter=Power(order=1), weighting="none", dimension=1).fit(Graph(path, features=np.array([[0.0], [3], [6]])))
    slope = float(model.weights_[0][0, 0])
    ids, rows = model.update(edges_removed=[(2, 1)], tolerance=0)
    assert ids.tolist() == [1, 2]
    np.testing.assert_allclose(rows[:, 0] + model.offset_, np.array([1.5, 6]) * slope, rtol=1e-5)
    ids, rows = model.update(nodes_added={7: [9.0]}, edges_added=[(7, 2, 2.0)], tolerance=0)
    assert ids.tolist() == [2, 7]
    np.testing.assert_allclose(rows[:, 0] + model.offset_, np.array([6 + 18, 12 + 9]) / 3 * slope, rtol=1e-5)


def test_a_batch_is_applied_whole_or_not_at_all() -> None:
    graph = start(1)
    model = SCE(filter=Power(order=2), dimension=6).fit(graph)
    model.update(nodes_added={100: np.ones(8)})
    before, edges = model.embedding_, model.graph_.adjacency.toarray()
    (i, j), (k, m) = np.argwhere(np.triu(edges) > 0)[:2].tolist()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"edges_added": [(0, 100), (m, k)]}, "has already"),
        ({"edges_added": [(0, 100), (100, 0)]}, "twice"),
        ({"edges_added": [(0, 999)]}, "does not have: 999"),
        ({"edges_added": [(0, 100, -1.0)]}, "above zero"),
        ({"edges_removed": [(0, 100)]}, "does not have"),
        ({"edges_removed": [(i, j)], "weights_changed": [(i, j, 2.0)]}, "does not have"),
        ({"weights_changed": [(0, 100, 2.0)]}, "edges_added"),
        ({"nodes_added": {0: np.ones(8)}}, "features_changed"),
        ({"nodes_added": {"a": np.ones(8)}}, "integers"),
        ({"nodes_added": {101: np.ones(7)}}, "8 features"),
        ({"nodes_removed": [100], "edges_added": [(0, 100)]}, "does not have"),
        ({"nodes_removed": [55555]}, "does not have"),
        ({"features_changed": {100: np.full(8, np.nan)}}, "finite"),
        ({"features_changed": {100: np.full(8, 3e38)}}, "overflow"),
        ({"nodes_removed": [*range(40), 100]}, "leave no node"),
        ({"tolerance": -1}, "tolerance"),
    ]
    for batch, message in wrong:
        with pytest.raises(InputError, match=message):
            model.update(**{"edges_removed": [(i, j)], **batch})
        assert model.embedding_ is before
        np.testing.assert_array_equal(model.graph_.adjacency.toarray(), edges)


def test_an_embedding_that_was_asked_for_does_not_change_under_its_holder() -> None:
    model = SCE(filter=Power(order=1)).fit(start(1))
    Z = model.embedding_
    copied = Z.copy()
    model.update(features_changed={0: np.ones(8)})
    np.testing.assert_array_equal(Z, copied)
    assert model.embedding_ is model.embedding_


def test_words_and_frames_serve_as_ids_and_rows() -> None:
    import pandas as pd

    graph = start(1, n_nodes=20)
    frame = pd.DataFrame(np.asarray(graph.features), columns=[f"x{column}" for column in range(8)])
    named = Graph(graph.adjacency, features=frame, node_ids=[f"n{place}" for place in range(20)])
    model = SCE(filter=Power(order=2), dimension=6).fit(named)
    later = pd.DataFrame(np.ones((2, 8)), columns=frame.columns[::-1], index=["m0", "m1"])
    model.update(nodes_added=later, edges_added=pd.DataFrame({"source": ["m0"], "target": ["n3"]}), tolerance=0)
    model.update(nodes_removed=["n0"], features_changed={"m0": dict(zip(frame.columns, range(8), strict=True))}, tolerance=0)
    frame.loc[20] = np.arange(8)
    frame.loc[21] = np.ones(8)
    dense = np.pad(graph.adjacency.toarray(), (0, 2))
    dense[20, 3] = dense[3, 20] = 1
    whole = Graph(
        dense[1:, 1:], features=frame[1:].reset_index(drop=True), node_ids=[*named.node_ids[1:].tolist(), "m0", "m1"]
    )
    assert model.graph_.node_ids.tolist() == whole.node_ids.tolist()
    assert distance(model.embedding_, model.transform(whole)) < 1e-5


def test_a_model_without_a_graph_says_how_to_keep_one(tmp_path: Path) -> None:
    SCE().fit(start(1)).save(tmp_path / "model.safetensors")
    with pytest.raises(InputError, match="with_state=True"):
        load(tmp_path / "model.safetensors").update(edges_added=[(0, 1)])


class Growing(Filter):
    """A filter of a user's own whose rows sum up to 2."""

    def coefficients(self) -> tuple[float, ...]:
        return (0.0, 1.0)

    def diagonals(self, degrees: Any) -> Diagonals:
        return Diagonals(2 / degrees, None, 2 / degrees)


class OfAll(Filter):
    """A filter of a user's own whose matrix depends on the largest degree."""

    def coefficients(self) -> tuple[float, ...]:
        return (0.0, 1.0)

    def diagonals(self, degrees: Any) -> Diagonals:
        return Diagonals(1 / degrees.max().expand(len(degrees)), None, 1 / degrees)


def test_filters_without_a_bound_are_exact_and_those_without_a_local_form_are_refused() -> None:
    graph = start(1)
    model, shadow = SCE(filter=Growing(), dimension=6).fit(graph), Shadow(graph)
    with pytest.raises(InputError, match="tolerance=0"):
        model.update(features_changed={0: np.ones(8)})
    model.update(features_changed={0: np.ones(8)}, tolerance=0)
    shadow.apply({"features_changed": {0: np.ones(8)}})
    assert distance(model.embedding_, model.transform(shadow.graph())) < 1e-5
    with pytest.raises(InputError, match="all degrees"):
        SCE(filter=OfAll(), dimension=6).fit(graph).update(features_changed={0: np.ones(8)})


def test_drift_is_what_a_refit_reports_and_a_refit_ends_it() -> None:
    """With all directions of eight features kept, drift is exact but for the choices of a refit, which are fixed here."""
    graph = random_graph(300, 8, seed=5, density=0.02)
    model = SCE(filter=Power(order=1), weighting="none", dimension=4).fit(graph)
    assert model.span_drift_ == 0
    assert not model.refit_advised_
    generator, drifts = np.random.default_rng(1), []
    for start_at in (0, 100, 200):
        rows = {node: generator.normal(size=8) * [4, 3, 2, 1, 1, 1, 1, 6] for node in range(start_at, start_at + 100)}
        model.update(features_changed=rows, tolerance=0)
        drifts.append(model.span_drift_)
    assert drifts == sorted(drifts)
    assert model.refit_advised_
    before, drift, aside = model.embedding_, model.span_drift_, model.drift_
    assert model.embedding_ is before  # the refit was made aside
    assert model.drift_ is aside  # and once
    model.refit()
    assert model.alignment_residual_ == pytest.approx(aside, rel=1e-6)
    assert model.drift_ == 0
    residual = np.linalg.norm(model.embedding_ - before) / np.linalg.norm(model.embedding_)
    assert residual == pytest.approx(drift, rel=0.05)
    assert model.alignment_residual_ == pytest.approx(
        np.linalg.norm(model.embedding_ - before) / np.linalg.norm(before), rel=1e-5
    )
    assert model.span_drift_ == 0
    assert distance(model.transform(model.graph_), model.embedding_) < 1e-5
    assert (
        distance(SCE(filter=Power(order=1), weighting="none", dimension=4).fit_transform(model.graph_)[:2], before[:2]) > 0
    )


@pytest.mark.slow
def test_a_refit_with_the_choices_kept_is_the_fit_with_them_spelt_out(digits: Graph) -> None:
    model = SCE(dimension=24).fit(digits)
    changed = {int(node): digits.features[node] * 0.5 for node in range(0, 900, 3)}
    model.update(features_changed=changed)
    channels = {name: weight for name, weight in model.recipe_.channels.items() if not name.startswith("roles_")}
    channels["roles"] *= 3**0.5
    smoothed = model.recipe_.filters[list(model.recipe_.channels).index("smoothed")]
    expected = SCE(dimension=24, channels=channels, filter=smoothed, weighting="none").fit_transform(model.graph_)
    model.refit(align=False, choices="kept")
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-5)
    with pytest.raises(InputError, match="choices"):
        model.refit(choices="some")


@pytest.mark.parametrize("is_table", [True, False])
def test_a_refit_says_that_a_table_stays_encoded_as_it_was(is_table: bool) -> None:
    """Where it has followed updates: Oslo is in no category of it, and a fit of the whole table has it."""
    frame = pd.DataFrame({"city": ["Bern", "Doha"] * 10, "age": np.arange(20.0)})
    graph = random_graph(20, 2, seed=5, density=0.2)
    model: Any = SCE(filter=Power(order=1), dimension=2).fit(graph.replace(features=frame) if is_table else graph)
    assert "stays encoded" not in model.refit().explain()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewValuesWarning)
        model.update(features_changed={3: {"city": "Oslo"} if is_table else [1.0, 2.0]})
    model.refit()
    assert ("stays encoded" in model.explain()) == is_table
    if is_table:
        assert "city = Oslo" not in model.encoder_.names_out
        frame.loc[3, "city"] = "Oslo"
        assert "city = Oslo" in model.fit(graph.replace(features=frame)).encoder_.names_out


def test_a_grown_graph_advises_a_refit() -> None:
    graph = random_graph(100, 8, seed=5, density=0.02)
    model = SCE(filter=Power(order=0)).fit(graph)
    model.update(edges_added=[(i, j) for i in range(0, 100, 2) for j in (i + 1,) if not graph.adjacency[i, j]])
    assert model.span_drift_ < 1e-6
    assert not model.refit_advised_
    model.update(edges_added=[(i, (i + 50) % 100) for i in range(0, 50) if not graph.adjacency[i, (i + 50) % 100]])
    assert model.refit_advised_


def test_a_refit_with_other_channels_still_transforms_as_it_embeds() -> None:
    graph = random_graph(200, 12, seed=5, density=0.02)
    model = SCE(channels=("own", "smoothed"), dimension=9).fit(graph)
    model.update(features_changed={node: np.eye(12)[node % 12] * 9 for node in range(150)}, tolerance=0)
    before = model.embedding_
    model.refit()
    assert model.embedding_.shape == before.shape
    assert distance(model.transform(model.graph_), model.embedding_) < 1e-5
    model.update(edges_removed=[], features_changed={0: np.ones(12)}, tolerance=0)
    assert distance(model.transform(model.graph_), model.embedding_) < 1e-5
    assert model.get_params()["dimension"] == 9


def test_a_copy_goes_on_updating() -> None:
    model = SCE(filter=Power(order=1), dimension=6).fit(start(1))
    model.update(features_changed={0: np.ones(8)})
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301 - made here
    for one in (model, copied):
        one.update(nodes_removed=[3], tolerance=0)
    np.testing.assert_array_equal(copied.embedding_, model.embedding_)


def test_places_of_removed_nodes_are_taken_out() -> None:
    graph = random_graph(2000, 4, seed=1, density=0.001)
    model, shadow = SCE(filter=Power(order=2), dimension=3).fit(graph), Shadow(graph)
    for first in range(0, 1900, 380):
        batch = {
            "nodes_removed": list(range(first, first + 380)),
            "nodes_added": {10_000 + first: np.ones(4, dtype=np.float32)},
        }
        model.update(**batch, tolerance=0)
        shadow.apply(batch)
    assert len(model._state.index) < 600
    assert distance(model.embedding_, model.transform(shadow.graph())) < 1e-5
