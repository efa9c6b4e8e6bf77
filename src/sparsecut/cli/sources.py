"""GRAPH, as the commands take it: a dataset's name or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sparsecut.errors import InputError

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.graph import Graph


def open_graph(name: str, features: Path | None, output: Output, labels: Path | None = None) -> Graph:
    """The graph behind a name or a path, with its notes printed."""
    from sparsecut import datasets
    from sparsecut.io import read_graph

    with output.warnings_as_notes():
        if name in datasets.names() and not Path(name).exists():
            if features is not None:
                raise InputError(f"The dataset {name} has its own features. Leave --features out.")
            graph = datasets.load(name)
        else:
            if not Path(name).exists() and not Path(name).suffix:
                raise InputError(f"{name} is neither a file nor a dataset. Datasets: {', '.join(datasets.names())}.")
            graph = read_graph(name, features=features, labels=labels)
    for note in graph.notes:
        output.note(note)
    output.note(repr(graph))
    return graph
