"""`update` at tolerance 0 is `transform`, and both are the dense matrices, whatever kinds of columns a table has.

Tables of numbers (heavy-tailed, constant, with gaps), words, truth values, dates and lists of words; every filter and
channel; batches of one change and of most of the graph; any sequence of changes. What may differ is rounding, in each row
its own share.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conftest import times_when_exploring
from reference import dense_drift
from sparsecut import SCE, Graph, PageRank, Power
from sparsecut.base.errors import DimensionWarning, NewValuesWarning
from sparsecut.operators.filters import Filter
from table_world import CITIES, KINDS, MODELS, ROUNDING, World, dense_embedding, dense_levels


@pytest.mark.slow
@settings(max_examples=times_when_exploring(40, 10), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    model=st.sampled_from(MODELS),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
    n_nodes=st.sampled_from([24, 60, 180]),
    is_directed=st.booleans(),
    is_weighted=st.booleans(),
    sizes=st.lists(st.sampled_from([1, 3, 40]), min_size=1, max_size=6),
)
def test_an_update_is_transform_and_both_are_the_dense_matrices(
    seed: int, model: Any, kinds: list[str], n_nodes: int, is_directed: bool, is_weighted: bool, sizes: list[int]
) -> None:
    world = World(seed, [*kinds, "number"], n_nodes, is_directed=is_directed, is_weighted=is_weighted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DimensionWarning)
        model.fit(world.graph())
    before = dict(zip(world.nodes, model.embedding_, strict=True))
    for most in sizes:
        batch = world.change(most)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewValuesWarning)  # gaps in a column that had none
            ids, rows = model.update(**batch, tolerance=0)
            transformed = model.transform(world.graph())
        Z = model.embedding_
        assert model.graph_.node_ids.tolist() == list(world.nodes)
        exact, size = dense_embedding(model, world)
        assert (np.linalg.norm(Z - exact, axis=1) <= ROUNDING * size).all()
        assert (np.linalg.norm(transformed - exact, axis=1) <= ROUNDING * size).all()
        now = dict(zip(world.nodes, Z, strict=True))
        assert all(np.array_equal(now[node], row) for node, row in zip(ids.tolist(), rows, strict=True))
        assert all(np.array_equal(now[node], before[node]) for node in set(now) - set(ids.tolist()))
        before = now


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=5),
    filter=st.sampled_from([Power(order=0), Power(order=2), PageRank(restart=0.3)]),
    dimension=st.sampled_from(["auto", 3, 12]),
    tolerance=st.sampled_from([0.0, 1e-3]),
)
def test_the_drift_of_a_table_is_the_distance_of_two_closed_forms(
    seed: int, kinds: list[str], filter: Filter, dimension: Any, tolerance: float
) -> None:
    """The columns beside the weights' are all there are: the number is that of dense closed forms before and after."""
    world = World(seed, [*kinds, "number", "words with gaps"], 120, is_directed=False, is_weighted=False)
    model: Any = SCE(filter=filter, weighting="none", channels="smoothed", dimension=dimension)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DimensionWarning)
        model.fit(world.graph())
    before = dense_levels(model, world)[0][0]
    width = model.weights_[0].shape[1]
    assume(len(model.weights_[0]) <= width + 16)
    for most in (2, 30):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewValuesWarning)
            model.update(**world.change(most), tolerance=tolerance)
        expected = dense_drift(before, dense_levels(model, world)[0][0], width, 16.0)
        assert model.span_drift_ == pytest.approx(expected, rel=0.02, abs=max(10 * tolerance, 1e-3))


def test_the_reported_case() -> None:
    """2,000 nodes in groups of six, an age and one of six cities; 150 edges more, and then two nodes of a new city."""
    generator, n_nodes = np.random.default_rng(0), 2000
    frame = pd.DataFrame({"age": generator.integers(18, 90, n_nodes), "city": generator.choice(CITIES, n_nodes)})
    edges: set[tuple[int, int]] = set()
    while len(edges) < 1543:
        first = 6 * int(generator.integers(n_nodes // 6))
        source, target = sorted((first + generator.choice(6, 2, replace=False)).tolist())
        edges.add((source, target))
    rows, columns = np.array(sorted(edges)).T
    half = sp.coo_array((np.ones(1543), (rows, columns)), shape=(n_nodes, n_nodes))
    model = SCE().fit(Graph((half + half.T).tocsr(), features=frame))
    new = {tuple(sorted(generator.choice(n_nodes, 2, replace=False).tolist())) for _ in range(150)} - edges
    changed = model.update(edges_added=sorted(new), tolerance=0)
    assert "computed for the whole graph" in changed.notes[0]
    exact = model.transform(model.graph_)
    assert np.abs(model.embedding_ - exact).max() < 1e-5
    with pytest.warns(NewValuesWarning):
        model.update(nodes_added={5000: {"age": 30, "city": "Paris"}, 5001: {"age": 40, "city": "Oslo"}})
    assert 0 < model.span_drift_ < 0.1
