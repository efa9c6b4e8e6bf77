"""Columns that are hardly read as they were meant are said, and no others."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from sparsecut.base.errors import ReadingWarning
from sparsecut.features.doubts import doubts_of

N = 60
RNG = np.random.default_rng(0)
EDGES = [(k, (k + 1) % N) for k in range(N)]


def doubts(**columns: Any) -> tuple[str, ...]:
    return doubts_of(sc.from_edges(EDGES, features=pd.DataFrame({"id": range(N), **columns})).source)


def each(*values: Any) -> list[Any]:
    """The values in turn, for all rows."""
    return [values[k % len(values)] for k in range(N)]


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("zip_code", each(10115, 187, 75001), "looks like a code"),
        ("zipCode", each(10115, 187, 75001), "looks like a code"),
        ("branch_id", each(1, 7, 3, None), "looks like a code"),
        ("area", each("00187", "10115", "20095"), "looks like a code"),
        ("customer_number", (1000 + RNG.permutation(N)).tolist(), "looks like a numbering"),
        ("", list(range(N, 2 * N)), "looks like a numbering"),
        ("Unnamed: 0", list(range(N, 2 * N)), "looks like a numbering"),
        ("temperature", [-999.0, -999.0, *RNG.normal(15, 5, N - 2)], "holds -999 in 2 rows"),
        (
            "built",
            [9999, 9999, *each(1950, 1990, 2010)[2:]],
            "holds 9999 in 2 rows, far from all its other numbers (1950 to",
        ),
        ("built", [0, 0, *each(1950, 1990, 2010)[2:]], "holds 0 in 2 rows"),
        ("age", [-1, -1, *each(18, 50, 80)[2:]], "holds -1 in 2 rows"),
        ("city", each("Rome", "ROME", " rome", "Oslo"), "' rome', 'ROME', 'Rome'. Write"),
        ("tags", each("Red|big", "red", "Red", "big", "red|big", "Red|red|big", "Red|red"), "'Red', 'red'. Write"),
        ("born", [f"{1 + k % 28:02d}.05.{1950 + k}" for k in range(N)], "holds dates such as '01.05.1950'"),
        ("born", [f"May {1 + k % 28}, {1950 + k}" for k in range(N)], "holds dates such as 'May 1, 1950'"),
        ("month", [f"{2000 + k // 12}-{1 + k % 12:02d}" for k in range(N)], "holds dates such as '2000-01'"),
        ("length", [f"{100 + k}:{k:02d}" for k in range(N)], "holds durations or times"),
        ("place", [f"{k}.5, {k + 1}.25" for k in range(N)], "holds several numbers"),
        ("data", [f'{{"a": {k}}}' for k in range(N)], "holds lists or objects"),
    ],
)
def test_a_doubtful_column_is_said(name: str, values: Any, said: str) -> None:
    (sentence,) = doubts(**{name: values})
    assert sentence.startswith(f"Column {name!r} of the features")
    assert said in sentence


def test_numbers_with_a_unit_are_said_where_they_are_left_out() -> None:
    n = 200
    lengths = pd.DataFrame({"id": range(n), "length": [f"{k / 8} km" for k in range(n)], "x": range(n)})
    (sentence,) = doubts_of(sc.from_edges([(k, k + 1) for k in range(n - 1)], features=lengths).source)
    assert "holds numbers with units such as '0.0 km'" in sentence


def test_plain_columns_are_no_doubt() -> None:
    assert not doubts(
        age=RNG.integers(18, 80, N),
        balance=np.exp(RNG.normal(0, 4, N)),
        change=each(-1, 0, 1, 2),
        visits=each(0, 0, 0, 100, 105, 130),  # zero is a count as others
        far=[999, *RNG.integers(0, 9, N - 1)],  # once: an outlier
        year=each(1990, 1922, 2000),
        month=each(202401, 202312, 202311),
        code_length=each(3, 4, 5),
        rooms_id_count=each(1, 2, 3),
        is_id=each(0, 1),
        city=each("Rome", "Oslo"),
        size=each("12 km", "15 km"),
        when=each("2024-05-01", "2024-05-02"),
        at=each("10:00:00", "11:30:00"),
        name=[f"Smith {k}" for k in range(N)],
        score=each("1:0", "2:1"),
    )
    assert doubts_of(sc.from_edges(EDGES, features=np.ones((N, 2))).source) == ()
    assert doubts_of(None) == ()


def test_a_fit_warns_keeps_the_note_and_changes_nothing() -> None:
    zips = each(10115, 187, 75001)
    with pytest.warns(ReadingWarning, match="'zip' of the features looks like a code"):
        said = sc.SCE(dimension=2).fit(
            sc.from_edges(EDGES, features=pd.DataFrame({"id": range(N), "zip": zips, "x": range(N)}))
        )
    assert "'zip' of the features looks like a code" in said.explain()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadingWarning)
        sc.SCE(dimension=2).fit(sc.from_edges(EDGES, features=pd.DataFrame({"id": range(N), "region": zips, "x": range(N)})))


def test_types_are_said() -> None:
    nodes = {"shop": pd.DataFrame({"id": range(N), "zip": each(10115, 187, 75001)}), "tag": None}
    graph = sc.from_tables(nodes=nodes, edges={("shop", "has", "tag"): [(k, f"t{k % 3}") for k in range(N)]})
    (sentence,) = doubts_of(graph.source)
    assert sentence.startswith("shop: Column 'zip' of the features looks like a code")
