"""`sparsecut evaluate`: how good an embedding is, by a linear probe, clusters, held-out links, or without labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sparsecut.base.errors import InputError, check_choice
from sparsecut.cli import evaluate_tasks as tasks
from sparsecut.cli.completion import HELD_OUT_BY, TARGETS, TASKS, complete_method
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.embedding_input import NodeLabels, is_attribute, of_one_type, read_labels, read_rows
from sparsecut.cli.graph_input import Reading, dataset_of, open_graph, takes_reading
from sparsecut.cli.options import (
    EVALUATION,
    METHOD,
    OUTPUT,
    Device,
    Features,
    Force,
    Fraction,
    GraphOption,
    Metrics,
    NodeType,
    PerClass,
    Probe,
    Quick,
    Seed,
    SplitKind,
    Splits,
    option,
)
from sparsecut.cli.pipes import is_standard


@takes_output
@takes_reading()
def evaluate(
    embedding: Annotated[
        Path | None,
        typer.Argument(metavar="[EMBEDDING]", help="A file written by embed, - for standard input; not for links."),
    ] = None,
    labels: NodeLabels = None,
    graph: GraphOption = None,
    features: Features = None,
    of_type: NodeType = None,
    *,
    reading: Reading,
    task: Annotated[str, option(EVALUATION, "What to measure.", choices=TASKS)] = "classify",
    metrics: Metrics = None,
    predict: Annotated[
        str, option(EVALUATION, "classify: what the labels are, where their type does not say it.", choices=TARGETS)
    ] = "auto",
    probe: Probe = "paper",
    split: SplitKind = "auto",
    per_class: PerClass = None,
    splits: Splits = None,
    quick: Quick = False,
    method: Annotated[
        str,
        option(
            METHOD,
            "links: the method to train on what is left of the graph.",
            metavar="METHOD",
            completion=complete_method,
        ),
    ] = "sce",
    fraction: Fraction = 0.1,
    by: Annotated[
        str,
        option(
            EVALUATION, "links: the edges to hold out, drawn or the later ones (with --time COLUMN).", choices=HELD_OUT_BY
        ),
    ] = "random",
    clusters: Annotated[
        int | None,
        option(EVALUATION, "cluster: number of clusters.", metavar="N", show_default="the number of classes, or chosen"),
    ] = None,
    runs: Annotated[int, option(EVALUATION, "cluster, links: number of runs.", metavar="N")] = 5,
    device: Device = "auto",
    seed: Seed = 0,
    output_path: Annotated[
        Path | None,
        option(
            OUTPUT,
            "cluster: also write the clusters. Columns id and cluster: .parquet or .csv; - for CSV on standard output.",
            "--output",
            "-o",
            metavar="FILE",
        ),
    ] = None,
    force: Force = False,
    output: Output,
) -> None:
    """Score an embedding: by labels, by clusters, by held-out links.

    sparsecut evaluate vectors.parquet --labels labels.csv

    sparsecut evaluate vectors.parquet --labels fraud.csv --metrics roc_auc,average_precision,recall@5% --split cv

    sparsecut evaluate vectors.parquet --labels actor --split official --probe tuned

    sparsecut evaluate vectors.parquet --labels labels.csv --task cluster --graph edges.csv

    sparsecut evaluate vectors.parquet --task cluster --clusters 8 -o clusters.csv

    sparsecut evaluate vectors.parquet --task health --graph edges.csv

    sparsecut evaluate vectors.parquet --type author --labels areas.csv

    sparsecut evaluate --task links --graph cora --method sce

    sparsecut evaluate --task links --graph transfers.csv --time booked_at --half-life 30d --by time

    --split also takes a file of splits: JSON, CSV or npz.
    """
    check_choice("sparsecut evaluate", "--task", task, TASKS)
    if metrics is not None and task == "health":
        raise InputError("The task health prints all of its figures. Leave --metrics out, or name another --task.")
    given = {"--predict": predict != "auto", "--probe": probe != "paper", "--split": split != "auto"}
    given |= {"--labels": labels is not None}
    given |= {"--per-class": bool(per_class), "--splits": splits is not None, "--quick": quick}
    given |= {"--method": method != "sce", "--fraction": fraction != 0.1, "--by": by != "random"}
    given |= {"--clusters": clusters is not None, "--runs": runs != 5}
    _refuse_others(task, [name for name, is_given in given.items() if is_given])
    if output_path is not None:
        _check_output(task, output_path, force)
    loaded = None
    if graph is not None or reading.edges is not None:
        inside, labels = (labels, None) if is_attribute(labels) else (None, labels)
        of_graph = replace(reading, label_column=None) if labels is not None else reading
        loaded = open_graph(graph, features, output, inside, of_graph)
    if task == "links":
        tasks.links(output, embedding, loaded, method, fraction, by, runs, seed, device, metrics)
        return
    if embedding is None:
        raise InputError(f"The task {task} scores an embedding. Name its file: sparsecut evaluate EMBEDDING.")
    with output.warnings_as_notes():
        Z, node_ids = read_rows(embedding, loaded, reading.encoding)
    if of_type is not None:
        if task not in ("classify", "cluster") or loaded is not None:
            raise InputError("--type goes with the tasks classify and cluster, without --graph.")
        Z, node_ids = of_one_type(Z, node_ids, of_type, embedding)
    known = None if labels is None else read_labels(labels, node_ids, embedding, output, reading=reading, target=predict)
    if known is None and loaded is not None:
        known = loaded.labels
    if task == "classify":
        from sparsecut.evaluation.targets import read_target

        if known is None:
            raise InputError("The task classify needs labels. Name them: --labels FILE.")
        named = dataset_of(labels) or dataset_of(graph)
        with output.warnings_as_notes():
            goal = read_target(known, None, len(node_ids), predict, "sparsecut evaluate")
        split = tasks.split_for(goal, split)
        counts, n_splits = tasks.how_many("sparsecut evaluate", split, per_class, splits, quick)
        tasks.classify(output, embedding, Z, goal, node_ids, probe, split, named, counts, n_splits, seed, metrics)
    elif task == "cluster":
        tasks.cluster(output, embedding, Z, known, loaded, clusters, runs, seed, node_ids, output_path, force, metrics)
    else:
        tasks.health(output, embedding, Z, loaded)


def _refuse_others(task: str, given: list[str]) -> None:
    """An option of another task would change nothing."""
    own = {
        "classify": ("--labels", "--predict", "--probe", "--split", "--per-class", "--splits", "--quick"),
        "cluster": ("--labels", "--clusters", "--runs"),
        "links": ("--method", "--fraction", "--by", "--runs"),
        "health": (),
    }
    if others := [name for name in given if name not in own[task]]:
        raise InputError(f"The task {task} does not use {', '.join(others)}. Leave that out, or name another --task.")


def _check_output(task: str, path: Path, force: bool) -> None:
    from sparsecut.io.files import check_writable
    from sparsecut.io.result_files import COLUMN_SUFFIXES

    if task != "cluster":
        raise InputError(f"The task {task} has no output but its figures. Leave -o out; --json prints them for programs.")
    if not is_standard(path):
        check_writable(path, force, COLUMN_SUFFIXES)
