"""Every negative graph against a dense Laplacian built a pair at a time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reference import complete_pairs, dense_laplacian, pair_energy
from sparsecut.errors import InputError
from sparsecut.operators.negatives import (
    COLUMN_BLOCK,
    CompleteNegatives,
    DegreeNegatives,
    EdgeNegatives,
    NegativeGraph,
    SumOfNegatives,
    make_negatives,
    sampled_weight,
)
from sparsecut.operators.sampling import pair_of_number, sample_pairs, sparsifier_probability, sparsify_complete

CPU = torch.device("cpu")


def make(name: object, n_nodes: int, seed: int = 0, apart: object = None) -> NegativeGraph:
    generator = np.random.default_rng(seed)
    degrees = degrees_of(n_nodes)
    return make_negatives(
        name, n_nodes, n_negatives=5, generator=generator, device=CPU, caller="SCE", degrees=degrees, apart=apart
    )


def degrees_of(n_nodes: int) -> np.ndarray:
    """Some degrees, whole and not, the last one zero."""
    return np.append(np.linspace(1, 4, n_nodes - 1), 0)


def pairs_of(negatives: NegativeGraph) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(negatives, SumOfNegatives):
        parts = [pairs_of(part) for part in negatives.parts]
        return np.concatenate([pairs for pairs, _ in parts]), np.concatenate([weights for _, weights in parts])
    if isinstance(negatives, EdgeNegatives):
        return negatives.pairs, negatives.weights
    pairs = complete_pairs(negatives.n_nodes)
    if isinstance(negatives, DegreeNegatives):
        degrees = degrees_of(negatives.n_nodes)
        return pairs, np.array([degrees[i] * degrees[j] / degrees.sum() for i, j in pairs])
    return pairs, np.full(len(pairs), negatives.weight)


GIVEN = [(0, 3), (3, 1), (2, 2), (0, 3)]
WEIGHTED = [(0, 3, 0.5), (4, 1, 2.0)]
APART = [(0, 4), (4, 2), (4, 0)]


@pytest.mark.parametrize("apart", [None, APART, WEIGHTED])
@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", "sparsifier", GIVEN, WEIGHTED])
def test_energy_and_gram_match_the_dense_laplacian(name: object, apart: object) -> None:
    negatives = make(name, 9, apart=apart)
    pairs, weights = pairs_of(negatives)
    L = dense_laplacian(9, pairs, weights)
    generator = np.random.default_rng(1)
    S, W = generator.normal(size=(9, 6)), generator.normal(size=(6, 4))
    energy = negatives.energy(torch.from_numpy(S @ W)).item()
    assert energy == pytest.approx(pair_energy(S @ W, pairs, weights), rel=1e-6)
    M = negatives.gram(torch.from_numpy(S)).numpy()
    assert np.allclose(M, S.T @ L @ S, rtol=0, atol=1e-6 * np.abs(M).max())  # a stored Laplacian is float32
    assert np.array_equal(M, M.T)
    assert energy == pytest.approx(np.trace(W.T @ M @ W), rel=1e-6)
    assert negatives.total_weight == pytest.approx(np.trace(L) / 2, rel=1e-6)  # a pair's weight lies on the diagonal twice


def test_gram_in_several_blocks_of_columns() -> None:
    n_features = COLUMN_BLOCK + 7
    S = np.random.default_rng(0).normal(size=(5, n_features))
    L = dense_laplacian(5, complete_pairs(5), np.ones(10))
    assert np.allclose(CompleteNegatives(5).gram(torch.from_numpy(S)), S.T @ L @ S)


def test_one_edge_is_the_denominator_of_the_minimum_s_t_cut() -> None:
    negatives = make([(1, 3)], 5)
    indicator = torch.tensor([[0.0], [1.0], [1.0], [0.0], [0.0]])  # cuts 1 from 3
    assert negatives.energy(indicator).item() == 1
    assert negatives.energy(torch.ones(5, 1)).item() == 0


def test_the_complete_energy_of_a_cut_is_the_product_of_its_sides() -> None:
    indicator = torch.zeros(10, 1)
    indicator[:3] = 1
    assert CompleteNegatives(10).energy(indicator).item() == pytest.approx(3 * 7)


def test_the_degree_energy_of_a_cut_is_the_product_of_its_volumes() -> None:
    """The demand side of the normalised cut: vol(S)·vol(rest)/vol. The node without edges may be on either side."""
    degrees = degrees_of(10)
    for inside in ([0, 1, 2], [0, 1, 2, 9]):
        indicator = torch.zeros(10, 1)
        indicator[inside] = 1
        volume = degrees[inside].sum()
        expected = volume * (degrees.sum() - volume) / degrees.sum()
        assert make("degrees", 10).energy(indicator).item() == pytest.approx(expected)


def test_equal_degrees_are_the_complete_graph() -> None:
    Z = torch.randn(6, 2, generator=torch.Generator().manual_seed(0))
    degrees = DegreeNegatives(torch.full((6,), 3.0, dtype=torch.float64))
    assert torch.allclose(degrees.laplacian(Z), CompleteNegatives(6, 3 / 6).laplacian(Z), atol=1e-6)


def test_a_graph_without_edges_demands_nothing_but_what_must_differ() -> None:
    def of_no_edges(apart: object) -> NegativeGraph:
        options = {"n_negatives": 5, "generator": np.random.default_rng(0), "device": CPU, "caller": "SCE"}
        return make_negatives("degrees", 4, degrees=np.zeros(4), apart=apart, **options)

    Z = torch.tensor([[0.0], [1.0], [3.0], [3.0]])
    assert of_no_edges(None).energy(Z).item() == 0
    assert of_no_edges([(0, 1), (1, 2)]).energy(Z).item() == pytest.approx((1 + 4) / 2)


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", "sparsifier", WEIGHTED])
@pytest.mark.parametrize("n_nodes", [6, 30])
def test_pairs_that_must_differ_demand_as_much_as_the_base(name: object, n_nodes: int) -> None:
    base = make(name, n_nodes)
    L_base = base.laplacian(torch.eye(n_nodes, dtype=torch.float64)).numpy()

    def added(apart: object) -> np.ndarray:
        return make(name, n_nodes, apart=apart).laplacian(torch.eye(n_nodes, dtype=torch.float64)).numpy() - L_base

    expected = dense_laplacian(n_nodes, np.array(APART), np.full(3, np.trace(L_base) / 2 / 3))
    assert np.allclose(added(APART), expected, rtol=1e-6, atol=1e-6 * np.trace(L_base))
    assert np.allclose(added(APART * 2), expected, rtol=1e-6, atol=1e-6 * np.trace(L_base))  # m does not matter
    tenfold = [(*pair, 10) for pair in APART]
    assert np.allclose(added(tenfold), 10 * expected, rtol=1e-6, atol=1e-5 * np.trace(L_base))


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", GIVEN])
@pytest.mark.parametrize("apart", [None, APART])
def test_energy_has_the_right_gradient(name: object, apart: object) -> None:
    Z = torch.randn(9, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(make(name, 9, apart=apart).energy, Z)


def test_all_pairs_cost_no_entries_and_parts_add_up() -> None:
    assert make("degrees", 9).n_entries == make("complete", 9).n_entries == 0
    # Three nodes on the diagonal, and two different pairs in both directions.
    assert make("degrees", 9, apart=APART).n_entries == 3 + 4
    assert make(WEIGHTED, 9, apart=APART).n_entries == make(WEIGHTED, 9).n_entries + 7


def test_sampling_is_reproducible_and_uniform() -> None:
    pairs, weights = sample_pairs(50, 400, np.random.default_rng(7))
    again, _ = sample_pairs(50, 400, np.random.default_rng(7))
    assert np.array_equal(pairs, again)
    assert (np.bincount(pairs[:, 0]) == 400).all()
    assert (weights == 1).all()
    assert stats.chisquare(np.bincount(pairs[:, 1], minlength=50)).pvalue > 0.001


def test_sparsifier_keeps_each_pair_with_the_probability() -> None:
    counts = np.zeros((12, 12))
    generator = np.random.default_rng(0)
    for _ in range(2000):
        pairs, weights = sparsify_complete(12, 0.3, generator)
        assert len(np.unique(pairs, axis=0)) == len(pairs)
        assert (pairs[:, 0] < pairs[:, 1]).all()
        counts[tuple(pairs.T)] += 1
    assert np.allclose(weights, 1 / 0.3)
    kept = counts[np.triu_indices(12, 1)]
    standard = np.sqrt(2000 * 0.3 * 0.7)
    assert (np.abs(kept - 600) < 4.5 * standard).all()
    assert abs(kept.mean() - 600) < 4.5 * standard / np.sqrt(66)


def test_sparsifier_spans_the_complete_graph_and_its_edges() -> None:
    assert len(sparsify_complete(9, 1.0, np.random.default_rng(0))[0]) == 36
    assert len(sparsify_complete(1, 1.0, np.random.default_rng(0))[0]) == 0
    n_nodes = 3000
    pairs, _ = sparsify_complete(n_nodes, sparsifier_probability(n_nodes), np.random.default_rng(0))
    expected = n_nodes * np.log(n_nodes)
    assert abs(len(pairs) - expected) < 5 * np.sqrt(expected)


def test_sparsifier_approximates_the_complete_energy() -> None:
    Z = torch.randn(800, 4, generator=torch.Generator().manual_seed(0))
    assert make("sparsifier", 800).energy(Z).item() == pytest.approx(CompleteNegatives(800).energy(Z).item(), rel=0.1)


@pytest.mark.parametrize("n_negatives", [1, 5])
def test_all_pairs_at_the_sampled_weight_are_what_sampling_expects(n_negatives: int) -> None:
    n_nodes = 12
    Z = np.random.default_rng(0).normal(size=(n_nodes, 3))
    draws = [sample_pairs(n_nodes, n_negatives, np.random.default_rng(seed)) for seed in range(2000)]
    energies = [((Z[pairs[:, 0]] - Z[pairs[:, 1]]) ** 2).sum() for pairs, _ in draws]
    complete = CompleteNegatives(n_nodes)
    scaled = complete.energy(torch.from_numpy(Z)).item() * sampled_weight(n_nodes, n_negatives) / complete.base_weight
    standard_error = np.std(energies) / len(energies) ** 0.5
    assert abs(np.mean(energies) - scaled) < 4.5 * standard_error
    different = np.mean([(pairs[:, 0] != pairs[:, 1]).sum() for pairs, _ in draws])
    assert different == pytest.approx(sampled_weight(n_nodes, n_negatives), rel=0.02)


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", "sparsifier", GIVEN])
def test_the_base_weight_is_what_the_graph_demands_without_pairs_that_must_differ(name: object) -> None:
    base, with_apart = make(name, 30), make(name, 30, apart=APART)
    assert with_apart.base_weight == base.base_weight
    draws = [make(name, 30, seed).total_weight for seed in range(300)]
    assert base.base_weight == pytest.approx(np.mean(draws), rel=0.02)


@given(st.integers(2, 60))
def test_pairs_are_numbered_row_by_row(n_nodes: int) -> None:
    expected = complete_pairs(n_nodes)
    assert np.array_equal(pair_of_number(np.arange(len(expected)), n_nodes), expected)


@given(st.integers(2, 3 * 10**9), st.data())
def test_pair_numbers_are_exact_for_billions_of_nodes(n_nodes: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, n_nodes * (n_nodes - 1) // 2 - 1))
    i, j = map(int, pair_of_number(np.array([number]), n_nodes)[0])
    assert 0 <= i < j < n_nodes
    assert i * (2 * n_nodes - i - 1) // 2 + j - i - 1 == number


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", GIVEN])
@pytest.mark.parametrize("apart", [None, APART])
@pytest.mark.parametrize("batch_size", [2, 3])
def test_over_all_batches_the_mean_energy_is_the_whole_energy(name: object, apart: object, batch_size: int) -> None:
    n_nodes = 7
    negatives = make(name, n_nodes, apart=apart)
    Z = torch.randn(n_nodes, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    energies = []
    for nodes in combinations(range(n_nodes), batch_size):
        needed, batch = negatives.batch(torch.tensor(nodes[::-1]))
        assert batch.n_nodes == len(needed) == len(torch.unique(needed))
        energies.append(batch.energy(Z[needed]).item())
    assert np.mean(energies) == pytest.approx(negatives.energy(Z).item(), rel=1e-6)


@pytest.mark.parametrize(
    ("negatives", "message"),
    [
        ("all", "negatives parameter of SCE must be one of 'complete', 'degrees', 'sampled', 'sparsifier'. Got 'all'"),
        ([(0, 9)], "names nodes that the graph does not have: 9. Its ids are integers from 0 to 4"),
        ([(0, -1)], "names nodes that the graph does not have: -1"),
        ([(0, 1.5)], "names nodes that the graph does not have: 1.5"),
        ([(0, 1, -1)], "zero or more. Got -1"),
        ([(0, 1, np.nan)], "finite weights"),
        ([0, 1], r"pairs \(m, 2\).*Got shape \(2,\)"),
        ({"a": 1}, "array of node pairs"),
    ],
)
def test_bad_negatives_get_their_own_message(negatives: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(negatives, 5)


@pytest.mark.parametrize(
    ("apart", "message"),
    [
        ("complete", "apart parameter of SCE must be an array of node pairs"),
        ([(0, 5)], "apart parameter of SCE names nodes that the graph does not have: 5"),
        ([(0, 1), (2, 2)], "two different nodes. Got the node 2 with itself"),
        ([(0, 1, -2)], "weights of the apart of SCE must be zero or more. Got -2"),
        (np.empty((0, 2)), r"Got shape \(0, 2\)"),
    ],
)
def test_bad_pairs_that_must_differ_get_their_own_message(apart: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make("complete", 5, apart=apart)
