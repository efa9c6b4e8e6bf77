"""The ablation of the loss: SCE's encoder untrained, driven by −E and by α/E, from one start with one set of negatives."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sparsecut.evaluation import Scores, compare_scores
from sparsecut.model.published import read_experiment
from sparsecut.paper.plan import Absent, Job, Plan, Request
from sparsecut.paper.results import Cell, Results
from sparsecut.paper.row_methods import make_model, missing, settings_of
from sparsecut.paper.shown import Table, accuracy_shown, tally_verdicts
from sparsecut.paper.table1 import COLUMNS, run_of, score_splits
from sparsecut.progress import Reporter

__all__ = ["COLUMNS", "ROWS", "plan", "published_figure", "tables"]

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


def tables(results: Results) -> list[Table]:
    """Accuracy by loss, and whether the inverse is best as the paper claims."""
    per_class = read_experiment("loss")["per_class"]
    found = {
        dataset: {
            method: cell
            for method in ROWS
            if (cell := results.find(method=method, dataset=dataset, per_class=per_class)) is not None
        }
        for dataset in COLUMNS
    }
    rows = []
    for method in ROWS:
        row = []
        for dataset in COLUMNS:
            remark = _rank_remark(method, dataset, found[dataset])
            mean, std = published_figure(method, dataset)
            row.append(accuracy_shown(results, mean, std, remark, method=method, dataset=dataset, per_class=per_class))
        rows.append((method, row))
    table = Table(
        "The loss",
        "SCE's encoder without training, with the negative energy and with its inverse (SCE): accuracy in percent, "
        f"{per_class} labels per class, the same start and the same negatives; probe: paper.",
        list(COLUMNS),
        rows,
        [_best_remark(found), tally_verdicts(rows)],
    )
    return [table]


def _run(model: Any, cell: Cell, report: Reporter) -> list[Cell]:
    return score_splits(model, cell["dataset"], [cell], report)


def _rank_remark(method: str, dataset: str, found: dict[str, Cell]) -> str:
    """Where a loss ranks otherwise than in the paper."""
    if len(found) < len(ROWS):
        return ""
    ours = _rank(method, {name: cell["mean"] for name, cell in found.items()})
    papers = _rank(method, {name: published_figure(name, dataset)[0] for name in ROWS})
    return "" if ours == papers else f"rank {ours} here, rank {papers} in the paper"


def _rank(name: str, scores: dict[str, float]) -> int:
    return 1 + sum(score > scores[name] for score in scores.values())


def _best_remark(found: dict[str, dict[str, Cell]]) -> str:
    """Whether the paper's claim, that the inverse is best on every graph, holds here, and by how much on each."""
    whole = [dataset for dataset, cells in found.items() if len(cells) == len(ROWS)]
    if not whole:
        return "The paper's claim is that the inverse is best on every graph. No graph has been run with all three losses."
    leads = [_lead(dataset, found[dataset]) for dataset in whole]
    failing = [dataset for dataset in whole if _rank("inverse", {name: found[dataset][name]["mean"] for name in ROWS}) > 1]
    verdict = (
        f"fails here on {', '.join(failing)}" if failing else f"holds for the mean on all that were run: {', '.join(whole)}"
    )
    return (
        f"The paper's claim, that the inverse is best on every graph, {verdict}. Paired over the splits: {'; '.join(leads)}."
    )


def _lead(dataset: str, cells: dict[str, Cell]) -> str:
    """The inverse against the better of the other two, split by split: a lead in the mean may be none."""
    rival = max((name for name in ROWS if name != "inverse"), key=lambda name: float(cells[name]["mean"]))
    ours, others = (Scores(np.array(cells[name]["accuracies"])) for name in ("inverse", rival))
    return f"{dataset}, against {rival}: {compare_scores(ours, others)}"
