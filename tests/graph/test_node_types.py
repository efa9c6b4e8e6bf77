"""The type of a node is what its id says."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from sparsecut import Graph, InputError
from sparsecut.graph.node_types import codes_of, with_type

IDS = ["author:7", "paper:7", "author:x", "papers:1", "author:"]


def test_codes_follow_the_first_word() -> None:
    assert codes_of(np.array(IDS), ("author", "paper")).tolist() == [0, 1, 0, -1, 0]
    assert codes_of(np.array(IDS, dtype=object), ("paper",)).tolist() == [-1, 0, -1, -1, -1]
    assert codes_of(np.arange(3), ("author",)).tolist() == [-1, -1, -1]


def test_ids_of_one_type_are_as_they_were_given() -> None:
    ids = [*with_type(np.array([3, 1]), "author"), *with_type(np.array(["007", "8"]), "paper"), "other"]
    graph = Graph(np.ones((5, 5)), node_ids=ids).replace(node_types=("author", "paper"))
    assert graph.nodes("author").tolist() == [3, 1]
    assert graph.nodes("paper").tolist() == ["007", "8"]  # 007 is not 7
    assert graph.types.tolist() == ["author", "author", "paper", "paper", ""]
    assert graph.edge_types == (("author", "to", "paper"),)
    with pytest.raises(InputError, match="no nodes of type 'venue': its types are 'author', 'paper'"):
        graph.nodes("venue")
    again = pickle.loads(pickle.dumps(graph))  # noqa: S301 - of this test's own making
    assert again.nodes("author").tolist() == copy.copy(graph).nodes("author").tolist() == [3, 1]


def test_a_graph_without_types_says_so() -> None:
    graph = Graph(np.ones((2, 2)))
    assert graph.types is None
    assert graph.edge_types is None
    with pytest.raises(InputError, match="the graph has no types"):
        graph.nodes("author")
