"""`sparsecut reproduce`: the paper's experiments, run again, and the page that shows both."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sparsecut.base.errors import InputError, check_choice, check_integer
from sparsecut.cli.completion import complete_column, complete_row, completing
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.options import EVALUATION, METHOD, OUTPUT, option
from sparsecut.lab.paper import EXPERIMENTS

if TYPE_CHECKING:
    from sparsecut.lab.paper import ResultsTable

NAMES = (*EXPERIMENTS, "all", "page")


@takes_output
def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            help=f"{', '.join(f'{name} ({experiment.about})' for name, experiment in EXPERIMENTS.items())}; all of them, or "
            "page: only draw the page again from the results.",
            autocompletion=completing(NAMES),
        ),
    ],
    dataset: Annotated[
        list[str] | None,
        option(
            EVALUATION,
            "A column of the table; may be repeated.",
            metavar="NAME",
            completion=complete_column,
            show_default="all",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        option(METHOD, "A row of the table; may be repeated.", metavar="NAME", completion=complete_row, show_default="all"),
    ] = None,
    splits: Annotated[
        int | None,
        option(
            EVALUATION,
            "How many runs (time, inductive) or splits (all others).",
            metavar="N",
            show_default="the paper's",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        option(
            EVALUATION,
            "How many seeds, at most the experiment's (table1, loss).",
            metavar="N",
            show_default="the experiment's",
        ),
    ] = None,
    seed: Annotated[
        int, option(METHOD, "Seed of the start, the negatives and the roles; the first of several.", metavar="N")
    ] = 0,
    quick: Annotated[
        bool,
        option(
            EVALUATION,
            "A first result in about a minute: one small graph, the fastest methods, two splits, one seed, unless others "
            "are requested; into a folder of its own.",
            "--quick",
        ),
    ] = False,
    force: Annotated[bool, option(OUTPUT, "Run again what is done already.", "--force")] = False,
    output_folder: Annotated[
        Path | None,
        option(
            OUTPUT,
            "Folder of the results.",
            "--output",
            "-o",
            metavar="FOLDER",
            show_default="docs/results if it is there, else sparsecut-results; sparsecut-quick with --quick",
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Run an experiment of the paper again: its figures beside ours.

    Each cell is saved in FOLDER/EXPERIMENT.json as it ends, and what is there with the same settings, seed and splits is not
    run again: a command that was stopped goes on where it was, with the next seed, the next round of times or the next cell.
    At the end the pages FOLDER.md and FOLDER.html are drawn from all results in the folder, and what was run is printed.

    sparsecut reproduce table1 --quick

    sparsecut reproduce table1 --dataset cora --method SCE --method MoSCE

    All of table1 takes hours. Of its rows SCE and MoSCE take seconds per seed and graph, DGI and G2G minutes, the methods
    that are fitted to every split (GCN, GAT, SGC, MixHop) up to an hour.
    """
    check_choice("sparsecut reproduce", "EXPERIMENT", experiment, NAMES)
    if splits is not None:
        check_integer("sparsecut reproduce", "--splits", splits, 1)
    if seeds is not None:
        check_integer("sparsecut reproduce", "--seeds", seeds, 1)
    check_integer("sparsecut reproduce", "--seed", seed, 0)
    names = {"all": tuple(EXPERIMENTS), "page": ()}.get(experiment, (experiment,))
    from sparsecut.lab.paper import (
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
    folder = _make_folder(output_folder, quick)
    if "figure" in names:
        from sparsecut.base.errors import import_extra

        import_extra("matplotlib", caller="sparsecut reproduce figure", extra="explore")
    for name in names:
        started = time.perf_counter()
        asked = request.made_quick(*EXPERIMENTS[name].quick) if quick else request
        with output.progress() as bar:
            results, tally = run_experiment(name, asked, folder, bar, output.note, is_forced=force)
        output.say(
            f"{name}: {tally.n_run} cells run in {time.perf_counter() - started:.1f} s, {tally.n_skipped} were done, "
            f"{tally.n_absent} cannot be run here"
        )
        if name == "figure":
            draw_figure(results, folder)
    pages = write_pages(folder)
    found = read_results(folder)
    for table in tables_of({name: found[name] for name in found if name in names}):
        _print(output, table)
    output.say(f"Results in {folder}, shown in {' and '.join(str(page) for page in pages)}.")
    output.result({"folder": str(folder), "experiments": [found[name].to_dict() for name in names]})


def _print(output: Output, table: ResultsTable) -> None:
    """What was run of a table; the pages have the rest, and the remarks about it."""
    table = table.run()
    if not table.rows:
        return
    has_paper = any(shown.paper for _, cells in table.rows for shown in cells)
    output.table(
        table.title + (" (in brackets: the paper's)" if has_paper else ""),
        ["", *table.columns],
        [
            [row, *(f"{shown.ours}\n({shown.paper})" if shown.paper and shown.ours else shown.ours for shown in cells)]
            for row, cells in table.rows
        ],
    )
    for remark in table.remarks:
        output.detail(remark)


def _make_folder(asked: Path | None, quick: bool) -> Path:
    usual = Path("docs/results") if Path("docs/results").is_dir() else Path("sparsecut-results")
    folder = asked or (Path("sparsecut-quick") if quick else usual)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"The output {folder} is a file. -o names the folder of the results.")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"The output folder {folder} cannot be made: {error.strerror}.") from error
    return folder
