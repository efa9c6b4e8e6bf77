"""`sparsecut evaluate`: how well a linear probe reads labels off an embedding."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsecut.cli.console import AsJson, Output, Quiet


def evaluate(
    embedding: Annotated[Path, typer.Argument(metavar="EMBEDDING", help="A file written by embed.")],
    labels: Annotated[
        str, typer.Option("--labels", "-l", help="A table keyed by node id (CSV, Parquet), or a dataset's name.")
    ],
    per_class: Annotated[
        list[int] | None, typer.Option(help="Labels a class to train on; may be repeated. [default: 5, 20]")
    ] = None,
    splits: Annotated[int, typer.Option(help="How many random splits.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the splits.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Score an embedding: logistic regression on a few labels a class, accuracy on the rest (the paper's probe)."""
    output = Output(as_json, quiet)
    from sparsecut import datasets
    from sparsecut.errors import InputError
    from sparsecut.evaluation import evaluate as score
    from sparsecut.io import read_embedding
    from sparsecut.io.attributes import read_labels
    from sparsecut.io.graphs import align_labels

    node_ids, Z = read_embedding(embedding)
    if labels in datasets.names() and not Path(labels).exists():
        graph = datasets.load(labels)
        label_ids, values = graph.node_ids, graph.labels
        if values is None:
            raise InputError(f"The dataset {labels} has no labels.")
    else:
        ids, values = read_labels(labels)
        label_ids = node_ids if ids is None else ids
    if len(label_ids) != len(values):
        raise InputError(f"{labels} has {len(values):,} labels without ids for the {len(node_ids):,} nodes of {embedding}.")
    aligned = align_labels(node_ids, label_ids, values, str(labels), where=str(embedding))

    rows, results = [], {}
    with output.progress() as bar:
        for n_labels in per_class or [5, 20]:
            scores = score(Z, aligned, per_class=n_labels, n_splits=splits, random_state=seed, progress=bar)
            rows.append([str(n_labels), str(scores), str(len(scores.accuracies))])
            results[str(n_labels)] = scores.to_dict()
    output.table("Accuracy in percent, probe: paper", ["labels a class", "mean ± std", "splits"], rows)
    output.result({"embedding": str(embedding), "probe": "paper", "per_class": results})
