"""`sparsecut evaluate`: how good an embedding is, by a linear probe, clusters, held-out links, or without labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.cli.console import AsJson, Device, Features, Output, Quiet
from sparsecut.cli.sources import Reading, open_graph, takes_reading
from sparsecut.errors import InputError, check_choice, check_integer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from sparsecut.evaluation import Split
    from sparsecut.graph import Graph

TASKS = ("classify", "cluster", "links", "health")


@takes_reading()
def evaluate(
    embedding: Annotated[
        Path | None, typer.Argument(metavar="[EMBEDDING]", help="A file written by embed; not for links.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            "-l",
            help="A table keyed by node id (CSV, Parquet), a dataset's name, or an attribute in the file of --graph.",
        ),
    ] = None,
    task: Annotated[str, typer.Option(help="classify, cluster, links or health.")] = "classify",
    probe: Annotated[str, typer.Option(help="paper (C = 1) or tuned (C chosen on validation nodes).")] = "paper",
    per_class: Annotated[
        list[int] | None, typer.Option(help="Labels a class to train on; may be repeated. [default: 5, 20]")
    ] = None,
    splits: Annotated[int, typer.Option(help="How many random splits.")] = 50,
    splits_from: Annotated[
        str | None,
        typer.Option(help="Use the splits in a file (JSON, CSV, npz), or those published for a dataset's name, instead."),
    ] = None,
    graph: Annotated[
        str | None, typer.Option(help="The graph, for links, and for graph figures: a dataset's name or an edge list.")
    ] = None,
    features: Features = None,
    *,
    reading: Reading,
    method: Annotated[str, typer.Option(help="links: the method to train on what is left of the graph.")] = "sce",
    fraction: Annotated[float, typer.Option(help="links: the fraction of edges to hold out.")] = 0.1,
    clusters: Annotated[int | None, typer.Option(help="cluster: how many. [default: as many as classes]")] = None,
    runs: Annotated[int, typer.Option(help="cluster, links: how many runs.")] = 5,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(help="Seed of splits, clusters and held-out edges.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Score an embedding.

    sparsecut evaluate vectors.parquet --labels labels.csv

    sparsecut evaluate vectors.parquet --labels labels.csv --task cluster --graph edges.csv

    sparsecut evaluate vectors.parquet --task health --graph edges.csv

    sparsecut evaluate --task links --graph cora --method sce
    """
    output = Output(as_json, quiet)
    check_choice("sparsecut evaluate", "--task", task, TASKS)
    loaded = None
    if graph is not None:
        inside, labels = (labels, None) if _is_attribute(labels) else (None, labels)
        of_graph = replace(reading, label_column=None) if labels is not None else reading
        loaded = open_graph(graph, features, output, inside, of_graph)
    if task == "links":
        _links(output, embedding, loaded, method, fraction, runs, seed, device)
        return
    if embedding is None:
        raise InputError(f"The task {task} scores an embedding. Name its file: sparsecut evaluate EMBEDDING.")
    node_ids, Z = _read(embedding, loaded)
    if graph is None and labels is not None and not Path(labels).suffix and _is_attribute(labels):
        raise InputError(
            f"{labels!r} is neither a file nor a dataset. For an attribute in a graph's file, add --graph FILE."
        )
    known = None if labels is None else _read_labels(labels, node_ids, embedding, reading, output)
    if known is None and loaded is not None:
        known = loaded.labels
    if task == "classify":
        if known is None:
            raise InputError("The task classify needs labels. Name them: --labels FILE.")
        _classify(output, embedding, Z, known, node_ids, probe, per_class or [5, 20], splits, splits_from, seed)
    elif task == "cluster":
        _cluster(output, embedding, Z, known, loaded, clusters, runs, seed)
    else:
        _health(output, embedding, Z, loaded)


def _classify(
    output: Output,
    embedding: Path,
    Z: NDArray[Any],
    labels: NDArray[Any],
    node_ids: NDArray[Any],
    probe: str,
    per_class: list[int],
    n_splits: int,
    splits_from: str | None,
    seed: int,
) -> None:
    from sparsecut.evaluation import probe as run_probe
    from sparsecut.evaluation.probe import PROTOCOLS

    check_choice("sparsecut evaluate", "--probe", probe, PROTOCOLS)
    check_integer("sparsecut evaluate", "--splits", n_splits, 1)
    rows, results = [], {}
    with output.progress() as bar:
        for name, chosen in _splits(output, labels, node_ids, per_class, n_splits, splits_from, seed):
            scores = run_probe(Z, labels, chosen, protocol=probe, progress=bar)
            low, high = scores.interval
            interval = f"{low:.1f} to {high:.1f}" if len(chosen) > 1 else ""
            rows.append([name, str(scores), interval, f"{scores.macro_f1:.1f}", str(len(chosen))])
            results[name] = scores.to_dict()
    output.table(
        f"Accuracy (micro-F1) in percent, probe: {probe}",
        ["labels a class", "mean ± std", "95 % interval", "macro-F1", "splits"],
        rows,
    )
    output.result({"task": "classify", "embedding": str(embedding), "probe": probe, "per_class": results})


def _splits(
    output: Output,
    labels: NDArray[Any],
    node_ids: NDArray[Any],
    per_class: list[int],
    n_splits: int,
    splits_from: str | None,
    seed: int,
) -> Iterator[tuple[str, list[Split]]]:
    """The splits to probe over, by the labels a class they have, or as "given"."""
    import numpy as np

    from sparsecut import datasets
    from sparsecut.evaluation import Split, published_splits, read_splits, sample_splits
    from sparsecut.io import check_known, positions_of

    if splits_from is not None and (Path(splits_from).exists() or Path(splits_from).suffix):
        yield "given", read_splits(splits_from, node_ids)
        return
    for n_labels in per_class:
        if splits_from is None:
            with output.warnings_as_notes():
                splits = sample_splits(labels, n_labels, n_splits, seed)
        else:
            # The published node numbers are the ids of that dataset; the rows here may be in another order.
            ids = datasets.load(splits_from).node_ids if splits_from in datasets.names() else np.arange(len(node_ids))
            position = positions_of(ids, node_ids)
            check_known(position, ids, f"The dataset {splits_from}", "the embedding")
            splits = [
                Split(position[split.train], position[split.validation], position[split.test])
                for split in published_splits(splits_from, n_labels, len(ids))[:n_splits]
            ]
        yield str(n_labels), splits


def _cluster(
    output: Output,
    embedding: Path,
    Z: NDArray[Any],
    labels: NDArray[Any] | None,
    graph: Graph | None,
    n_clusters: int | None,
    runs: int,
    seed: int,
) -> None:
    from sparsecut.evaluation import evaluate_clusters

    with output.progress() as bar:
        scores = evaluate_clusters(
            Z, labels, graph=graph, n_clusters=n_clusters, n_runs=runs, random_state=seed, progress=bar
        )
    for note in scores.notes:
        output.note(note)
    rows = []
    for name, values in scores.figures.items():
        digits = 3 if name in ("modularity", "conductance") else 1
        unit = "" if name in ("modularity", "conductance") else ", percent"
        rows.append([name + unit, f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"])
    output.table(f"k-means, {scores.n_clusters} clusters, {runs} runs", ["figure", "mean ± std"], rows)
    output.result({"task": "cluster", "embedding": str(embedding), **scores.to_dict()})


def _links(
    output: Output,
    embedding: Path | None,
    graph: Graph | None,
    method: str,
    fraction: float,
    runs: int,
    seed: int,
    device: str,
) -> None:
    if embedding is not None:
        raise InputError(
            f"Links cannot be scored on {embedding}: its method has already seen every edge. Name the graph and the method, "
            "and edges are held out before training: sparsecut evaluate --task links --graph GRAPH --method sce."
        )
    if graph is None:
        raise InputError("The task links needs a graph to hold edges out of. Name it: --graph GRAPH.")
    from sparsecut.baselines.methods import find_method
    from sparsecut.evaluation import evaluate_links

    model = find_method(method).make({}, {"random_state": seed, "device": device})
    with output.warnings_as_notes(), output.progress() as bar:
        scores = evaluate_links(
            graph,
            lambda training: model.fit_transform(training, progress=bar),
            fraction=fraction,
            n_runs=runs,
            random_state=seed,
            progress=bar,
        )
    output.table(
        f"Links in percent, {method}: {scores.n_held_out:,} edges held out before training, {runs} runs",
        ["ranked by", "AUC", "average precision"],
        [
            [
                name,
                *(
                    f"{values.mean():.1f} ± {values.std():.1f}"
                    for values in (scores.auc[name], scores.average_precision[name])
                ),
            ]
            for name in scores.auc
        ],
    )
    output.result({"task": "links", "method": method, **scores.to_dict()})


def _health(output: Output, embedding: Path, Z: NDArray[Any], graph: Graph | None) -> None:
    from sparsecut.evaluation import measure_health

    health = measure_health(Z, graph)
    rows = [["effective rank", f"{health.effective_rank:.1f} of {health.dimension}"]]
    if len(health.spectrum):
        rows += [
            ["variance in the first component", f"{health.first_share:.1%}"],
            ["in the first ten", f"{health.spectrum[:10].sum():.1%}"],
        ]
    if health.cut_ratio is not None:
        rows.append(["cut ratio", f"{health.cut_ratio:.4f}"])
    output.table("Health, without labels", ["figure", ""], rows)
    output.say(health.verdict)
    output.result({"task": "health", "embedding": str(embedding), **health.to_dict()})


def _read(embedding: Path, graph: Graph | None) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """The ids and the rows of an embedding, in the order of the graph where there is one."""
    from sparsecut.io import check_known, positions_of, read_embedding

    Z, node_ids = read_embedding(embedding)
    if graph is None:
        return node_ids, Z
    positions = positions_of(graph.node_ids, node_ids)
    check_known(positions, graph.node_ids, "The graph", str(embedding))
    check_known(positions_of(node_ids, graph.node_ids), node_ids, str(embedding), "the graph")
    return graph.node_ids, Z[positions]


def _is_attribute(labels: str | None) -> bool:
    """Whether labels are to be looked for in the graph's file: where they are neither a file nor a dataset."""
    from sparsecut import datasets

    return labels is not None and labels not in datasets.names() and not Path(labels).exists()


def _read_labels(labels: str, node_ids: NDArray[Any], embedding: Path, reading: Reading, output: Output) -> NDArray[Any]:
    """The labels in the order of the nodes, matched by id."""
    import numpy as np

    from sparsecut import datasets
    from sparsecut.io import align_labels, read_labels

    if labels in datasets.names() and not Path(labels).exists():
        graph = datasets.load(labels)
        label_ids, values = graph.node_ids, graph.labels
        if values is None:
            raise InputError(f"The dataset {labels} has no labels.")
    else:
        ids, values, notes = read_labels(labels, reading.label_column, reading.id_column)
        for note in notes:
            output.note(note)
        label_ids = node_ids if ids is None else ids
    if np.ndim(values) != 1 or len(label_ids) != len(values):
        raise InputError(
            f"{labels} must have one label for each of the {len(label_ids):,} nodes of {embedding}. Got {np.shape(values)}."
        )
    if values.dtype.kind in "bu":  # types without a −1 for nodes that have no label
        values = values.astype(np.int64)
    return align_labels(node_ids, label_ids, values, labels, where=str(embedding))
