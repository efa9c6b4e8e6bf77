"""The same graph with its nodes and lines in another order: the same links held out, the same forms and recommendations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from sparsecut.evaluation import hold_out_edges, score_links
from sparsecut.links.held_out_links import hold_out_links
from sparsecut.links.node_kinds import find_ends

N = 130
EQUAL = 1e-5  # of the largest score: what another order of sums may change
GENERATOR = np.random.default_rng(8)
WORDS = np.array([f"node {number * 7919 % 1009}" for number in range(N)])
NUMBERS = np.arange(N) * 37 % 1009
ORDER = GENERATOR.permutation(N)


def arrays(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of nodes by number, each once, and their features."""
    groups = np.arange(N) % 5
    shares = np.where(groups[:, None] == groups, 0.25, 0.02)
    if kind == "bipartite":
        shares = shares * (np.arange(N) < 70)[:, None] * (np.arange(N) >= 70) * 2
    drawn = np.random.default_rng(1).random((N, N)) < shares
    drawn = drawn * (1 - np.eye(N)) if kind == "directed" else np.triu(drawn, 1)
    return np.argwhere(drawn), np.random.default_rng(2).normal(size=(N, 6)) + np.eye(6)[groups]


def graphs(kind: str, ids: np.ndarray) -> list[sc.Graph]:
    """A graph, and the same from tables with their lines shuffled."""
    pairs, features = arrays(kind)
    lines = np.random.default_rng(3).permutation(len(pairs))
    made = []
    for nodes, order in ((np.arange(N), np.arange(len(pairs))), (ORDER, lines)):
        edges = pd.DataFrame({"source": ids[pairs[order, 0]], "target": ids[pairs[order, 1]]})
        table = pd.DataFrame(features[nodes], index=ids[nodes], columns=[f"x{number}" for number in range(6)])
        if kind == "typed":
            made.append(typed(edges, table, ids, is_turned=nodes is ORDER))
            continue
        directed = "out" if kind == "directed" else "symmetrize"
        graph = sc.from_edges(edges, features=table, directed=directed)
        place = {name: position for position, name in enumerate(graph.node_ids.tolist())}
        # Reading puts nodes in the order of their ids: both have theirs as the table has it.
        made.append(graph.subgraph(positions=[place[name] for name in ids[nodes].tolist() if name in place]))
    assert made[0].node_ids.tolist() != made[1].node_ids.tolist()
    return made


def typed(edges: pd.DataFrame, table: pd.DataFrame, ids: np.ndarray, *, is_turned: bool) -> sc.Graph:
    """Users and groups: users know each other, and are in groups."""
    is_user = dict(zip(ids.tolist(), np.arange(N) < 70, strict=True))
    first, second = (edges[column].map(is_user).to_numpy(dtype=bool) for column in ("source", "target"))
    own = np.array([is_user[name] for name in table.index.tolist()])
    tables = {("user", "knows", "user"): edges[first & second], ("user", "in", "group"): edges[first & ~second]}
    nodes = {"user": table[own], "group": table[~own]}
    if is_turned:
        tables, nodes = dict(reversed(tables.items())), dict(reversed(nodes.items()))
    return sc.from_tables(nodes=nodes, edges=tables)


def named(graph: sc.Graph, pairs: Any, *, has_order: bool) -> list[tuple[Any, ...]]:
    found = [tuple(pair) for pair in graph.node_ids[pairs].tolist()]
    return found if has_order else [tuple(sorted(pair)) for pair in found]


@pytest.mark.parametrize("ids", [WORDS, NUMBERS], ids=["words", "integers"])
@pytest.mark.parametrize("kind", ["undirected", "directed", "bipartite", "typed"])
def test_links_do_not_depend_on_the_order_of_nodes_and_lines(kind: str, ids: np.ndarray) -> None:
    both = graphs(kind, ids)
    ends = [find_ends(graph) for graph in both]
    assert ends[0].has_sides == (kind == "bipartite")
    held_out = [hold_out_links(graph, own, 0) for graph, own in zip(both, ends, strict=True)]
    for name in ("positive", "negative", "turned", "others", "calibrating"):
        one, two = (
            named(graph, getattr(drawn, name), has_order=ends[0].has_order)
            for graph, drawn in zip(both, held_out, strict=True)
        )
        assert one == two
    first, second = (sc.Links(sc.SCE(), graph) for graph in both)
    assert forms_of(first) == forms_of(second)
    names = both[0].node_ids.tolist()
    for one, two in zip(first.recommend(names), second.recommend(names), strict=True):
        near = EQUAL * np.abs(one.scores).max()
        np.testing.assert_allclose(one.scores, two.scores, rtol=0, atol=near)
        np.testing.assert_allclose(one.probabilities, two.probabilities, rtol=1e-3, atol=EQUAL)
        for found, other in ((one, two), (two, one)):
            alone = ~np.isin(found.ids, other.ids)
            assert (found.scores[alone] <= found.scores.min() + near).all()
    pairs = np.array(names)[np.random.default_rng(4).integers(0, len(names), (300, 2))]
    np.testing.assert_allclose(first.probability(pairs), second.probability(pairs), rtol=1e-3, atol=EQUAL)


def forms_of(links: sc.Links) -> list[Any]:
    ranking = [
        (role, form.kind, form.power, form.penalty, form.basis, form.n_columns)
        for role, found in links.forms_.items()
        for form in found.forms
    ]
    of_pairs = [(name, form.kind, form.power, form.penalty) for name, form in links.pair_score_.forms.items()]
    return [*ranking, *of_pairs, links.pair_score_.with_extras, links.pair_score_.share]


@pytest.mark.parametrize("kind", ["undirected", "directed", "bipartite", "typed"])
def test_an_evaluation_holds_out_and_ranks_the_same_links(kind: str) -> None:
    splits = [hold_out_edges(graph, 0.2, 3) for graph in graphs(kind, WORDS)]
    has_order = kind in ("directed", "bipartite")
    for name in ("positive", "negative", "one_way"):
        one, two = (named(split.graph, getattr(split, name), has_order=has_order) for split in splits)
        assert one == two
    rows = dict(zip(splits[0].graph.node_ids.tolist(), GENERATOR.normal(size=(N, 8)), strict=False))
    one, two = (
        score_links(np.array([rows[name] for name in split.graph.node_ids.tolist()]), split, scorings=["cosine", "hadamard"])
        for split in splits
    )
    for metric, figures in one.items():
        assert two[metric] == pytest.approx(figures, rel=1e-9)


def test_of_many_nodes_the_same_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer nodes, candidates and pairs than a small graph has: what is drawn of them is drawn by their ids."""
    for name, value in (("N_RANKED", 20), ("N_CANDIDATES", 40), ("N_COMPARED", 25)):
        monkeypatch.setattr(f"sparsecut.links.form_choice.{name}", value)
    first, second = (sc.Links(sc.SCE(), graph) for graph in graphs("undirected", WORDS))
    for one, two in zip(first.trials_, second.trials_, strict=True):
        assert (one.name, one.power, one.penalty, one.n_columns) == (two.name, two.power, two.penalty, two.n_columns)
        assert (one.pairs, one.candidates) == pytest.approx((two.pairs, two.candidates), rel=1e-9)
