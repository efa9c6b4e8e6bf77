"""What edges weigh by their times, from every reader: by the formula, an edge at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.timed_graphs import DAY, dense_ages, timed_edges

import sparsecut as sc

START = pd.Timestamp("2026-01-01")


def dated(edges: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({**edges, "at": START + pd.to_timedelta(edges["at"], unit="D")})


@pytest.mark.parametrize("directed", ["symmetrize", "out", "in"])
def test_an_edge_weighs_less_with_age_and_repeats_add_up(directed: str) -> None:
    edges = timed_edges()
    graph = sc.from_edges(edges, time="at", half_life=20, node_ids=np.arange(60), directed=directed)
    expected = dense_ages(edges, 60, 20, edges["at"].max(), "both" if directed == "symmetrize" else "one")
    expected = expected.T if directed == "in" else expected
    np.testing.assert_allclose(graph.adjacency.toarray(), expected, rtol=1e-6)


def test_weights_times_ages_and_a_later_now() -> None:
    edges = timed_edges()
    amounts = np.random.default_rng(1).integers(1, 9, len(edges["at"]))
    graph = sc.from_edges({**edges, "weight": amounts}, time="at", decay=0.01, now=130, node_ids=np.arange(60))
    expected = np.zeros((60, 60))
    for source, target, at, amount in zip(*edges.values(), amounts, strict=True):
        if source != target:
            expected[source, target] += amount * np.exp(-0.01 * (130 - at))
            expected[target, source] += amount * np.exp(-0.01 * (130 - at))
    np.testing.assert_allclose(graph.adjacency.toarray(), expected, rtol=1e-6)


@pytest.mark.parametrize("form", ["csv", "epochs.csv", "parquet", "tsv"])
def test_files_and_frames_agree(form: str, tmp_path: Path) -> None:
    frame, path = dated(timed_edges()), tmp_path / f"edges.{form}"
    held = sc.from_edges(frame, time="at", half_life="20d")
    if form == "epochs.csv":
        frame = frame.assign(at=frame["at"].astype("datetime64[ms]").astype("int64"))
    frame.to_parquet(path) if form == "parquet" else frame.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    read = sc.read_graph(path, time="at", half_life="20d")
    np.testing.assert_allclose(read.adjacency.toarray(), held.adjacency.toarray(), rtol=1e-5)
    assert read.clock is not None
    assert held.clock is not None
    assert (read.clock.half_life, held.clock.half_life) == (20 * DAY, 20 * DAY)
    assert read.clock.now == pytest.approx(held.clock.now, abs=1e-3)
    assert any("weigh half as much after 20 days" in note for note in read.notes)


def test_times_beside_pairs() -> None:
    graph = sc.from_edges([("a", "b"), ("b", "c")], time=["2026-01-01", "2026-01-31"], half_life="30d")
    assert graph.adjacency.toarray()[1].tolist() == [0.5, 0.0, 1.0]


def test_edges_of_an_age_beyond_float32_are_gone_and_their_nodes_stay() -> None:
    graph = sc.from_edges([("a", "b"), ("b", "c")], time=[0, 1000], half_life=1)
    assert (graph.n_nodes, graph.n_edges) == (3, 1)
    assert "Edges before 874, 126 half-lives ago, weigh nothing and are left out; their nodes stay." in graph.notes
    typed = sc.from_tables(
        {"a": None}, {("a", "to", "a"): {"source": [0, 1], "target": [1, 2], "at": [0, 1000]}}, time="at", half_life=1
    )
    assert any("before 874, 126 half-lives ago" in note for note in typed.notes)
    assert not any("left out" in note for note in sc.from_edges([("a", "b"), ("b", "c")], time=[0, 126], half_life=1).notes)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"half_life": "30d"}, "no times of edges. Name their column: time="),
        ({"now": 3}, "no times of edges"),
        ({"time": "when", "half_life": 3}, "no column 'when' for the time"),
        ({"time": "at", "half_life": 3, "decay": 1}, "half_life or decay, not both"),
        ({"time": "at", "decay": -1}, "decay"),
        ({"time": "at", "half_life": "a while"}, "half_life parameter of from_edges must be a duration"),
        ({"time": "at", "half_life": 3, "now": 1}, "edges later than now: row 400"),
        ({"time": [1, 2], "half_life": 3}, "one time for each edge"),
    ],
    ids=str,
)
def test_what_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(sc.InputError, match=match):
        sc.from_edges(timed_edges(), **options)


def test_a_missing_time_names_its_row() -> None:
    edges = timed_edges()
    edges["at"][6] = np.nan
    with pytest.raises(sc.InputError, match="in column 'at', has no time in row 7"):
        sc.from_edges(edges, time="at", half_life=3)


def test_the_parts_of_a_graph_keep_its_clock() -> None:
    graph = sc.from_edges(timed_edges(), time="at", half_life=20, node_ids=np.arange(60))
    assert graph.subgraph(np.arange(30)).clock == graph.replace(labels=np.zeros(60, int)).clock == graph.clock
    later = graph.at(120)
    expected = dense_ages(timed_edges(), 60, 20, 120)
    np.testing.assert_allclose(later.adjacency.toarray(), expected, rtol=1e-6)
    assert later.clock is not None
    assert later.clock.now == 120


def test_negative_weights_ask_for_distance_where_the_graph_is_signed() -> None:
    ratings = [("a", "b", 4.0), ("b", "c", -2.0), ("c", "a", 1.0), ("b", "c", -3.0), ("c", "b", 7.0)]
    with pytest.raises(sc.InputError, match=r"Got -2\.0 in row 2\. .*signed=True"):
        sc.from_edges(ratings)
    graph = sc.from_edges(ratings, signed=True, directed="out")
    assert graph.adjacency.toarray().tolist() == [[0, 4, 0], [0, 0, 0], [1, 7, 0]]
    assert graph.demands is not None
    assert graph.demands.toarray().tolist() == [[0, 0, 0], [0, 0, 5], [0, 0, 0]]
    both = sc.from_edges(ratings, signed=True)
    assert both.demands is not None
    assert both.demands.toarray().tolist() == [[0, 0, 0], [0, 0, 5], [0, 5, 0]]
    many = timed_edges()
    signs = np.where(np.arange(len(many["at"])) % 5, 1.0, -1.0)
    chosen = sc.from_edges({**many, "weight": signs}, signed=True, time="at")
    assert chosen.clock is not None
    assert chosen.demands is not None
    assert chosen.demands.nnz
    aged = sc.from_edges(ratings, signed=True, time=[0, 10, 10, 0, 10], half_life=10)
    assert aged.demands is not None
    assert aged.demands.toarray()[1].tolist() == [0, 0, 3.5]
