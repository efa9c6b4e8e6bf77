"""Inductive learning at Reddit's and Flickr's size, on generated graphs: training seconds beside the paper's.

    python benchmarks/inductive_standins.py [--method SCE] [--dataset "reddit stand-in"]

The real graphs are not at hand everywhere. A stand-in (`standins.py`) has their sizes and as many training and test nodes as
their roles name, drawn at random, so its seconds say something; its scores would not, and are not taken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cells import run_benchmark
from sparsecut import datasets
from sparsecut.base.progress import Reporter
from sparsecut.lab.paper.code_stamp import mark_earlier
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.inductive import ROWS as INDUCTIVE_ROWS
from sparsecut.lab.paper.inductive import UNTRAINED, published_figure, training_in_words
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.row_methods import NOT_REGISTERED, code_of, make_model, registered, settings_of
from sparsecut.lab.paper.shown import ALONE, ResultsTable, Shown
from sparsecut.lab.paper.unseen import cut_graph, embed_unseen, mean_seconds
from sparsecut.model.published import read_toml
from standins import stand_in

NAME = "inductive_standins"
SIZES: dict[str, dict[str, Any]] = read_toml(Path(__file__).with_suffix(".toml"))
COLUMNS = tuple(SIZES)
ROWS = tuple(row for row in INDUCTIVE_ROWS if row not in UNTRAINED)


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for column in request.columns(COLUMNS):
        for row in request.rows(ROWS):
            cell: Cell = {"method": row, "dataset": column}
            if registered(row) is None:
                jobs.append(Absent(cell, NOT_REGISTERED))
                continue
            make = partial(make_model, row, SIZES[column]["settings"])
            model = make(request.seed)
            cell |= {"seed": request.seed, "settings": settings_of(model), "n_runs": 1}
            jobs.append(CellJob([cell], partial(_run, make, cell), code_of(None, model, stand_in)))
    return jobs


def table(results: Results) -> ResultsTable:
    """The seconds of a fit beside the paper's for the real graph."""
    return ResultsTable(
        "Inductive learning at the paper's sizes",
        "Seconds of a fit on the training nodes' graph, and of embedding the whole graph afterwards (transform). A stand-in "
        "is a generated graph of the sizes in the paper's table of datasets, timed once: its seconds stand beside the "
        "paper's for the real graph, of a CPU with 48 cores, and are not judged by them. Only SCE was timed here: the "
        "others took the paper's 48 cores from half a minute to six hours.",
        list(COLUMNS),
        [(row, [_shown(results, row, column) for column in COLUMNS]) for row in ROWS],
        [],
    )


def _run(make: Callable[[int], Any], cell: Cell, report: Reporter) -> list[Cell]:
    """The training nodes are as many as the real graph's roles have, drawn at random."""
    about = SIZES[cell["dataset"]]
    graph = stand_in(
        n_nodes=about["nodes"],
        n_edges=about["edges"],
        n_features=about["features"],
        n_classes=about["classes"],
        random_state=cell["seed"],
    )
    n_train, _, n_test = datasets.find_dataset(about["settings"]).role_sizes or (0, 0, 0)
    order = np.random.default_rng(cell["seed"]).permutation(graph.n_nodes)
    task = cut_graph(graph, np.sort(order[:n_train]), np.sort(order[-n_test:]))
    *_, seconds = embed_unseen(make(cell["seed"]), task, report)
    return [{**mean_seconds([seconds]), **task.sizes(), "is_stand_in": True}]


def _shown(results: Results, row: str, column: str) -> Shown:
    cell = results.find(method=row, dataset=column)
    paper = published_figure(row, SIZES[column]["settings"], "seconds")
    published = "" if paper is None else f"{paper:g} s on the real one"
    if cell is None:
        return Shown(results.why_absent(method=row, dataset=column), published)
    return Shown(mark_earlier(f"{cell['seconds']:.2f} s", cell), published, ALONE, training_in_words(cell))


if __name__ == "__main__":
    run_benchmark(NAME, plan, columns=COLUMNS, rows=ROWS)
