"""`sparsecut partition`: a graph in parts, as a tree, or cut in two."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sparsecut.base.errors import InputError
from sparsecut.cli.completion import EFFORTS, KWAY_OBJECTIVES, OBJECTIVES, PARTED, completing
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.graph_input import Reading, open_graph, takes_reading
from sparsecut.cli.options import METHOD, OUTPUT, Features, Force, GraphName, Labels, Seed, option
from sparsecut.cli.pipes import is_standard, shown, written_to

if TYPE_CHECKING:
    from sparsecut.base.progress import Reporter
    from sparsecut.graph import Graph

PartsPath = Annotated[
    Path,
    option(
        OUTPUT,
        "Where to write: .parquet or .csv. One row per node; - for CSV on standard output.",
        "--output",
        "-o",
        metavar="FILE",
    ),
]


@takes_output
@takes_reading("edges")
def partition(
    graph: GraphName,
    output_path: PartsPath,
    parts: Annotated[int | None, option(METHOD, "The number of parts.", metavar="N")] = None,
    tree: Annotated[bool, option(METHOD, "Cut recursively, down to single nodes.", "--tree")] = False,
    cut: Annotated[bool, option(METHOD, "Find the sparsest cut in two.", "--cut")] = False,
    objective: Annotated[
        str | None,
        option(
            METHOD,
            "What is optimised. With --cut ratio or conductance; with --parts cut, conductance or modularity.",
            metavar="WORD",
            completion=completing(dict.fromkeys((*OBJECTIVES, *KWAY_OBJECTIVES))),
            show_default="ratio with --cut, cut with --parts",
        ),
    ] = None,
    balance: Annotated[
        float | None,
        option(METHOD, "Smallest share of the nodes on a side of --cut.", metavar="SHARE", show_default="0"),
    ] = None,
    imbalance: Annotated[
        float | None,
        option(
            METHOD,
            "How much heavier than the equal share a part of --parts may be.",
            metavar="SHARE",
            show_default="0.03 where the objective is cut, else no bound",
        ),
    ] = None,
    effort: Annotated[
        str,
        option(METHOD, "Of --parts. best: more seeds, ten times as long. fast: METIS alone (extra cuts).", choices=EFFORTS),
    ] = "usual",
    node_weights: Annotated[
        Path | None,
        option(METHOD, "A table with the columns id and weight, balanced by --parts.", metavar="FILE"),
    ] = None,
    fixed: Annotated[
        Path | None,
        option(METHOD, "A table with the columns id and part: nodes that --parts must put there.", metavar="FILE"),
    ] = None,
    use: Annotated[
        str,
        option(METHOD, "What --parts and --tree cut; embedding: nearest neighbours in it.", choices=PARTED),
    ] = "structure",
    draw: Annotated[Path | None, option(OUTPUT, "Also draw it: .png, .svg or .pdf.", metavar="FILE")] = None,
    report: Annotated[Path | None, option(OUTPUT, "Also write its map to walk through: .html.", metavar="FILE")] = None,
    features: Features = None,
    labels: Labels = None,
    *,
    reading: Reading,
    seed: Seed = 0,
    force: Force = False,
    output: Output,
) -> None:
    """Cut a graph: k parts, a tree, or the sparsest cut. Give one of --parts, --tree and --cut.

    sparsecut partition edges.csv --parts 8 --imbalance 0.03 -o parts.parquet

    sparsecut partition edges.csv --cut --objective conductance --json -o sides.csv

    sparsecut partition cora --tree --use both -o tree.parquet

    --parts and --cut write the columns id and part, the smaller side of a cut as part 1. --tree writes one row per cluster,
    nodes first: id (of a node), parent, left, right, size, value (φ′ of the cut between left and right). Of a graph with
    types of nodes each has the column type, too.
    """
    from sparsecut.cuts import PICTURES
    from sparsecut.io.files import check_writable
    from sparsecut.io.result_files import COLUMN_SUFFIXES, write_columns

    if (parts is not None) + tree + cut != 1:
        raise InputError("sparsecut partition needs exactly one of --parts K, --tree and --cut.")
    for name, is_given, kind in (
        ("--objective", objective is not None, not tree),
        ("--balance", balance is not None, cut),
        ("--imbalance", imbalance is not None, parts is not None),
        ("--effort", effort != "usual", parts is not None),
        ("--node-weights", node_weights is not None, parts is not None),
        ("--fixed", fixed is not None, parts is not None),
        ("--use", use != "structure", not cut),
    ):
        if is_given and not kind:
            raise InputError(f"{name} does not go with {'--cut' if cut else '--tree' if tree else '--parts'}.")
    if not is_standard(output_path):
        check_writable(output_path, force, COLUMN_SUFFIXES)
    if draw is not None:
        check_writable(draw, force, PICTURES)
    if report is not None:
        check_writable(report, force, (".html", ".htm"))
    loaded = open_graph(graph, features, output, labels, reading=reading)
    started = time.perf_counter()
    with output.warnings_as_notes(), output.progress() as bar:
        if cut:
            found, columns, about = _cut(loaded, objective or "ratio", balance or 0.0, seed, bar)
        elif tree:
            found, columns, about = _tree(loaded, use, seed, bar)
        else:
            asked: dict[str, Any] = {"imbalance": imbalance, "objective": objective or "cut", "effort": effort, "use": use}
            asked |= {"node_weights": _column(node_weights, loaded, float), "fixed": _column(fixed, loaded, int)}
            found, columns, about = _parts(loaded, int(parts or 0), asked, seed, bar)
        if draw is not None:
            found.draw(draw, overwrite=force)
        if report is not None:
            found.report(report, random_state=seed, overwrite=force, progress=bar)
    seconds = time.perf_counter() - started
    if loaded.types is not None and not tree:  # a tree names them itself
        columns = {**columns, "type": loaded.types}
    with written_to(output_path) as path:
        write_columns(path, columns, overwrite=force)
    output.say(
        f"{found!r} in {seconds:.2f} s → {shown(output_path)}"
        + (f", picture → {draw}" if draw else "")
        + (f", map → {report}" if report else "")
    )
    output.result(
        {"output": str(output_path), "n_nodes": loaded.n_nodes, "n_edges": loaded.n_edges, **about, "seconds": seconds}
    )


Found = tuple[Any, dict[str, Any], dict[str, Any]]  # the result, the columns of its table, and what --json tells


def _cut(graph: Graph, objective: str, balance: float, seed: int, bar: Reporter) -> Found:
    from sparsecut.cuts import sparsest_cut

    found = sparsest_cut(graph, objective=objective, balance=balance, random_state=seed, progress=bar)
    about = {
        "objective": objective,
        "value": found.value,
        "lower_bound": found.lower_bound,
        "gap": found.gap if found.lower_bound else None,
        "estimate": found.estimate,
        "source": found.source,
        "cut": found.cut,
        "share": found.share,
        "size": len(found.nodes),
    }
    return found, {"id": graph.node_ids, "part": found.side.astype("int64")}, about


def _parts(graph: Graph, parts: int, asked: dict[str, Any], seed: int, bar: Reporter) -> Found:
    from sparsecut.cuts import partition as cut_into

    found = cut_into(graph, parts, **asked, random_state=seed, progress=bar)
    about = {
        "parts": parts,
        "objective": asked["objective"],
        "sizes": found.sizes.tolist(),
        "cut": found.cut,
        "imbalance": found.imbalance,
        "values": found.values.tolist(),
        "conductances": found.conductances.tolist(),
        "modularity": found.modularity,
        "source": found.source,
    }
    return found, {"id": graph.node_ids, "part": found.parts}, about


def _column(path: Path | None, graph: Graph, kind: type) -> dict[Any, Any] | None:
    """The first column beside the ids of a table, by id."""
    from sparsecut.io.nodes.attributes import read_node_table

    if path is None:
        return None
    ids, others = read_node_table(path, "nodes", frozenset(("id", "weight", "part")), known=graph.node_ids)
    if not others.num_columns:
        raise InputError(f"The nodes file {path} has no column beside the ids. It needs one: weights, or parts.")
    try:
        values = [kind(value) for value in others.column(0).to_pylist()]
    except (TypeError, ValueError) as error:
        raise InputError(f"The nodes file {path} must have a number for each node. {str(error).capitalize()}.") from error
    return dict(zip(ids.tolist(), values, strict=True))


def _tree(graph: Graph, use: str, seed: int, bar: Reporter) -> Found:
    from sparsecut.cuts import hierarchy

    found = hierarchy(graph, use=use, random_state=seed, progress=bar)
    first = float(found.values[-1]) if len(found.values) else None
    return found, found.columns(), {"cost": found.cost, "first_cut": first}
