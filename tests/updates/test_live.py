"""The state of a model: what it takes, what it returns, and the graph that it is of."""

from __future__ import annotations

import numpy as np
import pytest

from changing import Shadow, distance
from conftest import random_graph
from sparsecut import SCE, PageRank
from sparsecut.updates.live import Changed, LiveState


def state_of(model: SCE) -> LiveState:
    return LiveState.of(model.graph_, model.recipe_, model.weights_, model.offset_, model.embedding_, 16.0, model.columns_)


def test_memory_is_the_hops_of_the_columns() -> None:
    graph = random_graph(200, 40, seed=1)
    model = SCE(filter=PageRank(restart=0.3, order=5), channels=("own", "smoothed"), dimension=20).fit(graph)
    widths, state = [matrix.shape[1] for matrix in model.weights_], state_of(model)
    n_hops = [1, 6]  # own has one term, P⁰
    assert state.n_bytes == 4 * 200 * sum(hops * width for hops, width in zip(n_hops, widths, strict=True))


def test_a_state_is_the_embedding_of_its_graph_and_gives_the_graph_back() -> None:
    graph = random_graph(60, 6, seed=1, is_weighted=True)
    model = SCE(filter=PageRank(restart=0.3)).fit(graph)
    state, shadow = state_of(model), Shadow(graph)
    np.testing.assert_array_equal(state.embedding(), model.embedding_)
    assert distance(state._computed(np.arange(60)), model.embedding_) < 1e-5
    length = np.sqrt(np.square(model.embedding_ - model.embedding_.mean(axis=0)).sum(axis=1).mean())
    assert state.length == pytest.approx(length, rel=1e-4)
    np.testing.assert_array_equal(state.to_graph().adjacency.toarray(), shadow.graph().adjacency.toarray())
    assert state.to_graph().features is not None


def test_what_changed_unpacks_as_ids_and_rows() -> None:
    changed = Changed(np.array([3]), np.ones((1, 2), dtype=np.float32), removed=[4], notes=["so"])
    ids, rows = changed
    assert (ids.tolist(), rows.tolist(), len(changed)) == ([3], [[1, 1]], 1)
