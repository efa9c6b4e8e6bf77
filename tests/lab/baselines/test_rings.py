"""Rings against shortest paths, draws from them against the uniform distribution, and edges held out of a graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path
from scipy.stats import chisquare

from conftest import random_graph
from sparsecut.lab.baselines.rings import Rings

ADJACENCY = random_graph(30, density=0.08, seed=3).adjacency  # with pairs that no path joins


def ring_numbers(adjacency: sp.csr_array, radius: int) -> np.ndarray:
    """By dense shortest paths: in which ring of i is j, (n, n); −1 on the diagonal."""
    distance = shortest_path(adjacency, unweighted=True)
    rings = np.where(distance <= radius, distance, radius + 1).astype(int) - 1
    np.fill_diagonal(rings, -1)
    return rings


@pytest.mark.parametrize("radius", [1, 2, 3])
@pytest.mark.parametrize("block_entries", [1, 100, 2**23], ids=["a node a block", "three nodes a block", "one block"])
def test_sizes_and_members_are_those_of_the_shortest_paths(radius, block_entries):
    generator = np.random.default_rng(0)
    found = Rings(ADJACENCY, radius, generator, block_entries=block_entries)
    rings = ring_numbers(ADJACENCY, radius)
    for ring in range(radius + 1):
        np.testing.assert_array_equal(found.sizes[:, ring], (rings == ring).sum(axis=1))
    seen = np.full((30, 30), -1)
    for _ in range(400):
        drawn = found.draw(generator)
        for ring in range(radius + 1):
            some = found.sizes[:, ring] > 0
            seen[np.flatnonzero(some), drawn[some, ring]] = ring
            np.testing.assert_array_equal(drawn[~some, ring], np.flatnonzero(~some))
    np.testing.assert_array_equal(seen, rings)  # every member turned up, and nobody else


@given(st.integers(2, 14), st.floats(0, 1), st.integers(1, 3), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_a_small_pool_holds_members_alone(n_nodes, density, radius, pool, seed):
    generator = np.random.default_rng(seed)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < density, 1)
    adjacency = sp.csr_array((upper | upper.T).astype(np.float32))
    found = Rings(adjacency, radius, generator, pool=pool)
    rings = ring_numbers(adjacency, radius)
    drawn = found.draw(generator)
    for ring in range(radius + 1):
        some = np.flatnonzero(found.sizes[:, ring])
        np.testing.assert_array_equal(rings[some, drawn[some, ring]], ring)


@pytest.mark.parametrize("pool", [2, 128], ids=["a pool of two", "whole rings"])
def test_every_member_of_a_ring_has_the_same_chance(pool):
    generator = np.random.default_rng(1)
    rings = ring_numbers(ADJACENCY, 2)
    node = int(np.argmax(np.diff(ADJACENCY.indptr)))
    found = Rings(ADJACENCY, 2, generator, pool=pool)
    draws = []
    for _ in range(1500):
        if pool == 2:  # the pool itself is part of the draw
            found = Rings(ADJACENCY, 2, generator, pool=pool)
        draws.append(found.draw(generator)[node])
    for ring, drawn in enumerate(np.transpose(draws)):
        members = np.flatnonzero(rings[node] == ring)
        assert len(members) > 2
        assert chisquare([(drawn == member).sum() for member in members]).pvalue > 0.001


def test_a_hub_keeps_no_more_than_its_pool():
    star = np.zeros((400, 400))
    star[0, 1:] = star[1:, 0] = 1
    found = Rings(sp.csr_array(star), 2, np.random.default_rng(0), pool=5)
    np.testing.assert_array_equal(found.sizes[:2], [[399, 0, 0], [1, 398, 0]])
    assert sum(len(members) for _, members in found._pools) == (5 + 399) + 5 * 399
