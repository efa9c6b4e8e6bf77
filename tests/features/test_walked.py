"""What chooses a weighting, by parts of the rows, against the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import random_graph
from sparsecut.features import walked as by_parts
from sparsecut.features.weighting import learn_weighting
from sparsecut.graph import Graph
from sparsecut.model.auto.weighting_choice import _length_agreement, choose_weighting
from walking import MemoryWalk, walked

CUTS = [7, 8, 30]


def graph_of(kind: str) -> Graph:
    graph = random_graph(60, 6, density=0.2, is_weighted=kind == "weighted", seed=3)
    numbers = np.abs(graph.features) * (1 + np.arange(60) % 5)[:, None]
    if kind == "signed":
        numbers = graph.features
    elif kind == "counts":
        numbers = np.floor(numbers)
    elif kind == "sparse":
        return graph.replace(features=sp.csr_array(np.floor(numbers).astype(np.float32)))
    return graph.replace(features=numbers.astype(np.float32))


@pytest.mark.parametrize("kind", ["signed", "amounts", "weighted", "counts", "sparse"])
def test_the_choice_and_its_reason_are_those_of_the_whole(kind: str) -> None:
    graph = graph_of(kind)
    assert choose_weighting(walked(graph, CUTS)) == choose_weighting(graph)
    assert _length_agreement(walked(graph, CUTS)) == pytest.approx(_length_agreement(graph), abs=1e-12)
    expected = learn_weighting("tf-idf", graph.features).columns
    assert np.array_equal(learn_weighting("tf-idf", graph.features, MemoryWalk(graph, CUTS)).columns, expected)


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), max_size=6), st.integers(0, 3))
def test_the_correlation_is_numpys_in_any_parts(cuts: list[int], seed: int) -> None:
    generator = np.random.default_rng(seed)
    features = generator.lognormal(3, 1, (60, 4)).astype(np.float32)
    graph = random_graph(60, seed=seed, density=0.03).replace(features=features)  # some nodes have no neighbour
    n_nodes, deviation, correlation = by_parts.length_agreement(MemoryWalk(graph, cuts))
    A, logs = graph.adjacency.toarray().astype(np.float64), np.log(np.linalg.norm(features.astype(np.float64), axis=1))
    linked = A.sum(axis=1) > 0
    around = (A @ logs)[linked] / A.sum(axis=1)[linked]
    assert n_nodes == linked.sum()
    assert deviation == pytest.approx(logs[linked].std(), rel=1e-9)
    assert correlation == pytest.approx(np.corrcoef(logs[linked], around)[0, 1], abs=1e-9)


def test_lengths_that_do_not_differ_say_nothing() -> None:
    graph = random_graph(30).replace(features=np.ones((30, 2), dtype=np.float32))
    assert _length_agreement(walked(graph, CUTS)) == 0
    empty = graph.replace(features=sp.csr_array((30, 2), dtype=np.float32))
    assert choose_weighting(walked(empty, CUTS)) == choose_weighting(empty)
