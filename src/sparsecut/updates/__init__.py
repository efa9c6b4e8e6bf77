"""Exact updates of a fitted model: the changing graph, the terms of its hops, the state, the log, the drift."""
