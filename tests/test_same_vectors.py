"""One graph told in another way is the same model: the same vector for every id.

Lines, rows, columns and the ends of edges in any order, ids in any column or as an index, gzip or not, CSV, Parquet or a
frame of any library; and the nodes called by other names. The inner products of all rows are compared: columns of nearly
equal variance may turn among themselves, which keeps these.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import sparsecut as sc
from conftest import times_when_exploring
from sparsecut.base.errors import DimensionWarning
from table_world import IDS, KINDS, MODELS, World
from telling import Telling, tell, tellings

pytestmark = pytest.mark.slow

ROUNDING = 1e-4  # of the rows' mean square length: what sums in another order may differ by
WORLDS = {
    "seed": st.integers(0, 2**32 - 1),
    "kinds": st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
    "n_nodes": st.sampled_from([24, 90]),
    "is_directed": st.booleans(),
    "is_weighted": st.booleans(),
}


def world_of(ids: str, kinds: list[str], **settings: Any) -> World:
    return World(settings.pop("seed"), [*kinds, "number"], settings.pop("n_nodes"), id_of=IDS[ids], **settings)


def vectors(model: Any, graph: sc.Graph) -> dict[str, np.ndarray]:
    """The vector of every node by its id as a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DimensionWarning)
        Z = clone(model).fit_transform(graph)
    return dict(zip(map(str, graph.node_ids.tolist()), Z, strict=True))


def assert_alike(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert set(one) == set(other)
    first, second = (np.array([rows[node] for node in one], dtype=np.float64) for rows in (one, other))
    assert np.abs(first @ first.T - second @ second.T).max() <= ROUNDING * np.square(first).sum(axis=1).mean()


@settings(max_examples=times_when_exploring(50, 20), deadline=None)
@given(one=tellings(), other=tellings(), ids=st.sampled_from(sorted(IDS)), model=st.sampled_from(MODELS), **WORLDS)
def test_another_telling_is_the_same_vector_for_every_id(
    tmp_path_factory: pytest.TempPathFactory, one: Telling, other: Telling, ids: str, model: Any, **drawn: Any
) -> None:
    world = world_of(ids, **drawn)
    first, second = (tell(world, telling, _folder(tmp_path_factory)) for telling in (one, other))
    assert_alike(vectors(model, first), vectors(model, second))


@settings(max_examples=times_when_exploring(25, 20), deadline=None)
@given(
    one=tellings(),
    other=tellings(),
    ids=st.sampled_from(sorted(IDS)),
    others=st.sampled_from(sorted(IDS)),
    model=st.sampled_from([model for model in MODELS if model.get_params().get("filter", "auto") != "auto"]),
    **WORLDS,
)
def test_other_names_of_the_nodes_are_the_same_vectors(
    tmp_path_factory: pytest.TempPathFactory, one: Telling, other: Telling, ids: str, others: str, model: Any, **drawn: Any
) -> None:
    """With the filter given: what is chosen from a sample of the edges depends on which are drawn, and that on the ids."""
    world = world_of(ids, **drawn)
    n_nodes, generator = len(world.nodes), np.random.default_rng(one.seed)
    names = dict(zip(world.nodes, (IDS[others](number) for number in generator.permutation(n_nodes).tolist()), strict=True))
    first = vectors(model, tell(world, one, _folder(tmp_path_factory)))
    world.rename(names)
    second = vectors(model, tell(world, other, _folder(tmp_path_factory)))
    assert_alike({str(names[node]): first[str(node)] for node in names}, second)


def _folder(factory: pytest.TempPathFactory) -> Path:
    return factory.mktemp("told")
