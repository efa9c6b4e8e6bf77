"""`--engine disk`: what `embed` and `transform` do around it. A store is made of the edges, and all goes on within a limit.

The store, the pieces of the fit and the rows on their way to a Parquet file lie in one folder. It goes away with the
command; if the command is killed, the same command goes on from what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sparsecut.base.errors import InputError, check_choice
from sparsecut.cli.choices import ENGINES
from sparsecut.cli.options import ENGINE, option
from sparsecut.cli.pipes import is_standard

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.cli.graph_input import Reading
    from sparsecut.engines import EngineChoice
    from sparsecut.graph import Graph

Engine = Annotated[
    str,
    option(ENGINE, "Where the rows live: disk is for graphs larger than memory, dask for a cluster.", choices=ENGINES),
]
MemoryLimit = Annotated[
    str | None,
    option(
        ENGINE,
        "With --engine disk: what the process may take, e.g. 500MB; with --engine dask: each worker on this machine.",
        metavar="SIZE",
        show_default="2GiB",
    ),
]
Scratch = Annotated[
    Path | None,
    option(
        ENGINE,
        "With --engine disk or dask: a folder for unfinished work, which all workers must see.",
        metavar="FOLDER",
        show_default="the output's",
    ),
]

OUTPUTS = (".npy", ".parquet")


def disk_options(
    engine: str, memory_limit: str | None, scratch: Path | None, output_path: Path, missing: str
) -> dict[str, Any]:
    """What the options ask of the estimator: nothing, unless the engine is disk."""
    from sparsecut.kernels.streaming import parse_bytes

    check_choice("sparsecut", "--engine", engine, ENGINES)
    for name, value in (("memory-limit", memory_limit), ("scratch", scratch)):
        if engine == "memory" and value is not None:
            raise InputError(f"--{name} is for --engine disk or dask. Add that, or leave --{name} out.")
    if engine != "disk":
        return {}
    if output_path.suffix not in OUTPUTS:
        raise InputError(f"The output {output_path} must end in {' or '.join(OUTPUTS)} with --engine disk.")
    if missing != "error":
        raise InputError("--missing zero needs the graph in memory. Leave it out, or use --engine memory.")
    limit = memory_limit or "2GiB"
    parse_bytes("sparsecut", "--memory-limit", limit)
    return {"engine": engine, "memory_limit": limit}


def make_engine(options: dict[str, Any], device: str) -> EngineChoice:
    """The engine that `disk_options` ask for."""
    from sparsecut.engines import Memory
    from sparsecut.engines.disk import Disk

    return Disk(memory_limit=options["memory_limit"]) if options else Memory(device=device)


@contextmanager
def disk_graph(
    name: str,
    features: str | None,
    output_path: Path,
    scratch: Path | None,
    options: dict[str, Any],
    output: Output,
    open_in_memory: Callable[[], Graph],
    reading: Reading,
    encoder: Any = None,
    **files: Any,
) -> Iterator[tuple[Graph, Path]]:
    """The graph, its arrays on disk where its files can be read in parts, and a folder that goes away afterwards.

    `encoder` is that of the fitted model that is to transform the graph.
    """
    from sparsecut.io import STREAMED_SUFFIXES, build_store, fingerprint_of, is_store, open_store, work_folder

    if is_standard(name):
        raise InputError("--engine disk goes through the edges more than once. Name a file in place of -.")
    columns = {key: getattr(reading, key) for key in ("source", "target", "weight", "bipartite")}
    path, features_path = Path(name), None if features is None else Path(features)
    is_streamed = path.suffix.lower() in STREAMED_SUFFIXES and path.is_file()
    is_streamed &= features_path is not None and features_path.suffix.lower() in STREAMED_SUFFIXES
    in_parts = {*columns, "directed", "scale", "id_column"}
    is_streamed &= files["labels"] is None and set(reading.given()) <= in_parts
    read = [file for file in (path, features_path) if file is not None and file.is_file()]
    settings = [sorted(values.items()) for values in (asdict(reading), files, options)]
    asked = (name, features, read, *settings, str(output_path.absolute()))
    parent = scratch if scratch is not None else output_path.absolute().parent
    with work_folder(parent, fingerprint_of("command", *asked)) as work:
        if work.is_resumed:
            output.note(f"Resumed: the same command was stopped before, and what it had finished is in {work.path}.")
        if is_store(path) or not is_streamed:
            graph = open_in_memory()
        else:
            assert features_path is not None
            if not is_store(work / "store"):
                with output.warnings_as_notes(), output.progress() as bar:
                    build_store(
                        work / "store",
                        path,
                        features=features_path,
                        directed=reading.directed,
                        memory_limit=options["memory_limit"],
                        link_features=True,
                        scale=reading.scale,
                        encoder=encoder,
                        id_column=reading.id_column,
                        progress=bar,
                        **columns,
                    )
            graph = open_store(work / "store")
            for note in graph.notes:
                output.note(note)
            output.aside(repr(graph))
        yield graph, work.path


def finish(rows_path: Path, output_path: Path, graph: Graph) -> None:
    """The rows that were written, with their ids, to where they were wanted."""
    import numpy as np

    from sparsecut.io import ids_path, write_embedding, write_npy, write_whole

    if output_path.suffix == ".npy":
        with write_whole(ids_path(output_path)) as temporary, temporary.open("wb") as file:
            write_npy(file, graph.node_ids)
        return
    write_embedding(output_path, np.load(rows_path, mmap_mode="r"), graph.node_ids, overwrite=True)
