"""Every negative graph against a dense Laplacian built a pair at a time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch

from negative_cases import APART, GIVEN, WEIGHTED, make_negatives, pairs_of
from reference import complete_pairs, dense_laplacian, pair_energy
from sparsecut.engines import MemoryEngine
from sparsecut.engines.memory import COLUMN_BLOCK, _gram_by_columns
from sparsecut.engines.rows import Rows, StackedRows
from sparsecut.operators.negatives import AllPairs, NegativeGraph, complete_graph

ENGINE = MemoryEngine(torch.device("cpu"))


@pytest.mark.parametrize("apart", [None, APART, WEIGHTED])
@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", "sparsifier", GIVEN, WEIGHTED])
def test_energy_and_gram_match_the_dense_laplacian(name: object, apart: object) -> None:
    negatives = make_negatives(name, 9, apart=apart)
    pairs, weights = pairs_of(negatives)
    L = dense_laplacian(9, pairs, weights)
    generator = np.random.default_rng(1)
    S, W = generator.normal(size=(9, 6)), generator.normal(size=(6, 4))
    energy = negatives.energy(torch.from_numpy(S @ W)).item()
    assert energy == pytest.approx(pair_energy(S @ W, pairs, weights), rel=1e-6)
    M = ENGINE.moments([Rows(torch.from_numpy(S))], negatives).M.numpy()
    assert np.allclose(M, S.T @ L @ S, rtol=0, atol=1e-6 * np.abs(M).max())  # a stored Laplacian is float32
    assert np.array_equal(M, M.T)
    assert energy == pytest.approx(np.trace(W.T @ M @ W), rel=1e-6)
    assert negatives.total_weight == pytest.approx(np.trace(L) / 2, rel=1e-6)  # a pair's weight lies on the diagonal twice


def test_gram_in_several_blocks_of_columns() -> None:
    n_features = COLUMN_BLOCK + 7
    S = np.random.default_rng(0).normal(size=(5, n_features))
    L = dense_laplacian(5, complete_pairs(5), np.ones(10))
    whole = ENGINE.moments([Rows(torch.from_numpy(S))], complete_graph(5)).M
    by_columns = _gram_by_columns(Rows(torch.from_numpy(S)), complete_graph(5))
    side_by_side = StackedRows([Rows(torch.from_numpy(S[:, :300])), Rows(torch.from_numpy(S[:, 300:]))])
    for M in (whole, by_columns, _gram_by_columns(side_by_side, complete_graph(5))):
        assert np.allclose(M, S.T @ L @ S)


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", GIVEN])
@pytest.mark.parametrize("apart", [None, APART])
def test_energy_has_the_right_gradient(name: object, apart: object) -> None:
    Z = torch.randn(9, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(make_negatives(name, 9, apart=apart).energy, Z)


def test_all_pairs_cost_no_entries_and_parts_add_up() -> None:
    assert make_negatives("degrees", 9).n_entries == make_negatives("complete", 9).n_entries == 0
    # Three nodes on the diagonal, and two different pairs in both directions.
    assert make_negatives("degrees", 9, apart=APART).n_entries == 3 + 4
    assert make_negatives(WEIGHTED, 9, apart=APART).n_entries == make_negatives(WEIGHTED, 9).n_entries + 7


def test_only_all_pairs_of_one_weight_are_the_complete_graph() -> None:
    assert complete_graph(5).is_complete
    assert NegativeGraph(5, (AllPairs(5, scale=0.5),)).is_complete
    for name, apart in (("degrees", None), ("sampled", None), (GIVEN, None), ("complete", APART)):
        assert not make_negatives(name, 9, apart=apart).is_complete


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", GIVEN])
@pytest.mark.parametrize("apart", [None, APART])
@pytest.mark.parametrize("batch_size", [2, 3])
def test_over_all_batches_the_mean_energy_is_the_whole_energy(name: object, apart: object, batch_size: int) -> None:
    n_nodes = 7
    negatives = make_negatives(name, n_nodes, apart=apart)
    Z = torch.randn(n_nodes, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    energies = []
    for nodes in combinations(range(n_nodes), batch_size):
        needed, batch = negatives.batch(torch.tensor(nodes[::-1]))
        assert batch.n_nodes == len(needed) == len(torch.unique(needed))
        energies.append(batch.energy(Z[needed]).item())
    assert np.mean(energies) == pytest.approx(negatives.energy(Z).item(), rel=1e-6)
