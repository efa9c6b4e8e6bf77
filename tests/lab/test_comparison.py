"""Methods compared: each alone in its process, with a memory of its own, and failures that do not take the others down."""

from __future__ import annotations

import sys
import textwrap

import numpy as np
import pytest

from sparsecut import SCE, Graph, InputError, Memory, compare, datasets
from sparsecut.evaluation import Split, compare_scores, probe, sample_splits
from sparsecut.lab.baselines import SGC, methods
from sparsecut.lab.baselines.methods import Method
from sparsecut.lab.comparison import fit_alone

MEBIBYTE = 2**20

SPIES = """
    import os, signal
    import numpy as np
    from sparsecut.base.errors import InputError

    class Greedy:
        def __init__(self, *, mebibytes=0):
            self.mebibytes = mebibytes
        def fit_transform(self, graph, progress=None):
            assert graph.labels is None, "labels reached a method"
            block = np.ones(self.mebibytes * 2**20, dtype=np.uint8)
            return np.full((graph.n_nodes, 2), block.sum(), dtype=np.float32)

    class Refusing:
        def fit_transform(self, graph, progress=None):
            raise InputError("It wants another graph.")

    class Crashing:
        def fit_transform(self, graph, progress=None):
            raise RuntimeError("a defect")

    class Nosy:
        # Says what it was told, and 9 where it was told nothing.
        def fit_predict(self, graph, split, progress=None):
            told = np.concatenate([split.train, split.validation])
            assert (graph.labels[told] >= 0).all()
            assert not set(told) & set(split.test)
            return np.where(graph.labels < 0, 9, graph.labels)

    class Killed:
        def fit_transform(self, graph, progress=None):
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def spies(tmp_path, monkeypatch):
    """Methods in a module of their own, which the other processes find where this one does."""
    (tmp_path / "spying_methods.py").write_text(textwrap.dedent(SPIES))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(methods, "METHODS", dict(methods.METHODS))
    for name in ("Greedy", "Refusing", "Crashing", "Killed"):
        methods.register(Method(name.lower(), "", f"spying_methods:{name}"))
    methods.register(Method("nosy", "", "spying_methods:Nosy", is_supervised=True))
    yield
    sys.modules.pop("spying_methods", None)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return datasets.load("digits")


@pytest.mark.skipif(sys.platform != "linux", reason="the peak can be started anew on Linux alone")
def test_memory_is_the_methods_own(spies, graph):
    ballast = np.ones(400 * MEBIBYTE, dtype=np.uint8)  # what this process holds must not count for the other
    light, heavy = (fit_alone(methods.find_method("greedy"), graph, offered={"mebibytes": n}).measured for n in (0, 200))
    assert light["peak_memory_bytes"] < ballast.nbytes
    assert light["peak_memory_bytes"] - light["memory_before_bytes"] < 50 * MEBIBYTE
    # Linux counts resident pages in batches, so a difference of two counts is off by some of them: 40 KiB were seen.
    assert 199 * MEBIBYTE < heavy["peak_memory_bytes"] - heavy["memory_before_bytes"] < 250 * MEBIBYTE


def test_a_process_gives_what_this_one_would(graph):
    fit = fit_alone(methods.find_method("sce"), graph, offered={"random_state": 3, "dimension": 16, "device": "cpu"})
    np.testing.assert_allclose(
        fit.embedding, SCE(dimension=16, random_state=3, engine=Memory(device="cpu")).fit_transform(graph), atol=1e-5
    )
    assert 0 < fit.measured["seconds"] <= fit.measured["first_seconds"]
    assert fit.measured["dimension"] == 16


@pytest.mark.usefixtures("forks")
def test_failures_are_rows_too(spies, graph):
    results = compare(graph, ["raw", "refusing", "crashing", "killed"], per_class=(5,), n_splits=3)
    assert [result.error for result in results] == [
        None,
        "It wants another graph.",
        "The process failed: RuntimeError: a defect",
        "The process was killed, most likely for want of memory.",
    ]
    raw = results[0]
    splits = sample_splits(graph.labels, 5, 3, 0)
    expected = probe(graph.features, graph.labels, splits)
    np.testing.assert_array_equal(raw.scores[5].accuracies, expected.accuracies)
    assert raw.against_first == {}
    assert results[1].to_dict()["error"] == "It wants another graph."


@pytest.mark.usefixtures("forks")
def test_a_method_that_predicts_gets_no_label_of_a_test_node(spies, graph):
    (result,) = compare(graph, ["nosy"], per_class=(5, 20), n_splits=2)
    assert result.error is None
    for per_class in (5, 20):
        splits = sample_splits(graph.labels, per_class, 2, 0)
        nines = [100 * (graph.labels[split.test] == 9).mean() for split in splits]
        np.testing.assert_allclose(result.scores[per_class].accuracies, nines)


@pytest.mark.usefixtures("forks")
def test_methods_that_predict_and_methods_that_embed_share_a_table(graph):
    options = {"device": "cpu"}
    raw, sgc = compare(graph, ["raw", "sgc"], per_class=(5,), n_splits=3, random_state=1, options=options)
    splits = sample_splits(graph.labels, 5, 3, 1)
    predicted = [SGC(random_state=1, device="cpu").fit_predict(graph, split) for split in splits]
    by_hand = [100 * (p[s.test] == graph.labels[s.test]).mean() for p, s in zip(predicted, splits, strict=True)]
    np.testing.assert_allclose(sgc.scores[5].accuracies, by_hand, atol=0.1)
    assert sgc.scores[5].probe == "none"
    assert sgc.against_first == {5: compare_scores(sgc.scores[5], raw.scores[5])}
    assert sgc.against_first[5].mean_difference == pytest.approx(sgc.scores[5].mean - raw.scores[5].mean)
    assert sgc.measured["seconds"] > 0
    assert sgc.measured["peak_memory_bytes"] > 0


def test_what_cannot_be_compared_is_refused(graph):
    with pytest.raises(InputError, match="There is no method 'dgx'"):
        compare(graph, ["sce", "dgx"])
    with pytest.raises(InputError, match="at least one method"):
        compare(graph, [])
    with pytest.raises(InputError, match="the graph has none"):
        compare(Graph(graph.adjacency, features=graph.features), ["sce"])


@pytest.fixture
def directed_path() -> Graph:
    """0 → 1 → … → 19, with a column for every node and two classes."""
    return Graph(np.diag(np.ones(19), 1), features=np.eye(20), labels=np.arange(20) % 2, directed="out")


@pytest.mark.usefixtures("forks")
def test_a_directed_graph_keeps_its_directions_in_the_other_process(directed_path):
    """One hop averages a node with the next one alone."""
    fit = fit_alone(methods.find_method("smoothed"), directed_path, offered={"order": 1})
    expected = np.eye(20) + np.diag(np.ones(19), 1)
    np.testing.assert_allclose(fit.embedding, expected / expected.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.usefixtures("forks")
def test_a_method_that_predicts_sees_the_directions_too(directed_path, tmp_path, monkeypatch):
    code = """
        class Arrows:
            def fit_predict(self, graph, split, progress=None):
                assert graph.is_directed
                return (graph.adjacency.sum(axis=1) > 0).astype(int) + 2 * (graph.adjacency.sum(axis=0) > 0)
    """
    (tmp_path / "arrows.py").write_text(textwrap.dedent(code))
    monkeypatch.syspath_prepend(tmp_path)
    splits = [Split(np.arange(4), np.arange(4, 8), np.arange(8, 20))]
    fit = fit_alone(Method("arrows", "", "arrows:Arrows", is_supervised=True), directed_path, offered={}, splits=splits)
    assert fit.error is None
    np.testing.assert_array_equal(fit.predicted, [[1, *[3] * 18, 2]])
