"""Splits by time, against a table that is cut by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.timed_graphs import timed_edges

import sparsecut as sc
from sparsecut.evaluation import evaluate_links, hold_out_edges

DAYS = 20.0


def cut_by_hand(edges: pd.DataFrame, fraction: float) -> tuple[pd.DataFrame, set[frozenset[int]], set[frozenset[int]]]:
    """(the earlier rows, the pairs that came later between known nodes, all pairs)."""
    friendly = edges[(edges["source"] != edges["target"]) & (edges.get("weight", pd.Series(1, edges.index)) > 0)]
    first: dict[frozenset[int], float] = {}
    for source, target, at in zip(friendly["source"], friendly["target"], friendly["at"], strict=True):
        pair = frozenset((source, target))
        first[pair] = min(at, first.get(pair, np.inf))
    moments = sorted(set(first.values()))[1:]
    wanted = max(1, round(fraction * len(first)))
    moment = min(moments, key=lambda one: abs(sum(at >= one for at in first.values()) - wanted))
    earlier = edges[edges["at"] < moment]
    known = set().union(*(pair for pair, at in first.items() if at < moment))
    later = {pair for pair, at in first.items() if at >= moment and pair <= known}
    return earlier, later, set(first)


def named(graph: sc.Graph, pairs: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(graph.node_ids[list(pair)].tolist()) for pair in pairs}


@pytest.mark.parametrize("directed", ["symmetrize", "out", "in"])
@pytest.mark.parametrize("half_life", [DAYS, "auto"])
def test_the_earlier_graph_is_the_one_read_from_earlier_rows(directed: str, half_life: Any) -> None:
    edges = pd.DataFrame(timed_edges(n_edges=600))
    graph = sc.from_edges(edges, time="at", half_life=half_life, directed=directed)
    split = hold_out_edges(graph, 0.2, by="time")
    earlier, later, linked = cut_by_hand(edges, 0.2)
    again = sc.from_edges(earlier, time="at", half_life=half_life, directed=directed, node_ids=graph.node_ids)
    wanted = again.subgraph(split.graph.node_ids)
    assert split.graph.clock == again.clock
    np.testing.assert_allclose(split.graph.adjacency.toarray(), wanted.adjacency.toarray(), rtol=1e-6)
    assert named(split.graph, split.positive) == later
    assert not named(split.graph, split.negative) & linked
    assert len(split.negative) == len(split.positive)
    assert (np.diff(again.adjacency.indptr) > 0).sum() <= split.graph.n_nodes  # nodes that have an edge
    if directed != "symmetrize":
        arcs = set(zip(edges["source"], edges["target"], strict=True))
        held_out = [tuple(split.graph.node_ids[pair].tolist()) for pair in split.positive]
        held_out = [pair[::-1] for pair in held_out] if directed == "in" else held_out
        assert set(held_out) <= arcs


def test_signed_edges_stay_demands_and_are_no_links() -> None:
    edges = pd.DataFrame(timed_edges())
    edges["weight"] = np.where(np.random.default_rng(1).random(len(edges)) < 0.3, -2.0, 3.0)
    graph = sc.from_edges(edges, time="at", half_life=DAYS, signed=True)
    split = hold_out_edges(graph, 0.25, by="time")
    earlier, later, _ = cut_by_hand(edges, 0.25)
    again = sc.from_edges(earlier, time="at", half_life=DAYS, signed=True, node_ids=graph.node_ids)
    again = again.subgraph(split.graph.node_ids).at(split.graph.clock.now)  # type: ignore[union-attr]
    assert split.graph.demands is not None
    assert again.demands is not None
    np.testing.assert_allclose(split.graph.demands.toarray(), again.demands.toarray(), rtol=1e-6)
    np.testing.assert_allclose(split.graph.adjacency.toarray(), again.adjacency.toarray(), rtol=1e-6)
    assert named(split.graph, split.positive) == later


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 5)), min_size=3, max_size=40),
    fraction=st.floats(0.05, 0.9),
)
def test_ties_stay_together(rows: list[tuple[int, int, int]], fraction: float) -> None:
    edges = pd.DataFrame(rows, columns=["source", "target", "at"])
    joined = edges[edges["source"] != edges["target"]]
    if joined.empty:
        return
    graph = sc.from_edges(edges[["source", "target"]].to_numpy(), time=edges["at"], half_life=3)
    low, high = joined[["source", "target"]].min(axis=1), joined[["source", "target"]].max(axis=1)
    if joined.groupby([low, high])["at"].min().nunique() < 2:
        with pytest.raises(sc.InputError, match="edges of two times"):
            hold_out_edges(graph, fraction, by="time")
        return
    earlier, later, linked = cut_by_hand(edges, fraction)
    if not later:
        with pytest.raises(sc.InputError, match="has an end that is new"):
            hold_out_edges(graph, fraction, by="time")
        return
    known = {node for pair in earlier[["source", "target"]].to_numpy().tolist() if pair[0] != pair[1] for node in pair}
    n_free = len(known) * (len(known) - 1) // 2 - sum(pair <= known for pair in linked)
    if n_free < len(later):
        with pytest.raises(sc.InputError, match="too dense"):
            hold_out_edges(graph, fraction, by="time")
        return
    split = hold_out_edges(graph, fraction, by="time")
    assert named(split.graph, split.positive) == later
    assert split.graph.n_edges == len(
        {frozenset(pair) for pair in earlier[["source", "target"]].to_numpy() if pair[0] != pair[1]}
    )


def test_types_without_times_are_kept_and_pairs_without_an_edge_are_of_the_types() -> None:
    generator = np.random.default_rng(0)
    at = np.arange(500) - 1000.0  # before 0 as well, what has no time is earlier
    views = pd.DataFrame({"user": generator.integers(0, 40, 500), "item": generator.integers(0, 30, 500), "at": at})
    friends = pd.DataFrame({"a": generator.integers(0, 40, 80), "b": generator.integers(0, 40, 80)})
    friends = friends[friends["a"] != friends["b"]]
    tables = {("user", "views", "item"): views, ("user", "knows", "user"): friends}
    graph = sc.from_tables(edges=tables, time={"views": "at"}, half_life=100)
    split = hold_out_edges(graph, 0.2, by="time")
    moment = split.graph.clock.now  # type: ignore[union-attr]
    tables["user", "views", "item"] = views[views["at"] <= moment]
    again = sc.from_tables(edges=tables, time={"views": "at"}, half_life=100)
    again = again.subgraph(split.graph.node_ids)
    np.testing.assert_allclose(split.graph.adjacency.toarray(), again.adjacency.toarray(), rtol=1e-6)
    assert split.graph.relations is not None
    assert again.relations is not None
    for one, other in zip(split.graph.relations.matrices, again.relations.matrices, strict=True):
        np.testing.assert_allclose(one.toarray(), other.toarray(), rtol=1e-6)
    for pairs in (split.positive, split.negative):
        assert {frozenset(split.graph.types[pair].tolist()) for pair in pairs} == {frozenset(("user", "item"))}  # type: ignore[index]


def test_unfriendly_edges_of_every_type_stay_demands() -> None:
    generator = np.random.default_rng(2)

    def table(first: str, second: str, n_second: int) -> pd.DataFrame:
        pairs = generator.permutation(20 * n_second)[:150]
        weight = np.where(generator.random(150) < 0.3, -1.0, 2.0)
        at = generator.permutation(150).astype(float)
        return pd.DataFrame({first: pairs // n_second, second: pairs % n_second, "weight": weight, "at": at})

    tables = {("user", "rates", "item"): table("user", "item", 15), ("user", "reads", "book"): table("user", "book", 12)}
    options = {"time": "at", "half_life": DAYS, "signed": True}
    split = hold_out_edges(sc.from_tables(edges=tables, **options), 0.2, by="time")
    moment = split.graph.clock.now  # type: ignore[union-attr]
    earlier = {key: one[one["at"] <= moment] for key, one in tables.items()}
    again = sc.from_tables(edges=earlier, **options).subgraph(split.graph.node_ids)
    assert split.graph.demands is not None
    assert again.demands is not None
    np.testing.assert_allclose(split.graph.demands.toarray(), again.demands.toarray(), rtol=1e-6)


def test_the_model_is_fitted_once_and_scored_in_every_run() -> None:
    graph = sc.from_edges(timed_edges(n_edges=800), time="at", half_life=DAYS)
    seen: list[sc.Graph] = []

    def embed(rest: sc.Graph) -> np.ndarray:
        seen.append(rest)
        return sc.SCE(channels="structure").fit_transform(rest)

    scores = evaluate_links(graph, embed, n_runs=3, by="time", scorings=["cosine"], metrics=["roc_auc", "hit@10"])
    assert len(seen) == 1
    assert seen[0].n_edges < graph.n_edges
    assert np.ptp(scores.figures["hit@10"]["cosine"]) == 0  # candidates are all nodes
    assert np.ptp(scores.figures["roc_auc"]["cosine"]) > 0  # pairs without an edge are drawn


@pytest.mark.parametrize(
    ("edges", "options", "match"),
    [
        ([(0, 1), (1, 2)], {}, r"Read it from its edges with time="),
        ([(0, 1), (1, 2), (0, 2)], {"time": [4, 4, 4], "half_life": 1}, "edges of two times at least. All came first at 4"),
        ([(0, 1), (2, 3)], {"time": [4, 5], "half_life": 1}, "every later edge has an end that is new"),
    ],
    ids=["no times", "one time", "strangers"],
)
def test_what_cannot_be_split_by_time(edges: list[tuple[int, int]], options: dict[str, Any], match: str) -> None:
    with pytest.raises(sc.InputError, match=match):
        hold_out_edges(sc.from_edges(edges, **options), 0.3, by="time")


def test_the_way_must_be_known() -> None:
    with pytest.raises(sc.InputError, match="by parameter of hold_out_edges"):
        hold_out_edges(sc.from_edges([(0, 1), (1, 2)]), by="date")
