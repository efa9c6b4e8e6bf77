"""`forget` is a fit without the nodes, with the same choices; no file has anything of them; killed, it is all or nothing.

The oracle of a fit is a model with the choices spelt out as parameters, fitted on the graph that never had the nodes.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from changing import Shadow
from conftest import load_or_skip, random_graph, times_when_exploring
from killing import run_killed
from person import SECRET, person_graph, traces
from sparsecut import SCE, Adam, Graph, InputError, MoSCE, PageRank, Pairs, Power, load
from sparsecut.base.errors import DimensionWarning, WriteError
from sparsecut.model.kept_choices import _requested
from sparsecut.updates.forgetting import TAKEN
from sparsecut.updates.update_log import log_path
from table_world import KINDS, World
from typed_graphs import typed_graph


def weighted_graph(n_nodes: int, n_features: int, *, seed: int, is_directed: bool, is_sparse: bool = False) -> Graph:
    graph = random_graph(n_nodes, n_features, seed=seed, is_weighted=True, is_sparse=is_sparse)
    edges = sp.triu(graph.adjacency) if is_directed else graph.adjacency
    return Graph(edges, features=graph.features, directed="out" if is_directed else "symmetrize")


def spelt_out(model: Any, **others: Any) -> SCE:
    """The choices of a fitted model as parameters."""
    recipe = model.recipe_
    parameters: dict[str, Any] = {"channels": _requested(recipe.channels), "weighting": recipe.weighting.name}
    if "smoothed" in recipe.channels:
        parameters["filter"] = recipe.filters[list(recipe.channels).index("smoothed")]
    return SCE(**parameters, **others)


def assert_same_up_to(Z: np.ndarray, expected: np.ndarray, share: float = 1e-5) -> None:
    """Products of all pairs of rows, for eigenvectors of equal eigenvalues have no directions of their own."""
    size = float(np.abs(expected @ expected.T).max())
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=share * size)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cora", "digits"])
def test_a_real_graph_without_some_nodes_is_the_fit_without_them(name: str) -> None:
    """Sparse counts and dense numbers; structure, roles and all that the default chooses."""
    graph = load_or_skip(name)
    gone = np.random.default_rng(0).choice(graph.node_ids, graph.n_nodes // 50, replace=False)
    model = SCE(dimension=48).fit(graph)
    oracle = spelt_out(model, dimension=48).fit(graph.subgraph(~np.isin(graph.node_ids, gone)))
    ids, rows = model.forget(gone)
    assert ids.tolist() == oracle.graph_.node_ids.tolist() == model.graph_.node_ids.tolist()
    np.testing.assert_allclose(rows, oracle.embedding_, atol=1e-5)
    np.testing.assert_array_equal(model.embedding_, rows)
    np.testing.assert_allclose(model.transform(model.graph_), rows, atol=1e-4)
    assert model.recipe_.channels == pytest.approx(oracle.recipe_.channels)
    assert not np.isin(model.columns_.places.ids, gone).any()
    assert "as chosen by an earlier fit" in model.explain()
    assert model.span_drift_ == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cora", "digits"])
def test_a_real_graph_that_grows_changes_and_forgets_is_the_fit_of_what_is_left(name: str, tmp_path: Path) -> None:
    """Nodes come with their edges and go, edges go, and between them nodes are forgotten: in memory, and from a file."""
    graph = load_or_skip(name)
    ids, late = graph.node_ids, np.arange(graph.n_nodes - 60, graph.n_nodes)
    model: Any = SCE(dimension=48).fit(graph.subgraph(positions=np.arange(graph.n_nodes - 60)))
    listed = graph.adjacency[late].tocoo()
    sources, targets = late[listed.coords[0]], listed.coords[1]
    is_once = (targets < late[0]) | (sources < targets)
    edges = [
        (ids[i].item(), ids[j].item(), float(w))
        for i, j, w in zip(sources[is_once], targets[is_once], listed.data[is_once], strict=True)
    ]
    model.update(nodes_added=(ids[late], graph.features[late]), edges_added=edges)
    gone = [*range(5), *late[:3].tolist()]
    model.forget(ids[gone].tolist())
    adjacency = graph.adjacency.tolil()
    for number in (100, 200, 300):
        other = int(graph.adjacency[[number]].indices[-1])
        if other not in gone:
            model.update(edges_removed=[(ids[number].item(), ids[other].item())])
            adjacency[number, other] = adjacency[other, number] = 0
    path = tmp_path / "m.safetensors"
    model.save(path, with_state=True)
    model = load(path, in_place=True)
    model.forget(ids[[400, 500]].tolist())
    kept = np.setdiff1d(np.arange(graph.n_nodes), [*gone, 400, 500])
    left = graph.replace(adjacency=sp.csr_array(adjacency.tocsr())).subgraph(positions=kept)
    oracle = spelt_out(model, dimension=48).fit(left)
    assert model.graph_.node_ids.tolist() == left.node_ids.tolist()
    length = np.sqrt(np.square(oracle.embedding_).sum(axis=1).mean())
    np.testing.assert_allclose(model.embedding_, oracle.embedding_, atol=1e-5 * length)


def test_the_number_of_columns_is_kept_and_the_others_are_those_of_a_fit(digits: Graph) -> None:
    model = SCE(filter=Power(order=2)).fit(digits)
    width = model.embedding_.shape[1]
    model.forget(digits.node_ids[:300].tolist())
    assert model.embedding_.shape[1] == width
    oracle = SCE(filter=Power(order=2)).fit(digits.subgraph(positions=np.arange(300, digits.n_nodes)))
    n_shared = min(width, oracle.embedding_.shape[1])
    factor = np.linalg.norm(model.embedding_[:, 0]) / np.linalg.norm(oracle.embedding_[:, 0])
    assert factor == pytest.approx(1, abs=2e-3)  # the length is that of all columns
    np.testing.assert_allclose(model.embedding_[:, :n_shared], factor * oracle.embedding_[:, :n_shared], atol=1e-4)


@pytest.mark.slow
def test_choices_are_made_again_on_request(digits: Graph) -> None:
    gone = digits.node_ids[::3].tolist()
    model = SCE().fit(digits)
    model.forget(gone, choices="again")
    oracle = SCE().fit(digits.subgraph(~np.isin(digits.node_ids, gone)))
    assert model.embedding_.shape == oracle.embedding_.shape
    np.testing.assert_allclose(model.embedding_, oracle.embedding_, atol=1e-5)
    assert model.recipe_.reasons == oracle.recipe_.reasons
    assert "chosen again" in model.explain()


@pytest.mark.parametrize(
    "model",
    [
        MoSCE(levels=2, dimension=6),
        SCE(features="structure", dimension=8),
        SCE(filter=Power(order=2), solver=Adam(epochs=3), dimension=5),
        SCE(channels={"own": 0.5, "neighbors": 1.0, "difference": 0.2}, dimension=9),
        SCE(weighting="l2", filter=PageRank(restart=0.2, normalization="symmetric"), dimension=6),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_directed", [False, True])
def test_models_without_choices_are_the_fit_of_what_is_left(model: Any, is_directed: bool) -> None:
    graph = weighted_graph(80, 10, seed=3, is_directed=is_directed)
    kept = np.setdiff1d(np.arange(80), [0, 17, 79])
    Z = type(model)(**model.get_params(deep=False)).fit_transform(graph.subgraph(positions=kept))
    model.fit(graph)
    model.forget([79, 0, 17])
    np.testing.assert_allclose(model.embedding_, Z, atol=1e-5)


@pytest.mark.slow
@settings(max_examples=times_when_exploring(25, 20), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    filter=st.sampled_from([Power(order=2), PageRank(restart=0.2), "auto"]),
    steps=st.lists(st.sampled_from(["update", "forget", "save"]), min_size=2, max_size=6),
    is_sparse=st.booleans(),
    is_directed=st.booleans(),
)
def test_any_sequence_of_updates_and_forgetting_is_the_fit_of_what_is_left(
    seed: int, filter: Any, steps: list[str], is_sparse: bool, is_directed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    graph = weighted_graph(40, 6, seed=seed % 1000, is_sparse=is_sparse, is_directed=is_directed)
    shadow, generator = Shadow(graph), np.random.default_rng(seed)
    model: Any = SCE(filter=filter, dimension=64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DimensionWarning)
        model.fit(graph)
        for step in [*steps, "forget"]:
            if step == "update":
                batch = shadow.random_batch(generator)
                shadow.apply(batch)
                model.update(**batch)
            elif step == "save":
                path = tmp_path_factory.mktemp("model") / "m.safetensors"
                model.save(path, with_state=True)
                model = load(path, in_place=True)
            elif len(shadow.nodes) > 8:
                gone = [list(shadow.nodes)[number] for number in generator.permutation(len(shadow.nodes))[:3]]
                shadow.apply({"nodes_removed": gone})
                model.forget(gone)
                oracle = spelt_out(model, dimension=64).fit(shadow.graph())
                assert model.graph_.node_ids.tolist() == list(shadow.nodes)
                assert_same_up_to(model.embedding_, oracle.embedding_)


@pytest.mark.slow
@settings(max_examples=times_when_exploring(40, 20), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
    model=st.sampled_from(
        [
            SCE(dimension=64),
            SCE(weighting="none", filter=Power(order=2), dimension=64),
            SCE(weighting="l2", channels=("own", "smoothed"), dimension=64),
        ]
    ),
    steps=st.lists(st.sampled_from(["update", "forget", "save"]), min_size=1, max_size=5),
)
def test_tables_are_forgotten_as_if_they_had_never_had_the_rows(
    seed: int, kinds: list[str], model: Any, steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Numbers, gaps, categories, dates and lists of words, from the table itself or from what a state has of it."""
    world = World(seed, [*kinds, "number"], 180, is_directed=False, is_weighted=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(world.graph())
        for step in [*steps, "forget"]:
            if step == "update":
                model.update(**world.change(8, ("edges", "nodes")))
            elif step == "save":
                path = tmp_path_factory.mktemp("model") / "m.safetensors"
                model.save(path, with_state=True)
                model = load(path)
            else:
                gone = [list(world.nodes)[number] for number in world.generator.permutation(len(world.nodes))[:5]]
                world.nodes = {node: row for node, row in world.nodes.items() if node not in gone}
                world.edges = {ends: weight for ends, weight in world.edges.items() if not set(ends) & set(gone)}
                model.forget(gone)
                graph = world.graph()
                scales = {column.name: getattr(column, "transform", "") or "standard" for column in model.encoder_.columns}
                graph = Graph(graph.adjacency, features=world.frame(), node_ids=graph.node_ids, scale=scales)
                assert model.encoder_.names_out == graph.encoder.names_out
                oracle = spelt_out(model, dimension=64)
                assert_same_up_to(model.embedding_, oracle.fit(graph).embedding_)


@pytest.mark.parametrize("model", [SCE(), SCE(filter=Power(order=2)), MoSCE(levels=2)], ids=str)
def test_no_file_has_a_byte_of_a_forgotten_person(tmp_path: Path, model: Any) -> None:
    path = tmp_path / "m.safetensors"
    graph = person_graph()
    apart = [(SECRET, "person-3"), ("person-3", "person-4")]
    model.set_params(apart=apart).fit(graph).save(path, with_state=True)
    followed: Any = load(path, in_place=True)
    followed.update(edges_added=[(SECRET, "person-5")] if SECRET not in _neighbors(graph, "person-5") else [])
    followed.update(features_changed={SECRET: {"income": 98765.25}})
    place = followed.graph_.node_ids.tolist().index(SECRET)
    row = np.array(followed.embedding_[place])
    assert traces(path, row)
    assert traces(log_path(path), row)
    (tmp_path / ".m-abcdefgh.safetensors").write_bytes(path.read_bytes())  # of a writer that was killed
    followed.forget([SECRET])
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["m.safetensors", "m.safetensors.log"]
    assert [found for file in files for found in traces(file, row)] == []
    assert followed.apart == [("person-3", "person-4")]
    again: Any = load(path)
    _ = followed.embedding_  # the fit that was owed until now, of which the file is written once more
    followed._log.close()
    assert [found for file in files for found in traces(file, row)] == []
    np.testing.assert_array_equal(load(path).embedding_, followed.embedding_)
    assert SECRET not in again.graph_.node_ids
    np.testing.assert_array_equal(again.embedding_, followed.embedding_)
    assert "city = Atlantis" not in again.encoder_.names_out
    plain = tmp_path / "plain.safetensors"
    again.save(plain)
    assert traces(plain, row) == []


def _neighbors(graph: Graph, node: str) -> list[str]:
    place = graph.node_ids.tolist().index(node)
    return graph.node_ids[graph.adjacency[[place]].indices].tolist()


@pytest.mark.slow
def test_killed_at_any_moment_a_person_is_forgotten_or_all_is_as_it_was(tmp_path: Path) -> None:
    """SIGKILL before and after everything that is brought to the disk: what is loaded then is one of the two models."""
    saved = tmp_path / "m.safetensors"
    SCE(filter=Power(order=2), dimension=4).fit(person_graph()).save(saved, with_state=True)
    with_log: Any = load(saved, in_place=True)
    with_log.update(features_changed={SECRET: {"income": 98765.25}})
    with_log._log.close()
    before = load(saved).embedding_
    row = np.array(before[7])
    copies: list[Any] = [load(saved)]
    copies[0].forget([SECRET])
    n_events = kill_at = 1
    while kill_at <= n_events + 1:
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        path = folder / "m.safetensors"
        for file in (saved, log_path(saved)):
            (folder / file.name).write_bytes(file.read_bytes())

        def work(event: object, path: Path = path) -> int:
            model: Any = load(path, in_place=True)
            model.forget([SECRET])
            path.with_name("returned").write_text("yes")
            _ = model.embedding_
            return 0

        code = run_killed(work, folder / "events", kill_at)
        n_events = int((folder / "events").read_text()) if code == 0 else max(n_events, kill_at)
        is_done = (folder / "returned").exists()
        found: Any = load(path, in_place=True)
        _ = found.embedding_
        found._log.close()
        if len(found.embedding_) == len(before):
            assert not is_done
            np.testing.assert_allclose(found.embedding_, before, atol=1e-5)
        else:
            np.testing.assert_array_equal(found.embedding_, copies[0].embedding_)
            assert [trace for file in (path, log_path(path)) for trace in traces(file, row)] == []
        kill_at += 1
    assert n_events >= 8  # both files: before the fit and after it


@pytest.mark.parametrize("n_written", [0, 1, 2])
def test_a_full_disk_leaves_the_model_as_its_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_written: int
) -> None:
    """The file cannot be brought to the disk, or is there and its name, or the cleared log, cannot."""
    path = tmp_path / "m.safetensors"
    SCE(filter=Power(order=2), dimension=4).fit(person_graph()).save(path, with_state=True)
    model: Any = load(path, in_place=True)
    before, written, sync, n_calls = model.embedding_.copy(), path.read_bytes(), os.fsync, 0

    def full(handle: int) -> None:
        nonlocal n_calls
        n_calls += 1
        if n_calls > n_written:
            raise OSError(28, "No space left on device")
        sync(handle)

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises((WriteError, OSError), match="No space left"):
        model.forget([SECRET])
    monkeypatch.undo()
    assert (path.read_bytes() == written) == (n_written == 0)
    found: Any = load(path)
    np.testing.assert_array_equal(model.embedding_, found.embedding_)
    assert model.graph_.node_ids.tolist() == found.graph_.node_ids.tolist()
    if n_written == 0:
        np.testing.assert_array_equal(model.embedding_, before)
        model.forget([SECRET])
    assert SECRET not in load(path).graph_.node_ids
    model.update(features_changed={"person-2": {"income": 52.0}})
    model._log.close()
    np.testing.assert_allclose(load(path, in_place=True).embedding_, model.embedding_, atol=1e-5)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_failure_in_the_middle_leaves_every_field_as_it_was(tmp_path: Path, error: type[BaseException]) -> None:
    """At each report of the fit in turn, in memory and in the file."""
    path = tmp_path / "m.safetensors"
    negatives = Pairs([(SECRET, "person-3"), ("person-1", "person-4")])
    SCE(dimension=4, apart=[(SECRET, "person-2"), ("person-1", "person-2")], negatives=negatives).fit(person_graph()).save(
        path, with_state=True
    )
    model: Any = load(path, in_place=True)
    model.update(features_changed={"person-1": {"income": 51.0}})
    _ = model.graph_, model.embedding_, model.why("person-1", "person-2")
    before, files = dict(vars(model)), [file.read_bytes() for file in (path, log_path(path))]
    reported: list[str] = []

    def interrupt(stage: str, *_: Any) -> None:
        reported.append(stage)
        if len(reported) == fail_at:
            raise error(stage)

    fail_at = 1
    while True:
        reported.clear()
        try:
            model.forget([SECRET], choices="again", progress=interrupt)
        except error:
            assert list(vars(model)) == list(before)
            assert all(value is before[name] for name, value in vars(model).items())
            assert [file.read_bytes() for file in (path, log_path(path))] == files
            fail_at += 1
        else:
            break
    assert fail_at > 2
    assert model.apart is not before["apart"]
    assert SECRET not in model.graph_.node_ids
    model._log.close()
    np.testing.assert_array_equal(load(path).embedding_, model.embedding_)


def test_every_field_that_a_model_learns_is_taken_over(tmp_path: Path) -> None:
    """A field that is new in a fit, an update or a refit and missing in `TAKEN` would keep what was to be forgotten."""
    path = tmp_path / "m.safetensors"
    SCE(filter=Power(order=2), dimension=4).fit(person_graph()).save(path, with_state=True)
    model: Any = load(path, in_place=True)
    model.update(features_changed={"person-1": {"income": 51.0}})
    _ = model.refit().why("person-1", "person-2"), model.drift_
    model._log.close()
    assert set(vars(model)) - set(model.get_params(deep=False)) <= set(TAKEN)


def test_updates_go_on_and_a_stream_that_goes_on_has_all_vectors_first(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    SCE(filter=Power(order=2), dimension=4).fit(person_graph()).save(path, with_state=True)
    model: Any = load(path, in_place=True)
    model.update(features_changed={"person-1": {"income": 51.0}})
    model.forget([SECRET])
    model.update(features_changed={"person-2": {"income": 52.0}}, tolerance=0)
    np.testing.assert_allclose(model.embedding_, model.transform(model.graph_), atol=1e-4)
    expected = model.embedding_
    model._log.close()
    again: Any = load(path, in_place=True)
    np.testing.assert_allclose(again.embedding_, expected, atol=1e-5)
    missed = again._replayed.behind(0, again._live())
    assert missed.ids.tolist() == again.graph_.node_ids.tolist()
    assert "forgotten" in missed.notes[0]


def test_a_file_has_no_hops_until_an_update_needs_them(tmp_path: Path) -> None:
    """They take longer than the fit. Each way of loading the file, before and after, has the same vectors."""
    path = tmp_path / "m.safetensors"
    SCE(filter=Power(order=2), dimension=4).fit(person_graph()).save(path, with_state=True)
    n_bytes = path.stat().st_size
    model: Any = load(path, in_place=True)
    model.forget([SECRET])
    assert path.stat().st_size < n_bytes
    _ = model.embedding_
    assert path.stat().st_size < n_bytes
    assert model._state is None
    model._log.close()
    for in_place in (False, True):
        loaded: Any = load(path, in_place=in_place)
        np.testing.assert_array_equal(loaded.embedding_, model.embedding_)
        assert loaded._state is None
        changed = loaded.update(features_changed={"person-2": {"income": 52.0}}, tolerance=0)
        np.testing.assert_allclose(loaded.embedding_, loaded.transform(loaded.graph_), atol=1e-4)
    assert len(changed)
    loaded._log.close()
    again: Any = load(path, in_place=True)
    assert again._state is not None
    assert again._log.number == 1
    np.testing.assert_allclose(again.embedding_, loaded.embedding_, atol=1e-5)
    again.forget(["person-3"])
    _ = again.embedding_
    again._log.close()
    np.testing.assert_array_equal(load(path).embedding_, again.embedding_)


def test_what_cannot_be_forgotten_is_refused_and_nothing_changes() -> None:
    graph = random_graph(20, 4, seed=0)
    model = SCE(filter=Power(order=1), dimension=1, negatives=Pairs([(0, 1), (2, 3)])).fit(graph)
    Z = model.embedding_.copy()
    for nodes, message in (
        ([99], "99"),
        (list(range(20)), "every node"),
        ([0, 2], "Every pair"),
        (3, r"\[3\]"),
    ):
        with pytest.raises(InputError, match=message):
            model.forget(nodes)
    with pytest.raises(InputError, match="choices"):
        model.forget([1], choices="some")
    np.testing.assert_array_equal(model.embedding_, Z)
    assert model.negatives.pairs == [(0, 1), (2, 3)]
    assert len(model.forget([])) == 0
    model.forget([0])
    assert np.asarray(model.negatives.pairs).tolist() == [[2, 3]]
    with pytest.raises(InputError, match="holds no graph"):
        SCE().forget([1])


@pytest.mark.parametrize("relations", ["auto", {"author:writes:paper": 1.0, "paper:in:venue": 0.5}], ids=str)
def test_a_graph_with_types_forgets_and_each_type_is_centred_again(tmp_path: Path, relations: Any) -> None:
    whole = typed_graph()
    graph = whole.replace(features=np.asarray(whole.features))
    gone = ["author:3", "paper:7", "paper:8"]
    model: Any = SCE(dimension=12, relations=relations).fit(graph)
    oracle = spelt_out(model, dimension=12, relations=relations).fit(graph.subgraph(~np.isin(graph.node_ids, gone)))
    model.save(tmp_path / "m.safetensors", with_state=True)
    model.forget(gone)
    np.testing.assert_allclose(model.embedding_, oracle.embedding_, atol=1e-5)
    loaded: Any = load(tmp_path / "m.safetensors", in_place=True)
    loaded.forget(gone)  # its types of edges are added up, by the weights of all nodes
    assert loaded.graph_.node_types == graph.node_types
    np.testing.assert_array_equal(load(tmp_path / "m.safetensors").embedding_, loaded.embedding_)


def test_labels_sides_and_directions_stay() -> None:
    A = sp.csr_array(np.array([[0, 2, 0], [0, 0, 1], [1, 0, 0]], dtype=np.float32))
    graph = Graph(A, features=np.eye(3), labels=["a", "b", "c"], node_ids=["x", "y", "z"], directed="out")
    model = SCE(filter=Power(order=1), dimension=1).fit(graph)
    model.forget(["y"])
    left = model.graph_
    assert (left.node_ids.tolist(), left.labels.tolist(), left.is_directed) == (["x", "z"], ["a", "c"], True)
    np.testing.assert_array_equal(left.adjacency.toarray(), [[0, 0], [1, 0]])
