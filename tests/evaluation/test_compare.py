"""Methods compared: each alone in its process, with a memory of its own, and failures that do not take the others down."""

from __future__ import annotations

import sys
import textwrap

import numpy as np
import pytest

from sparsecut import SCE, Graph, InputError, datasets, methods
from sparsecut.evaluation import compare_methods, compare_scores, probe, sample_splits
from sparsecut.evaluation.compare import fit_alone
from sparsecut.methods import Method

MEBIBYTE = 2**20

SPIES = """
    import os, signal
    import numpy as np
    from sparsecut.errors import InputError

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
        fit.embedding, SCE(dimension=16, random_state=3, device="cpu").fit_transform(graph), atol=1e-5
    )
    assert 0 < fit.measured["seconds"] <= fit.measured["first_seconds"]
    assert fit.measured["dimension"] == 16


def test_failures_are_rows_too(spies, graph):
    results = compare_methods(graph, ["raw", "refusing", "crashing", "killed", "smoothed"], per_class=(5,), n_splits=3)
    assert [result.error for result in results] == [
        None,
        "It wants another graph.",
        "The process failed: RuntimeError: a defect",
        "The process was killed, most likely for want of memory.",
        None,
    ]
    raw, smoothed = results[0], results[4]
    splits = sample_splits(graph.labels, 5, 3, 0)
    expected = probe(graph.features, graph.labels, splits)
    np.testing.assert_array_equal(raw.scores[5].accuracies, expected.accuracies)
    assert raw.against_first == {}
    assert smoothed.against_first[5] == compare_scores(smoothed.scores[5], expected)
    assert results[1].to_dict()["error"] == "It wants another graph."


def test_what_cannot_be_compared_is_refused(graph):
    with pytest.raises(InputError, match="There is no method 'dgx'"):
        compare_methods(graph, ["sce", "dgx"])
    with pytest.raises(InputError, match="at least one method"):
        compare_methods(graph, [])
    with pytest.raises(InputError, match="the graph has none"):
        compare_methods(Graph(graph.adjacency, features=graph.features), ["sce"])
