"""`sparsecut estimate`: what a fit would take with each engine, before it is run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from sparsecut.cli.console import AsJson, Features, Output, Quiet
from sparsecut.cli.sources import open_graph
from sparsecut.errors import InputError


def estimate(
    graph: Annotated[str | None, typer.Argument(metavar="[GRAPH]", help="A dataset's name or a file.")] = None,
    features: Features = None,
    *,
    nodes: Annotated[int | None, typer.Option(help="Nodes, where there is no graph yet.")] = None,
    edges: Annotated[int | None, typer.Option(help="Edges, each undirected one once.")] = None,
    columns: Annotated[int | None, typer.Option(help="Columns of the features.")] = None,
    method: Annotated[str, typer.Option(help="sce or mosce.")] = "sce",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say what time, memory and disk each engine would need on this machine, and which one to take.

    sparsecut estimate cora

    sparsecut estimate --nodes 1000000 --edges 20000000 --columns 128
    """
    output = Output(as_json, quiet)
    sizes = {"n_nodes": nodes, "n_edges": edges, "n_features": columns}
    if (graph is None) == any(value is None for value in sizes.values()):
        raise InputError("estimate takes a graph, or all of --nodes, --edges and --columns.")
    from sparsecut.baselines.methods import find_method
    from sparsecut.model.estimate import estimate as estimate_costs

    if method not in ("sce", "mosce"):
        raise InputError(f"estimate is for the methods sce and mosce. Got {method}.")
    asked: Any = sizes if graph is None else open_graph(graph, features, output)
    found = estimate_costs(asked, find_method(method).make({}))
    output.say(str(found))
    output.result({"engines": [asdict(cost) for cost in found], "best": found.best.engine})
