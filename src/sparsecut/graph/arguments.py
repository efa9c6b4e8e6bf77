"""A graph as an argument: what may stand for one, and what is said of anything else."""

from __future__ import annotations

from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.graph.foreign import refuse_foreign, refuse_matrix
from sparsecut.graph.graph import Graph


def as_graph(graph: Any, features: Any = None, y: Any = None) -> Graph:
    """A `Graph` as it is, or an adjacency and its features checked into one.

    `y` is the second argument of scikit-learn's `fit`, ignored, and refused where it looks like the features.
    """
    if y is not None:
        refuse_matrix(y)
    if isinstance(graph, Graph):
        if features is not None:
            raise InputError("features are given beside a Graph, which has its own. Pass Graph(adjacency, features=...).")
        return graph
    return Graph(graph, features=features)


def check_graph(graph: Any, caller: str) -> Graph:
    """A `Graph`, which `caller` needs; of anything else the error says how it becomes one."""
    if not isinstance(graph, Graph):
        refuse_foreign(graph, f"{caller} needs a sparsecut.Graph.")
        raise InputError(
            f"{caller} needs a sparsecut.Graph. Got {type(graph).__name__}. Pass sc.Graph(adjacency, features=...)."
        )
    return graph
