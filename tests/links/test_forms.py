"""The closed forms against least squares and item–item regression by brute force."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.forms import BOTH, OWN, SOURCES, TARGETS, score_pairs, solve_form
from sparsecut.links.link_sums import Incidence, sum_links
from sparsecut.links.node_kinds import find_ends

N_USERS, N_ITEMS = 40, 25
GENERATOR = np.random.default_rng(0)
R = (GENERATOR.random((N_USERS, N_ITEMS)) < 0.3).astype(float)
R[0], R[:, 0] = 1, 1
GRAPH = sc.Graph(sp.block_array([[None, sp.csr_array(R)], [sp.csr_array(R.T), None]]).tocsr())
ENDS = find_ends(GRAPH)
INCIDENCE = Incidence.of(GRAPH, ENDS)
PAIRS = np.array([(u, N_USERS + v) for u in range(N_USERS) for v in range(N_ITEMS)])


def table(form, Z):
    """Users × items."""
    return score_pairs(form, Z, INCIDENCE, ENDS.oriented(PAIRS)).reshape(N_USERS, N_ITEMS)


def extended(Z, power):
    degrees = np.concatenate([R.sum(axis=1), R.sum(axis=0)])
    x = np.hstack([np.ones((len(Z), 1)), Z]) * ((degrees + 1) ** power)[:, None]
    return x[:N_USERS], x[N_USERS:]


@pytest.mark.parametrize("power", [0.0, 0.5])
def test_own_is_the_least_squares_fit_of_the_adjacency(power):
    Z = GENERATOR.normal(size=(N_USERS + N_ITEMS, 3))
    U, V = extended(Z, power)
    design = np.einsum("ua,vb->uvab", U, V).reshape(-1, 16)
    solution, *_ = np.linalg.lstsq(design, R.ravel(), rcond=None)
    form = solve_form(OWN, power, 1e-12, sum_links(Z, INCIDENCE, power))
    np.testing.assert_allclose(table(form, Z), (design @ solution).reshape(R.shape), atol=1e-6)


def is_users_first() -> bool:
    return bool(ENDS.is_source[0])


def ease(G, penalty):
    """B with a diagonal of zeros that minimises ‖R − RB‖² + λ‖B‖² for G = RᵀR: row by row, by least squares without it."""
    B = np.zeros_like(G)
    for j in range(len(G)):
        others = np.delete(np.arange(len(G)), j)
        B[others, j] = np.linalg.solve(G[np.ix_(others, others)] + penalty * np.eye(len(others)), G[others, j])
    return B


def test_targets_is_item_regression_where_the_vectors_span_everything():
    """With a vector of its own for every node V is square, and the span loses nothing."""
    Z = np.eye(N_USERS + N_ITEMS)
    sums = sum_links(Z, INCIDENCE, 0.0)
    kind = TARGETS if is_users_first() else SOURCES  # items are the regressed end
    form = solve_form(kind, 0.0, 2.0, sums)
    expected = R @ ease(R.T @ R, 2.0 * sums.edge_weight)
    found = score_pairs(form, Z, INCIDENCE, ENDS.oriented(PAIRS), GRAPH.adjacency).reshape(R.shape)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_the_gram_matrix_is_taken_in_the_span_of_the_vectors():
    Z = GENERATOR.normal(size=(N_USERS + N_ITEMS, 4))
    sums = sum_links(Z, INCIDENCE, 0.5)
    kind = TARGETS if is_users_first() else SOURCES
    form = solve_form(kind, 0.5, 1.0, sums)
    _, V = extended(Z, 0.5)
    K = np.linalg.inv(V.T @ V)
    G = V @ K @ V.T @ R.T @ R @ V @ K @ V.T  # the projection of RᵀR
    found = score_pairs(form, Z, INCIDENCE, ENDS.oriented(PAIRS), GRAPH.adjacency).reshape(R.shape)
    np.testing.assert_allclose(found, R @ ease(G, sums.edge_weight), rtol=1e-6, atol=1e-8)


def test_both_is_the_sum_of_its_parts():
    Z = GENERATOR.normal(size=(N_USERS + N_ITEMS, 4))
    sums = sum_links(Z, INCIDENCE, 0.5)
    parts = sum(table(solve_form(kind, 0.5, 3.0, sums), Z) for kind in (TARGETS, SOURCES))
    np.testing.assert_allclose(table(solve_form(BOTH, 0.5, 3.0, sums), Z), parts, rtol=1e-9)


def test_columns_of_zeros_change_nothing():
    Z = GENERATOR.normal(size=(N_USERS + N_ITEMS, 4))
    wide = np.hstack([Z, np.zeros((len(Z), 2))])
    for kind in (TARGETS, BOTH):
        one, two = (table(solve_form(kind, 0.5, 3.0, sum_links(rows, INCIDENCE, 0.5)), rows) for rows in (Z, wide))
        np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-10)


def test_cosine_is_the_cosine_of_the_vectors():
    Z = GENERATOR.normal(size=(N_USERS + N_ITEMS, 4))
    Z[3] = 0
    form = solve_form("cosine", 0.0, 0.0, sum_links(Z, INCIDENCE, 0.0))
    lengths = np.linalg.norm(Z, axis=1)
    expected = (Z[:N_USERS] @ Z[N_USERS:].T) / np.outer(np.where(lengths > 0, lengths, 1)[:N_USERS], lengths[N_USERS:])
    np.testing.assert_allclose(table(form, Z), expected, atol=1e-12)
