"""`sparsecut evaluate`: how good an embedding is, by a linear probe, clusters, held-out links, or without labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sparsecut.cli import tasks
from sparsecut.cli.console import AsJson, Device, Features, Output, PerClass, Probe, Quiet, SplitKind, Splits
from sparsecut.cli.embeddings import NodeLabels, is_attribute, read_labels, read_rows
from sparsecut.cli.sources import Reading, dataset_of, open_graph, takes_reading
from sparsecut.errors import InputError, check_choice

TASKS = ("classify", "cluster", "links", "health")


@takes_reading()
def evaluate(
    embedding: Annotated[
        Path | None, typer.Argument(metavar="[EMBEDDING]", help="A file written by embed; not for links.")
    ] = None,
    labels: NodeLabels = None,
    task: Annotated[str, typer.Option(help="classify, cluster, links or health.")] = "classify",
    probe: Probe = "paper",
    split: SplitKind = "random",
    per_class: PerClass = None,
    splits: Splits = 50,
    graph: Annotated[
        str | None, typer.Option(help="The graph, for links, and for graph figures: a dataset's name or an edge list.")
    ] = None,
    features: Features = None,
    *,
    reading: Reading,
    method: Annotated[str, typer.Option(help="links: the method to train on what is left of the graph.")] = "sce",
    fraction: Annotated[float, typer.Option(help="links: the fraction of edges to hold out.")] = 0.1,
    clusters: Annotated[
        int | None, typer.Option(help="cluster: number of clusters.", show_default="the number of classes")
    ] = None,
    runs: Annotated[int, typer.Option(help="cluster, links: number of runs.")] = 5,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(help="Seed of splits, clusters and held-out edges.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Score an embedding.

    sparsecut evaluate vectors.parquet --labels labels.csv

    sparsecut evaluate vectors.parquet --labels actor --split official --probe tuned

    sparsecut evaluate vectors.parquet --labels labels.csv --task cluster --graph edges.csv

    sparsecut evaluate vectors.parquet --task health --graph edges.csv

    sparsecut evaluate --task links --graph cora --method sce

    --split also takes a file of splits: JSON, CSV or npz.
    """
    output = Output(as_json, quiet)
    check_choice("sparsecut evaluate", "--task", task, TASKS)
    loaded = None
    if graph is not None:
        inside, labels = (labels, None) if is_attribute(labels) else (None, labels)
        of_graph = replace(reading, label_column=None) if labels is not None else reading
        loaded = open_graph(graph, features, output, inside, of_graph)
    if task == "links":
        tasks.links(output, embedding, loaded, method, fraction, runs, seed, device)
        return
    if embedding is None:
        raise InputError(f"The task {task} scores an embedding. Name its file: sparsecut evaluate EMBEDDING.")
    Z, node_ids = read_rows(embedding, loaded)
    known = None if labels is None else read_labels(labels, node_ids, embedding, output, reading=reading)
    if known is None and loaded is not None:
        known = loaded.labels
    if task == "classify":
        if known is None:
            raise InputError("The task classify needs labels. Name them: --labels FILE.")
        named = dataset_of(labels) or dataset_of(graph)
        tasks.classify(output, embedding, Z, known, node_ids, probe, split, named, per_class, splits, seed)
    elif task == "cluster":
        tasks.cluster(output, embedding, Z, known, loaded, clusters, runs, seed)
    else:
        tasks.health(output, embedding, Z, loaded)
