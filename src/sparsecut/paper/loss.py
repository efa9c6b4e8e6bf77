"""The ablation of the loss: SCE's encoder untrained, driven by −E and by α/E, from one start with one set of negatives."""

from __future__ import annotations

from functools import partial
from typing import Any

from sparsecut.model.published import read_experiment
from sparsecut.paper.plan import Absent, Job, Plan, Request
from sparsecut.paper.results import Cell
from sparsecut.paper.rows import make_model, missing, settings_of
from sparsecut.paper.table1 import COLUMNS, run_of, score_splits
from sparsecut.progress import Reporter

__all__ = ["COLUMNS", "ROWS", "plan", "published_figure"]

ROWS = tuple(read_experiment("loss")["published"])


def published_figure(method: str, dataset: str) -> tuple[float, float]:
    mean, std = read_experiment("loss")["published"][method][COLUMNS.index(dataset)]
    return mean, std


def plan(request: Request) -> Plan:
    experiment = read_experiment("loss")
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        reason = missing(dataset)
        for method in request.rows(ROWS):
            cell: Cell = {"method": method, "dataset": dataset, "per_class": experiment["per_class"]}
            if reason is not None:
                jobs.append(Absent(cell, reason))
                continue
            model = make_model("SCE", dataset, request.seed, loss=method, **experiment["settings"][method])
            cell |= {**run_of(request, experiment["n_splits"]), "settings": settings_of(model)}
            jobs.append(Job([cell], partial(_run, model, cell)))
    return jobs


def _run(model: Any, cell: Cell, report: Reporter) -> list[Cell]:
    return score_splits(model, cell["dataset"], [cell], report)
