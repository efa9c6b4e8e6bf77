"""Leave one graph out: the constants of the default chosen without a graph, then scored on it.

    python benchmarks/leave_out.py [--dataset cora]… [--method "effective rank 16, length 9, strength 0.2"]…

A cell is a choice of constants on a graph. All choices are run on all graphs once; what would have been chosen without a
graph is then read off the cells of the others (`choose`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

import beyond
from cells import run_benchmark
from sparsecut import SCE, ClosedForm, PageRank
from sparsecut.base.progress import Reporter
from sparsecut.evaluation import probe
from sparsecut.graph import Graph
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.results import Cell
from sparsecut.lab.paper.row_methods import code_of, load_graph, missing
from sparsecut.model.published import read_toml

NAME = "leave_out"
SETTINGS = read_toml(Path(__file__).with_suffix(".toml"))

Constants = dict[str, float]
Embed = Callable[..., ArrayLike]  # embed(graph, **constants) gives the embedding


def name_of(constants: Mapping[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in constants.items())


GRID: dict[str, Constants] = {
    name_of(constants): constants
    for values in product(*SETTINGS["grid"].values())
    for constants in [dict(zip(SETTINGS["grid"], values, strict=True))]
}
COLUMNS = beyond.COLUMNS
ROWS = tuple(GRID)
SHIPPED = name_of({name: SETTINGS["shipped"][name] for name in SETTINGS["grid"]})


def plan(request: Request) -> Plan:
    """The grid on every graph, with the estimator."""
    return plan_with(embed, request)


def plan_with(embed: Embed, request: Request) -> Plan:
    """The grid on every graph, with anything that embeds a graph by such constants."""
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        reason = missing(dataset)
        for row in request.rows(ROWS):
            cell: Cell = {"method": row, "dataset": dataset}
            if reason is not None:
                jobs.append(Absent(cell, reason))
                continue
            cell |= {"n_splits": beyond.splits_asked(request, SETTINGS["n_splits"]), "seed": request.seed}
            cell |= {"probe": SETTINGS["probe"], "settings": {**SETTINGS["fixed"], **GRID[row]}}
            jobs.append(CellJob([cell], partial(_run, embed, GRID[row], cell), code_of(dataset, SCE, probe)))
    return jobs


def embed(graph: Graph, *, effective_rank: float, length: float, strength: float) -> ArrayLike:
    solver = ClosedForm(effective_rank=effective_rank, length=length)
    model = SCE(filter=PageRank(restart=strength), solver=solver)
    return np.asarray(model.fit_transform(graph, progress=lambda *_: None))


def choose(scores: Mapping[str, Mapping[str, float]], left_out: str) -> str:
    """The row with the best mean over the other graphs; of equals the first. `scores` is by graph, then by row."""
    others = [by_row for dataset, by_row in scores.items() if dataset != left_out]
    return max(others[0], key=lambda row: float(np.mean([by_row[row] for by_row in others])))


def score_of(cell: Cell) -> float:
    """What constants are chosen by on a graph: the mean over the label counts."""
    return float(np.mean([cell["accuracy"][str(count)]["mean"] for count in beyond.LABEL_COUNTS]))


def _run(embed: Embed, constants: Constants, cell: Cell, report: Reporter) -> list[Cell]:
    graph = load_graph(cell["dataset"])
    started = time.perf_counter()
    Z = embed(graph, **constants)
    seconds = time.perf_counter() - started
    report(f"{cell['method']}, {cell['dataset']}", 1, 2)
    measured = {str(count): beyond.accuracy(Z, graph, cell, cell["probe"], count) for count in beyond.LABEL_COUNTS}
    report(f"{cell['method']}, {cell['dataset']}", 2, 2)
    return [{"accuracy": measured, "seconds": round(seconds, 4)}]


if __name__ == "__main__":
    run_benchmark(NAME, plan, columns=COLUMNS, rows=ROWS)
