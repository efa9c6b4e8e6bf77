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
from sparsecut.cli.graph_input import dataset_of
from sparsecut.cli.pipes import is_standard, written_to

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.cli.graph_input import Reading
    from sparsecut.engines import EngineChoice
    from sparsecut.graph import Graph

FROM_ROWS = (".npy", ".parquet")  # what is written of rows on disk without reading them whole
READ_IN_PARTS = ("source", "target", "weight", "bipartite", "directed", "scale", "id_column")  # what `build_store` takes


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
    from sparsecut.io import fingerprint_of, work_folder

    if name is not None and is_standard(name):
        raise InputError(f"--engine {engine.word} reads files, more than once. Name a file in place of -.")
    is_in_parts = _is_read_in_parts(
        engine, name, features, labels, reading
    )  # or says what is wrong, before anything is started
    parameters = {key: value for key, value in engine.get_params(deep=False).items() if key != "scratch"}
    files = [Path(one) for one in (name, features) if one is not None and Path(one).is_file()]
    asked = (name, features, files, asdict(reading), beside, parameters, str(output_path.absolute()))
    scratch = engine.get_params(deep=False)["scratch"]
    parent = Path(scratch) if scratch is not None else output_path.absolute().parent
    with work_folder(parent, fingerprint_of("command", *asked)) as work, engine.running(output.aside) as running:
        if work.is_resumed:
            output.note(f"Resumed: the same command was stopped before, and what it had finished is in {work.path}.")
        running.set_params(scratch=work.path)
        if is_in_parts and name is not None:
            graph = _stored(running, work / "store", name, features, output, reading, encoder)
        else:
            graph = open_in_memory()
        if output_path.suffix in engine.writes:
            rows_path: Path | None = output_path
        else:
            rows_path = work / "rows.npy" if ".npy" in engine.writes else None
        yield Opened(running, graph, rows_path)


def _is_read_in_parts(
    engine: EngineChoice, name: str | None, features: str | None, labels: str | None, reading: Reading
) -> bool:
    """Whether the engine makes a store of the files; with options that need the graph in memory it does not."""
    if name is None:  # types of nodes and edges have files of their own
        return False
    if features is not None and dataset_of(name) is not None:
        raise InputError(f"The dataset {name} has its own features. Leave --features out.")
    columns = {key: getattr(reading, key) for key in ("source", "target", "weight", "bipartite")}
    if not engine.reads_in_parts(name, features, **columns):
        return False
    in_memory = sorted(set(reading.given()) - set(READ_IN_PARTS)) + (["labels"] if labels is not None else [])
    if in_memory and (Path(name).is_dir() or "missing" in in_memory):
        flag = ("missing" if "missing" in in_memory else in_memory[0]).replace("_", "-")
        raise InputError(f"--{flag} needs the graph in memory. Leave it out, or use --engine memory.")
    return not in_memory


def _stored(
    engine: EngineChoice, store: Path, name: str, features: str | None, output: Output, reading: Reading, encoder: Any
) -> Graph:
    from sparsecut.io import is_store, open_store

    if not is_store(store):
        read = {key: getattr(reading, key) for key in READ_IN_PARTS}
        with output.warnings_as_notes(), output.progress() as bar:
            engine.build_store(store, name, features=features, encoder=encoder, progress=bar, **read)
    graph = open_store(store)
    for note in graph.notes:
        output.note(note)
    output.aside(repr(graph))
    return graph
