"""Embeddings that tell no node from another warn and say why; those that tell one node from the others do not."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import random_graph
from sparsecut import SCE, Adam, Graph, MoSCE, Power
from sparsecut.base.errors import MeaninglessEmbeddingWarning
from sparsecut.lab.baselines import DGI, RawFeatures, SmoothedFeatures, SmoothedPCA
from sparsecut.model.meaning import are_alike

ADJACENCY = random_graph(50).adjacency
ROWS = np.random.default_rng(0).normal(size=(50, 6))
TRIANGLE = 1 - np.eye(3)
PAIR = 1 - np.eye(2)

CASES = {
    "constant": (ADJACENCY, np.full((50, 6), 3.0), "every node has the same features"),
    "constant, sparse": (ADJACENCY, sp.csr_array(np.full((50, 6), 3.0)), "every node has the same features"),
    "constant but for rounding": (ADJACENCY, 1e9 + ROWS, "every node has the same features, or they differ by rounding"),
    "zero": (ADJACENCY, np.zeros((50, 6)), "all features are zero"),
    "1e-30": (ADJACENCY, 1e-30 * ROWS, rf"too small for float32.*The largest is {1e-30 * np.abs(ROWS).max():g}"),
    "two nodes": (PAIR, None, "by structure its 2 nodes are equal"),
    "a triangle": (TRIANGLE, None, "by structure its 3 nodes are equal.*Give it features"),
    "no edges": (np.zeros((4, 4)), None, "neither edges nor features"),
    "one node": (np.zeros((1, 1)), None, "the graph has one node"),
}


@pytest.mark.parametrize("model", [SCE(), SCE(solver=Adam(epochs=3)), MoSCE()], ids=["closed", "adam", "mosce"])
@pytest.mark.parametrize("case", CASES)
def test_it_warns_says_why_and_keeps_it(case: str, model: SCE | MoSCE) -> None:
    adjacency, features, why = CASES[case]
    model.set_params(features="auto" if features is None else "given")
    with pytest.warns(MeaninglessEmbeddingWarning, match=why) as caught:
        Z = model.fit_transform(Graph(adjacency, features=features))
    assert np.ptp(Z, axis=0).max() <= 1e-5 * max(np.abs(Z).max(), 1e-12)  # what is said is so
    (message,) = [str(warning.message) for warning in caught]
    assert message in model.history_.notes
    assert message in model.explain().splitlines()


@pytest.mark.parametrize("features", [np.full((50, 6), 3.0), 1e-30 * ROWS], ids=["constant", "1e-30"])
def test_rows_on_disk_warn_too(features: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "features.npy", features.astype(np.float32))
    mapped = Graph(ADJACENCY, features=np.load(tmp_path / "features.npy", mmap_mode="r"))
    for output in (None, tmp_path / "Z.npy"):
        model = SCE(engine="disk", features="given")
        with pytest.warns(MeaninglessEmbeddingWarning, match="every node has the same|too small for float32"):
            model.fit(mapped, output=output)
        assert "every node has the same vector" in model.explain()


@pytest.mark.parametrize("case", [name for name, (_, features, _) in CASES.items() if features is not None])
def test_features_that_say_nothing_beside_the_graph(case: str) -> None:
    adjacency, features, why = CASES[case]
    with pytest.warns(MeaninglessEmbeddingWarning, match=f"features add nothing.*of the graph alone: .*{why}"):
        model = SCE().fit(Graph(adjacency, features=features))
    of_features = [W for W, source in zip(model.weights_, model.recipe_.sources, strict=True) if source == "features"]
    assert not any(matrix.any() for matrix in of_features)
    assert np.ptp(model.embedding_, axis=0).max() > 0


@pytest.mark.parametrize("model", [RawFeatures(), SmoothedFeatures(), SmoothedPCA(), DGI(epochs=1)], ids=repr)
def test_the_baselines_warn(model: Any) -> None:
    with pytest.warns(MeaninglessEmbeddingWarning, match="every node has the same features"):
        model.fit(Graph(TRIANGLE, features=np.ones((3, 2))))
    assert any("every node has the same features" in note for note in model.history_.notes)


def test_averaging_that_makes_rows_alike_is_told_from_features_that_are() -> None:
    with pytest.warns(MeaninglessEmbeddingWarning, match="averaged over neighbours they no longer do.*order=0"):
        SCE(filter=Power(order=1)).fit(Graph(np.ones((6, 6)), features=np.eye(6)))


@pytest.mark.parametrize(
    "graph",
    [
        Graph(PAIR, features=[[1.0, 2.0], [3.0, 4.0]]),
        Graph(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)),
        Graph(ADJACENCY, features=1e-12 * ROWS),
        Graph(ADJACENCY, features=np.eye(50)[:, :1]),
        random_graph(),
    ],
    ids=["two nodes with features", "a path", "1e-12", "one node unlike the others", "any graph"],
)
def test_what_tells_nodes_apart_does_not_warn(graph: Graph) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SCE().fit(graph)
    assert not any("every node has the same vector" in note for note in model.history_.notes)


@settings(deadline=None, max_examples=60)
@given(n_rows=st.integers(2, 300), n_columns=st.integers(1, 5), other=st.integers(0, 299), is_sparse=st.booleans())
def test_one_other_row_is_found_wherever_it_is(n_rows: int, n_columns: int, other: int, is_sparse: bool) -> None:
    rows = np.full((n_rows, n_columns), 7.0, dtype=np.float32)
    kind: Any = sp.csr_array if is_sparse else np.asarray
    assert are_alike(kind(rows))
    rows[other % n_rows, -1] *= 1 + 1e-4
    assert not are_alike(kind(rows))
