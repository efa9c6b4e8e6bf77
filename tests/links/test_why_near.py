"""The result in words, tables and plain data."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.links.why_near import Shares, Why

FOUND = Why(
    nodes=("a", "b"),
    score=10.0,
    cosine=0.8,
    channels={"own": 1.0, "smoothed": 9.0},
    features=Shares.of(
        np.array(["kernel", "margin", "age", "<b>", "none", "place in the graph"], dtype=object),
        np.array([4.0, 3.0, 1.0, -0.5, 0.0, 1.5]),
        changes=np.array([-8.0, -6.0, -2.0, 1.0, 0.0, -3.0]),
        higher=np.array([[1.0, 2, -1, 1, 1, 0], [1.0, 1, -1, -1, 1, 0]]),
    ),
    sources=Shares.of(np.array(["a", "c"]), np.array([3.0, 6.0])),
    neighbors=Shares.of(np.array(["a", "c"]), np.array([4.0, 5.0])),
    shared=np.array(["c"]),
    rest=1.0,
)


def test_sentences_name_what_both_have():
    assert FOUND.sentences() == [
        "a and b: cosine 0.80, score 10.",
        "By channel: smoothed (90%), own (10%).",
        "Both have more than usual of kernel (40%), margin (30%).",
        "Both have less than usual of age (10%).",
        "From the graph itself: place in the graph (15%).",
        "They differ in <b> (−5%).",
        "It comes through c (50%), a (40%).",
        "Shared neighbours: c.",
        "10% comes from nodes further away than were read.",
    ]
    assert str(FOUND) == "\n".join(FOUND.sentences())
    assert FOUND.sentences(n_said=1)[2] == "Both have more than usual of kernel (40%)."
    assert repr(FOUND) == "Why('a', 'b', score 10, cosine 0.80)"


def test_shares_are_sorted_and_found_by_name():
    assert FOUND.features.names.tolist() == ["kernel", "margin", "place in the graph", "age", "<b>"]
    assert FOUND.features.total + FOUND.rest == FOUND.score
    assert (FOUND.features.value("margin"), FOUND.features.change("margin")) == (3.0, -6.0)
    assert FOUND.features.value("unknown") == 0
    assert len(FOUND.neighbors) == 2


def test_every_part_of_the_frame_adds_up():
    pytest.importorskip("pandas")
    frame = FOUND.to_frame()
    assert frame.groupby("by")["value"].sum().tolist() == pytest.approx([10.0] * 4)
    assert frame.groupby("by")["share"].sum().tolist() == pytest.approx([1.0] * 4)
    assert frame.set_index("name").loc["kernel", "change"] == -8


def test_the_page_of_a_notebook_escapes_names_and_json_holds_it():
    page = FOUND._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "more than usual of kernel" in page
    again = json.loads(json.dumps(FOUND.to_dict()))
    assert again["features"][0] == {"name": "kernel", "value": 4.0}
    assert again["shared"] == ["c"]


def test_one_node_is_said_alone():
    found = sc.SCE(features="given").fit(sc.datasets.load("digits")).why(3)
    assert found.is_one
    first = found.sentences()
    assert first[0].startswith("3: squared length ")
    assert not any("Both" in line or "share" in line for line in first)
