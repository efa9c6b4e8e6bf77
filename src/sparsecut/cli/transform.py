"""`sparsecut transform`: embed nodes that came later, with a saved model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.cli.cluster_options import Scheduler, Workers, check_cluster_output, cluster_engine, run_on_cluster
from sparsecut.cli.console import Output
from sparsecut.cli.disk_options import Engine, MemoryLimit, Scratch, disk_graph, disk_options, finish, make_engine
from sparsecut.cli.graph_input import Reading, open_graph, takes_reading
from sparsecut.cli.options import AsJson, Device, Features, Force, GraphName, OutputPath, Quiet, Verbose
from sparsecut.cli.pipes import is_standard, shown, written_to

if TYPE_CHECKING:
    from sparsecut.graph import Graph


@takes_reading("scale", "label_column")
def transform(
    model_path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by embed --save-model.")],
    graph: GraphName,
    output_path: OutputPath,
    features: Features = None,
    *,
    reading: Reading,
    engine: Engine = "memory",
    memory_limit: MemoryLimit = None,
    scratch: Scratch = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    device: Device = "auto",
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Embed a graph with a saved model, without training: its nodes may all be new, its features must be the same.

    A table of features is encoded as the one the model was fitted on: columns are matched by name, and categories that were
    not there then are counted in a note.
    """
    output = Output(as_json, quiet, verbose, output_path)
    from sparsecut.io import check_embedding_path, write_embedding

    is_folder = engine == "dask" and check_cluster_output(output_path, force=force)
    if not is_folder and not is_standard(output_path):
        check_embedding_path(output_path, overwrite=force)
    from sparsecut.model.loading import load

    on_disk = disk_options(engine, memory_limit, scratch, output_path, reading.missing)
    on_cluster = cluster_engine(engine, scheduler, workers, memory_limit, scratch)
    model = load(model_path).set_params(engine=on_cluster or make_engine(on_disk, device))

    def open_in_memory() -> Graph:
        return open_graph(graph, features, output, reading=reading)

    if on_disk:
        files = {"labels": None, "model": model_path}
        with disk_graph(
            graph, features, output_path, scratch, on_disk, output, open_in_memory, reading, model.encoder_, **files
        ) as (
            loaded,
            work,
        ):
            rows_path = output_path if output_path.suffix == ".npy" else work / "rows.npy"
            started = time.perf_counter()
            with output.warnings_as_notes(), output.progress() as bar:
                Z = model.set_params(engine__scratch=work).transform(loaded, output=rows_path, progress=bar)
            finish(rows_path, output_path, loaded)
        seconds = time.perf_counter() - started
    elif on_cluster is not None:

        def run(running: Any, loaded: Graph, rows_path: Path | None, bar: Any) -> Any:
            return model.set_params(engine=running).transform(loaded, output=rows_path, progress=bar)

        Z, seconds = run_on_cluster(
            on_cluster, graph, features, output_path, output, open_in_memory, reading, run, model.encoder_
        )
    else:
        loaded = open_in_memory()
        started = time.perf_counter()
        with output.warnings_as_notes():
            Z = model.transform(loaded)
        seconds = time.perf_counter() - started
        with written_to(output_path) as path:
            write_embedding(path, Z, loaded.node_ids, overwrite=force)
    output.say(f"{len(Z):,} nodes × {Z.shape[1]} dimensions in {seconds:.2f} s → {shown(output_path)}")
    output.result({"output": str(output_path), "n_nodes": len(Z), "dimension": Z.shape[1], "seconds": seconds})
