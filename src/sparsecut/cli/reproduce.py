"""`sparsecut reproduce`: the paper's experiments, run again, and the page that shows both."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from sparsecut.cli.console import AsJson, Output, Quiet
from sparsecut.errors import InputError, check_choice, check_integer
from sparsecut.paper import EXPERIMENTS


def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            help=f"{', '.join(f'{name} ({experiment.about})' for name, experiment in EXPERIMENTS.items())}; all of them, or "
            "page: only draw the page again from the results."
        ),
    ],
    dataset: Annotated[
        list[str] | None, typer.Option(help="A column of the table; may be repeated.", show_default="all")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="A row of the table; may be repeated.", show_default="all")
    ] = None,
    splits: Annotated[
        int | None,
        typer.Option(help="How many runs (time, inductive) or splits (all others).", show_default="the paper's"),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="How many seeds, at most the experiment's (table1, loss).", show_default="the experiment's"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the start, the negatives and the roles; the first of several.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Run again what is done already.")] = False,
    output_folder: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder of the results.",
            show_default="docs/results if it is there, else sparsecut-results",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run an experiment of the paper again: its figures beside ours.

    Each cell is saved in FOLDER/EXPERIMENT.json as it ends, and what is there with the same settings, seed and splits is not
    run again: a command that was stopped goes on where it was, with the next seed, the next round of times or the next cell.
    At the end the pages FOLDER.md and FOLDER.html are drawn from all results in the folder.
    """
    output = Output(as_json, quiet)
    check_choice("sparsecut reproduce", "EXPERIMENT", experiment, (*EXPERIMENTS, "all", "page"))
    if splits is not None:
        check_integer("sparsecut reproduce", "--splits", splits, 1)
    if seeds is not None:
        check_integer("sparsecut reproduce", "--seeds", seeds, 1)
    check_integer("sparsecut reproduce", "--seed", seed, 0)
    names = {"all": tuple(EXPERIMENTS), "page": ()}.get(experiment, (experiment,))
    from sparsecut.paper import (
        Request,
        check_request,
        draw_figure,
        read_results,
        run_experiment,
        tables_of,
        write_pages,
    )

    request = Request(dataset, method, splits, seed, seeds)
    if names:
        request = check_request(names, request)
    folder = _make_folder(output_folder)
    if "figure" in names:
        from sparsecut.errors import import_extra

        import_extra("matplotlib", caller="sparsecut reproduce figure", extra="explore")
    for name in names:
        started = time.perf_counter()
        with output.progress() as bar:
            results, tally = run_experiment(name, request, folder, bar, output.note, is_forced=force)
        output.say(
            f"{name}: {tally.n_run} cells run in {time.perf_counter() - started:.1f} s, {tally.n_skipped} were done, "
            f"{tally.n_absent} cannot be run here"
        )
        if name == "figure":
            draw_figure(results, folder)
    pages = write_pages(folder)
    found = read_results(folder)
    for table in tables_of({name: found[name] for name in found if name in names}):
        output.table(
            table.title,
            ["", *table.columns],
            [
                [row, *(f"{shown.ours}\n({shown.paper})" if shown.paper else shown.ours for shown in cells)]
                for row, cells in table.rows
            ],
        )
        for remark in table.remarks:
            output.say(remark)
    output.say(f"Results in {folder}, shown in {' and '.join(str(page) for page in pages)}.")
    output.result({"folder": str(folder), "experiments": [found[name].to_dict() for name in names]})


def _make_folder(asked: Path | None) -> Path:
    folder = asked or (Path("docs/results") if Path("docs/results").is_dir() else Path("sparsecut-results"))
    if folder.exists() and not folder.is_dir():
        raise InputError(f"The output {folder} is a file. -o names the folder of the results.")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"The output folder {folder} cannot be made: {error.strerror}.") from error
    return folder
