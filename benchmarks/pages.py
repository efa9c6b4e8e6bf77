"""Which figures of the pages are of today's code; the others measured again, wholly or by a sample.

    python benchmarks/pages.py                                   list what is of an earlier version of the code
    python benchmarks/pages.py --confirm [--splits 5]            measure a few splits of each of these cells again
    python benchmarks/pages.py --run                             measure all of these cells again
    python benchmarks/pages.py --confirm --run                   measure again those that a few splits do not confirm
            [--only beyond]… [--dataset cora]… [--method SCE]… [--longest 60]

A cell is of today's code where its stamp is (`lab/paper/code_stamp.py`). One of an earlier version is confirmed where
today's code, on the first few of its splits with its first seed, gives the accuracies that it has: to 0.15 points where
nothing is random, otherwise their mean to within the standard error of the splits' deviation. The sample is written into
the stamp, for all seeds of that method on that graph. What differs is run again with --run, and stays marked on its page
without. Times cannot be confirmed, only measured again. `--longest` leaves out cells whose fit took longer, in seconds.

`make pages` lists, confirms, runs again what differs and draws the pages. A test measures a small sample of every page anew
(`sample`).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from random import Random
from typing import Any

import numpy as np

import beyond
import inductive_standins
import leave_out
import render
import usual_splits
from sparsecut.datasets import find_dataset
from sparsecut.lab.paper import EXPERIMENTS
from sparsecut.lab.paper.code_stamp import hash_code, is_todays
from sparsecut.lab.paper.experiment_plan import CellJob, Plan, Request
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.results_page import write_pages
from sparsecut.lab.paper.runner import run_experiment, run_jobs

RESULTS, PAPER = render.RESULTS, render.DOCS / "results"
EXACT = 0.15  # points: a node or two that rounding puts on the other side of a boundary
WIDE = ("raw", "smoothed")  # rows of all features, of which a probe of thousands takes minutes
SMALL = 8_000  # nodes: what a sample is drawn from, since on larger graphs the tuned probe takes a minute
SCORED = ("accuracies", "values")  # what a cell calls its accuracies by split or run


@dataclass(frozen=True)
class Source:
    """A file of cells: its results, and the plan that measures them."""

    name: str
    results: Results
    plan: Callable[[Request], Plan]
    is_timed: bool = False  # seconds, which no sample confirms

    def run(self, request: Request) -> None:
        folder = self.results.path.parent
        if self.name in EXPERIMENTS:
            run_experiment(self.name, request, folder, _silent, _note, is_forced=True)
        else:
            run_jobs(self.name, self.plan(request), folder, _silent, _note, is_forced=True)


def sources() -> list[Source]:
    """All files of cells that the pages show."""
    paper = [
        Source(name, experiment.results(PAPER), experiment.module().plan, is_timed=name in ("time", "figure"))
        for name, experiment in EXPERIMENTS.items()
    ]
    others = [
        Source(module.NAME, Results(RESULTS, module.NAME), module.plan, is_timed=module is inductive_standins)
        for module in (beyond, usual_splits, leave_out, inductive_standins)
    ]
    return paper + others


def sections_of_earlier_code() -> list[str]:
    """The benchmarks whose section of a page is of an earlier version of the code."""
    names = (*render.SECTIONS, *render.LINKS, *render.CUTS, *render.SCALING, *render.BEYOND)
    return [name for name in names if (found := render.read_result(name)) is not None and not is_todays(found)]


def places(source: Source, asked: Request, longest: float | None) -> list[tuple[str, str]]:
    """(method, dataset) of the cells of an earlier version, those of a request, in their order."""
    earlier = [cell for cell in source.results.cells if not is_todays(cell) and _is_asked(cell, asked)]
    if longest is not None:
        earlier = [cell for cell in earlier if _seconds(cell) <= longest]
    return list(dict.fromkeys((cell["method"], cell["dataset"]) for cell in earlier))


def confirm(source: Source, method: str, dataset: str, n_splits: int) -> float:
    """Measure a few splits again and keep the outcome; the largest difference, as a share of what is allowed."""
    job, differences = resample(source, method, dataset, n_splits)
    share = max(differences, default=np.inf)
    if share <= 1:
        today = hash_code(tuple(sorted(set(job.code))))
        sample = {"hash": today, "splits": n_splits, "date": datetime.now(timezone.utc).date().isoformat()}
        cells = [cell for cell in source.results.cells if (cell["method"], cell["dataset"]) == (method, dataset)]
        for cell in cells:
            known = cell.get("code", {"hash": None})
            cell["code"] = {"start": sorted(set(job.code)), "hash": known["hash"], "confirmed": sample}
        source.results.add(cells)
    return share


def renew(source: Source, method: str, dataset: str, asked: argparse.Namespace) -> str:
    """Confirm cells, run them again, or the second where the first fails, as asked; what came of it, behind their name."""
    outcome = ""
    if asked.confirm:
        if source.is_timed:
            return ": times, measured again only by --run alone"
        share = confirm(source, method, dataset, asked.splits)
        if share <= 1:
            return f": confirmed ({share:.2f} of what is allowed)"
        outcome = f": DIFFERS ({share:.2f} of what is allowed)"
    if asked.run:
        source.run(Request([dataset], [method]))
        return f"{outcome}{',' if outcome else ':'} run again"
    return f"{outcome}, run it again" if outcome else ""


def resample(source: Source, method: str, dataset: str, n_splits: int) -> tuple[CellJob, list[float]]:
    """(the job, each difference between its figures and the recorded ones, as a share of what is allowed)."""
    request = Request([dataset], [method], n_splits, n_seeds=1)
    jobs = [job for job in source.plan(request) if isinstance(job, CellJob)]
    differences: list[float] = []
    for job in jobs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the run that was recorded said it
            measured = job.run(_silent)
        for planned, values in zip(job.cells, measured, strict=True):
            recorded = _recorded(source.results, planned)
            for path, now in scores_of(values):
                differences.append(_share(now, dict(scores_of(recorded))[path], is_exact=_is_exact(recorded)))
    return jobs[0], differences


def scores_of(cell: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """The lists of accuracies in a cell, each with the keys that lead to it."""
    if isinstance(cell, dict):
        for key, value in cell.items():
            if key in SCORED and isinstance(value, list):
                yield path, value
            elif key != "nmi":  # of k-means, which is random
                yield from scores_of(value, (*path, key))


def sample(source: Source, n_cells: int, n_splits: int, longest: float) -> list[tuple[str, str, float]]:
    """Some quick cells of a page, measured anew on a few splits: of those it shows as today's, or of all where none is.

    (method, dataset, the largest difference as a share of what is allowed) of each. Which ones follows from the code, so
    that one version is always asked the same, and another version something else.
    """
    cells = [cell for cell in source.results.cells if _seconds(cell) <= longest and _is_quick_to_probe(cell)]
    todays = [cell for cell in cells if is_todays(cell)]
    quick = list(dict.fromkeys((cell["method"], cell["dataset"]) for cell in todays or cells))
    chosen = Random(hash_code(("sparsecut.model.sce",))).sample(quick, min(n_cells, len(quick)))
    return [(method, dataset, max(resample(source, method, dataset, n_splits)[1])) for method, dataset in chosen]


def _share(now: Sequence[float], recorded: Sequence[float], *, is_exact: bool) -> float:
    difference = np.array(now) - np.array(recorded[: len(now)])
    if is_exact:
        return float(np.abs(difference).mean()) / EXACT
    allowed = max(float(np.std(recorded)) / np.sqrt(len(now)), EXACT)
    return abs(float(difference.mean())) / allowed


def _is_exact(cell: Cell) -> bool:
    """Whether nothing in a fit is random: the closed form, and what is not trained."""
    settings = cell.get("settings", {})
    return settings.get("solver") == "closed_form" or not any("epochs" in name for name in settings)


def _recorded(results: Results, planned: Cell) -> Cell:
    identity = {name: planned[name] for name in ("method", "dataset", "per_class", "seed") if name in planned}
    return next(cell for cell in results.cells if all(cell.get(name) == value for name, value in identity.items()))


def _seconds(cell: Cell) -> float:
    seconds = cell.get("seconds", cell.get("processor_seconds", 0.0))
    return float(np.mean(seconds)) if np.ndim(seconds) else float(seconds)


def _is_quick_to_probe(cell: Cell) -> bool:
    """Whether the seconds are those of a processor, and the probe's few."""
    fitted = cell["dataset"].partition(" ")[0]  # of "twitch_de → twitch_es"
    is_small = not cell["method"].startswith(WIDE) and find_dataset(fitted).sizes.nodes <= SMALL
    return is_small and "gpu" not in cell.get("environment", {})


def _is_asked(cell: Cell, asked: Request) -> bool:
    return all(
        known is None or cell[name] in known for name, known in (("dataset", asked.datasets), ("method", asked.methods))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--confirm", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--only", action="append", help="A file of cells, such as table1 or beyond. [default: all]")
    parser.add_argument("--dataset", action="append")
    parser.add_argument("--method", action="append")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--longest", type=float, help="Leave out cells whose fit took longer, in seconds.")
    asked = parser.parse_args()
    for source in sources():
        if asked.only and source.name not in asked.only:
            continue
        found = places(source, Request(asked.dataset, asked.method), asked.longest)
        n_cells = len(source.results.cells)
        n_earlier = sum(not is_todays(cell) for cell in source.results.cells)
        print(f"{source.name}: {n_earlier} of {n_cells} cells are of an earlier version of the code", flush=True)
        for method, dataset in found:
            print(f"  {method}, {dataset}", end="", flush=True)
            print(renew(source, method, dataset, asked), flush=True)
    if not asked.only:
        print("Sections of an earlier version of the code:", ", ".join(sections_of_earlier_code()) or "none")
    if asked.run or asked.confirm:
        write_pages(PAPER)
        render.main()


def _note(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _silent(*_: object) -> None:
    """A line per cell is enough."""


if __name__ == "__main__":
    main()
