"""`sparsecut transform`: embed nodes that came later, with a saved model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from sparsecut.cli.console import AsJson, Device, Features, Force, GraphName, Output, OutputPath, Quiet
from sparsecut.cli.sources import (
    Adjacency,
    Directed,
    Missing,
    Nodes,
    Source,
    Target,
    Weight,
    open_graph,
)


def transform(
    model_path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by embed --save-model.")],
    graph: GraphName,
    output_path: OutputPath,
    features: Features = None,
    nodes: Nodes = None,
    source: Source = None,
    target: Target = None,
    weight: Weight = None,
    adjacency: Adjacency = None,
    directed: Directed = "symmetrize",
    missing: Missing = "error",
    device: Device = "auto",
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Embed a graph with a saved model, without training: its nodes may all be new, its features must be the same."""
    output = Output(as_json, quiet)
    from sparsecut.io.embeddings import check_embedding_path, write_embedding

    check_embedding_path(output_path, overwrite=force)
    from sparsecut.estimators import load

    model = load(model_path).set_params(device=device)
    reading = {"source": source, "target": target, "weight": weight, "adjacency": adjacency, "nodes": nodes}
    loaded = open_graph(graph, features, output, directed=directed, missing=missing, **reading)
    started = time.perf_counter()
    Z = model.transform(loaded)
    seconds = time.perf_counter() - started
    write_embedding(output_path, Z, loaded.node_ids, overwrite=force)
    output.say(f"{len(Z):,} nodes × {Z.shape[1]} dimensions in {seconds:.2f} s → {output_path}")
    output.result({"output": str(output_path), "n_nodes": len(Z), "dimension": Z.shape[1], "seconds": seconds})
