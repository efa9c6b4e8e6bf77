"""What `embed` and `transform` do around an engine's work: the graph it reads, and the file its rows go to.

An engine that keeps files makes a store of the edges and features where it can read them in parts, and works in a folder
that is removed with the end of the command. If the command is killed, the same command goes on from what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparsecut.base.errors import InputError
from sparsecut.cli.graph_input import by_relation, dataset_of, tables_of
from sparsecut.cli.pipes import is_standard, written_to

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.cli.graph_input import Reading
    from sparsecut.engines import EngineChoice
    from sparsecut.graph import Graph

FROM_ROWS = (".npy", ".parquet")  # what is written of rows on disk without reading them whole
AGEING = ("time", "half_life", "decay", "now", "signed")
READ_IN_PARTS = ("source", "target", "weight", "bipartite", "directed", "scale", "id_column", *AGEING)  # by `build_store`


@dataclass(frozen=True)
class Opened:
    """The engine, ready for one command, its graph, and the file it writes rows to; None where it returns them."""

    engine: EngineChoice
    graph: Graph
    rows_path: Path | None

    def write(self, Z: Any, path: Path, *, force: bool, labels: Any = None, xy: Any = None) -> None:
        """Write the rows with their ids to a file or standard output, unless the engine has written them there."""
        from sparsecut.io import ids_path, write_embedding, write_npy, write_whole

        ids = self.graph.node_ids
        if self.rows_path != path:
            with written_to(path) as place:
                write_embedding(place, Z, ids, types=self.graph.types, labels=labels, xy=xy, overwrite=force)
        elif path.suffix == ".npy":
            with write_whole(ids_path(path)) as temporary, temporary.open("wb") as file:
                write_npy(file, ids)


def check_output(engine: EngineChoice, path: Path, *, force: bool) -> None:
    """Raise where the engine cannot write an embedding to a path, before anything is computed."""
    from sparsecut.io import check_embedding_path
    from sparsecut.io.files import exists_error

    if is_standard(path):
        if engine.keeps_files:
            raise InputError(f"--engine {engine.word} writes files. Name a file in place of -.")
        return
    if ".npy" in engine.writes and path.suffix not in FROM_ROWS:
        raise InputError(f"The output {path} must end in {' or '.join(FROM_ROWS)} with --engine {engine.word}.")
    if path.suffix or path.suffix not in engine.writes:
        check_embedding_path(path, overwrite=force)
        return
    if path.exists() and not force:
        raise exists_error(path)
    engine.check_output(path.absolute())


@contextmanager
def opened(
    engine: EngineChoice,
    name: str | None,
    features: str | None,
    output_path: Path,
    output: Output,
    open_in_memory: Callable[[], Graph],
    reading: Reading,
    *,
    labels: str | None = None,
    encoder: Any = None,
    beside: tuple[Any, ...] = (),
) -> Iterator[Opened]:
    """The engine with a graph, until the command is done.

    `encoder` is that of the fitted model that is to transform the graph; `beside` is what else makes another command of it.
    """
    if not engine.keeps_files:
        yield Opened(engine, open_in_memory(), None)
        return
    from sparsecut.io import files_of, fingerprint_of, work_folder

    if name is not None and is_standard(name):
        raise InputError(f"--engine {engine.word} reads files, more than once. Name a file in place of -.")
    tables = _read_in_parts(
        engine, name, features, labels, reading, output
    )  # or says what is wrong, before anything is started
    parameters = {key: value for key, value in engine.get_params(deep=False).items() if key != "scratch"}
    given = {} if tables is None else tables
    paths = [*given.get("nodes", {}).values(), *given.get("edges", {}).values()] if "nodes" in given else [name, features]
    files = [one for path in paths if path is not None and Path(path).exists() for one in files_of(Path(path))]
    asked = (name, features, files, asdict(reading), beside, parameters, str(output_path.absolute()))
    scratch = engine.get_params(deep=False)["scratch"]
    parent = Path(scratch) if scratch is not None else output_path.absolute().parent
    with work_folder(parent, fingerprint_of("command", *asked)) as work, engine.running(output.aside) as running:
        if work.is_resumed:
            output.note(f"Resumed: the same command was stopped before, and what it had finished is in {work.path}.")
        running.set_params(scratch=work.path)
        if tables is not None:
            graph = _stored(running, work / "store", tables, output, reading, encoder)
        else:
            graph = open_in_memory()
        if output_path.suffix in engine.writes:
            rows_path: Path | None = output_path
        else:
            rows_path = work / "rows.npy" if ".npy" in engine.writes else None
        yield Opened(running, graph, rows_path)


def _read_in_parts(
    engine: EngineChoice, name: str | None, features: str | None, labels: str | None, reading: Reading, output: Output
) -> dict[str, Any] | None:
    """The files that the engine makes a store of; None where the graph is read in memory, as some options need it."""
    from sparsecut.io import folder_by_type, is_store

    in_memory = sorted(set(reading.given()) - set(READ_IN_PARTS) - {"nodes", "edges"})
    in_memory += ["labels"] if labels is not None else []
    by_type: Any = None
    if name is None:
        by_type = tables_of(reading) if features is None and reading.edges is not None else None
    elif features is None and Path(name).is_dir() and not is_store(Path(name)):
        by_type = folder_by_type(name)
    if by_type is not None:
        nodes, edges = by_type
        in_memory += ["bipartite"] if reading.bipartite is not None else []
        if not engine.reads_in_parts(edges, nodes):
            _say_words(nodes, output)
            return None
        _refuse_in_parts(in_memory, [*nodes.values(), *edges.values()])
        tables = {"nodes": nodes, "edges": edges} if name is None else {"nodes": name}
        return None if in_memory else tables
    if name is None:
        return None
    if features is not None and dataset_of(name) is not None:
        raise InputError(f"The dataset {name} has its own features. Leave --features out.")
    columns = {key: getattr(reading, key) for key in ("source", "target", "weight", "bipartite")}
    if not engine.reads_in_parts(name, features, **columns):
        return None
    in_memory += ["nodes"] if reading.nodes is not None else []
    _refuse_in_parts(in_memory, [name])
    return None if in_memory else {"edges": name, "features": features}


def _say_words(nodes: dict[str, Any], output: Output) -> None:
    """Say which column of files that could be read in parts keeps them from it."""
    from sparsecut.io import column_of_words, is_streamed

    for name, path in nodes.items():
        column = column_of_words(name, Path(path)) if path is not None and is_streamed(path) else None
        if column is not None:
            output.note(
                f"The table {path} has a column {column!r} that is more than a number: the graph is read into memory. "
                "Tables of numbers are read in parts."
            )


def _refuse_in_parts(in_memory: list[str], paths: list[Any]) -> None:
    """Refuse options that need the graph in memory where it may not fit: it is in folders, or rows are missing."""
    if in_memory and ("missing" in in_memory or any(path is not None and Path(path).is_dir() for path in paths)):
        flag = ("missing" if "missing" in in_memory else in_memory[0]).replace("_", "-")
        raise InputError(f"--{flag} needs the graph in memory. Leave it out, or use --engine memory.")


def _stored(
    engine: EngineChoice, store: Path, tables: dict[str, Any], output: Output, reading: Reading, encoder: Any
) -> Graph:
    from sparsecut.io import is_store, open_store

    if not is_store(store):
        read = {key: getattr(reading, key) for key in READ_IN_PARTS}
        read = by_relation(read) if "nodes" in tables else read
        with output.warnings_as_notes(), output.progress() as bar:
            engine.build_store(store, **tables, encoder=encoder, progress=bar, **read)
    graph = open_store(store)
    for note in graph.notes:
        output.note(note)
    output.aside(repr(graph))
    return graph
