"""`sparsecut reproduce`: the paper's experiments, run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sparsecut.cli.console import AsJson, Output, Quiet
from sparsecut.errors import check_choice, check_integer

EXPERIMENTS = ("table1",)
METHODS = ("SCE", "MoSCE")


def reproduce(
    experiment: Annotated[str, typer.Argument(help="table1: accuracy on the published splits.")],
    dataset: Annotated[
        list[str] | None, typer.Option(help="A dataset of the table; may be repeated. [default: all]")
    ] = None,
    method: Annotated[list[str] | None, typer.Option(help="SCE or MoSCE; may be repeated. [default: both]")] = None,
    splits: Annotated[int, typer.Option(help="How many of the 50 published splits.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the start and of the negatives.")] = 0,
    output_path: Annotated[Path | None, typer.Option("--output", "-o", help="Also write the cells as JSON.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run an experiment of the paper again and print its figures beside ours."""
    output = Output(as_json, quiet)
    check_choice("sparsecut reproduce", "EXPERIMENT", experiment, EXPERIMENTS)
    methods = [check_choice("sparsecut reproduce", "--method", name, METHODS) for name in method or METHODS]
    check_integer("sparsecut reproduce", "--splits", splits, 1)
    from sparsecut.environment import environment_stamp
    from sparsecut.io.files import check_writable, write_whole
    from sparsecut.paper import table1

    if output_path is not None:
        check_writable(output_path)
    cells = []
    with output.progress() as bar:
        for cell in table1.run_table1(dataset or table1.runnable(), methods, splits, seed, bar):
            cells.append(cell)
            output.note(f"{cell['method']} {cell['dataset']} {cell['per_class']}: {cell['mean']:.1f}")
    result = {"experiment": experiment, "environment": environment_stamp(), "cells": cells}
    if output_path is not None:
        with write_whole(output_path) as temporary:
            temporary.write_text(json.dumps(result, indent=1) + "\n")
    output.table(
        "Accuracy in percent, published splits, probe: paper",
        ["method", "dataset", "labels", "ours", "paper", "splits", "fit seconds"],
        [
            [
                cell["method"],
                cell["dataset"],
                str(cell["per_class"]),
                f"{cell['mean']:.1f} ± {cell['std']:.1f}",
                f"{cell['published_mean']:.1f} ± {cell['published_std']:.1f}",
                str(cell["n_splits"]),
                f"{cell['seconds']:.2f}",
            ]
            for cell in cells
        ],
    )
    output.result(result)
