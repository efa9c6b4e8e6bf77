"""The table of training times: every method of the table timed in one process, in rounds that each run all of them.

In every round each method is fitted once, and each round starts with the next method, so that none always runs first, or
always after the same one. A process fits each method once to warm up (imports, threads, caches) before it times it; to a
long fit what is set up once is nothing, and its warm-up counts. A round is kept as it ends, and the next command goes on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from sparsecut.base.progress import Reporter
from sparsecut.graph import Graph
from sparsecut.lab.paper.code_stamp import mark_earlier
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.row_methods import (
    NOT_REGISTERED,
    code_of,
    fit,
    load_graph,
    make_model,
    missing,
    registered,
    settings_of,
)
from sparsecut.lab.paper.shown import ResultsTable, Shown, runs_in_words, tally_verdicts, verdict
from sparsecut.lab.paper.table1_rows import COLUMNS

__all__ = ["COLUMNS", "ROWS", "Timer", "plan", "published_seconds", "tables"]

ROWS = tuple(read_experiment("time")["published"])
LONG_FIT = 20.0  # seconds


def published_seconds(method: str, dataset: str) -> float:
    return float(read_experiment("time")["published"][method][COLUMNS.index(dataset)])


def runs_of(method: str, dataset: str) -> int:
    """How many runs a cell is to have: the paper's ten, or fewer where a fit takes minutes."""
    experiment = read_experiment("time")
    return int(experiment["fewer_runs"].get(method, {}).get(dataset, experiment["n_runs"]))


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
            jobs += _rounds(dataset, runnable, request)
    return jobs


def tables(results: Results) -> list[ResultsTable]:
    """Seconds of a fit, and how many times those of SCE."""
    rows = []
    for method in ROWS:
        row = []
        for dataset in COLUMNS:
            paper = published_seconds(method, dataset)
            paper_ratio = paper / published_seconds("SCE", dataset)
            published = f"{paper:g} s, ratio {_ratio(paper_ratio)}"
            ours, reference = (_seconds(results, name, dataset) for name in (method, "SCE"))
            if not ours:
                row.append(Shown(results.why_absent(method=method, dataset=dataset), published))
                continue
            ratio = f", ratio {_ratio(float(np.mean(ours) / np.mean(reference)))}" if reference else ""
            spread = f" ± {np.std(ours):.2f}" if len(ours) > 1 else ""
            judged = verdict(float(np.mean(ours)), paper, float(np.std(ours)), is_less_better=True)
            figure = mark_earlier(f"{np.mean(ours):.2f}{spread} s{ratio}", *results.find_all(method=method, dataset=dataset))
            row.append(Shown(figure, published, judged, runs_in_words(len(ours))))
        rows.append((method, row))
    table = ResultsTable(
        "Training time",
        "Seconds of a whole fit, mean ± standard deviation over the runs, and how many times SCE's that is. The ratio is "
        "the figure: the paper's seconds are of one NVIDIA 1080 Ti, ours of the machine named below. All methods take turns "
        "in one process, after a warm-up of each. What is judged is the seconds, machine against machine.",
        list(COLUMNS),
        rows,
        [*_fewer(results), tally_verdicts(rows)],
    )
    return [table]


class Timer:
    """Times fits in one process: the first of a model warms it up, and counts only if it is long."""

    def __init__(self) -> None:
        self._warm: set[tuple[str, str]] = set()

    def time(self, name: str, dataset: str, model: Any, graph: Graph) -> float:
        """The seconds of a fit."""
        first = _time_fit(model, graph) if (name, dataset) not in self._warm else 0.0
        self._warm.add((name, dataset))
        return first if first > LONG_FIT else _time_fit(model, graph)


def _rounds(dataset: str, names: list[str], request: Request) -> list[CellJob]:
    """A job per round; a method with fewer runs than the others sits out the last ones."""
    changed = read_experiment("time")["settings"]
    options = {name: {**changed["all"].get(dataset, {}), **changed.get(name, {}).get(dataset, {})} for name in names}
    models = {name: make_model(name, dataset, request.seed, **options[name]) for name in names}
    counts = {name: min(request.n_splits or runs_of(name, dataset), runs_of(name, dataset)) for name in names}
    timer = Timer()
    jobs = []
    for run in range(max(counts.values())):
        start = run % len(names)
        taking_part = [name for name in names[start:] + names[:start] if run < counts[name]]
        cells: list[Cell] = [
            {
                "method": name,
                "dataset": dataset,
                "run": run,
                "seed": request.seed,
                "timed_with": names,  # a method that joins has all timed again, side by side
                "settings": settings_of(models[name]),
            }
            for name in taking_part
        ]
        timed = {name: models[name] for name in taking_part}
        jobs.append(CellJob(cells, partial(_time_round, timer, timed, dataset), code_of(dataset, *timed.values())))
    return jobs


def _time_round(timer: Timer, models: dict[str, Any], dataset: str, report: Reporter) -> list[Cell]:
    graph = load_graph(dataset)
    measured: list[Cell] = []
    for done, (name, model) in enumerate(models.items(), start=1):
        measured.append({"seconds": round(timer.time(name, dataset, model, graph), 4)})
        report("timing", done, len(models))
    return measured


def _time_fit(model: Any, graph: Graph) -> float:
    started = time.perf_counter()
    fit(model, graph, _silent)
    return time.perf_counter() - started


def _seconds(results: Results, method: str, dataset: str) -> Sequence[float]:
    return [cell["seconds"] for cell in results.find_all(method=method, dataset=dataset)]


def _fewer(results: Results) -> list[str]:
    """Which cells have fewer runs than the paper, and why."""
    experiment = read_experiment("time")
    few = [
        f"{method} on {dataset} ({runs_in_words(len(ours))})"
        for method in ROWS
        for dataset in COLUMNS
        if 0 < len(ours := _seconds(results, method, dataset)) < experiment["n_runs"]
    ]
    if not few:
        return []
    planned = [f"{method} on {dataset}" for method, runs in experiment["fewer_runs"].items() for dataset in runs]
    return [
        f"Fewer than the paper's {experiment['n_runs']} runs: {', '.join(few)}. Planned so, since a fit takes minutes: "
        f"{', '.join(planned)}."
    ]


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _silent(*_: object) -> None:
    """A progress line drawn while the clock runs would be timed too."""
