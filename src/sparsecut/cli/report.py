"""`sparsecut report`: one HTML file that shows an embedding."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from sparsecut.base.errors import InputError, check_choice
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.embedding_input import EmbeddingPath, NodeLabels, is_attribute, read_drawn, read_labels
from sparsecut.cli.graph_input import Reading, open_graph
from sparsecut.cli.options import (
    METHOD,
    OUTPUT,
    READING,
    Encoding,
    Force,
    GraphOption,
    Layout,
    Metric,
    NodeType,
    Seed,
    option,
)
from sparsecut.cli.pipes import is_standard


@takes_output
def report(
    embedding: EmbeddingPath,
    output_path: Annotated[Path, option(OUTPUT, "The HTML file to write.", "--output", "-o", metavar="FILE")] = Path(
        "report.html"
    ),
    graph: GraphOption = None,
    labels: NodeLabels = None,
    of_type: NodeType = None,
    nodes: Annotated[
        Path | None,
        option(READING, "A node table keyed by id: columns to colour by, search and show.", metavar="FILE"),
    ] = None,
    model: Annotated[
        Path | None,
        option(
            READING,
            "The model saved by embed --save-model: reasons, what it chose.",
            metavar="FILE",
        ),
    ] = None,
    before: Annotated[
        Path | None,
        option(READING, "An earlier embedding of these nodes, shown beside this one.", metavar="FILE"),
    ] = None,
    recommend: Annotated[
        bool, option(METHOD, "Add the nodes recommended to each node. Needs --graph.", "--recommend")
    ] = False,
    metric: Metric = "cosine",
    layout: Layout = "auto",
    title: Annotated[
        str | None, option(OUTPUT, "The page's heading.", metavar="TEXT", show_default="the file's name")
    ] = None,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
    *,
    output: Output,
) -> None:
    """Write a map to search, click and lasso, as one HTML file. Findings and warnings stand beside the map.

    sparsecut report cora.parquet --graph cora -o cora.html

    sparsecut report vectors.parquet --graph edges.csv --labels labels.csv --nodes nodes.csv --model model.safetensors

    sparsecut report today.parquet --before yesterday.parquet -o changes.html

    The file opens from the file system and needs no network. Computing positions takes most of the time: they are taken from
    the columns x and y if sparsecut embed --xy has written them, or from the report that is replaced if nothing has changed.
    """
    from sparsecut.explore import METHODS, METRICS
    from sparsecut.explore.html_report import report as write_report
    from sparsecut.graph.node_types import ids_of_one_type
    from sparsecut.io.files import check_readable, check_writable

    check_choice("sparsecut report", "--metric", metric, METRICS)
    check_choice("sparsecut report", "--layout", layout, ("auto", *METHODS))
    check_writable(output_path, force, (".html", ".htm"))
    if nodes is not None:
        check_readable(nodes, "node")
    if before is not None:
        check_readable(before, "earlier")
    if recommend and graph is None:
        raise InputError("--recommend needs the known links. Name the graph that was embedded: --graph GRAPH.")
    with output.warnings_as_notes():
        Z, ids, xy, types = read_drawn(embedding, layout, encoding)
    if of_type is not None:
        is_here, _ = ids_of_one_type(ids, of_type, str(embedding))
        Z, ids, xy, types = (None if part is None else part[is_here] for part in (Z, ids, xy, types))
    reading = Reading(encoding=encoding)
    inside = labels if graph is not None and is_attribute(labels) else None
    loaded = None if graph is None else open_graph(graph, None, output, inside, reading)
    marks = None
    if labels is not None and inside is None:
        marks = read_labels(labels, ids, embedding, output, reading=reading, is_for_more=True)
    fitted = None
    if model is not None:
        from sparsecut.model.loading import load

        fitted = load(model)
    with output.warnings_as_notes(), output.progress() as bar:
        links = None
        if recommend and loaded is not None:
            from sparsecut.links import Links

            links = Links(Z if fitted is None else fitted, loaded, index="exact", random_state=seed, progress=bar)
        path = write_report(
            Z,
            output_path,
            ids=ids,
            graph=loaded,
            labels=marks,
            types=types,
            nodes=nodes,
            model=fitted,
            links=links,
            before=before,
            xy=xy if before is None else None,
            title=title or ("Embedding" if is_standard(embedding) else embedding.name),
            metric=metric,
            layout_method=layout,
            random_state=seed,
            overwrite=force,
            command=_command(
                *(embedding, output_path, graph, labels, of_type, nodes, model, before, metric, layout, seed, encoding),
                recommend=recommend,
            ),
            encoding=encoding,
            progress=bar,
        )
    size = path.stat().st_size
    output.say(f"{len(Z):,} nodes → {path} ({size / 1e6:.1f} MB). Open it in a browser; it needs no network.")
    output.result({"output": str(path), "n_nodes": len(Z), "bytes": size})


def _command(
    embedding: Path,
    output_path: Path,
    graph: str | None,
    labels: str | None,
    of_type: str | None,
    nodes: Path | None,
    model: Path | None,
    before: Path | None,
    metric: str,
    layout: str,
    seed: int,
    encoding: str | None,
    *,
    recommend: bool,
) -> str:
    """The command that writes the same report again."""
    words = ["sparsecut", "report", str(embedding)]
    for name, value, usual in (
        ("--graph", graph, None),
        ("--labels", labels, None),
        ("--type", of_type, None),
        ("--nodes", nodes, None),
        ("--model", model, None),
        ("--before", before, None),
        ("--metric", metric, "cosine"),
        ("--layout", layout, "auto"),
        ("--seed", seed, 0),
        ("--encoding", encoding, None),
    ):
        if value != usual:
            words += [name, str(value)]
    words += ["--recommend"] if recommend else []
    return shlex.join([*words, "--force", "-o", str(output_path)])
