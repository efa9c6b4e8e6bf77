"""The report on parts of a graph: the page of `sparsecut.report`, with the parts, their quality, and a tree to walk down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparsecut.explore import report
from sparsecut.model import SCE


def report_cut(found: Any, path: str | Path, embedding: Any, options: dict[str, Any]) -> Path:
    """Write the page on a SparsestCut, a Partition or a Hierarchy; the map is of the embedding, or of `SCE()`."""
    named = {"title": "Parts of the graph", **options}
    if embedding is None:
        named["model"] = SCE()
        embedding = named["model"].fit_transform(found.graph)
    return report(embedding, path, graph=found.graph, cut=found, **named)
