"""The result in words, tables and plain data."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.base.notebook import BAR_EMS
from sparsecut.links.why_near import Shares, Why, Whys

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


def bars_of(page: str) -> list[float]:
    return [float(one) for one in re.findall(r"width:([0-9.]+)em;height", page)]


def test_shares_are_bars_as_long_as_they_are_large():
    page = FOUND._repr_html_()
    of_features, of_neighbours, *_ = [bars_of(table) for table in page.split("<tbody>")[1:]]
    expected = [BAR_EMS * min(abs(value / FOUND.score), 1) for value in FOUND.features.values]
    np.testing.assert_allclose(of_features, expected, atol=0.006)
    np.testing.assert_allclose(of_neighbours, BAR_EMS * np.abs(FOUND.neighbors.values / FOUND.score), atol=0.006)
    assert page.count("box-shadow") == int((FOUND.features.values < 0).sum() + (FOUND.neighbors.values < 0).sum())
    for name in FOUND.neighbors.names:
        assert f">{name}</td>" in page
    many = Why(("a", "b"), 1.0, 1.0, {"smoothed": 1.0}, long_shares(), long_shares(), long_shares(), np.empty(0), 0.0)
    assert "f29" in many._repr_html_()  # what keeps them apart most is shown beside the largest
    assert "f20" not in many._repr_html_()


def long_shares() -> Shares:
    values = np.linspace(1, -1, 30)
    return Shares.of(np.array([f"f{number}" for number in range(30)], dtype=object), values)


def test_the_ten_nearest_are_one_table():
    graph = sc.datasets.load("digits")
    model = sc.SCE().fit(graph)
    found = model.why(0, k=10)
    assert isinstance(found, list)
    assert len(found) == 10
    page = found._repr_html_()
    assert page.count("<tr>") == 11
    for one in found:
        assert f">{one.nodes[1]}</td>" in page
        assert f"{one.cosine:.2f}</td>" in page
        assert str(one.features.names[0]) in page
    np.testing.assert_allclose(bars_of(page), [BAR_EMS * one.cosine for one in found], atol=0.006)
    assert isinstance(model.why(0, [1, 2]), Whys)
    assert "No node" in model.why(0, [])._repr_html_()


def test_one_node_is_said_alone():
    found = sc.SCE(features="given").fit(sc.datasets.load("digits")).why(3)
    assert found.is_one
    first = found.sentences()
    assert first[0].startswith("3: squared length ")
    assert not any("Both" in line or "share" in line for line in first)


def test_channels_below_zero_are_said():
    apart = dataclasses.replace(FOUND, score=-10.0, channels={"smoothed": -10.5, "own": 0.5, "roles": 0.01})
    assert apart.sentences()[1] == "By channel: own (5%), smoothed (−105%)."
