"""The graph that everything else takes: checked once, frozen, its nodes known by their ids."""

from sparsecut.graph.graph import DIRECTIONS, Features, Graph, as_graph, check_graph

__all__ = ["DIRECTIONS", "Features", "Graph", "as_graph", "check_graph"]
