"""The restart chosen by edges held out: the score, what is left of the graph, and the choice on made graphs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from conftest import load_or_skip, random_graph
from disk_cases import community_graph
from reference import dense_effective_rank, dense_filter
from sparsecut import SCE, Disk, Graph, PageRank
from sparsecut.engines import MemoryEngine
from sparsecut.engines.in_process import InProcess
from sparsecut.features.weighting import Weighting
from sparsecut.graph.edge_sample import sample_edges, sample_node_pairs
from sparsecut.model.auto import filter_choice
from sparsecut.model.auto.constants import CONSTANTS, Constants, FilterCost
from sparsecut.model.auto.filter_choice import choose_filter, shortest_of_best
from sparsecut.operators.reason import Reason


def choose(graph: Graph, filter: PageRank | None = None, constants: Constants = CONSTANTS) -> Any:
    asked = filter or PageRank()
    engine = MemoryEngine(torch.device("cpu"), graph=graph)
    return choose_filter(graph, engine.load(graph, Weighting("none"), asked), asked, engine, constants)


def scores_of(trial: Reason | None) -> dict[float, float]:
    """The AUC by restart, as the reason keeps them."""
    assert trial is not None
    return {float(re.findall(r"restart=([\d.]+)", filter)[0]): auc for filter, auc in trial.figures.items()}


def dense_score(graph: Graph, restart: float) -> float:
    """From the definitions: the graph less the edges, P as a dense matrix, all eigenvectors, the AUC by scikit-learn."""
    from sklearn.metrics import roc_auc_score

    n_held_out = graph.n_edges // 10
    edges, others = sample_edges(InProcess(graph), n_held_out), sample_node_pairs(InProcess(graph), n_held_out)
    A = graph.adjacency.toarray()
    A[edges[0], edges[1]] = 0
    if not graph.is_directed:
        A[edges[1], edges[0]] = 0
    S = dense_filter(A, "pagerank", round(2 / restart), restart) @ graph.features
    S -= S.mean(axis=0)
    variances, vectors = np.linalg.eigh(S.T @ S)
    variances, vectors = variances[::-1], vectors[:, ::-1]
    low, high = 1.0, 64.0
    for _ in range(60):  # the sharpness at which the effective rank is 16
        power = (low + high) / 2
        Z = S @ (vectors * (variances / variances[0]) ** ((power - 1) / 2))
        low, high = (power, high) if dense_effective_rank(Z) > 16 else (low, power)
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    cosines = [(Z[first] * Z[second]).sum(axis=1) for first, second in (edges, others)]
    return float(roc_auc_score(np.repeat([1, 0], [len(values) for values in cosines]), np.concatenate(cosines)))


@pytest.mark.parametrize("is_directed", [False, True])
def test_the_scores_are_the_auc_of_cosines_on_the_graph_that_is_left(is_directed: bool) -> None:
    graph = community_graph(n_features=30, is_directed=is_directed)
    found = scores_of(choose(graph).trial)
    assert sorted(found) == [0.1, 0.2, 0.3]
    for restart, score in found.items():
        assert score == pytest.approx(dense_score(graph, restart), abs=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cora", "wiki", "facebook"])
def test_a_sample_of_the_nodes_tells_the_same_of_a_large_graph(name: str) -> None:
    """Fewer directions, found by a sample: the candidates come in the same order, but for those that are hardly apart."""
    graph = load_or_skip(name)
    graph = graph.replace(features=np.asarray(graph.features.todense() if sp.issparse(graph.features) else graph.features))
    known = scores_of(choose(graph).trial)
    found = scores_of(choose(graph, constants=Constants(filter_cost=FilterCost(many_nodes=100))).trial)
    clear = [(a, b) for a in known for b in known if known[a] > known[b] + 0.003]
    assert clear
    assert all(found[a] > found[b] for a, b in clear)
    assert max(found.values()) == pytest.approx(max(known.values()), abs=0.02)


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize("is_directed", [False, True])
def test_nothing_is_left_of_the_edges_that_are_held_out(is_directed: bool, engine: str, tmp_path: Any) -> None:
    """Seen from the identity as features: a hop along an edge that is gone brings nothing of the other end."""
    plain = community_graph(is_directed=is_directed)
    graph = plain.replace(features=np.eye(300, dtype=np.float32))
    edges = sample_edges(InProcess(graph), graph.n_edges // 10)
    assert edges.shape == (2, graph.n_edges // 10)
    assert (graph.adjacency.toarray()[edges[0], edges[1]] > 0).all()
    choice = Disk(scratch=tmp_path) if engine == "disk" else SCE()._choice("engine")
    from sparsecut.engines import Job

    with choice.open(Job("test", graph)) as opened:
        rows = opened.load(graph, Weighting("none"), PageRank(restart=0.5))
        hop = opened.take(opened.smooth(opened.without(rows, edges), (0.0, 1.0)), np.arange(300)).numpy()
    assert not hop[edges[0], edges[1]].any()
    expected = graph.adjacency.toarray() > 0
    expected[edges[0], edges[1]] = False
    if not is_directed:
        expected[edges[1], edges[0]] = False
    np.fill_diagonal(expected, True)
    assert np.array_equal(hop > 0, expected)


def test_noisier_features_are_smoothed_more() -> None:
    """Nodes on a circle, joined to some near ones; with more noise on every row, more of the neighbourhood is added."""
    generator = np.random.default_rng(0)
    angle = generator.uniform(0, 2 * np.pi, 800)
    waves = np.arange(1, 11)
    position = np.hstack([np.cos(angle[:, None] * waves), np.sin(angle[:, None] * waves)])
    apart = np.abs(np.angle(np.exp(1j * (angle[:, None] - angle))))
    upper = np.triu(generator.random((800, 800)) < 0.12 * np.exp(-((apart / 0.2) ** 2)), 1).astype(np.float32)
    restarts = []
    for spread in (0.0, 5.0):
        features = position + spread * generator.normal(size=position.shape)
        chosen = choose(Graph(sp.csr_array(upper + upper.T), features=features.astype(np.float32)))
        restarts.append(chosen.filter.restart)
        scores = scores_of(chosen.trial)
        assert scores[chosen.filter.restart] == max(scores.values())
    assert restarts[1] < restarts[0]


def test_what_else_the_filter_says_is_kept() -> None:
    graph = community_graph()
    chosen = choose(graph, PageRank(order=3, normalization="symmetric")).filter
    assert (chosen.order, chosen.normalization) == (3, "symmetric")
    assert chosen.restart in (0.1, 0.2, 0.3)


def test_a_restart_that_is_given_is_not_tried() -> None:
    given = PageRank(restart=0.45)
    found = choose(community_graph(), given)
    assert found.filter is given
    assert found.trial is None
    assert found.doubt is None


def test_too_few_edges_to_hold_out_take_the_usual_restart() -> None:
    model = SCE(features="given").fit(random_graph(12, n_features=3))
    assert "edges are too few to hold some out for a trial" in model.explain(details=True)
    assert model.recipe_.filters[-1] == PageRank(restart=0.4)


def test_no_more_edges_are_held_out_than_tell_candidates_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, asked = community_graph(), []
    monkeypatch.setattr(filter_choice, "sample_edges", lambda g, n: asked.append(n) or sample_edges(g, n))
    choose(graph, constants=Constants(filter_cost=FilterCost(max_held_out=50)))
    assert asked == [50]


@pytest.mark.parametrize("behind", [0.0, 4e-4, 6e-4], ids=["equal", "within the tie", "beyond it"])
def test_of_candidates_that_no_measurement_tells_apart_the_shortest(behind: float) -> None:
    """A long filter that is better by less than another draw of the edges changes the AUC by is not worth its hops."""
    candidates = list(PageRank().candidates())
    by_length = sorted(range(len(candidates)), key=lambda number: len(candidates[number].coefficients()))
    scores = [0.5] * len(candidates)
    scores[by_length[-1]], scores[by_length[0]] = 0.8, 0.8 - behind
    expected = candidates[by_length[0 if behind < 5e-4 else -1]]
    assert candidates[shortest_of_best(candidates, scores, CONSTANTS.filter.tie)] == expected
