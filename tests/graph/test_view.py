"""A graph in a notebook, its cells counted by hand."""

from __future__ import annotations

import html
import re

import numpy as np

import sparsecut as sc
from sparsecut.graph.view import MAX_CLASSES


def cells_of(shown: str) -> list[str]:
    return [html.unescape(text) for text in re.findall(r"<t[dh](?: [^>]*)?>(.*?)</t[dh]>", shown)]


def test_a_graph_shows_what_it_holds() -> None:
    path = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    graph = sc.Graph(path, features=np.eye(4), labels=["x", "y", "y", ""], node_ids=list("abcd"), feature_names=list("pqrs"))
    cells = cells_of(graph._repr_html_())
    assert cells[:4] == ["nodes", "4, ids from a to d", "edges", "2 weighted"]
    assert cells[5] == "0 to 2, median 1; 1 nodes without any"
    assert cells[7] == "4 columns: 'p', 'q', 'r', 's'"
    assert cells[8:] == ["class", "nodes", "y", "2", "x", "1"]
    assert "2 classes; 1 nodes without a label" in graph._repr_html_()


def test_many_classes_are_cut_short() -> None:
    graph = sc.Graph(np.ones((60, 60)), labels=np.arange(60), directed="out")
    shown = graph._repr_html_()
    assert f"60 classes, the largest {MAX_CLASSES}; 0 nodes without a label" in shown
    assert len(re.findall("<tr><td", shown)) == MAX_CLASSES
    assert "3,540 directed" in cells_of(shown)
