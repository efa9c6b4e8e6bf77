"""The page of wins and losses names what was missed, and draws only pictures that are there."""

from __future__ import annotations

from typing import Any

from glance import render_glance

RESULT = {
    "title": "Speed",
    "tables": [
        {"caption": "One: x", "columns": ["graph", "s", "met"], "rows": [["cora", 1.0, True], ["pubmed", 9.0, False]]},
        {"caption": "Two: y", "columns": ["n", "met"], "rows": [[5, False], [6, None], [7, True]]},
        {"caption": "Three", "columns": ["n"], "rows": [[5]]},
    ],
}


def test_targets_are_counted_and_missed_ones_named() -> None:
    read: dict[str, Any] = {"speed": RESULT, "none": {"title": "None", "tables": []}}
    page = render_glance([], {"performance.md": ("speed", "none", "absent")}, read.get, {"gpu.svg"})
    assert "| [Speed](performance.md) | 2 | 2 | pubmed; Two |" in page
    assert "[None]" not in page
    assert "images/gpu.svg" in page
    assert "images/cluster.svg" not in page
