"""A graph as a notebook shows it: what it holds, its classes as a table, and how it was read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import first_few
from sparsecut.base.notebook import Cell, facts_html, table_html
from sparsecut.graph.labels import encode_labels

MAX_CLASSES = 50  # in the table, the largest


def graph_html(graph: Any) -> str:
    """HTML of a `Graph`, every text escaped."""
    degrees = np.diff(graph.adjacency.indptr)
    spread = f"{degrees.min():,} to {degrees.max():,}, median {np.median(degrees):,.0f}"
    kinds = ["directed"] * graph.is_directed + ["weighted"] * graph.is_weighted
    facts = [
        ("nodes", f"{graph.n_nodes:,}, ids from {graph.node_ids[0]!s} to {graph.node_ids[-1]!s}"),
        ("edges", " ".join([f"{graph.n_edges:,}", *kinds])),
        ("neighbours", f"{spread}; {int((degrees == 0).sum()):,} nodes without any"),
    ]
    if graph.has_features:
        names = graph.feature_names or ()
        n_columns = len(names) or graph.n_features
        facts.append(("features", f"{n_columns:,} columns" + (f": {first_few(names)}" if names else "")))
    shown = facts_html(repr(graph), facts, graph.notes)
    return shown if graph.labels is None else shown + _classes_html(graph.labels)


def _classes_html(labels: NDArray[Any]) -> str:
    """The classes with the number of their nodes, the largest first."""
    classes, codes = encode_labels(labels)
    counts = np.bincount(codes[codes >= 0], minlength=len(classes))
    largest = np.argsort(-counts, kind="stable")[:MAX_CLASSES]
    rows = [(str(classes[one]), Cell(f"{counts[one]:,}", int(counts[one]))) for one in largest]
    rest = f", the largest {MAX_CLASSES}" if len(classes) > MAX_CLASSES else ""
    caption = f"{len(classes):,} classes{rest}; {int((codes < 0).sum()):,} nodes without a label"
    return table_html(("class", "nodes"), rows, caption)
