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
    from sparsecut.graph import Graph, Ids

GUESSED = "guessed and printed"
COLUMNS = ("source", "target", "weight", "time")  # of tables of edges


def _option(
    text: str, *names: str, metavar: str = "NAME", choices: Sequence[str] = (), show_default: bool | str = True
) -> Any:
    return option(READING, text, *names, metavar=metavar, choices=choices, show_default=show_default)


@dataclass(frozen=True)
class Reading:
    """The options of `read_graph`, as every command that reads a graph has them."""

    nodes: Annotated[
        list[str] | None,
        _option(
            "A table with one row per node. Of a graph with types author=FILE for each type, or author alone for nodes that "
            "only edges name.",
            metavar="FILE",
            show_default="nodes.csv beside edges.csv, if columns are named",
        ),
    ] = None
    edges: Annotated[
        list[str] | None,
        _option(
            "In place of GRAPH, of a graph with types: author:writes:paper=FILE for each type of edges.",
            metavar="TYPES=FILE",
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
        _option(
            "Column of the edges' times: dates, times, epochs, numbers. Edges then weigh less with age. Of some types "
            "of edges alone: rates=at,views=seen; --weight too."
        ),
    ] = None
    half_life: Annotated[
        str | None,
        _option(
            "Age at which an edge weighs half as much: 30d, 12h, 1y, none, or auto: by how well earlier edges predict "
            "later ones.",
            metavar="AGE",
            show_default="auto, with --time",
        ),
    ] = None
    decay: Annotated[
        float | None,
        _option("In place of --half-life: an edge weighs exp(−decay·age), its age in seconds or as --time.", metavar="X"),
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
    name: str | None,
    features: str | Path | None,
    output: Output,
    labels: str | Path | None = None,
    reading: Reading | None = None,
    node_ids: Ids | None = None,
) -> Graph:
    """The graph behind a name or a path, with its notes printed; `node_ids` are those of tables without any of nodes."""
    from sparsecut.io import read_graph, refuse_url

    reading = reading or Reading()
    for one, choices in (("directed", DIRECTIONS), ("missing", MISSING)):
        check_choice("sparsecut", f"--{one}", getattr(reading, one), choices)
    if reading.edges is not None or name is None:
        return _open_tables(name, features, output, labels, reading, node_ids)
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
            options = asdict(reading) | {"nodes": _one_table(reading.nodes)}
            del options["edges"]
            graph = read_graph(path, features=features, labels=labels, **options)
        if is_standard(name):  # the temporary file is nobody's concern
            graph = graph.replace(notes=tuple(note.replace(path, WORDS) for note in graph.notes))
        for note in graph.notes:  # a warning is one of them
            output.note(note)
    output.aside(repr(graph))
    return graph


def _open_tables(
    name: str | None,
    features: str | Path | None,
    output: Output,
    labels: str | Path | None,
    reading: Reading,
    node_ids: Ids | None,
) -> Graph:
    """The graph of --nodes TYPE=FILE and --edges TYPE:RELATION:TYPE=FILE, with its notes printed."""
    from sparsecut.graph.node_types import ids_of_one_type
    from sparsecut.io import from_tables

    if reading.edges is None:
        raise InputError("The command needs a graph: a dataset's name or a file, or --edges TYPE:RELATION:TYPE=FILE.")
    taken = {"nodes", "edges", "source", "target", "weight", "directed", "missing", "scale", "id_column", "encoding"}
    taken |= {"time", "half_life", "decay", "now", "signed"}
    useless = [one for one in reading.given() if one not in taken]
    useless += [one for one, value in (("features", features), ("labels", labels)) if value is not None]
    if name is not None or useless:
        remedy = f"--{useless[0].replace('_', '-')}" if name is None else f"the graph {name}"
        raise InputError(f"--edges TYPES=FILE and --nodes TYPE=FILE are the whole graph. Leave {remedy} out.")
    nodes, edges = tables_of(reading)
    if node_ids is not None:
        names = dict.fromkeys(end for types in edges for end in types.split(":")[::2])
        found: dict[str, Any] = {one: ids_of_one_type(node_ids, one, "The embedding")[1] for one in names}
    else:
        found = dict(nodes)
    options = {one: value for one, value in reading.given().items() if one in taken and one not in ("nodes", "edges")}
    options = by_relation(options)
    with output.warnings_as_notes():
        graph = from_tables(found or None, edges, **options)
    for note in graph.notes:
        output.note(note)
    output.aside(repr(graph))
    return graph


def tables_of(reading: Reading) -> tuple[dict[str, str | None], dict[str, str]]:
    """The files of --nodes TYPE=FILE and of --edges TYPE:RELATION:TYPE=FILE."""
    from sparsecut.io import refuse_url

    nodes = dict(_named(text, "--nodes", "author=authors.csv") for text in reading.nodes or ())
    edges: dict[str, str] = {}
    for text in reading.edges or ():
        types, path = _named(text, "--edges", "author:writes:paper=writes.csv")
        if path is None:
            raise InputError(f"--edges {types} needs a file: --edges {types}=FILE.")
        edges[types] = path
    for one in (*nodes.values(), *edges.values()):
        if one is not None:
            refuse_url(one, "The table")
    return nodes, edges


def by_relation(options: dict[str, Any]) -> dict[str, Any]:
    """Options of which some name a column of all types of edges, or of each its own."""
    return {name: _by_relation(value) if name in COLUMNS and value is not None else value for name, value in options.items()}


def _by_relation(text: str) -> str | dict[str, str]:
    """A column of all types of edges, or of each its own: rates=at,views=seen."""
    if "=" not in text:
        return text
    pairs = [pair.partition("=") for pair in text.split(",")]
    return {name.strip(): column.strip() for name, _, column in pairs}


def _named(text: str, option_name: str, example: str) -> tuple[str, str | None]:
    """(type, file) of TYPE=FILE; a type alone has no file."""
    name, sign, path = text.partition("=")
    if not name or (sign and not path):
        raise InputError(f"{option_name} must be a type and its file: {option_name} {example}. Got {text!r}.")
    return name, path or None


def _one_table(nodes: list[str] | None) -> str | None:
    """The node table of a graph without types."""
    if nodes is None:
        return None
    if len(nodes) > 1 or ("=" in nodes[0] and not Path(nodes[0]).exists()):
        raise InputError(
            f"--nodes {nodes[-1]} is of a graph with types, whose edges are --edges author:writes:paper=FILE. Of a graph "
            "without types one table of nodes is read: --nodes FILE."
        )
    return nodes[0]
