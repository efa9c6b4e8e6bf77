"""`sparsecut partition`: a graph in parts, as a tree, or cut in two."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sparsecut.base.errors import InputError
from sparsecut.cli.completion import OBJECTIVES, PARTED
from sparsecut.cli.console import Output
from sparsecut.cli.graph_input import Reading, open_graph, takes_reading
from sparsecut.cli.options import (
    METHOD,
    OUTPUT,
    AsJson,
    Features,
    Force,
    GraphName,
    Labels,
    Quiet,
    Seed,
    Verbose,
    option,
)
from sparsecut.cli.pipes import is_standard, shown, written_to

if TYPE_CHECKING:
    from sparsecut.base.progress import Reporter
    from sparsecut.graph import Graph

PartsPath = Annotated[
    Path,
    option(
        OUTPUT,
        "Where to write, one row per node: .parquet or .csv; - for CSV on standard output.",
        "--output",
        "-o",
        metavar="FILE",
    ),
]


@takes_reading()
def partition(
    graph: GraphName,
    output_path: PartsPath,
    parts: Annotated[int | None, option(METHOD, "The number of parts.", metavar="N")] = None,
    tree: Annotated[bool, option(METHOD, "Cut recursively, down to single nodes.", "--tree")] = False,
    cut: Annotated[bool, option(METHOD, "Find the sparsest cut in two.", "--cut")] = False,
    objective: Annotated[str, option(METHOD, "The value that --cut minimises.", choices=OBJECTIVES)] = "ratio",
    balance: Annotated[
        float | None,
        option(
            METHOD,
            "Smallest share of the nodes on a side of --cut or in a part of --parts.",
            metavar="SHARE",
            show_default="0 with --cut, half of 1/parts with --parts",
        ),
    ] = None,
    use: Annotated[
        str,
        option(METHOD, "What --parts and --tree cut; embedding: nearest neighbours in it.", choices=PARTED),
    ] = "structure",
    draw: Annotated[
        Path | None, option(OUTPUT, "Also draw the cut: .png, .svg or .pdf (with --cut).", metavar="FILE")
    ] = None,
    features: Features = None,
    labels: Labels = None,
    *,
    reading: Reading,
    seed: Seed = 0,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Cut a graph: k parts, a tree, or the sparsest cut. Ask for one of --parts, --tree and --cut.

    sparsecut partition edges.csv --parts 8 -o parts.parquet

    sparsecut partition edges.csv --cut --objective conductance --json -o sides.csv

    sparsecut partition cora --tree --use both -o tree.parquet

    --parts and --cut write the columns id and part, the smaller side of a cut as part 1. --tree writes one row per cluster,
    nodes first: id (of a node), parent, left, right, size, value (φ′ of the cut between left and right).
    """
    output = Output(as_json, quiet, verbose, output_path)
    from sparsecut.cuts import PICTURES
    from sparsecut.io.files import check_writable
    from sparsecut.io.result_files import COLUMN_SUFFIXES, write_columns

    if (parts is not None) + tree + cut != 1:
        raise InputError("sparsecut partition needs exactly one of --parts K, --tree and --cut.")
    for name, is_given, kind in (
        ("--draw", draw is not None, cut),
        ("--objective", objective != "ratio", cut),
        ("--balance", balance is not None, not tree),
        ("--use", use != "structure", not cut),
    ):
        if is_given and not kind:
            raise InputError(f"{name} does not go with {'--cut' if cut else '--tree' if tree else '--parts'}.")
    if not is_standard(output_path):
        check_writable(output_path, force, COLUMN_SUFFIXES)
    if draw is not None:
        check_writable(draw, force, PICTURES)
    loaded = open_graph(graph, features, output, labels, reading=reading)
    started = time.perf_counter()
    with output.warnings_as_notes(), output.progress() as bar:
        if cut:
            columns, about, words = _cut(loaded, objective, balance or 0.0, draw, force, seed, bar)
        elif tree:
            columns, about, words = _tree(loaded, use, seed, bar)
        else:
            columns, about, words = _parts(loaded, int(parts or 0), balance, use, seed, bar)
    seconds = time.perf_counter() - started
    with written_to(output_path) as path:
        write_columns(path, columns, overwrite=force)
    output.say(f"{words} in {seconds:.2f} s → {shown(output_path)}" + (f", picture → {draw}" if draw else ""))
    output.result(
        {"output": str(output_path), "n_nodes": loaded.n_nodes, "n_edges": loaded.n_edges, **about, "seconds": seconds}
    )


def _cut(
    graph: Graph, objective: str, balance: float, draw: Path | None, force: bool, seed: int, bar: Reporter
) -> tuple[dict[str, Any], dict[str, Any], str]:
    from sparsecut.cuts import sparsest_cut

    found = sparsest_cut(graph, objective=objective, balance=balance, random_state=seed, progress=bar)
    if draw is not None:
        found.draw(draw, overwrite=force)
    about = {
        "objective": objective,
        "value": found.value,
        "lower_bound": found.lower_bound,
        "estimate": found.estimate,
        "source": found.source,
        "cut": found.cut,
        "share": found.share,
        "size": len(found.nodes),
    }
    return {"id": graph.node_ids, "part": found.side.astype("int64")}, about, repr(found)


def _parts(
    graph: Graph, parts: int, balance: float | None, use: str, seed: int, bar: Reporter
) -> tuple[dict[str, Any], dict[str, Any], str]:
    from sparsecut.cuts import partition as cut_into

    found = cut_into(graph, parts, balance=balance, use=use, random_state=seed, progress=bar)
    about = {
        "parts": parts,
        "sizes": found.sizes.tolist(),
        "cut": found.cut,
        "values": found.values.tolist(),
        "modularity": found.modularity,
    }
    return {"id": graph.node_ids, "part": found.parts}, about, repr(found)


def _tree(graph: Graph, use: str, seed: int, bar: Reporter) -> tuple[dict[str, Any], dict[str, Any], str]:
    from sparsecut.cuts import hierarchy

    found = hierarchy(graph, use=use, random_state=seed, progress=bar)
    first = float(found.values[-1]) if len(found.values) else None
    return found.columns(), {"cost": found.cost, "first_cut": first}, repr(found)
