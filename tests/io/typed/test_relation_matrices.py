"""Types of edges with times and signs, against dense matrices that are made an edge at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import dense_propagation

import sparsecut as sc

START = pd.Timestamp("2026-01-01")
RATES, KNOWS = ("user", "rates", "movie"), ("user", "knows", "user")
N_USERS, N_MOVIES = 30, 20


def tables(n_ratings: int = 300, seed: int = 0) -> dict[Any, pd.DataFrame]:
    generator = np.random.default_rng(seed)
    rates = pd.DataFrame({"user": generator.integers(1, N_USERS + 1, n_ratings)})
    rates["movie"] = generator.integers(1, N_MOVIES + 1, n_ratings)
    rates["stars"] = generator.choice([-2.0, 1.0, 3.0], n_ratings)
    rates["at"] = START + pd.to_timedelta(np.sort(generator.integers(0, 100, n_ratings)), unit="D")
    knows = pd.DataFrame({"a": generator.integers(1, N_USERS + 1, 60), "b": generator.integers(1, N_USERS + 1, 60)})
    return {RATES: rates, KNOWS: knows[knows["a"] != knows["b"]]}


def nodes() -> dict[str, Any]:
    return {"user": np.arange(1, N_USERS + 1), "movie": np.arange(1, N_MOVIES + 1)}


def dense(edges: dict[Any, pd.DataFrame], days: float, now: pd.Timestamp) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ratings, acquaintances, demands) by the formula."""
    n = N_USERS + N_MOVIES
    A, B, D = (np.zeros((n, n)) for _ in range(3))
    for row in edges[RATES].itertuples():
        aged = row.stars * 2 ** (-((now - row.at) / pd.Timedelta(days=days)))
        i, j = row.user - 1, N_USERS + row.movie - 1
        into, amount = (A, aged) if aged > 0 else (D, -aged)
        into[i, j] += amount
        into[j, i] += amount
    for row in edges[KNOWS].itertuples():
        B[row.a - 1, row.b - 1] = B[row.b - 1, row.a - 1] = 1
    return A, B, D


OPTIONS: dict[str, Any] = {"weight": "stars", "time": "at", "half_life": "30d", "signed": True}


def test_ageing_and_signed_types_are_the_formula() -> None:
    edges = tables()
    graph = sc.from_tables(nodes(), edges, **OPTIONS)
    A, B, D = dense(edges, 30, edges[RATES]["at"].max())
    assert graph.relations is not None
    assert graph.demands is not None
    for matrix, wanted in zip((*graph.relations.matrices, graph.demands), (A, B, D), strict=True):
        np.testing.assert_allclose(matrix.toarray(), wanted, rtol=1e-5)
    np.testing.assert_allclose(graph.adjacency.toarray(), A + B, rtol=1e-5)
    later = graph.at(graph.clock.now + 60 * 86400)  # type: ignore[union-attr]
    np.testing.assert_allclose(later.adjacency.toarray(), A / 4 + B, rtol=1e-5)  # acquaintances have no times
    assert any("Edges user:rates:movie weigh half as much after 30 days" in note for note in graph.notes)
    assert (
        sc.from_tables(nodes(), edges, **{**OPTIONS, "half_life": None, "decay": np.log(2) / (30 * 86400)}).clock
        == graph.clock
    )


def test_options_may_be_of_some_types() -> None:
    edges = tables()
    whole = sc.from_tables(nodes(), edges, **OPTIONS)
    options = {"weight": {"rates": "stars"}, "time": {RATES: "at"}, "signed": {"user:rates:movie": True}}
    named = sc.from_tables(nodes(), edges, half_life="30d", **options)
    beside = sc.from_tables(nodes(), edges, half_life="30d", **{**options, "time": {"rates": edges[RATES]["at"]}})
    for graph in (named, beside):
        np.testing.assert_array_equal(graph.adjacency.toarray(), whole.adjacency.toarray())
        np.testing.assert_array_equal(graph.demands.toarray(), whole.demands.toarray())  # type: ignore[union-attr]
        assert graph.clock == whole.clock
    friends = edges[KNOWS].assign(at=START, share=0.5)
    both = sc.from_tables(nodes(), {**edges, KNOWS: friends}, **OPTIONS)
    one = sc.from_tables(nodes(), {**edges, KNOWS: friends}, half_life="30d", **options)
    assert both.relations is not None
    assert one.relations is not None
    assert (both.relations.undated, one.relations.undated) == ((), (KNOWS,))


@pytest.mark.parametrize("form", ["csv", "parquet", "folder", "one table"])
def test_every_form_of_tables_gives_one_graph(form: str, tmp_path: Path) -> None:
    edges = tables()
    whole = sc.from_tables(None, edges, **OPTIONS)
    if form == "one table":
        rated = edges[RATES].assign(
            user="u" + edges[RATES]["user"].astype(str), movie="m" + edges[RATES]["movie"].astype(str)
        )
        known = "u" + edges[KNOWS].astype(str)
        rows = pd.DataFrame({"id": pd.unique(pd.concat([rated["user"], known["a"], known["b"], rated["movie"]]))})
        rows["kind"] = np.where(rows["id"].str.startswith("u"), "user", "movie")
        ends = pd.concat(
            [rated.rename(columns={"user": "source", "movie": "target"}), known.set_axis(["source", "target"], axis=1)]
        )
        ends = ends.assign(at=ends["at"].fillna(edges[RATES]["at"].max()), stars=ends["stars"].fillna(1.0))
        graph = sc.from_tables(rows, ends, type_column="kind", **OPTIONS)
        assert graph.clock == whole.clock
        np.testing.assert_allclose(sorted(graph.demands.data), sorted(whole.demands.data), rtol=1e-5)  # type: ignore[union-attr]
        return
    suffix = "parquet" if form == "parquet" else "csv"
    for (source, name, target), table in edges.items():
        path = tmp_path / f"{source}__{name}__{target}.{suffix}"
        table.to_parquet(path) if suffix == "parquet" else table.to_csv(path, index=False)
    if form == "folder":
        graph = sc.read_graph(tmp_path, **OPTIONS)
    else:
        graph = sc.from_tables(None, {key: tmp_path / f"{'__'.join(key)}.{suffix}" for key in edges}, **OPTIONS)
    place = {one: number for number, one in enumerate(graph.node_ids.tolist())}
    order = [place[one] for one in whole.node_ids.tolist()]
    np.testing.assert_allclose(graph.adjacency.toarray()[np.ix_(order, order)], whole.adjacency.toarray(), rtol=1e-6)
    np.testing.assert_allclose(graph.demands.toarray()[np.ix_(order, order)], whole.demands.toarray(), rtol=1e-6)  # type: ignore[union-attr]


def test_the_vectors_are_those_of_dense_matrices() -> None:
    """Types weigh the same in sum at the moment of the fit; later tables are brought to that moment."""
    edges = tables()
    first = {RATES: edges[RATES][:200], KNOWS: edges[KNOWS]}
    rows = np.random.default_rng(3).normal(size=(N_USERS + N_MOVIES, 4)).astype(np.float32)
    tables_of_nodes = {"user": (nodes()["user"], rows[:N_USERS]), "movie": (nodes()["movie"], rows[N_USERS:])}
    graph = sc.from_tables(tables_of_nodes, first, **OPTIONS)
    model = sc.SCE(
        filter=sc.Power(order=2), features="given", weighting="none", channels="smoothed", relations={}, dimension=4
    )
    Z = model.fit_transform(graph)
    moment = first[RATES]["at"].max()
    factors = model.kind_.relations.factors  # type: ignore[union-attr]

    def vectors(told: dict[Any, pd.DataFrame], F: np.ndarray) -> np.ndarray:
        A, B, _ = dense(told, 30, moment)  # as of the fit: a later edge weighs more than 1
        P = dense_propagation(factors[0] * A + factors[1] * B)
        return P @ P @ F @ model.weights_[0]

    A, B, _ = dense(first, 30, moment)
    np.testing.assert_allclose(np.array(factors) * [A.sum(), B.sum()], (A.sum() + B.sum()) / 2, rtol=1e-4)
    F = np.asarray(graph.features, dtype=np.float64)
    types = np.repeat([0, 1], [N_USERS, N_MOVIES])
    difference = vectors(first, F) - Z  # the offset of each type
    for code in (0, 1):
        assert np.ptp(difference[types == code], axis=0).max() < 1e-5 * np.abs(Z).max()
    later = model.transform(sc.from_tables(tables_of_nodes, edges, now="2026-06-01", **OPTIONS))
    np.testing.assert_allclose(later, vectors(edges, F) - difference, atol=1e-5 * np.abs(Z).max())


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(0, 60), st.sampled_from([-1.0, 2.0])),
        min_size=1,
        max_size=20,
    ),
)
def test_any_few_ratings_are_the_formula(rows: list[tuple[int, int, int, float]]) -> None:
    rates = pd.DataFrame(rows, columns=["user", "movie", "day", "stars"])
    rates["at"] = START + pd.to_timedelta(rates["day"], unit="D")
    edges = {RATES: rates, KNOWS: pd.DataFrame({"a": [1, 2], "b": [2, 3]})}
    graph = sc.from_tables(nodes(), edges, **OPTIONS)
    A, B, D = dense(edges, 30, rates["at"].max())
    np.testing.assert_allclose(graph.adjacency.toarray(), A + B, rtol=1e-5)
    np.testing.assert_allclose(graph.demands.toarray(), D, rtol=1e-5)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"weight": "stras"}, r"No table of edges has a column 'stras' for the weight.*Did you mean 'stars'"),
        ({"time": "when", "half_life": 3}, "No table of edges has a column 'when' for the time"),
        ({"time": {"rates": "when"}}, "user:rates:movie has no column 'when' for the time"),
        (
            {"time": {"rated": "at"}},
            "must name types of edges of the graph: 'user:rates:movie', 'user:knows:user'. Got 'rated'",
        ),
        ({"time": [1, 2]}, r"must be a word, or one for each type of edges"),
        ({"time": {"rates": [1, 2]}}, "one for each edge. Got 2 times for 300 edges"),
        ({"half_life": "30d"}, "no times of edges"),
        ({"time": "at", "half_life": "30d", "now": "2026-01-02"}, "user:rates:movie has edges later than now"),
        ({"weight": "stars"}, "signed=True"),
        ({"weight": "stars", "signed": {"knows": True}}, "signed=True"),
    ],
    ids=str,
)
def test_what_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(sc.InputError, match=match):
        sc.from_tables(nodes(), tables(), **options)


def test_times_of_all_types_are_of_one_kind_and_one_table_has_one_option() -> None:
    edges = tables()
    edges[KNOWS] = edges[KNOWS].assign(at=np.arange(len(edges[KNOWS])))
    with pytest.raises(sc.InputError, match="must have times of one kind"):
        sc.from_tables(nodes(), edges, time="at", half_life=3)
    one = pd.DataFrame({"source": ["u1"], "target": ["m1"], "at": [3]})
    kinds = pd.DataFrame({"id": ["u1", "m1"], "kind": ["user", "movie"]})
    with pytest.raises(sc.InputError, match="must be one for all edges of one table"):
        sc.from_tables(kinds, one, type_column="kind", time={"to": "at"}, half_life=3)
