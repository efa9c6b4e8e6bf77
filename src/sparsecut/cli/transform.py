"""`sparsecut transform`: embed nodes that came later, with a saved model."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.engine_options import Requested, takes_engine
from sparsecut.cli.engine_run import check_output, opened
from sparsecut.cli.graph_input import Reading, open_graph, takes_reading
from sparsecut.cli.options import Features, Force, GraphOrTables, ModelPath, OutputPath, SomeDevices
from sparsecut.cli.pipes import shown

if TYPE_CHECKING:
    from sparsecut.graph import Graph


@takes_output
@takes_engine
@takes_reading("scale", "label_column")
def transform(
    model_path: ModelPath,
    graph: GraphOrTables = None,
    *,
    output_path: OutputPath,
    features: Features = None,
    reading: Reading,
    engine: Requested,
    device: SomeDevices = "auto",
    force: Force = False,
    output: Output,
) -> None:
    """Embed new nodes, or a new graph, with a saved model. Nothing is trained; the features must be the same.

    sparsecut transform model.safetensors new_edges.csv --features new_features.csv -o new.parquet

    A table of features is encoded as the one the model was fitted on: columns are matched by name, and categories that were
    not there then are counted in a note.
    """
    from sparsecut.model.loading import load

    where = engine.make(device=device)
    check_output(where, output_path, force=force)
    model = load(model_path)

    def open_in_memory() -> Graph:
        return open_graph(graph, features, output, reading=reading)

    fitted: dict[str, Any] = {"encoder": model.encoder_, "beside": (model_path,)}
    with opened(where, graph, features, output_path, output, open_in_memory, reading, **fitted) as run:
        model.set_params(engine=run.engine)
        started = time.perf_counter()
        with output.warnings_as_notes(), output.progress() as bar:
            Z = model.transform(run.graph, output=run.rows_path, progress=bar)
        seconds = time.perf_counter() - started
        run.write(Z, output_path, force=force)
    output.say(f"{len(Z):,} nodes × {Z.shape[1]} dimensions in {seconds:.2f} s → {shown(output_path)}")
    output.result({"output": str(output_path), "n_nodes": len(Z), "dimension": Z.shape[1], "seconds": seconds})
