"""Bins of probabilities by hand: shares, numbers of links, and what is in another bin than predicted."""

from __future__ import annotations

import numpy as np
import pytest

import link_calibration
from link_pictures import link_calibration as drawn


def test_bins_by_hand() -> None:
    # Two held-out links for 10 links of the graph, four pairs for 90 others.
    bins = link_calibration.bins_of(np.array([0.02, 0.5]), np.array([0.001, 0.001, 0.02, 0.5]), 10, 90)
    assert [one["held_out"] for one in bins] == [0, 1, 0, 0, 1]
    assert bins[0]["found"] == 0
    assert bins[0]["links_predicted"] == pytest.approx(45 * 0.001)
    assert bins[1]["found"] == pytest.approx(5 / (5 + 22.5))
    assert bins[4]["predicted"] == pytest.approx(0.5)
    assert bins[4]["links_predicted"] == pytest.approx(0.5 * (5 + 22.5))
    expected = abs(45 * 0.001) + abs(0.02 * 27.5 - 5) + abs(0.5 * 27.5 - 5)
    assert link_calibration.off_of(bins, 10) == pytest.approx(expected / 20)


def test_bins_of_few_links_are_listed_and_not_drawn() -> None:
    rare = {"predicted": 0.005, "found": 0.002, "links_predicted": 2.0, "links_found": 1.0, "held_out": 1}
    many = {**rare, "predicted": 0.2, "found": 0.25, "held_out": 40}
    empty = {"links_predicted": 0.0, "links_found": 0.0, "held_out": 0}
    points = {"walshaw/uk.graph.gz": {"nodes": 9, "edges": 8, "off": 0.1, "bins": [rare, empty, empty, many, empty]}}
    (table,) = link_calibration.tables(points)
    assert table["rows"] == [["uk", 9, 8, "0.50% / 0.20%", "", "", "20.00% / 25.00%", "", "10.0%"]]
    picture = drawn({"points": points}).svg()
    assert "uk: predicted 20.000%, found 25.000%" in picture
    assert "0.500%" not in picture
