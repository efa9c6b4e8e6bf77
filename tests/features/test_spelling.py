"""One table is encoded alike whatever holds it: a frame of any dtype, CSV, Parquet, JSON, a dict."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.features import FeatureTable
from sparsecut.features.spelling import typed

IDS = [f"n{number}" for number in range(24)]
EDGES = [(IDS[k], IDS[(k + 1) % 24]) for k in range(24)]
DAYS = [f"2024-{1 + k % 12:02d}-{1 + k:02d}" for k in range(24)]
TEXT: dict[str, list[str | None]] = {
    "joined": [*DAYS[:20], None, *DAYS[21:]],
    "seen": [f"{day} 1{k % 10}:30:00" for k, day in enumerate(DAYS)],
    "zoned": [f"{day}T00:00:00Z" for day in DAYS],
    "opens": [f"{6 + k % 12:02d}:15:00" for k in range(24)],
    "member": [("True", "False", None)[k % 3] for k in range(24)],
    "visits": [str(k * k) if k % 5 else "NA" for k in range(24)],
    "rate": [f"{k / 7:.3f}" for k in range(24)],
    "country": [("NA", "DE", "FR", None)[k % 4] for k in range(24)],
    "code": [("01", "1", "x")[k % 3] for k in range(24)],
    "mixed": [str(k) if k % 2 else "none" for k in range(24)],
}


def from_frame(features: Any, path: Path) -> sc.Graph:
    return sc.from_edges(EDGES, node_ids=IDS, features=features)


def from_file(path: Path) -> sc.Graph:
    edges = path.with_name("edges.csv")
    edges.write_text("source,target\n" + "\n".join(f"{a},{b}" for a, b in EDGES))
    graph = sc.read_graph(edges, features=path)
    order = [graph.node_ids.tolist().index(node) for node in IDS]
    return graph.subgraph(positions=order)


def csv(path: Path) -> sc.Graph:
    pd.DataFrame({"id": IDS, **TEXT}).to_csv(path / "x.csv", index=False)
    return from_file(path / "x.csv")


def parquet(path: Path) -> sc.Graph:
    pyarrow.parquet.write_table(pa.table({"id": IDS, **TEXT}), path / "x.parquet")
    return from_file(path / "x.parquet")


def as_json(path: Path) -> sc.Graph:
    rows = {node: {name: values[k] for name, values in TEXT.items()} for k, node in enumerate(IDS)}
    (path / "x.json").write_text(json.dumps(rows))
    return from_file(path / "x.json")


def parsed() -> pd.DataFrame:
    """The same table in the types that its text spells."""
    return pd.DataFrame(
        {
            "joined": pd.to_datetime(pd.Series(TEXT["joined"])),
            "seen": pd.to_datetime(pd.Series(TEXT["seen"])),
            "zoned": pd.to_datetime(pd.Series(TEXT["zoned"])),
            "opens": [datetime.time.fromisoformat(str(value)) for value in TEXT["opens"]],
            "member": pd.Series([None if value is None else value == "True" for value in TEXT["member"]], dtype="boolean"),
            "visits": pd.Series([None if value == "NA" else int(str(value)) for value in TEXT["visits"]], dtype="Int64"),
            "rate": [float(str(value)) for value in TEXT["rate"]],
            "country": pd.Categorical(TEXT["country"]),
            "code": TEXT["code"],
            "mixed": [int(str(value)) if str(value).isdigit() else value for value in TEXT["mixed"]],
        }
    )


HOLDERS: dict[str, Callable[[Path], sc.Graph]] = {
    "object": lambda path: from_frame(pd.DataFrame(TEXT, dtype=object), path),
    "string": lambda path: from_frame(pd.DataFrame(TEXT, dtype="string"), path),
    "categorical": lambda path: from_frame(pd.DataFrame(TEXT).astype("category"), path),
    "arrow": lambda path: from_frame(pd.DataFrame(TEXT).astype(pd.ArrowDtype(pa.string())), path),
    "parsed": lambda path: from_frame(parsed(), path),
    "polars": lambda path: from_frame(pl.DataFrame(TEXT), path),
    "polars categorical": lambda path: from_frame(pl.DataFrame(TEXT).with_columns(pl.all().cast(pl.Categorical)), path),
    "pyarrow": lambda path: from_frame(pa.table(TEXT), path),
    "dict": lambda path: from_frame(
        {node: {name: values[k] for name, values in TEXT.items()} for k, node in enumerate(IDS)}, path
    ),
    "csv": csv,
    "parquet": parquet,
    "json": as_json,
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_one_table_is_encoded_alike_whatever_holds_it(holder: str, tmp_path: Path) -> None:
    graph, expected = HOLDERS[holder](tmp_path), csv(tmp_path)
    assert graph.encoder.names_out == expected.encoder.names_out
    assert np.asarray(graph.features) == pytest.approx(np.asarray(expected.features), abs=1e-6)
    encoded = graph.encoded_by(expected.encoder)  # and by the encoder of a fitted model
    assert np.asarray(encoded.features) == pytest.approx(np.asarray(expected.features), abs=1e-6)


def test_dates_as_text_are_seconds() -> None:
    table = FeatureTable(pa.table({"day": ["1970-01-02", None, "1970-01-04"]}), "The table", scale=False)
    matrix, _ = table.matrix(table.encoder)
    assert table.encoder.names_out == ("day", "day is missing")
    assert matrix.tolist() == [[86_400, 0], [2 * 86_400, 1], [3 * 86_400, 0]]


def test_a_later_column_of_just_the_words_that_spell_numbers_is_text_as_the_fitted_one(tmp_path: Path) -> None:
    """Its type would be guessed anew: of "01", "2024-01-01" and "True" no fitted category would be left."""
    fitted = FeatureTable(
        pa.table(
            {
                "code": ["01", "02", "x"],
                "last": ["2024-01-01", "2024-01-02", "never"],
                "paid": ["True", "False", "unknown"],
                "open": ["10:00:00", "11:00:00", "closed"],
            }
        ),
        "The table",
    )
    later = {"code": ["02", "01"], "last": ["2024-01-01", "2024-01-01"], "paid": ["False", "True"], "open": ["11:00:00"] * 2}
    expected = np.zeros((2, 12))
    for row in range(2):
        for place, (name, values) in enumerate(later.items()):
            categories = sorted(set(fitted.columns[name].to_pylist()))
            expected[row, 3 * place + categories.index(values[row])] = 1
    matrix, notes = FeatureTable(pa.table(later), "The table").matrix(fitted.encoder)
    assert (matrix.tolist(), notes) == (expected.tolist(), ())
    pd.DataFrame({"id": [0, 1], **later}).to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "e.csv").write_text("source,target\n0,1\n")
    graph = sc.read_graph(tmp_path / "e.csv", features=tmp_path / "x.csv").encoded_by(fitted.encoder)
    assert graph.features.tolist() == expected.tolist()


def test_a_number_that_two_fitted_words_spell_is_refused() -> None:
    encoder = FeatureTable(pa.table({"code": ["01", "1", "x"]}), "The table").encoder
    with pytest.raises(sc.InputError) as caught:
        encoder.encode({"code": pa.chunked_array([[1, 1]])}, "The later table")
    assert str(caught.value) == (
        "The later table holds 1 in column 'code', and the model was fitted with '01' and '1', which both spell it. Give "
        "the column as text in a frame or a Parquet file."
    )
    assert FeatureTable(pa.table({"code": ["1", "01"]}), "The table").matrix(encoder)[0].tolist() == [[0, 1, 0], [1, 0, 0]]


def test_numbers_are_no_dates() -> None:
    encoder = FeatureTable(pa.table({"day": ["2024-01-01", "2024-01-05"]}), "The table").encoder
    with pytest.raises(
        sc.InputError, match=r"values of type int64 in column 'day', which held times when the model was fitted"
    ):
        FeatureTable(pa.table({"day": [20240101, 20240105]}), "The table").matrix(encoder)
    gaps, notes = FeatureTable(pa.table({"day": pa.nulls(2)}), "The table").matrix(encoder)
    assert gaps.tolist() == [[0], [0]]
    assert notes == ("The table: 2 gaps in 'day', which had none when it was fitted, became its mean.",)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, "inf"])
def test_an_infinite_number_in_a_frame_is_named_by_its_column_and_row(bad: Any) -> None:
    frame = pd.DataFrame({"age": [30.0, 40.0, 50.0], "income": [1.0, bad, 3.0]})
    with pytest.raises(sc.InputError) as caught:
        sc.Graph(np.ones((3, 3)), features=frame)
    assert str(caught.value) == (
        f"The frame of features must hold finite numbers. Got {float(bad):g} in row 2 of column 'income'. Leave the cell "
        "empty (NaN in a frame), which becomes the column's mean, or give a number."
    )


def test_gaps_before_the_first_words_are_no_reason_to_stop() -> None:
    dates = pa.array([None] * 20 + ["2020-01-01", "2020-01-02"], pa.large_string())
    assert pa.types.is_date(typed(dates).type)
    words = pa.array([None] * 20 + ["a", "b"], pa.large_string())
    assert typed(words).equals(words)
    gaps = pa.nulls(5, pa.large_string())
    assert typed(gaps).equals(gaps)
