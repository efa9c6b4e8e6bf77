"""The choice of channels: by hand for the rule, against dense regressions for the evidence, and on graphs of known kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from conftest import load_or_skip, random_graph
from sparsecut import SCE, Disk, Graph
from sparsecut.engines.memory import MemoryEngine
from sparsecut.features.weighting import Weighting
from sparsecut.graph.edge_sample import sample_linked_nodes
from sparsecut.model.auto import channel_choice
from sparsecut.model.auto.channel_choice import ChannelEvidence, choose_by, gather_evidence, predict_left_out
from sparsecut.model.auto.constants import CONSTANTS, ChannelCost, Constants
from sparsecut.operators.filters import PageRank
from table_world import World

RULE = CONSTANTS.regressions


def planted(kind: str, n_nodes: int = 600, seed: int = 0, noise: float = 1.5) -> Graph:
    """Four groups with features of their own plus noise.

    Edges are within groups ("alike") or anywhere ("unlike").
    """
    generator = np.random.default_rng(seed)
    groups = np.arange(n_nodes) % 4
    centres = generator.normal(size=(4, 40))
    features = centres[groups] + generator.normal(size=(n_nodes, 40)) * noise
    linked = {"alike": groups[:, None] == groups, "unlike": np.ones((n_nodes, n_nodes), dtype=bool)}
    upper = np.triu(linked[kind] & (generator.random((n_nodes, n_nodes)) < 8 / n_nodes / linked[kind].mean()), 1)
    return Graph(sp.csr_array((upper + upper.T).astype(np.float32)), features=features.astype(np.float32), labels=groups)


def engine_of(graph: Graph) -> MemoryEngine:
    return MemoryEngine(torch.device("cpu"), graph=graph)


def evidence_of(graph: Graph, constants: Constants = CONSTANTS) -> ChannelEvidence:
    engine, weighting = engine_of(graph), Weighting("none")
    rows = engine.load(graph, weighting, PageRank(restart=0.2))
    return gather_evidence(
        graph, rows, weighting, engine, sample_linked_nodes(engine, constants.channel_cost.most_nodes), constants
    )


def test_the_rule_by_hand() -> None:
    assert choose_by(ChannelEvidence(own=0.5, gain=0.015)).weights == {"own": 1.0, "smoothed": 1.0}  # g = g₀
    assert choose_by(ChannelEvidence(own=0.5, gain=0.03)).weights == {"own": 0.25, "smoothed": 1.0}  # (1/2)²
    assert choose_by(ChannelEvidence(own=0.5, gain=0.0075)).weights == {"own": 1.0, "smoothed": 0.25}
    assert choose_by(ChannelEvidence(own=0.5, gain=0.1)).weights == {"smoothed": 1.0}
    assert choose_by(ChannelEvidence(own=0.5, gain=-0.01)).weights == {"own": 1.0}
    r2s = (-0.1, 0.03, 0.06, 0.12, 0.3)
    blind = {r2: choose_by(ChannelEvidence(own=0.0, gain=0.3, neighbor_r2=r2)).weights for r2 in r2s}
    assert blind[-0.1] == {"own": 1.0}
    assert blind[0.03] == {"own": 1.0, "smoothed": 0.25}
    assert blind[0.06] == {"own": 1.0, "smoothed": 1.0}
    assert blind[0.12] == {"own": 0.25, "smoothed": 1.0}
    assert blind[0.3] == {"smoothed": 1.0}


def test_what_may_be_chance_counts_as_nothing() -> None:
    """The same gain decides for the smoothed row, for a mixture or for the own row, by its standard error."""
    errors = (0.0, 0.07, 0.085, 0.1, 0.2)
    found = [choose_by(ChannelEvidence(own=0.5, gain=0.1, error=error)).weights for error in errors]
    mixtures = [{"own": 0.25, "smoothed": 1.0}, {"own": 1.0, "smoothed": 1.0}]
    assert found == [{"smoothed": 1.0}, *mixtures, {"own": 1.0}, {"own": 1.0}]
    alone = ChannelEvidence(own=0.0, gain=0.0, neighbor_r2=0.16, neighbor_error=0.1)
    assert choose_by(alone).weights == {"own": 1.0, "smoothed": 1.0}


@given(
    own=st.floats(-0.5, 1), gain=st.floats(-1, 1), error=st.floats(0, 1), r2=st.floats(-1, 1), neighbor_error=st.floats(0, 1)
)
def test_whatever_the_evidence_one_channel_has_weight_one(
    own: float, gain: float, error: float, r2: float, neighbor_error: float
) -> None:
    weights = choose_by(ChannelEvidence(own, gain, error, r2, neighbor_error)).weights
    assert max(weights.values()) == 1.0
    assert min(weights.values()) >= CONSTANTS.channels.least_weight
    assert set(weights) in ({"own"}, {"smoothed"}, {"own", "smoothed"})


def test_one_halving_serves_where_features_have_many_entries() -> None:
    graph = planted("unlike")
    of_all, of_one = evidence_of(graph), evidence_of(graph, Constants(channel_cost=ChannelCost(many_entries=0)))
    assert of_one != of_all
    assert of_one.own == pytest.approx(of_all.own, abs=0.15)
    assert of_one.gain == pytest.approx(of_all.gain, abs=0.05)


def test_every_row_is_predicted_from_the_others() -> None:
    """Against n ridge regressions, each without the row it predicts, with the ridge that scikit-learn's GCV would take."""
    generator = np.random.default_rng(0)
    X, P = generator.normal(size=(60, 5)), generator.normal(size=(60, 3)) * 7
    Y = X @ generator.normal(size=(5, 4)) + P @ generator.normal(size=(3, 4)) / 9 + generator.normal(size=(60, 4))
    found, errors = predict_left_out([X, P], Y, RULE)
    scaled = [(block - block.mean(axis=0)) / np.linalg.norm(block - block.mean(axis=0)) for block in (X, P, Y)]
    A, B = np.hstack(scaled[:2]), scaled[2]

    def gcv(ridge: float) -> float:
        hat = A @ np.linalg.solve(A.T @ A + ridge * np.eye(8), A.T)
        return float(1 - np.square(B - hat @ B).sum() * (60 / (60 - np.trace(hat))) ** 2)

    ridges = [ridge * np.trace(A.T @ A) / 8 for ridge in RULE.ridges]
    assert found == pytest.approx(max(map(gcv, ridges)), rel=1e-9)
    ridge = max(ridges, key=gcv)
    of_tensors, errors_of_tensors = predict_left_out([torch.from_numpy(X), torch.from_numpy(P)], torch.from_numpy(Y), RULE)
    assert of_tensors == pytest.approx(found, rel=1e-12)
    assert np.allclose(errors_of_tensors, errors, rtol=1e-10)
    for row in (0, 17, 59):
        others = np.arange(60) != row
        centre, target = A[others].mean(axis=0), B[others].mean(axis=0)
        inner = A[others] - centre
        W = np.linalg.solve(inner.T @ inner + ridge * np.eye(8), inner.T @ (B[others] - target))
        assert errors[row] == pytest.approx(np.square(B[row] - target - (A[row] - centre) @ W).sum(), rel=1e-6)


def test_rows_that_do_not_differ_predict_nothing_and_need_no_prediction() -> None:
    varied = np.random.default_rng(0).normal(size=(20, 3))
    constant = np.ones((20, 3))
    assert predict_left_out([varied], constant, RULE)[0] == 0
    assert predict_left_out([constant], varied, RULE)[0] == pytest.approx(0)
    assert np.isfinite(predict_left_out([constant], varied, RULE)[1]).all()


def test_neighbours_leave_the_row_out() -> None:
    """Weighted edges, some of the nodes: against the means over neighbours of a dense adjacency."""
    generator = np.random.default_rng(3)
    upper = np.triu((generator.random((80, 80)) < 0.1) * generator.uniform(0.2, 3, (80, 80)), 1)
    adjacency = (upper + upper.T).astype(np.float32)
    X = generator.normal(size=(80, 4)) + adjacency @ generator.normal(size=(80, 4))
    graph = Graph(sp.csr_array(adjacency), features=X.astype(np.float32))
    nodes = np.flatnonzero(adjacency.sum(axis=1) > 0)[::2]
    engine = engine_of(graph)
    rows = engine.load(graph, Weighting("none"), PageRank(restart=0.2))
    ((own, around),) = channel_choice._at_nodes(engine, rows, [torch.eye(4)], nodes, 2.0, is_sparse=False)
    for taken, product in zip(
        (own, around), *channel_choice._at_nodes(engine, rows, [torch.eye(4)], nodes, 2.0, is_sparse=True), strict=True
    ):
        assert np.allclose(taken, product, rtol=1e-5)  # rows at the nodes, and products with all of them
    degrees = adjacency.sum(axis=1, dtype=np.float64)[nodes, None]
    r2, error = channel_choice._predict_from_neighbours(own, around, degrees, RULE)
    means = (adjacency @ X)[nodes] / adjacency.sum(axis=1)[nodes, None]
    _, errors = predict_left_out([means], X[nodes], RULE)
    assert r2 == pytest.approx(1 - errors.sum(), abs=1e-4)
    centred = X[nodes] - X[nodes].mean(axis=0)
    saved = np.square(centred).sum(axis=1) / np.square(centred).sum() - errors
    assert error == pytest.approx(saved.std() * len(nodes) ** 0.5, abs=1e-4)


def test_the_standard_error_is_that_of_other_samples_of_nodes() -> None:
    """Forty graphs of one kind: their gains spread about as much as each of them says."""
    found = [evidence_of(planted("alike", n_nodes=200, seed=seed)) for seed in range(40)]
    spread = np.std([evidence.gain for evidence in found])
    assert 0.4 * spread < np.mean([evidence.error for evidence in found]) < 1.5 * spread


def test_columns_of_noise_alone_have_nothing_in_common() -> None:
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(size=(200, 40)).astype(np.float32)
        graph = planted("alike", n_nodes=200).replace(features=noise)
        assert evidence_of(graph).is_blind(CONSTANTS.channels)


@pytest.mark.parametrize(("kind", "expected"), [("alike", {"smoothed": 1.0}), ("unlike", {"own": 1.0})])
def test_columns_that_are_nearly_all_noise_are_averaged_where_neighbours_are_alike(kind: str, expected: Any) -> None:
    """Half of the columns says less than one percent of the other, which thousands of nodes tell from chance."""
    graph = planted(kind, n_nodes=3000, noise=5.0)
    evidence = evidence_of(graph)
    assert 0.0 < evidence.own < 0.01
    assert choose_by(evidence).weights == expected
    assert choose_by(replace(evidence, own_error=evidence.own)).weights != {"smoothed": 1.0}  # it may be chance


def test_edges_drawn_at_random_are_never_followed_on_small_graphs() -> None:
    """Do no harm where evidence is thin: eighty nodes and features that have nothing to do with the edges."""
    assert all(choose_by(evidence_of(planted("unlike", n_nodes=80, seed=seed))).weights["own"] == 1 for seed in range(40))


def test_the_order_of_a_tables_columns_chooses_nothing() -> None:
    """The halves go by the names of the columns, so that what is measured is the same."""
    world = World(0, ["gaps", "heavy", "number", "number"], 90, is_directed=False, is_weighted=False)
    measured = []
    for names in (["gaps 0", "number 3", "number 2", "heavy 1"], ["number 3", "heavy 1", "number 2", "gaps 0"]):
        model = SCE(features="given").fit(Graph(world.graph().adjacency, features=world.frame()[names]))
        measured.append([reason for reason in model.recipe_.reasons if reason.topic == "channels"])
    assert measured[0]
    assert measured[0] == measured[1]


def test_halves_share_no_column() -> None:
    graph = random_graph(300, 30)
    product = channel_choice._sampled_product(engine_of(graph), Weighting("none"), 4096)
    halvings = channel_choice._directions_of_halves(
        product, 30, 8, 4, torch.Generator().manual_seed(0), torch.device("cpu"), None, n_iterations=3, effective_rank=16.0
    )
    assert len(halvings) == 4
    for W in halvings:
        first, second = (W[:, part].abs().sum(dim=1) > 0 for part in (slice(8), slice(8, None)))
        assert int(first.sum()) == int(second.sum()) == 15
        assert not bool((first & second).any())
    dense = np.asarray(graph.features)
    dense = dense - dense.mean(axis=0)
    sparse = channel_choice._sampled_product(
        engine_of(graph.replace(features=sp.csr_array(graph.features))), Weighting("none"), 4096
    )
    for multiply in (product, sparse):
        np.testing.assert_allclose(multiply(W).numpy(), dense.T @ dense @ W.numpy(), rtol=1e-3, atol=1e-2)


def test_graphs_of_known_kinds() -> None:
    chosen = {kind: choose_by(evidence_of(planted(kind))).weights for kind in ("alike", "unlike")}
    assert chosen == {"alike": {"smoothed": 1.0}, "unlike": {"own": 1.0}}


def test_where_neighbours_differ_the_features_are_kept() -> None:
    """Do no harm: the default is the embedding of the features themselves."""
    graph = planted("unlike")
    model = SCE(features="given").fit(graph)
    np.testing.assert_array_equal(model.embedding_, SCE(channels="own").fit_transform(graph))
    (reason,) = [reason for reason in model.recipe_.reasons if reason.topic == "channels"]
    assert reason.figures["R2"] == reason.figures["R2 with neighbours"] > 0.01
    assert "neighbours do not help to predict a node's features" in model.explain()


def components(graph: Graph) -> Graph:
    """The same graph with columns that have nothing in common: the principal components of its features."""
    U, sizes, _ = np.linalg.svd(np.asarray(graph.features) - np.asarray(graph.features).mean(axis=0), full_matrices=False)
    return graph.replace(features=(U * sizes).astype(np.float32))


def test_columns_without_anything_in_common_ask_the_neighbours() -> None:
    alike, unlike = (evidence_of(components(planted(kind))) for kind in ("alike", "unlike"))
    assert choose_by(alike).is_blind
    assert choose_by(unlike).is_blind
    assert choose_by(alike).weights == {"smoothed": 1.0}
    assert choose_by(unlike).weights == {"own": 1.0}
    assert "neighbours predict its features with R² 0 %" in SCE(dimension=4).fit(components(planted("unlike"))).explain()


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_length_is_kept_where_rows_say_nothing_without_it(engine: str) -> None:
    """Marks at random, more of them for some nodes than for others: their number is all that a row says."""
    generator = np.random.default_rng(0)
    marks = generator.random((500, 200)) < 0.05 * np.exp(0.7 * generator.normal(size=(500, 1)))
    graph = planted("unlike", n_nodes=500).replace(features=sp.csr_array(marks.astype(np.float32)))
    model = SCE(engine=engine).fit(graph)
    assert model.recipe_.weighting.name == "none"
    assert "scaled to one length, half of the columns no longer predicts the other half" in model.explain()
    lengths = np.sqrt(marks.sum(axis=1))
    told = np.linalg.lstsq(np.c_[model.embedding_, np.ones(500)], lengths, rcond=None)[0]
    assert np.corrcoef(np.c_[model.embedding_, np.ones(500)] @ told, lengths)[0, 1] > 0.9
    assert SCE(engine=engine, weighting="tf-idf").fit(graph).recipe_.weighting.name == "tf-idf"  # what is asked for is done
    assert SCE(engine=engine, channels="own").fit(graph).recipe_.weighting.name == "tf-idf"  # nothing was measured


def test_nodes_without_neighbours_are_no_evidence() -> None:
    graph = planted("alike")
    n = graph.n_nodes
    lonely = np.random.default_rng(1).normal(size=(n, 40)).astype(np.float32)
    larger = Graph(
        sp.block_diag([graph.adjacency, sp.csr_array((n, n))], format="csr"), features=np.vstack([graph.features, lonely])
    )
    n_linked = [len(sample_linked_nodes(engine_of(each), CONSTANTS.channel_cost.most_nodes)) for each in (graph, larger)]
    assert n_linked == 2 * [np.count_nonzero(np.diff(graph.adjacency.indptr))]
    assert set(choose_by(evidence_of(larger)).weights) == {"smoothed"}


def test_too_little_to_tell() -> None:
    for graph, why in (
        (random_graph(300, 3), "3 features are too few"),
        (random_graph(30, 12), "linked nodes are too few"),
    ):
        model = SCE(features="given").fit(graph)
        assert model.recipe_.channels == {"own": 1.0, "smoothed": 1.0}
        assert why in model.explain()
    assert list(SCE(dimension=1).fit(random_graph(30, 12)).channels_) == ["smoothed"]  # one column is not shared


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cora", {"smoothed"}),
        ("citeseer", {"smoothed"}),
        ("cornell", {"own"}),
        ("wiki", {"own", "smoothed"}),
        ("twitch_es", {"smoothed"}),
        ("chameleon_filtered", {"own"}),
    ],
)
def test_real_graphs(name: str, expected: set[str]) -> None:
    assert set(SCE(dimension=8).fit(load_or_skip(name)).recipe_.channels) == expected


def test_the_engines_gather_the_same_evidence(tmp_path: object) -> None:
    graph = planted("alike", n_nodes=300)
    here, there = (SCE(engine=engine).fit(graph) for engine in ("memory", Disk(scratch=str(tmp_path))))
    assert here.recipe_.channels == there.recipe_.channels
    np.testing.assert_allclose(there.embedding_, here.embedding_, atol=1e-3)
