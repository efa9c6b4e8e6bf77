"""The choice of channels: by hand for the rule, against dense regressions for the evidence, and on graphs of known kinds."""

from __future__ import annotations

from dataclasses import replace

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
from sparsecut.model.auto.channel_choice import ChannelEvidence, choose_by, gather_evidence
from sparsecut.model.auto.constants import CONSTANTS, ChannelCost, ChannelRule, Constants
from sparsecut.operators.filters import PageRank
from table_world import World

ALL_AT_ONCE = ChannelCost(first_halvings=CONSTANTS.channel_cost.n_halvings, first_nodes=CONSTANTS.channel_cost.most_nodes)
NEVER_CLEAR = ChannelRule(least_own=2.0)  # no R² is as large: no evidence leaves one channel
RIDGE = CONSTANTS.channels.ridge


def planted(kind: str, n_nodes: int = 600, seed: int = 0) -> Graph:
    """Four groups with features of their own plus noise.

    Edges are within groups ("alike"), anywhere ("unlike"), or from each group to the next one, so that neighbours are alike
    and unlike the node ("apart").
    """
    generator = np.random.default_rng(seed)
    groups = np.arange(n_nodes) % 4
    centres = generator.normal(size=(4, 40))
    features = centres[groups] + generator.normal(size=(n_nodes, 40)) * 1.5
    linked = {"alike": groups[:, None] == groups, "unlike": np.ones((n_nodes, n_nodes), dtype=bool)}
    linked["apart"] = (groups[:, None] ^ 1) == groups
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
    assert choose_by(ChannelEvidence(own=0.5, gain=0.025)).weights == {"own": 1.0, "smoothed": 1.0}  # g = g₀
    assert choose_by(ChannelEvidence(own=0.5, gain=0.05)).weights == {"own": 0.12, "smoothed": 1.0}  # (1/2)³
    assert choose_by(ChannelEvidence(own=0.5, gain=0.0125)).weights == {"own": 1.0, "smoothed": 0.12}
    assert choose_by(ChannelEvidence(own=0.5, gain=0.1)).weights == {"smoothed": 1.0}
    assert choose_by(ChannelEvidence(own=0.5, gain=-0.01)).weights == {"own": 1.0}
    r2s = (-0.1, 0.08, 0.09, 0.135, 0.18, 0.3)
    blind = {r2: choose_by(ChannelEvidence(own=0.0, gain=0.3, neighbor_r2=r2)).weights for r2 in r2s}
    assert blind[-0.1] == {"own": 1.0, "smoothed": 0.5}  # never less than half
    assert blind[0.08] == {"own": 1.0, "smoothed": 0.7}  # (0.08/0.09)³
    assert blind[0.09] == {"own": 1.0, "smoothed": 1.0}
    assert blind[0.135] == {"own": 0.3, "smoothed": 1.0}
    assert blind[0.18] == {"own": 0.12, "smoothed": 1.0}
    assert blind[0.3] == {"smoothed": 1.0}
    assert choose_by(ChannelEvidence(own=0.5, gain=0.1, h=0.1, m=0.2)).weights == {"neighbors": 1.0}
    assert choose_by(ChannelEvidence(own=0.5, gain=0.1, h=0.1, m=0.15)).weights == {"smoothed": 1.0}
    assert choose_by(ChannelEvidence(own=0.5, gain=0.1, h=0.01, m=0.04)).weights == {"smoothed": 1.0}  # they hardly agree


@given(own=st.floats(-0.5, 1), gain=st.floats(-1, 1), h=st.floats(-1, 1), m=st.floats(-1, 1), r2=st.floats(-1, 1))
def test_whatever_the_evidence_one_channel_has_weight_one(own: float, gain: float, h: float, m: float, r2: float) -> None:
    weights = choose_by(ChannelEvidence(own, gain, h, m, r2)).weights
    assert max(weights.values()) == 1.0
    assert min(weights.values()) >= CONSTANTS.channels.least_weight
    assert set(weights) in ({"own"}, {"smoothed"}, {"neighbors"}, {"own", "smoothed"}, {"own", "neighbors"})


@pytest.mark.parametrize("kind", ["alike", "unlike", "apart"])
def test_few_halvings_and_nodes_serve_where_they_leave_one_channel(kind: str) -> None:
    graph = planted(kind)
    found = evidence_of(graph, Constants(channel_cost=ChannelCost(first_nodes=500)))
    whole = evidence_of(graph, Constants(channel_cost=ALL_AT_ONCE))
    assert found != whole
    assert choose_by(found).weights == choose_by(whole).weights


@pytest.mark.parametrize("many_entries", [1, 1 << 25], ids=["one halving", "four halvings"])
def test_all_halvings_and_nodes_serve_where_channels_are_mixed(many_entries: int) -> None:
    graph = planted("alike")
    step_by_step = ChannelCost(first_nodes=500, many_entries=many_entries)
    found = evidence_of(graph, Constants(channels=NEVER_CLEAR, channel_cost=step_by_step))
    at_once = replace(ALL_AT_ONCE, many_entries=many_entries)
    assert found == evidence_of(graph, Constants(channels=NEVER_CLEAR, channel_cost=at_once))


def test_one_halving_serves_where_features_have_many_entries() -> None:
    graph = planted("unlike")
    of_all = evidence_of(graph)
    for n_nodes in (300, CONSTANTS.channel_cost.most_nodes):  # some of the nodes, then all of them
        one = ChannelCost(many_entries=0, first_nodes=n_nodes)
        of_one = evidence_of(graph, Constants(channels=NEVER_CLEAR, channel_cost=one))  # more is measured, if there is more
        assert of_one.own == pytest.approx(of_all.own, abs=0.15)
        assert of_one.gain == pytest.approx(of_all.gain, abs=0.05)


def test_r_squared_is_that_of_a_ridge_regression() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 5))
    Y = X @ generator.normal(size=(5, 3)) + generator.normal(size=(300, 3))
    rows = np.hstack([X, Y]) - np.hstack([X, Y]).mean(axis=0)
    ridge = RIDGE * np.square(rows[:, :5]).sum() / 5
    hat = rows[:, :5] @ np.linalg.solve(rows[:, :5].T @ rows[:, :5] + ridge * np.eye(5), rows[:, :5].T)
    left = rows[:, 5:] - hat @ rows[:, 5:]
    expected = 1 - np.square(left).sum() / np.square(rows[:, 5:]).sum() * (300 / (300 - np.trace(hat))) ** 2
    found = channel_choice._r_squared(rows.T @ rows, np.arange(5), np.arange(5, 8), 300, RIDGE)
    assert found == pytest.approx(expected, rel=1e-9)
    assert channel_choice._r_squared(np.zeros((8, 8)), np.arange(5), np.arange(5, 8), 300, RIDGE) == 0


def test_neighbours_leave_the_row_out() -> None:
    """Weighted edges, some of the nodes: against the means over neighbours of a dense adjacency."""
    generator = np.random.default_rng(3)
    upper = np.triu((generator.random((80, 80)) < 0.1) * generator.uniform(0.2, 3, (80, 80)), 1)
    adjacency = (upper + upper.T).astype(np.float32)
    X = generator.normal(size=(80, 4)) + adjacency @ generator.normal(size=(80, 4))
    graph = Graph(sp.csr_array(adjacency), features=X.astype(np.float32))
    nodes = np.flatnonzero(adjacency.sum(axis=1) > 0)[::2]
    closed = adjacency + np.eye(80)
    both = np.hstack([X, closed @ X / closed.sum(axis=1, keepdims=True)])[nodes]
    found = channel_choice._neighbor_r_squared(engine_of(graph), torch.from_numpy(both.astype(np.float32)), nodes, RIDGE)
    means = (adjacency @ X)[nodes] / adjacency.sum(axis=1)[nodes, None]
    rows = np.hstack([means, X[nodes]])
    rows -= rows.mean(axis=0)
    expected = channel_choice._r_squared(rows.T @ rows, np.arange(4), np.arange(4, 8), len(nodes), RIDGE)
    assert found == pytest.approx(expected, abs=1e-4)


def test_cosines_of_neighbours_by_hand() -> None:
    """A star: the leaves point one way, the centre another. h is their cosine, m is 1, whatever else there is."""
    leaves = np.tile([3.0, 1.0, 0.0], (4, 1))
    features = np.vstack([[[-1.0, 2.0, 0.5]], leaves]).astype(np.float32)
    adjacency = np.zeros((5, 5), dtype=np.float32)
    adjacency[0, 1:] = adjacency[1:, 0] = 1
    graph = Graph(sp.csr_array(adjacency), features=features)
    engine = engine_of(graph)
    rows = engine.load(graph, Weighting("none"), PageRank(restart=0.2))
    h, m = channel_choice._agreement(rows, engine, 2000, 8)
    centred = features - features.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    assert h == pytest.approx(unit[0] @ unit[1], abs=1e-6)
    assert m == pytest.approx(1, abs=1e-6)
    bare = Graph(sp.csr_array((5, 5)), features=features)
    assert channel_choice._agreement(rows, engine_of(bare), 2000, 8) == (0.0, 0.0)


def test_the_order_of_a_tables_columns_chooses_nothing() -> None:
    """The halves go by the names of the columns, so that what is measured is the same."""
    world = World(0, ["gaps", "heavy", "number", "number"], 90, is_directed=False, is_weighted=False)
    measured = []
    for names in (["gaps 0", "number 3", "number 2", "heavy 1"], ["number 3", "heavy 1", "number 2", "gaps 0"]):
        model = SCE().fit(Graph(world.graph().adjacency, features=world.frame()[names]))
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
    alike, unlike, apart = (evidence_of(planted(kind)) for kind in ("alike", "unlike", "apart"))
    assert set(choose_by(alike).weights) == {"smoothed"}
    assert set(choose_by(unlike).weights) == {"own"}
    assert "neighbors" in choose_by(apart).weights
    assert alike.h == pytest.approx(alike.m, abs=0.05)
    assert apart.h < 0 < apart.m


def test_where_neighbours_differ_the_features_are_kept() -> None:
    """Do no harm: the default is the embedding of the features themselves."""
    graph = planted("unlike")
    model = SCE().fit(graph)
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
    assert choose_by(unlike).weights == {"own": 1.0, "smoothed": 0.5}
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
        model = SCE().fit(graph)
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
        ("twitch_es", {"neighbors"}),
        ("chameleon_filtered", {"own", "smoothed"}),
    ],
)
def test_real_graphs(name: str, expected: set[str]) -> None:
    assert set(SCE(dimension=8).fit(load_or_skip(name)).recipe_.channels) == expected


def test_the_engines_gather_the_same_evidence(tmp_path: object) -> None:
    graph = planted("alike", n_nodes=300)
    here, there = (SCE(engine=engine).fit(graph) for engine in ("memory", Disk(scratch=str(tmp_path))))
    assert here.recipe_.channels == there.recipe_.channels
    np.testing.assert_allclose(there.embedding_, here.embedding_, atol=1e-3)
