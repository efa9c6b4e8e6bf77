"""The graph of accounts and rings: what its description says, by counting."""

from __future__ import annotations

import numpy as np

from rings import N_ACCOUNTS, RING, beside, make_rings


def test_a_seed_makes_one_graph() -> None:
    first, again, other = make_rings(1), make_rings(1), make_rings(2)
    assert (first.adjacency != again.adjacency).nnz == 0
    assert (first.adjacency != other.adjacency).nnz > 0
    np.testing.assert_array_equal(first.features, again.features)
    np.testing.assert_array_equal(first.labels, again.labels)


def test_rings_pass_on_what_they_get() -> None:
    graph = make_rings(0)
    assert graph.n_nodes == N_ACCOUNTS
    assert graph.is_directed
    assert graph.is_weighted
    assert graph.labels is not None
    assert graph.labels.mean() == 0.03
    fraud = np.flatnonzero(graph.labels)
    within = graph.adjacency[fraud][:, fraud].toarray()
    large = within > 15  # few ordinary transfers are as large
    assert (large.sum(axis=0) >= 1).mean() > 0.95
    after = np.argmax(within, axis=1)  # where most of the money goes
    places = np.arange(len(fraud))
    for _ in range(RING):
        places = after[places]
    assert (places == np.arange(len(fraud))).mean() > 0.95  # six steps on, it is back
    np.testing.assert_allclose(within.max(axis=1), within.max(axis=0), rtol=0.2)  # as much leaves as arrives


def test_the_other_has_its_share_of_the_length() -> None:
    generator = np.random.default_rng(0)
    Z, other = generator.normal(size=(50, 4)), 7 * generator.normal(size=(50, 3))
    found = beside(Z, other, 0.2)
    np.testing.assert_array_equal(found[:, :4], Z)
    assert np.isclose(np.square(found[:, 4:]).sum(), 0.04 * np.square(Z).sum())
