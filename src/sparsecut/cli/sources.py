"""GRAPH and the options that say how to read it, as the commands take them: a dataset's name or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.errors import InputError, check_choice

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.graph import Graph

Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        "-l",
        help="Labels: a table keyed by node id, a column of the node table, or an attribute in the graph file.",
    ),
]
Nodes = Annotated[
    str | None, typer.Option(help="A table with one row a node. [default: nodes.csv beside edges.csv, if columns are named]")
]
Source = Annotated[str | None, typer.Option(help="Column of the edges' sources. [default: guessed, and the guess printed]")]
Target = Annotated[str | None, typer.Option(help="Column of the edges' targets. [default: guessed, and the guess printed]")]
Weight = Annotated[str | None, typer.Option(help="Column of the edges' weights. [default: guessed, and the guess printed]")]
Adjacency = Annotated[str | None, typer.Option(help="Which matrix of a .mat or .npz file is the adjacency.")]
Directed = Annotated[str, typer.Option(help="symmetrize, or keep the directions and look along them: out or in.")]
Missing = Annotated[
    str, typer.Option(help="error, or zero: nodes without a row get zeros, and rows without a node are left out.")
]
Scale = Annotated[
    bool,
    typer.Option(
        "--scale/--no-scale", help="Whether numbers of a table with named columns are standardised; arrays never are."
    ),
]


def open_graph(
    name: str, features: str | Path | None, output: Output, labels: str | Path | None = None, **options: Any
) -> Graph:
    """The graph behind a name or a path, with its notes printed. `options` are those of `read_graph`."""
    from sparsecut import datasets
    from sparsecut.graph import DIRECTIONS
    from sparsecut.io import read_graph
    from sparsecut.io.nodes import MISSING

    options = {option: value for option, value in options.items() if value is not None}
    for option, choices in (("directed", DIRECTIONS), ("missing", MISSING)):
        check_choice("sparsecut", f"--{option}", options.get(option, choices[0]), choices)
    with output.warnings_as_notes():
        if name in datasets.names() and not Path(name).exists():
            defaults = {"directed": "symmetrize", "missing": "error", "scale": True}
            given = [option for option, value in options.items() if value != defaults.get(option)]
            given += [option for option, value in (("features", features), ("labels", labels)) if value is not None]
            if given:
                raise InputError(f"The dataset {name} has its own {given[0]}. Leave --{given[0]} out.")
            with output.progress() as bar:
                graph = datasets.load(name, progress=bar)
        else:
            if not Path(name).exists() and not Path(name).suffix:
                raise InputError(f"{name} is neither a file nor a dataset. Datasets: {', '.join(datasets.names())}.")
            graph = read_graph(name, features=features, labels=labels, **options)
    for note in graph.notes:
        output.note(note)
    output.note(repr(graph))
    return graph
