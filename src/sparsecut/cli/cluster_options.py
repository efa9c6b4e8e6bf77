"""`--engine dask`: what `embed` and `transform` do around it. The cluster is started, or joined, once for the whole command.

Edges and features in folders of Parquet files, in .npy files or Zarr arrays become a store on the cluster: no process reads
them whole. Any other graph is opened here. The store lies in a folder that goes away with the command; if the command is
killed, the same command goes on from what is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sparsecut.base.errors import InputError
from sparsecut.cli.graph_input import dataset_of
from sparsecut.cli.options import ENGINE, option
from sparsecut.cli.pipes import is_standard

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.cli.graph_input import Reading
    from sparsecut.engines.dask import Dask
    from sparsecut.graph import Graph

Scheduler = Annotated[
    str | None,
    option(
        ENGINE,
        "With --engine dask: the address of a scheduler, tcp://host:8786.",
        metavar="ADDRESS",
        show_default="a cluster on this machine",
    ),
]
Workers = Annotated[
    int | None,
    option(ENGINE, "With --engine dask and no scheduler: worker processes.", metavar="N", show_default="one per core"),
]

ARRAYS = (".npy", ".parquet")


def cluster_engine(
    engine: str, scheduler: str | None, workers: int | None, memory_limit: str | None, scratch: Path | None
) -> Dask | None:
    """The engine that the options ask for; None unless it is dask."""
    if engine != "dask":
        for name, value in (("scheduler", scheduler), ("workers", workers)):
            if value is not None:
                raise InputError(f"--{name} is for --engine dask. Add that, or leave --{name} out.")
        return None
    from sparsecut.engines.dask import Dask

    chosen = Dask(scheduler, workers=workers, memory_limit=memory_limit, scratch=scratch)
    chosen.check()
    return chosen


def check_cluster_output(path: Path, *, force: bool) -> bool:
    """Whether the output is a folder of Parquet files; it must be absent unless it may be replaced."""
    if is_standard(path):
        raise InputError("--engine dask writes files. Name a file or a folder in place of -.")
    if path.suffix:
        return False
    from sparsecut.engines.dask.parts import check_output
    from sparsecut.io.files import exists_error

    if path.exists() and not force:
        raise exists_error(path)
    check_output(path.absolute())
    return True


def run_on_cluster(
    engine: Dask,
    name: str,
    features: str | None,
    output_path: Path,
    output: Output,
    open_in_memory: Callable[[], Graph],
    reading: Reading,
    run: Callable[[Any, Any, Path | None, Any], Any],
    encoder: Any = None,
) -> tuple[Any, float]:
    """What `run(engine, graph, output, progress)` makes of a graph, written, and the seconds it took."""
    from sparsecut.io import fingerprint_of, work_folder, write_embedding

    if is_standard(name):
        raise InputError("--engine dask reads files that its workers see. Name a file in place of -.")
    sources = _sources_of(name, features, reading)  # what is wrong with them is said before a worker starts
    is_folder = not output_path.suffix
    mark = fingerprint_of("cluster", name, features, asdict(reading), engine.scheduler, str(output_path.absolute()))
    parent = Path(engine.scratch) if engine.scratch is not None else output_path.absolute().parent
    with work_folder(parent, mark) as work, engine.running(output.aside) as running:
        if work.is_resumed:
            output.note(f"Resumed: the same command was stopped before, and what it had finished is in {work.path}.")
        running.scratch = work.path
        with _opened(running, sources, work.path / "store", output, open_in_memory, reading, encoder) as graph:
            started = time.perf_counter()
            with output.warnings_as_notes(), output.progress() as bar:
                Z = run(running, graph, output_path if is_folder else None, bar)
            seconds = time.perf_counter() - started
            if not is_folder:
                write_embedding(output_path, Z, graph.node_ids, overwrite=True)
    return Z, seconds


def _sources_of(name: str, features: str | None, reading: Reading) -> tuple[Path, Path] | None:
    """Edges and features that the workers read in parts, or None where the graph is opened as by any other engine."""
    from sparsecut.engines.dask.feature_sources import is_partitioned, open_source, open_sources

    paths = [Path(name), *([] if features is None else [Path(features)])]
    are_sources = [is_partitioned(path) or (path.suffix in ARRAYS and path.is_file()) for path in paths]
    if len(paths) < 2 or not all(are_sources):
        if not any(is_partitioned(path) for path in paths):
            return None
        if features is None:
            raise InputError(
                f"The folder of edges {name} needs features beside it that are read in parts too: --features with a folder "
                "of Parquet files, a Parquet or .npy file or a Zarr array."
            )
        if dataset_of(name) is not None:
            raise InputError(f"The dataset {name} has its own features. Leave --features out.")
        open_source(name, "edge")  # one of the two says what is wrong with it
        open_source(features, "features")
    beyond = set(reading.given()) - {"source", "target", "weight", "bipartite", "directed", "scale", "id_column"}
    if beyond:
        option = sorted(beyond)[0].replace("_", "-")
        raise InputError(f"--{option} needs the graph in memory. Leave it out, or use --engine memory.")
    open_sources(paths[0], paths[1], _columns_of(reading), reading.bipartite)
    return paths[0], paths[1]


def _columns_of(reading: Reading) -> dict[str, Any]:
    return {key: getattr(reading, key) for key in ("source", "target", "weight")}


@contextmanager
def _opened(
    engine: Dask,
    sources: tuple[Path, Path] | None,
    store: Path,
    output: Output,
    open_in_memory: Callable[[], Graph],
    reading: Reading,
    encoder: Any,
) -> Iterator[Graph]:
    from sparsecut.io import is_store, open_store

    if sources is None:
        yield open_in_memory()
        return
    if not is_store(store):
        with output.warnings_as_notes(), output.progress() as bar:
            engine.build_store(
                store,
                sources[0],
                features=sources[1],
                bipartite=reading.bipartite,
                directed=reading.directed,
                scale=reading.scale,
                encoder=encoder,
                id_column=reading.id_column,
                progress=bar,
                **_columns_of(reading),
            )
    graph = open_store(store)
    for note in graph.notes:
        output.note(note)
    output.aside(repr(graph))
    yield graph
