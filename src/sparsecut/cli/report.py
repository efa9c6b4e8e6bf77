"""`sparsecut report`: one HTML file that shows an embedding."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.cli.console import AsJson, Force, Output, Quiet
from sparsecut.cli.neighbors import EmbeddingPath, Metric
from sparsecut.cli.sources import open_graph
from sparsecut.errors import InputError, check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray


def report(
    embedding: EmbeddingPath,
    output_path: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path("report.html"),
    graph: Annotated[str | None, typer.Option(help="The graph that was embedded: a dataset's name or a file.")] = None,
    labels: Annotated[
        str | None,
        typer.Option("--labels", "-l", help="Labels: a table keyed by node id, .npy, .json, or a dataset's name."),
    ] = None,
    nodes: Annotated[
        Path | None, typer.Option(help="A node table keyed by id: columns to colour by, search and show.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The model saved by sparsecut embed --save-model: what it chose, its training curve.")
    ] = None,
    metric: Metric = "cosine",
    layout: Annotated[
        str, typer.Option(help="auto (the best that is installed), pacmap, umap, tsne or pca. Columns x and y come first.")
    ] = "auto",
    title: Annotated[str | None, typer.Option(help="The page's heading. [default: the file's name]")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the layout, the clusters and the samples.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write an interactive map of an embedding, with what an analyst asks of it, as one HTML file.

    sparsecut report cora.parquet --graph cora -o cora.html

    sparsecut report vectors.parquet --graph edges.csv --labels labels.csv --nodes nodes.csv --model model.safetensors

    The file opens from the file system and needs no network. The layout is the slow part: it is taken from the columns x and
    y where sparsecut embed --xy has written them, or from the report that is replaced where nothing has changed.
    """
    output = Output(as_json, quiet)
    from sparsecut.explore import report as write_report
    from sparsecut.explore.exact import METRICS
    from sparsecut.explore.layout import METHODS
    from sparsecut.io import check_readable, check_writable, read_embedding, read_positions

    check_choice("sparsecut report", "--metric", metric, METRICS)
    check_choice("sparsecut report", "--layout", layout, ("auto", *METHODS))
    if output_path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"The output {output_path} must end in .html.")
    check_writable(output_path, force)
    if nodes is not None:
        check_readable(nodes, "node")
    Z, ids = read_embedding(embedding)
    loaded = None if graph is None else open_graph(graph, None, output)
    marks = None if labels is None else _labels_of(labels, ids, output)
    fitted = None
    if model is not None:
        from sparsecut.model.estimators import load

        fitted = load(model)
    with output.warnings_as_notes(), output.progress() as bar:
        path = write_report(
            Z,
            output_path,
            ids=ids,
            graph=loaded,
            labels=marks,
            nodes=nodes,
            model=fitted,
            xy=read_positions(embedding) if layout == "auto" else None,
            title=title or embedding.name,
            metric=metric,
            layout_method=layout,
            random_state=seed,
            command=_command(embedding, output_path, graph, labels, nodes, model, metric, layout, seed),
            progress=bar,
        )
    size = path.stat().st_size
    output.say(f"{len(Z):,} nodes → {path} ({size / 1e6:.1f} MB). Open it in a browser; it needs no network.")
    output.result({"output": str(path), "n_nodes": len(Z), "bytes": size})


def _labels_of(name: str, node_ids: NDArray[Any], output: Output) -> NDArray[Any]:
    """Labels of the embedding's nodes from a dataset or a file; a file may leave nodes out."""
    from sparsecut import datasets
    from sparsecut.io import align_labels, positions_of, read_labels

    label_ids: NDArray[Any] | None
    if name in datasets.names() and not Path(name).exists():
        graph = open_graph(name, None, output)
        if graph.labels is None:
            raise InputError(f"The dataset {name} has no labels.")
        label_ids, values = graph.node_ids, graph.labels
    else:
        label_ids, values, notes = read_labels(name)
        for note in notes:
            output.note(note)
    if label_ids is None:
        if len(values) != len(node_ids):
            raise InputError(f"The labels file {name} has {len(values):,} rows without ids, for {len(node_ids):,} nodes.")
        return values
    known = positions_of(label_ids, node_ids) >= 0
    if not known.any():
        raise InputError(f"The labels file {name} names no node of the embedding.")
    return align_labels(node_ids, label_ids[known], values[known], f"The labels file {name}")


def _command(
    embedding: Path,
    output_path: Path,
    graph: str | None,
    labels: str | None,
    nodes: Path | None,
    model: Path | None,
    metric: str,
    layout: str,
    seed: int,
) -> str:
    """The command that writes the same report again."""
    words = ["sparsecut", "report", str(embedding)]
    for option, value, usual in (
        ("--graph", graph, None),
        ("--labels", labels, None),
        ("--nodes", nodes, None),
        ("--model", model, None),
        ("--metric", metric, "cosine"),
        ("--layout", layout, "auto"),
        ("--seed", seed, 0),
    ):
        if value != usual:
            words += [option, str(value)]
    return shlex.join([*words, "--force", "-o", str(output_path)])
