"""`sparsecut plot`: a map of an embedding as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sparsecut.base.errors import check_choice
from sparsecut.cli.completion import LAYOUTS
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.embedding_input import EmbeddingPath, NodeLabels, read_drawn, read_marks
from sparsecut.cli.graph_input import Reading
from sparsecut.cli.options import OUTPUT, Encoding, Force, GraphOption, Layout, Seed, option

DARK = "#14171c"


@takes_output
def plot(
    embedding: EmbeddingPath,
    output_path: Annotated[
        Path, option(OUTPUT, "The picture to write: .png, .svg or .pdf.", "--output", "-o", metavar="FILE")
    ] = Path("map.png"),
    labels: NodeLabels = None,
    graph: GraphOption = None,
    layout: Layout = "auto",
    title: Annotated[str, option(OUTPUT, "Above the picture.", metavar="TEXT", show_default="none")] = "",
    dark: Annotated[bool, option(OUTPUT, "Draw on a dark background.", "--dark")] = False,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
    *,
    output: Output,
) -> None:
    """Draw a map of an embedding as a picture, coloured by labels. (Extra: explore.)

    sparsecut plot cora.parquet --labels cora -o cora.png

    sparsecut plot vectors.parquet --labels labels.csv --dark -o map.svg

    sparsecut report writes a map to search and zoom, as a page.
    """
    from sparsecut.base.errors import import_extra
    from sparsecut.cuts import PICTURES
    from sparsecut.explore.scatter import plot as draw
    from sparsecut.io import check_writable, write_whole

    check_choice("sparsecut plot", "--layout", layout, LAYOUTS)
    check_writable(output_path, force, PICTURES)
    figures = import_extra("matplotlib.figure", caller="sparsecut plot", extra="explore")
    with output.warnings_as_notes():
        Z, ids, xy, _ = read_drawn(embedding, layout, encoding)
    marks = read_marks(labels, graph, ids, embedding, output, Reading(encoding=encoding))
    figure = figures.Figure(figsize=(7, 6), layout="constrained", facecolor=DARK if dark else "white")
    axes = figure.subplots()
    axes.set_facecolor(figure.get_facecolor())
    with output.warnings_as_notes(), output.progress() as bar:
        draw(Z, marks, xy=xy, ax=axes, title=title, method=layout, random_state=seed, progress=bar)
    with write_whole(output_path, force, PICTURES) as temporary:
        figure.savefig(temporary, dpi=150)
    output.say(f"{len(Z):,} nodes → {output_path}")
    output.result({"output": str(output_path), "n_nodes": len(Z)})
