"""What each negative graph demands: cuts by hand, weights, pairs that must differ on top, and messages."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from negative_cases import APART, GIVEN, WEIGHTED, SomeNodes, degrees_of, make_negatives
from reference import dense_laplacian
from sparsecut.base.errors import InputError
from sparsecut.operators.negatives import (
    AllPairs,
    Complete,
    Degrees,
    NegativeGraph,
    Negatives,
    Pairs,
    Sampled,
    Sparsifier,
    complete_graph,
    sampled_weight,
    with_apart,
)
from sparsecut.operators.pair_sampling import sample_pairs


def test_one_edge_is_the_denominator_of_the_minimum_s_t_cut() -> None:
    negatives = make_negatives([(1, 3)], 5)
    indicator = torch.tensor([[0.0], [1.0], [1.0], [0.0], [0.0]])  # cuts 1 from 3
    assert negatives.energy(indicator).item() == 1
    assert negatives.energy(torch.ones(5, 1)).item() == 0


def test_the_complete_energy_of_a_cut_is_the_product_of_its_sides() -> None:
    indicator = torch.zeros(10, 1)
    indicator[:3] = 1
    assert make_negatives("complete", 10).energy(indicator).item() == pytest.approx(3 * 7)


def test_the_degree_energy_of_a_cut_is_the_product_of_its_volumes() -> None:
    """The demand side of the normalised cut: vol(S)·vol(rest)/vol. The node without edges may be on either side."""
    degrees = degrees_of(10)
    for inside in ([0, 1, 2], [0, 1, 2, 9]):
        indicator = torch.zeros(10, 1)
        indicator[inside] = 1
        volume = degrees[inside].sum()
        expected = volume * (degrees.sum() - volume) / degrees.sum()
        assert make_negatives("degrees", 10).energy(indicator).item() == pytest.approx(expected)


def test_equal_degrees_are_the_complete_graph() -> None:
    Z = torch.randn(6, 2, generator=torch.Generator().manual_seed(0))
    degrees = Degrees().describe(SomeNodes(np.full(6, 3.0)), np.random.default_rng(0))
    assert torch.allclose(degrees.laplacian(Z), AllPairs(6, 3 / 6).laplacian(Z), atol=1e-6)


def test_a_graph_without_edges_demands_nothing_but_what_must_differ() -> None:
    of_no_edges = Degrees().describe(SomeNodes(np.zeros(4)), np.random.default_rng(0))
    Z = torch.tensor([[0.0], [1.0], [3.0], [3.0]])
    assert of_no_edges.energy(Z).item() == 0
    with_pairs = with_apart(of_no_edges, [(0, 1), (1, 2)], np.arange(4), "SCE")
    assert with_pairs.energy(Z).item() == pytest.approx((1 + 4) / 2)


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", "sparsifier", WEIGHTED])
@pytest.mark.parametrize("n_nodes", [6, 30])
def test_pairs_that_must_differ_demand_as_much_as_the_base(name: object, n_nodes: int) -> None:
    base = make_negatives(name, n_nodes)
    L_base = base.laplacian(torch.eye(n_nodes, dtype=torch.float64)).numpy()

    def added(apart: object) -> np.ndarray:
        whole = make_negatives(name, n_nodes, apart=apart)
        return whole.laplacian(torch.eye(n_nodes, dtype=torch.float64)).numpy() - L_base

    expected = dense_laplacian(n_nodes, np.array(APART), np.full(3, np.trace(L_base) / 2 / 3))
    assert np.allclose(added(APART), expected, rtol=1e-6, atol=1e-6 * np.trace(L_base))
    assert np.allclose(added(APART * 2), expected, rtol=1e-6, atol=1e-6 * np.trace(L_base))  # m does not matter
    tenfold = [(*pair, 10) for pair in APART]
    assert np.allclose(added(tenfold), 10 * expected, rtol=1e-6, atol=1e-5 * np.trace(L_base))


def test_sparsifier_approximates_the_complete_energy() -> None:
    Z = torch.randn(800, 4, generator=torch.Generator().manual_seed(0))
    expected = complete_graph(800).energy(Z).item()
    assert make_negatives("sparsifier", 800).energy(Z).item() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("n_negatives", [1, 5])
def test_all_pairs_at_the_sampled_weight_are_what_sampling_expects(n_negatives: int) -> None:
    n_nodes = 12
    Z = np.random.default_rng(0).normal(size=(n_nodes, 3))
    draws = [sample_pairs(n_nodes, n_negatives, np.random.default_rng(seed)) for seed in range(2000)]
    energies = [((Z[pairs[:, 0]] - Z[pairs[:, 1]]) ** 2).sum() for pairs, _ in draws]
    complete = complete_graph(n_nodes)
    scaled = complete.energy(torch.from_numpy(Z)).item() * sampled_weight(n_nodes, n_negatives) / complete.base_weight
    standard_error = np.std(energies) / len(energies) ** 0.5
    assert abs(np.mean(energies) - scaled) < 4.5 * standard_error
    different = np.mean([(pairs[:, 0] != pairs[:, 1]).sum() for pairs, _ in draws])
    assert different == pytest.approx(sampled_weight(n_nodes, n_negatives), rel=0.02)


@pytest.mark.parametrize("name", ["complete", "degrees", "sampled", Sampled(n_negatives=3), "sparsifier", GIVEN], ids=str)
def test_the_base_weight_is_what_the_graph_demands_without_pairs_that_must_differ(name: object) -> None:
    base, with_pairs = make_negatives(name, 30), make_negatives(name, 30, apart=APART)
    assert with_pairs.base_weight == base.base_weight
    draws = [make_negatives(name, 30, seed).total_weight for seed in range(300)]
    assert base.base_weight == pytest.approx(np.mean(draws), rel=0.02)


def test_only_sampled_negatives_bring_the_unit_of_alpha() -> None:
    """α counts against 5 sampled pairs per node, or as many as are sampled: k·(n − 1) of two different nodes."""
    assert make_negatives(Sampled(n_negatives=3), 30).unit_weight == 3 * 29
    for name in ("complete", "degrees", "sparsifier", GIVEN):
        assert make_negatives(name, 30).unit_weight is None
    assert sampled_weight(30) == 5 * 29


def listed(negatives: NegativeGraph) -> int:
    return sum(len(part.pairs) for part in negatives.listed)


def test_as_many_pairs_are_announced_as_are_listed() -> None:
    for choice in (Complete(), Degrees(), Sampled(n_negatives=3), Pairs(GIVEN)):
        assert choice.n_pairs(40) == listed(make_negatives(choice, 40))
    drawn = np.mean([listed(make_negatives("sparsifier", 400, seed)) for seed in range(20)])
    assert Sparsifier().n_pairs(400) == pytest.approx(drawn, rel=0.02)
    assert Sparsifier().n_pairs(400) == math.ceil(400 * math.log(401))


@pytest.mark.parametrize(
    ("negatives", "message"),
    [
        (
            "all",
            "The negatives parameter of SCE must be one of 'complete', 'degrees', 'sampled', 'sparsifier', or a Negatives "
            "object. Got 'all' instead.",
        ),
        ([(0, 9)], "names nodes that the graph does not have: 9. Its ids are integers from 0 to 4"),
        ([(0, -1)], "names nodes that the graph does not have: -1"),
        ([(0, 1.5)], "names nodes that the graph does not have: 1.5"),
        ([(0, 1, -1)], "zero or more. Got -1"),
        ([(0, 1, np.nan)], "finite weights"),
        ([0, 1], "pairs (m, 2)"),
        (Pairs({"a": 1}), "array of node pairs"),
        (Sampled(n_negatives=0), "The n_negatives parameter of Sampled must be an integer of at least 1. Got 0 instead."),
        (
            Sampled(n_negatives=2.5),
            "The n_negatives parameter of Sampled must be an integer of at least 1. Got 2.5 instead.",
        ),
    ],
    ids=str,
)
def test_bad_negatives_get_their_own_message(negatives: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_negatives(negatives, 5)
    assert message in str(caught.value)


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
        make_negatives("complete", 5, apart=apart)


def test_words_are_short_for_the_objects() -> None:
    assert Negatives.words() == ("complete", "degrees", "sampled", "sparsifier")
    assert Negatives.of("sampled", "SCE", "negatives") == Sampled(n_negatives=5)
