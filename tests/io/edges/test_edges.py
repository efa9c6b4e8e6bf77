"""What is said of ids, weights of 0 and distances, and that the graph is the same with it and without."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from sparsecut.base.errors import ReadingWarning
from sparsecut.io.edges.edge_names import is_distance

PLAIN = [("anna", "bo"), ("bo", "cleo"), ("cleo", "anna"), ("bo", "dan")]
LONG = [(123456789012, 123456789013), (123456789013, 123456789014)]


def of_file(pairs: list[tuple[object, object]], folder: Path) -> sc.Graph:
    pd.DataFrame(pairs, columns=["source", "target"]).to_csv(folder / "e.csv", index=False)
    return sc.read_graph(folder / "e.csv")


def of_frame(pairs: list[tuple[object, object]], folder: Path) -> sc.Graph:
    return sc.from_edges(pd.DataFrame(pairs, columns=["source", "target"]).astype(str))


@pytest.mark.parametrize("read", [of_file, of_frame])
@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (("1.23E+11", "anna"), "as a spreadsheet rounds long numbers, '1.23E\\+11'"),
        (("1,2E+15", "anna"), "as a spreadsheet rounds long numbers, '1,2E\\+15'"),
    ],
)
def test_ids_that_are_hardly_meant_are_said(read: object, odd: tuple[str, str], message: str, tmp_path: Path) -> None:
    with pytest.warns(ReadingWarning, match=message):
        graph = read([*PLAIN, odd], tmp_path)  # type: ignore[operator]
    assert any("spreadsheet" in note for note in graph.notes)
    assert sorted(graph.node_ids.tolist()) == sorted({"anna", "bo", "cleo", "dan", *odd})  # no id is changed
    assert graph.n_edges == 5


@pytest.mark.parametrize("read", [of_file, of_frame])
def test_usual_ids_are_not_said(read: object, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadingWarning)
        for pairs in (PLAIN, LONG, [("E+11", "1E5"), ("1E5", "Anna"), ("BO", "Anna")]):
            read(pairs, tmp_path)  # type: ignore[operator]


@pytest.mark.parametrize("read", [of_file, of_frame])
def test_ids_that_differ_in_capitals_have_a_note(read: object, tmp_path: Path) -> None:
    graph = read([*PLAIN, ("Anna", "dan"), ("BO", "DAN")], tmp_path)  # type: ignore[operator]
    assert graph.n_nodes == 7
    assert any(
        "3 ids have spellings that differ in capitals or spaces alone, such as 'anna', 'Anna'" in one for one in graph.notes
    )
    assert not any("spellings" in one for one in read(PLAIN, tmp_path).notes)  # type: ignore[operator]


def test_ids_of_a_frame_that_differ_in_spaces_have_a_note() -> None:
    graph = sc.from_edges(pd.DataFrame([*PLAIN, ("bo ", "dan")], columns=["source", "target"]))
    assert graph.n_nodes == 5
    assert any(
        "1 id has spellings that differ in capitals or spaces alone, such as 'bo', 'bo '" in one for one in graph.notes
    )


def test_rows_of_weight_0_are_said_and_are_no_edges(tmp_path: Path) -> None:
    frame = pd.DataFrame(PLAIN, columns=["source", "target"]).assign(weight=[1.0, 0.0, 2.0, 0.0])
    frame.to_csv(tmp_path / "e.csv", index=False)
    for graph in (sc.from_edges(frame), sc.read_graph(tmp_path / "e.csv")):
        assert (graph.n_nodes, graph.n_edges) == (4, 2)
        assert [note for note in graph.notes if "weight of 0" in note] == [
            "2 rows have a weight of 0, which is no edge: left out; the nodes stay."
        ]
    assert not any("weight of 0" in note for note in sc.from_edges(frame.assign(weight=1.5)).notes)


def test_a_distance_as_weight_is_said(tmp_path: Path) -> None:
    frame = pd.DataFrame(PLAIN, columns=["source", "target"]).assign(road_length=[1.0, 4.0, 2.0, 3.0])
    frame.to_csv(tmp_path / "e.csv", index=False)
    with pytest.warns(ReadingWarning, match="weights from column 'road_length': a larger weight says nearer"):
        graph = sc.read_graph(tmp_path / "e.csv", weight="road_length")
    assert graph.adjacency.data.max() == np.float32(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadingWarning)
        sc.read_graph(tmp_path / "e.csv")  # it is left out
        sc.from_edges(frame.rename(columns={"road_length": "amount"}), weight="amount")
    assert [name for name in ("dist", "km", "travelDistance", "weight", "w", "_", "strength", "") if is_distance(name)] == [
        "dist",
        "km",
        "travelDistance",
    ]
