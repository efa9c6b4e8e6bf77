"""Options that several commands have, in the groups that a help page shows: reading, method, engine, evaluation, output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sparsecut.cli.completion import (
    DEVICES,
    FIGURES,
    LAYOUTS,
    METRICS,
    PAPER_DATASETS,
    PROBES,
    SPLITS,
    complete_source,
    completing,
    completing_list,
    format_suffixes,
)

READING, METHOD, ENGINE, EVALUATION, OUTPUT = "Reading", "Method", "Engine", "Evaluation", "Output"
MAX_TYPE = 12  # characters of choices in place of a type; longer ones are named in the text
GROUPS = (READING, METHOD, ENGINE, EVALUATION, OUTPUT)  # in the order of a help page


def option(
    group: str,
    text: str,
    *names: str,
    metavar: str | None = None,
    choices: Sequence[str] = (),
    completion: Callable[..., Any] | None = None,
    show_default: bool | str = True,
) -> Any:
    """An option in a group. `choices` are shown, in place of its type where they are short, and completed by the shell."""
    if choices:
        completion, shown = completion or completing(choices), "|".join(choices)
        metavar = shown if len(shown) <= MAX_TYPE else "WORD"
        text += "" if metavar == shown else f" One of {', '.join(choices)}."
    return typer.Option(
        *names,
        help=text,
        rich_help_panel=group,
        metavar=metavar,
        autocompletion=completion,
        show_default=show_default,
    )


_GRAPH: Any = {
    "help": "A dataset's name, or a file of edges. An edge list (CSV, TSV, text, Parquet, Feather), a matrix or a "
    f"document ({', '.join(format_suffixes())}), Planetoid; text may be packed (.gz, .bz2, .xz, .zst, "
    ".zip); a folder made by build_store, or of one table per type of nodes and edges; or - for standard input.",
    "autocompletion": complete_source,
}
GraphName = Annotated[str, typer.Argument(metavar="GRAPH", **_GRAPH)]
GraphOrTables = Annotated[str | None, typer.Argument(metavar="[GRAPH]", **_GRAPH)]  # or --nodes and --edges
NodeType = Annotated[
    str | None,
    option(READING, "Only nodes of this type. In a graph with types: author, of author:7.", "--type", metavar="TYPE"),
]
GraphOption = Annotated[
    str | None,
    option(READING, "The graph that was embedded. A dataset's name or a file.", metavar="GRAPH", completion=complete_source),
]
Features = Annotated[
    str | None,
    option(
        READING,
        "Features: a table keyed by node id, or an array. CSV, Parquet, .npy, .npz, .json; columns of the node table: "
        "age,country; or what the graph file holds: node attributes of GraphML, GML and JSON, X_pca of an .h5ad.",
        "--features",
        "-f",
        metavar="FILE",
    ),
]
Labels = Annotated[
    str | None,
    option(
        READING,
        "Labels: a table keyed by node id. Or a column of the node table, or an attribute in the graph file.",
        "--labels",
        "-l",
        metavar="FILE",
    ),
]
Encoding = Annotated[
    str | None,
    option(READING, "Encoding of the text files: latin-1, cp1252, utf-16, …", metavar="NAME", show_default="utf-8"),
]

Device = Annotated[
    str,
    option(ENGINE, "Where to compute: auto, cpu, cuda or cuda:N.", metavar="DEVICE", completion=completing(DEVICES)),
]
SomeDevices = Annotated[
    str,
    option(
        ENGINE,
        "Where to compute: auto, cpu, cuda, cuda:N, or several: cuda:0,cuda:1.",
        "--device",
        metavar="DEVICE",
        completion=completing(DEVICES),
    ),
]
Dimension = Annotated[
    int | None, option(METHOD, "Columns of the embedding.", metavar="N", show_default="the method's own choice")
]
PaperSettings = Annotated[
    str | None,
    option(
        METHOD, "The paper's settings for this dataset, e.g. cora.", metavar="DATASET", completion=completing(PAPER_DATASETS)
    ),
]
Seed = Annotated[int, option(METHOD, "Seed of everything that is drawn.", metavar="N")]
Metric = Annotated[str, option(METHOD, "cosine ignores the lengths of vectors.", choices=METRICS)]

Layout = Annotated[
    str,
    option(
        METHOD,
        "Positions: auto takes the columns x and y of the file, or else the best layout that is installed.",
        choices=LAYOUTS,
    ),
]

Probe = Annotated[
    str, option(EVALUATION, "The linear probe: C = 1, or C chosen on validation nodes (tuned).", choices=PROBES)
]
PerClass = Annotated[
    list[int] | None,
    option(
        EVALUATION,
        "Labels per class to train on. May be repeated.",
        metavar="N",
        show_default="5 and 20, or 20 with --quick",
    ),
]
Splits = Annotated[
    int | None,
    option(
        EVALUATION,
        "Number of splits, at most as many as there are.",
        metavar="N",
        show_default="50, or 5 with --quick",
    ),
]
SplitKind = Annotated[
    str,
    option(
        EVALUATION,
        "How labelled nodes are split: random (so many per class; auto for classes), cv (all of them in ten parts, each "
        "tested on in turn; auto for other targets), 10-10-80 (percent to train on, to validate on and "
        "to test on, of all of them), or what was made for a dataset: official (by its publishers), public (Planetoid's), "
        "published (the paper's 50).",
        metavar="SPLIT",
        completion=completing(SPLITS),
    ),
]
Metrics = Annotated[
    str | None,
    option(
        EVALUATION,
        f"What to measure, names between commas. {', '.join(FIGURES)}, or a scorer of scikit-learn.",
        metavar="NAMES",
        completion=completing_list(FIGURES),
        show_default="accuracy and macro_f1",
    ),
]
Fraction = Annotated[float, option(EVALUATION, "links: the fraction of edges to hold out.", metavar="SHARE")]
Quick = Annotated[bool, option(EVALUATION, "Fewer splits: a tenth of the time.", "--quick")]

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by embed --save-model.")]
ModelWithState = Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by embed --save-model --with-state.")]
OutputPath = Annotated[
    Path,
    option(
        OUTPUT,
        "Where to write: .parquet, .csv, .npy or others. Also .npz, .w2v, .vec, .tsv (projector); - for CSV on "
        "standard output.",
        "--output",
        "-o",
        metavar="FILE",
    ),
]
Force = Annotated[bool, option(OUTPUT, "Replace files that exist.", "--force")]
AsJson = Annotated[bool, option(OUTPUT, "Print one JSON object and nothing else.", "--json")]
Quiet = Annotated[bool, option(OUTPUT, "Print only errors.", "--quiet", "-q")]
Verbose = Annotated[
    bool, option(OUTPUT, "Say more: every stage with its seconds, and where an error comes from.", "--verbose", "-v")
]
