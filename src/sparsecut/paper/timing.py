"""The table of training times: every method of the table timed in one process, in an order fair to all.

Each is fitted once to warm up (imports, threads, caches); then come the rounds. In every round each method is fitted once,
and each round starts with the next method, so that none always runs first, or always after the same one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from sparsecut.graph import Graph
from sparsecut.model.published import read_experiment
from sparsecut.paper.plan import Absent, Job, Plan, Request
from sparsecut.paper.results import Cell, Results
from sparsecut.paper.row_methods import NOT_REGISTERED, fit, load_graph, make_model, missing, registered, settings_of
from sparsecut.paper.shown import Shown, Table, runs_in_words, tally_verdicts, verdict
from sparsecut.paper.table1 import COLUMNS
from sparsecut.progress import Reporter

__all__ = ["COLUMNS", "ROWS", "plan", "published_seconds", "tables", "time_rounds"]

ROWS = tuple(read_experiment("time")["published"])
LONG_FIT = 20.0  # seconds


def published_seconds(method: str, dataset: str) -> float:
    return float(read_experiment("time")["published"][method][COLUMNS.index(dataset)])


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        absent = missing(dataset)
        runnable = []
        for method in request.rows(ROWS):
            reason = NOT_REGISTERED if registered(method) is None else absent
            if reason is not None:
                jobs.append(Absent({"method": method, "dataset": dataset}, reason))
            else:
                runnable.append(method)
        if runnable:
            jobs.append(_job(dataset, runnable, request))
    return jobs


def tables(results: Results) -> list[Table]:
    """Seconds of a fit, and how many times those of SCE."""
    rows = []
    for method in ROWS:
        row = []
        for dataset in COLUMNS:
            paper = published_seconds(method, dataset)
            paper_ratio = paper / published_seconds("SCE", dataset)
            cell, reference = (results.find(method=name, dataset=dataset) for name in (method, "SCE"))
            published = f"{paper:g} s, ratio {_ratio(paper_ratio)}"
            if cell is None:
                row.append(Shown(results.why_absent(method=method, dataset=dataset), published))
                continue
            ratio = f", ratio {_ratio(cell['seconds'] / reference['seconds'])}" if reference else ""
            row.append(
                Shown(
                    f"{cell['seconds']:.2f} ± {cell['seconds_std']:.2f} s{ratio}",
                    published,
                    verdict(cell["seconds"], paper, cell["seconds_std"], is_less_better=True),
                    runs_in_words(cell),
                )
            )
        rows.append((method, row))
    table = Table(
        "Training time",
        "Seconds of a whole fit, and how many times SCE's that is. The ratio is the figure: the paper's seconds are of one "
        "NVIDIA 1080 Ti, ours of the machine named below. All methods take turns in one process, after a warm-up of each. "
        "What is judged is the seconds, machine against machine.",
        list(COLUMNS),
        rows,
        [tally_verdicts(rows)],
    )
    return [table]


def time_rounds(models: Sequence[Any], graph: Graph, n_runs: int, report: Reporter) -> list[list[float]]:
    """The seconds of every fit, one list per model: one warm-up each, then rounds that start with one model after the other.

    To a long fit, what is set up once is nothing: its warm-up counts as its first run.
    """
    warm_ups = [_time_fit(model, graph) for model in models]
    seconds = [[warm_up] if warm_up > LONG_FIT else [] for warm_up in warm_ups]
    for run in range(n_runs):
        for turn in range(len(models)):
            place = (run + turn) % len(models)
            if len(seconds[place]) < n_runs:
                seconds[place].append(_time_fit(models[place], graph))
        report("timing", run + 1, n_runs)
    return seconds


def _time_fit(model: Any, graph: Graph) -> float:
    started = time.perf_counter()
    fit(model, graph, _silent)
    return time.perf_counter() - started


def _job(dataset: str, names: list[str], request: Request) -> Job:
    experiment = read_experiment("time")
    changed = experiment["settings"]
    models = [
        make_model(
            name,
            dataset,
            request.seed,
            **changed["all"].get(dataset, {}),
            **changed.get(name, {}).get(dataset, {}),
        )
        for name in names
    ]
    n_runs = request.n_splits or experiment["n_runs"]
    cells: list[Cell] = [
        {
            "method": name,
            "dataset": dataset,
            "n_runs": n_runs,
            "seed": request.seed,
            "timed_with": names,  # a method that joins has all timed again, side by side
            "settings": settings_of(model),
        }
        for name, model in zip(names, models, strict=True)
    ]
    return Job(cells, partial(_run, models, dataset, n_runs))


def _run(models: Sequence[Any], dataset: str, n_runs: int, report: Reporter) -> list[Cell]:
    seconds = time_rounds(models, load_graph(dataset), n_runs, report)
    return [
        {
            "seconds": round(float(np.mean(values)), 4),
            "seconds_std": round(float(np.std(values)), 4),
            "all_seconds": [round(value, 4) for value in values],
        }
        for values in seconds
    ]


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _silent(*_: object) -> None:
    """A progress line drawn while the clock runs would be timed too."""
