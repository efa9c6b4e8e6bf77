"""`sparsecut estimate`: what a fit would take with each engine, before it is run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from sparsecut.base.errors import InputError
from sparsecut.cli.completion import complete_source
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.graph_input import open_graph
from sparsecut.cli.options import METHOD, READING, Features, option


@takes_output
def estimate(
    graph: Annotated[
        str | None,
        typer.Argument(
            metavar="[GRAPH]",
            help="A dataset's name, a file, or a folder of Parquet files, of which only the sizes are read.",
            autocompletion=complete_source,
        ),
    ] = None,
    features: Features = None,
    *,
    nodes: Annotated[int | None, option(READING, "Nodes, where there is no graph yet.", metavar="N")] = None,
    edges: Annotated[int | None, option(READING, "Edges, each undirected one once.", metavar="N")] = None,
    columns: Annotated[int | None, option(READING, "Columns of the features.", metavar="N")] = None,
    method: Annotated[str, option(METHOD, "What would be fitted.", choices=("sce", "mosce"))] = "sce",
    output: Output,
) -> None:
    """Say what a fit would need: time, memory and disk. For each engine, on this machine, and which one to take.

    sparsecut estimate cora

    sparsecut estimate edges/ --features features/

    sparsecut estimate --nodes 1000000 --edges 20000000 --columns 128
    """
    sizes = {"n_nodes": nodes, "n_edges": edges, "n_features": columns}
    if (graph is None) == any(value is None for value in sizes.values()):
        raise InputError("estimate takes a graph, or all of --nodes, --edges and --columns.")
    from sparsecut.lab.baselines.methods import find_method
    from sparsecut.model.cost_estimate import estimate as estimate_costs
    from sparsecut.model.cost_estimate import is_in_parts

    if method not in ("sce", "mosce"):
        raise InputError(f"estimate is for the methods sce and mosce. Got {method}.")
    model = find_method(method).make({})
    if graph is None:
        found = estimate_costs(sizes, model)
    elif is_in_parts(graph, features):
        found = estimate_costs(graph, model, features=features)
    else:
        found = estimate_costs(open_graph(graph, features, output), model)
    output.say(str(found))
    output.result({"engines": [asdict(cost) for cost in found], "best": found.best.engine})
