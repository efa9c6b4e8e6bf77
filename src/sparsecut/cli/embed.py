"""`sparsecut embed`: a graph in, an embedding out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sparsecut.base.errors import InputError, check_choice
from sparsecut.base.system_memory import peak_memory
from sparsecut.cli.completion import CHANNELS, FILTERS, SOLVERS, USES, complete_method, completing, completing_list
from sparsecut.cli.console import Output, in_mebibytes, takes_output
from sparsecut.cli.engine_options import Requested, takes_engine
from sparsecut.cli.engine_run import Opened, check_output, opened
from sparsecut.cli.graph_input import Reading, open_graph, takes_reading
from sparsecut.cli.options import (
    METHOD,
    OUTPUT,
    Dimension,
    Features,
    Force,
    GraphOrTables,
    Labels,
    OutputPath,
    PaperSettings,
    Seed,
    SomeDevices,
    option,
)
from sparsecut.cli.outlook import say_outlook
from sparsecut.cli.pipes import shown
from sparsecut.lab.baselines.methods import find_method, names

if TYPE_CHECKING:
    from sparsecut.graph import Graph


@takes_output
@takes_engine
@takes_reading()
def embed(
    graph: GraphOrTables = None,
    *,
    output_path: OutputPath,
    features: Features = None,
    labels: Labels = None,
    reading: Reading,
    method: Annotated[
        str,
        option(
            METHOD,
            f"How to embed: sce, or a method to compare with. One of {', '.join(names(is_supervised=False))}.",
            metavar="METHOD",
            completion=complete_method,
        ),
    ] = "sce",
    use: Annotated[
        str | None,
        option(
            METHOD,
            "What sce and mosce embed: given (the features alone), structure (the edges alone), both, or auto: what the "
            "graph has.",
            metavar="WORD",
            completion=completing(USES),
            show_default="auto",
        ),
    ] = None,
    dimension: Dimension = None,
    paper: PaperSettings = None,
    filter: Annotated[
        str | None,
        option(
            METHOD,
            f"The filter: {', '.join(FILTERS[:-1])} or {FILTERS[-1]}.",
            metavar="FILTER",
            completion=completing(FILTERS),
            show_default="chosen",
        ),
    ] = None,
    order: Annotated[int | None, option(METHOD, "Hops of the filter, or levels of mosce.", metavar="N")] = None,
    channels: Annotated[
        str | None,
        option(
            METHOD,
            f"What sce puts side by side, between commas: {', '.join(CHANNELS)}.",
            metavar="NAMES",
            completion=completing_list(CHANNELS),
            show_default="chosen",
        ),
    ] = None,
    solver: Annotated[
        str | None,
        option(METHOD, "Of sce and mosce; adam is the paper's training.", choices=SOLVERS, show_default="closed_form"),
    ] = None,
    epochs: Annotated[
        int | None, option(METHOD, "Training epochs; for sce and mosce with --solver adam.", metavar="N")
    ] = None,
    seed: Seed = 0,
    engine: Requested,
    device: SomeDevices = "auto",
    save_model: Annotated[
        Path | None,
        option(OUTPUT, "Also save the model, to embed later nodes with. A .safetensors file.", metavar="FILE"),
    ] = None,
    with_state: Annotated[bool, option(OUTPUT, "Save the graph with it, for sparsecut update.", "--with-state")] = False,
    xy: Annotated[
        bool, option(OUTPUT, "Also lay the nodes out in the plane: columns x and y of the .parquet file.", "--xy")
    ] = False,
    explain: Annotated[
        bool,
        option(
            OUTPUT,
            "Say what was chosen for this graph, and why. Also how to choose otherwise; details with -v.",
            "--explain",
        ),
    ] = False,
    force: Force = False,
    output: Output,
) -> None:
    """Embed a graph: one vector per node, written with the node ids.

    sparsecut embed cora -o cora.parquet

    sparsecut embed edges.csv --features features.csv --explain -o vectors.parquet

    sparsecut embed edges.csv --features features.csv --save-model model.safetensors -o vectors.parquet

    sparsecut embed cora --xy -o cora.parquet

    sparsecut embed edges.parquet --features features.npy --engine disk --memory-limit 2GiB -o vectors.npy

    sparsecut embed edges/ --features features/ --engine dask --scheduler tcp://host:8786 -o vectors/

    sparsecut embed --nodes author=authors.csv --nodes paper --edges author:writes:paper=writes.csv -o vectors.parquet

    zcat edges.csv.gz | sparsecut embed - -o - > vectors.csv

    Labels, if given, are not trained on: they go into the metadata of a .tsv.
    """
    from sparsecut.io import check_writable

    chosen = find_method(method)
    if chosen.is_supervised:
        raise InputError(
            f"The method {method} predicts labels from labels and does not embed: see its accuracy with sparsecut compare, "
            f"or call fit_predict of {chosen.home.replace(':', '.')}."
        )
    if use is not None:
        from sparsecut.model.channels import FEATURES

        check_choice("embed", "--use", use, FEATURES)
    where = engine.make(device=device)
    check_output(where, output_path, force=force)
    if xy and (output_path.suffix != ".parquet" or where.keeps_files):
        raise InputError("--xy writes the columns x and y of a .parquet file, with --engine memory. Got others.")
    if save_model is not None:
        from sparsecut.updates.update_log import refuse_followed

        check_writable(save_model, overwrite=force)
        refuse_followed(save_model)
    _check_together(method, filter, order, solver, epochs, paper)
    asked: dict[str, Any] = {"dimension": dimension, "filter": filter, "order": order, "solver": solver, "epochs": epochs}
    asked |= {"use": use, "channels": None if channels is None else tuple(channels.split(","))}
    is_several = "," in device
    asked |= engine.given if engine.is_default and not is_several else {"engine": where}
    model: Any = chosen.make(asked, {"random_state": seed, **({} if is_several else {"device": device})}, paper)
    if hasattr(model, "check_parameters"):
        model.check_parameters()  # before a long file is read
    if save_model is not None and not hasattr(model, "save"):
        raise InputError(f"The method {method} learns nothing to save. Leave --save-model out.")
    if with_state and (save_model is None or not hasattr(model, "update")):
        raise InputError("--with-state is for the model of sce or mosce that --save-model names.")
    if explain and not hasattr(model, "explain"):
        raise InputError(f"The method {method} chooses nothing to explain. Leave --explain out.")

    def open_in_memory() -> Graph:
        return open_graph(graph, features, output, labels, reading)

    with opened(where, graph, features, output_path, output, open_in_memory, reading, labels=labels) as run:
        if hasattr(model, "explain") and (output.is_talkative or output.as_json):  # else nothing of it would be seen
            _say_outlook(run, model, output)
        started = time.perf_counter()
        with output.warnings_as_notes(), output.progress() as bar:
            if where.keeps_files:
                Z = model.set_params(engine=run.engine).fit_transform(run.graph, output=run.rows_path, progress=bar)
            else:
                Z = model.fit_transform(run.graph, progress=bar)
        seconds = time.perf_counter() - started
        marks = run.graph.labels if output_path.suffix == ".tsv" else None
        run.write(Z, output_path, force=force, labels=marks, xy=_lay_out(Z, output) if xy else None)
        if where.keeps_files:
            model.set_params(engine=where)
    if save_model is not None:
        model.save(save_model, with_state=with_state, overwrite=force)

    output.say(
        f"{len(Z):,} nodes × {Z.shape[1]} dimensions in {seconds:.2f} s → {shown(output_path)}"
        + (f", model → {save_model}" if save_model else "")
    )
    explanation = model.explain(details=output.is_verbose).splitlines() if explain else []
    for line in explanation:
        output.say(line)
    history = getattr(model, "history_", None)
    if history is not None:
        if not explain:
            for stage, took in history.stages.items():
                output.detail(f"{stage}: {took:.2f} s")
            if history.reason:  # of a method that has more than one way
                output.detail(f"Route: {history.route}, {history.reason}. Effective rank {history.effective_rank:.1f}.")
        for note in history.notes:
            if note not in explanation:
                output.note(note)
    output.aside(f"Peak memory {in_mebibytes(peak_memory())}.")
    output.result(
        {
            "output": str(output_path),
            "model": str(save_model) if save_model else None,
            "n_nodes": len(Z),
            "dimension": Z.shape[1],
            "seconds": seconds,
            "peak_memory_bytes": peak_memory(),
            "explanation": explanation if explain else None,
            "history": None if history is None else history.to_dict(),
        }
    )


def _say_outlook(run: Opened, model: Any, output: Output) -> None:
    """What a long fit on the processor will take; the speed of a GPU is not measured."""
    import torch

    from sparsecut.model.cost_estimate import outlook

    parameters = run.engine.get_params(deep=False)
    device = parameters.get("device", "cpu")
    if parameters.get("devices") is not None:
        return
    if device == "cpu" or (device == "auto" and not torch.cuda.is_available()):
        say_outlook(outlook(run.graph, model), run.engine, output)


def _check_together(
    method: str, filter: str | None, order: int | None, solver: str | None, epochs: int | None, paper: str | None
) -> None:
    """Options that mean something only beside another one."""
    if method == "sce" and order is not None and filter is None and paper is None:
        raise InputError("--order is the number of hops of a filter. Name the filter too: --filter power --order 2.")
    if method in ("sce", "mosce") and epochs is not None and solver != "adam" and paper is None:
        raise InputError("--epochs is for training. Add --solver adam, or leave --epochs out.")


def _lay_out(Z: Any, output: Output) -> Any:
    from sparsecut.explore.layout import choose_method, layout

    output.aside(f"Laying out {len(Z):,} nodes by {choose_method('auto', len(Z))}…")
    with output.progress() as bar:
        return layout(Z, progress=bar)
