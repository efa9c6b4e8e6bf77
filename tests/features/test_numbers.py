"""A saved encoder in another process, on a changed table, against an encoder written by hand from the documentation."""

from __future__ import annotations

import subprocess
import warnings
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prepared
import sparsecut as sc

N = 400
TRANSFORM = """
import sys, warnings, numpy as np, pandas as pd, sparsecut as sc
warnings.simplefilter("ignore")
model = sc.load(sys.argv[1])
edges = sys.argv[2]
graph = sc.read_graph(edges, features=sys.argv[3])
np.save(sys.argv[4], np.asarray(graph.encoded_by(model.encoder_).features))
sc.write_embedding(sys.argv[5], model.transform(graph), graph.node_ids)
"""


def people(seed: int) -> dict[str, list[Any]]:
    generator = np.random.default_rng(seed)
    return {
        "age": [None if k % 17 == 3 else int(value) for k, value in enumerate(generator.integers(18, 90, N))],
        "balance": [round(float(value), 2) for value in generator.lognormal(5, 3, N) * generator.choice([-1, 1], N)],
        "city": [str(value) for value in generator.choice(["Rome", "Oslo", "Bonn"], N)],
        "member": [bool(value) for value in generator.random(N) < 0.4],
        "joined": [date.fromordinal(738_000 + int(day)).isoformat() for day in generator.integers(0, 900, N)],
        "note": [f"this is what the client number {k} told us today" for k in range(N)],
    }


def changed(seed: int) -> dict[str, list[Any]]:
    """New categories, gaps where there were none, another order of columns, dates later than all."""
    table = people(seed)
    table["city"][:5] = ["Lima", "Lima", None, "Rome", "Kyiv"]
    table["balance"][7] = None
    table["balance"][8] = 1e12
    table["member"][9] = None
    table["joined"][10:12] = ["2051-05-05", "1931-01-01"]
    table["age"][:3] = [None, 200, 0]
    return {name: table[name] for name in ("note", "joined", "city", "balance", "age", "member")}


def by_hand(fitted: dict[str, list[Any]], table: dict[str, list[Any]]) -> np.ndarray:
    """What docs/features.md says, cell by cell."""
    columns = []

    def standard(known: list[float], values: list[float | None]) -> list[float]:
        mean = sum(known) / len(known)
        deviation = (sum((x - mean) ** 2 for x in known) / len(known)) ** 0.5
        return [0.0 if x is None else (x - mean) / deviation for x in values]

    ages = [float(x) for x in fitted["age"] if x is not None]
    columns.append(standard(ages, table["age"]))
    columns.append([float(x is None) for x in table["age"]])
    exponents = [np.floor(np.log2(abs(x))) for x in fitted["balance"] if x != 0]
    unit = 2.0 ** np.floor(sum(exponents) / len(exponents))

    def log(x: float | None) -> float | None:
        return None if x is None else float(np.sign(x) * np.log(1 + abs(x) / unit))

    columns.append(standard([log(x) or 0.0 for x in fitted["balance"]], [log(x) for x in table["balance"]]))
    columns += [[float(x == city) for x in table["city"]] for city in ("Bonn", "Oslo", "Rome")]
    columns.append([float(bool(x)) for x in table["member"]])

    def seconds(x: str) -> float:
        return (date.fromisoformat(x) - date(1970, 1, 1)).days * 86_400.0

    columns.append(standard([seconds(x) for x in fitted["joined"]], [seconds(x) for x in table["joined"]]))
    return np.array(columns).T


@pytest.mark.slow
def test_a_changed_table_in_another_process_is_encoded_as_documented(tmp_path: Path) -> None:
    ids = [f"c{k}" for k in range(N)]
    generator = np.random.default_rng(5)
    pd.DataFrame(np.array(ids)[generator.integers(0, N, (900, 2))], columns=["source", "target"]).to_csv(
        tmp_path / "edges.csv", index=False
    )
    edges = pd.read_csv(tmp_path / "edges.csv")
    fitted, later = people(0), changed(1)
    graph = sc.from_edges(edges, node_ids=ids, features=pd.DataFrame(fitted, index=ids))
    with pytest.warns(sc.base.errors.ReadingWarning, match="Column 'note' of the features was left out: it is free text"):
        model = sc.SCE(dimension=6).fit(graph)
    assert model.encoder_.names_out == (
        "age", "age is missing", "log(balance)", "city = Bonn", "city = Oslo", "city = Rome", "member", "joined",
    )  # fmt: skip
    assert graph.features == pytest.approx(by_hand(fitted, fitted), abs=1e-5)
    said = str(model.explain())
    assert "'note' was left out: it is free text. To use it, give the vectors that a text encoder makes of it" in said
    assert "'balance' is on a log scale" in said
    model.save(tmp_path / "m.safetensors")
    for suffix in ("csv", "parquet"):
        path = tmp_path / f"later.{suffix}"
        frame = pd.DataFrame({"id": ids, **later})
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
        outputs = [str(tmp_path / "x.npy"), str(tmp_path / f"z_{suffix}.parquet")]
        subprocess.run(
            [
                prepared.python(),
                "-c",
                TRANSFORM,
                str(tmp_path / "m.safetensors"),
                str(tmp_path / "edges.csv"),
                str(path),
                *outputs,
            ],
            check=True,
        )
        encoded = np.load(outputs[0])
        assert encoded == pytest.approx(by_hand(fitted, later), rel=1e-5, abs=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = model.transform(sc.from_edges(edges, node_ids=ids, features=pd.DataFrame(later, index=ids)))
    for suffix in ("csv", "parquet"):
        Z, read = sc.read_embedding(tmp_path / f"z_{suffix}.parquet")
        order = [read.tolist().index(node) for node in ids]
        assert Z[order] == pytest.approx(here, abs=1e-4)


def test_free_text_of_few_rows_is_left_out_and_categories_of_several_words_are_not() -> None:
    texts = [f"a report that no two of us wrote, number {k}" for k in range(30)]
    kinds = ["a kind of five words", "another kind of five words"] * 15
    frame = pd.DataFrame({"report": texts, "kind": kinds, "x": range(30)})
    encoder = sc.Graph(np.ones((30, 30)), features=frame).encoder
    assert encoder.names_out == ("kind = a kind of five words", "kind = another kind of five words", "x")
    assert encoder.free_text == (
        "Column 'report' of the features was left out: it is free text. To use it, give the vectors that a text encoder "
        "makes of it: as a column of lists of numbers, or as an array of features with one row per node.",
    )
    frame.loc[3, "report"] = None
    with_gap = sc.Graph(np.ones((30, 30)), features=frame).encoder
    assert with_gap.names_out[0] == "report is missing"
    assert len(with_gap.free_text) == 1
    vectors = frame.assign(report=[[0.5 * k, 1.0] for k in range(30)])  # what the sentence proposes
    assert sc.Graph(np.ones((30, 30)), features=vectors).encoder.names_out[:2] == ("report[0]", "report[1]")
