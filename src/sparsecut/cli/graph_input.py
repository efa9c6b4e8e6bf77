"""GRAPH and the options that say how to read it, as the commands take them.

GRAPH is a dataset's name, a file, or standard input.
The options are defined once: `takes_reading` gives them to a command, which gets them together as one `Reading`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from sparsecut.base.errors import InputError, check_choice, did_you_mean
from sparsecut.cli.completion import DIRECTIONS, MISSING
from sparsecut.cli.gathering import Command, gathers, option_named
from sparsecut.cli.options import READING, Encoding, option
from sparsecut.cli.pipes import WORDS, edges_from, is_standard

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.graph import Graph

GUESSED = "guessed and printed"


def _option(
    text: str, *names: str, metavar: str = "NAME", choices: Sequence[str] = (), show_default: bool | str = True
) -> Any:
    return option(READING, text, *names, metavar=metavar, choices=choices, show_default=show_default)


@dataclass(frozen=True)
class Reading:
    """The options of `read_graph`, as every command that reads a graph has them."""

    nodes: Annotated[
        str | None,
        _option(
            "A table with one row per node.",
            metavar="FILE",
            show_default="nodes.csv beside edges.csv, if columns are named",
        ),
    ] = None
    source: Annotated[str | None, _option("Column of the edges' sources.", show_default=GUESSED)] = None
    target: Annotated[str | None, _option("Column of the edges' targets.", show_default=GUESSED)] = None
    weight: Annotated[str | None, _option("Column, or attribute, of the edges' weights.", show_default=GUESSED)] = None
    bipartite: Annotated[
        bool | None,
        _option(
            "Whether sources and targets are two kinds of nodes, whose ids then say so: user:7, movie:7.",
            "--bipartite/--no-bipartite",
            metavar="",
            show_default="one kind, and a note where that is doubtful",
        ),
    ] = None
    time: Annotated[
        str | None,
        _option("Column of the edges' times: dates, times, epochs, numbers. Edges then weigh less with age."),
    ] = None
    half_life: Annotated[
        str | None,
        _option(
            "Age at which an edge weighs half as much: 30d, 12h, 1y, or auto: by how well earlier edges tell later ones.",
            metavar="AGE",
            show_default="auto, with --time",
        ),
    ] = None
    now: Annotated[
        str | None,
        _option(
            "The moment at which an edge weighs 1: a date, a time or a number.", metavar="TIME", show_default="latest edge"
        ),
    ] = None
    signed: Annotated[bool, _option("Take weights below zero: such edges ask for distance.", "--signed", metavar="")] = False
    header: Annotated[
        bool | None,
        _option(
            "Whether the first line of a text edge list is a header.",
            "--header/--no-header",
            metavar="",
            show_default=GUESSED,
        ),
    ] = None
    separator: Annotated[
        str | None,
        _option(
            "What separates the columns of a text edge list: a character, or tab.", metavar="SIGN", show_default=GUESSED
        ),
    ] = None
    label_column: Annotated[
        str | None, _option("Column of the labels file that holds the labels.", show_default=GUESSED)
    ] = None
    feature_columns: Annotated[
        str | None,
        _option("Columns of the features file to take, separated by commas.", metavar="NAMES", show_default="all"),
    ] = None
    id_column: Annotated[
        str | None,
        _option("Column of ids in the features, labels and node tables.", show_default="the one whose values are the nodes"),
    ] = None
    adjacency: Annotated[str | None, _option("Which matrix of a .mat or .npz file is the adjacency.")] = None
    directed: Annotated[
        str,
        _option(
            "Make edges undirected, or keep directions: neighbours are the nodes pointed to (out) or those pointing (in).",
            choices=DIRECTIONS,
        ),
    ] = "symmetrize"
    missing: Annotated[
        str,
        _option("With zero, nodes without features get zeros, and rows without a node are left out.", choices=MISSING),
    ] = "error"
    scale: Annotated[
        str,
        _option(
            "Scale of the numbers of a table with named columns: auto, standard, log, rank or none; or of some columns, "
            "balance=log,age=none. auto standardises, on a log scale where the tail of a column asks for it. Arrays are "
            "taken as they are.",
            metavar="SCALE",
        ),
    ] = "auto"
    encoding: Encoding = None

    def given(self) -> dict[str, Any]:
        """The options that are not as they are by default."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) != field.default}


NoScale = Annotated[bool, _option("Short for --scale none.", "--no-scale", metavar="")]


def takes_reading(*without: str) -> Callable[[Command], Command]:
    """Make of a command with a parameter `reading` one with the options of `Reading` in its place, without some."""
    hints = get_type_hints(Reading, include_extras=True)
    taken = [field for field in fields(Reading) if field.name not in without]
    options = [option_named(field.name, hints[field.name], field.default) for field in taken]
    if "scale" not in without:
        options.append(option_named("no_scale", NoScale, False))

    def gather(given: dict[str, Any], _others: Any) -> Reading:
        if "scale" in given:
            given["scale"] = _scale_of(given["scale"], given.pop("no_scale"))
        return Reading(**given)

    return lambda command: gathers(command, "reading", options, gather)


def _scale_of(text: str, is_none: bool) -> Any:
    """A scale as `read_graph` takes it: a word for all columns, False for none, or a dict by column."""
    if is_none or text == "none":
        return False
    if "=" not in text:
        return text
    pairs = [pair.rpartition("=") for pair in text.split(",")]
    return {name.strip(): False if word.strip() == "none" else word.strip() for name, _, word in pairs}


def dataset_of(name: str | None) -> str | None:
    """The dataset that a word names, where it names one and no file has this name."""
    if name is None or Path(name).exists():
        return None
    from sparsecut import datasets

    return name if datasets.is_known(name) else None


def open_graph(
    name: str, features: str | Path | None, output: Output, labels: str | Path | None = None, reading: Reading | None = None
) -> Graph:
    """The graph behind a name or a path, with its notes printed."""
    from sparsecut.io import read_graph, refuse_url

    reading = reading or Reading()
    for one, choices in (("directed", DIRECTIONS), ("missing", MISSING)):
        check_choice("sparsecut", f"--{one}", getattr(reading, one), choices)
    with output.warnings_as_notes(), edges_from(name) as path:
        if dataset_of(path) is not None:
            given = [one for one in reading.given() if one != "encoding"]  # which is for the labels' file then
            given += [one for one, value in (("features", features), ("labels", labels)) if value is not None]
            if given:
                one = given[0].replace("_", "-")
                raise InputError(f"The dataset {name} has its own {one}. Leave --{one} out.")
            from sparsecut import datasets

            with output.progress() as bar:
                graph = datasets.load(name, progress=bar)
        else:
            refuse_url(path, "The graph file")
            if not Path(path).exists() and not Path(path).suffix:
                from sparsecut import datasets

                known = datasets.names()
                about = f"{name} is neither a file nor a dataset. Datasets: {', '.join(known)}."
                raise InputError(f"{about}{did_you_mean(name, known)}")
            graph = read_graph(path, features=features, labels=labels, **asdict(reading))
        if is_standard(name):  # the temporary file is nobody's concern
            graph = graph.replace(notes=tuple(note.replace(path, WORDS) for note in graph.notes))
        for note in graph.notes:  # a warning is one of them
            output.note(note)
    output.aside(repr(graph))
    return graph
