"""A column of features that holds the labels is said, whatever it is called, and no other is."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from sparsecut.base.errors import ReadingWarning

N = 60
RNG = np.random.default_rng(0)
EDGES = pd.DataFrame([(k, (k + 1) % N) for k in range(N)], columns=["source", "target"])
FRAUD = np.array(["yes", "no", "unclear"])[RNG.integers(0, 3, N)]
FRAME = pd.DataFrame({"id": range(N), "x": RNG.normal(size=N), "like": np.roll(FRAUD, 1), "fraud": FRAUD})


def said(graph: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReadingWarning)
        notes = sc.SCE(dimension=2).fit(graph).explain()
    found = [str(one.message) for one in caught if issubclass(one.category, ReadingWarning)]
    assert all(sentence in notes for sentence in found)
    return found


def coded(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(fraud=frame["fraud"].map({"yes": 7, "no": 2, "unclear": 5}))


@pytest.mark.parametrize("change", [lambda frame: frame, coded])
def test_a_column_that_holds_the_labels_is_said_whatever_its_name_and_type(change: Any) -> None:
    (sentence,) = said(sc.from_edges(EDGES, features=change(FRAME), labels=FRAME["fraud"]))
    assert sentence.startswith("Column 'fraud' of the features holds the labels, so the vectors have seen the answer.")


def test_one_file_of_features_and_labels_is_said_and_what_it_proposes_helps(tmp_path: Path) -> None:
    EDGES.to_csv(tmp_path / "e.csv", index=False)
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    files = {"features": tmp_path / "x.csv", "labels": tmp_path / "x.csv", "label_column": "fraud"}
    (sentence,) = said(sc.read_graph(tmp_path / "e.csv", **files))
    assert "'fraud'" in sentence
    assert said(sc.read_graph(tmp_path / "e.csv", **files, feature_columns=["x", "like"])) == []
    assert said(sc.read_graph(tmp_path / "e.csv", nodes=tmp_path / "x.csv", labels="fraud")) == []


def test_labels_of_some_nodes_are_enough_and_a_column_that_differs_once_is_a_feature() -> None:
    some = dict(zip(range(20), FRAUD[:20].tolist(), strict=True))
    assert len(said(sc.from_edges(EDGES, features=FRAME, labels=some))) == 1
    slip = FRAME.assign(fraud=["no" if FRAUD[0] == "yes" else "yes", *FRAUD[1:]])
    assert said(sc.from_edges(EDGES, features=slip, labels=FRAME["fraud"])) == []
    few = dict(zip(range(9), FRAUD[:9].tolist(), strict=True))
    assert said(sc.from_edges(EDGES, features=FRAME, labels=few)) == []
    each_its_own = np.arange(N) + 0.5  # nothing is held by a class of one node
    assert said(sc.from_edges(EDGES, features=FRAME, labels=dict(enumerate(each_its_own)))) == []


def test_without_labels_the_name_is_said() -> None:
    (sentence,) = said(sc.from_edges(EDGES, features=FRAME.rename(columns={"fraud": "Label"})))
    assert sentence.startswith("Column 'Label' of the features is named as labels are.")
    assert said(sc.from_edges(EDGES, features=FRAME)) == []


def test_labels_of_one_type_are_looked_for_in_its_columns() -> None:
    nodes = {"tag": None, "account": FRAME.assign(label=FRAUD)}
    edges = {("account", "has", "tag"): [(k, f"t{k % 4}") for k in range(N)]}
    (sentence,) = said(sc.from_tables(nodes=nodes, edges=edges))
    assert sentence.startswith("account: Column 'fraud' of the features holds the labels")
