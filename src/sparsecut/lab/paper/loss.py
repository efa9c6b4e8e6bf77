"""The ablation of the loss: SCE's encoder untrained, driven by −E and by α/E, from one start with one set of negatives."""

from __future__ import annotations

from functools import partial
from typing import Any

from sparsecut.base.progress import Reporter
from sparsecut.evaluation import compare_scores, probe
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.row_methods import code_of, make_model, missing, settings_of
from sparsecut.lab.paper.seeds import Summary, summarise
from sparsecut.lab.paper.shown import ResultsTable, accuracy_shown, tally_verdicts
from sparsecut.lab.paper.table1 import run_of, score_splits
from sparsecut.lab.paper.table1_rows import COLUMNS
from sparsecut.lab.paper.table1_shown import SPREAD

__all__ = ["COLUMNS", "ROWS", "plan", "published_figure", "tables"]

ROWS = tuple(read_experiment("loss")["published"])
PROBE = "paper"


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
            for seed in request.seeds(experiment["n_seeds"]):
                model = make_model("SCE", dataset, seed, loss=method, **experiment["settings"][method])
                ran = run_of(request, experiment["n_splits"], seed, [PROBE])
                planned = {**cell, **ran, "settings": settings_of(model)}
                jobs.append(CellJob([planned], partial(_run, model, planned), code_of(dataset, model, probe)))
    return jobs


def tables(results: Results) -> list[ResultsTable]:
    """Accuracy by loss, and whether the inverse is best as the paper claims."""
    per_class = read_experiment("loss")["per_class"]
    found = {
        dataset: {
            method: summary
            for method in ROWS
            if (summary := summarise(results.find_all(method=method, dataset=dataset, per_class=per_class), PROBE))
        }
        for dataset in COLUMNS
    }
    rows = []
    for method in ROWS:
        row = []
        for dataset in COLUMNS:
            remark = _rank_remark(method, dataset, found[dataset])
            identity = {"method": method, "dataset": dataset, "per_class": per_class}
            row.append(accuracy_shown(results, published_figure(method, dataset), PROBE, remark, **identity))
        rows.append((method, row))
    table = ResultsTable(
        "The loss",
        "SCE's encoder without training, with the negative energy and with its inverse (SCE): accuracy in percent, "
        f"{per_class} labels per class, for one seed the same start and the same negatives; {SPREAD}; probe: {PROBE}.",
        list(COLUMNS),
        rows,
        [_best_remark(found), tally_verdicts(rows)],
    )
    return [table]


def _run(model: Any, cell: Cell, report: Reporter) -> list[Cell]:
    return score_splits(model, cell["dataset"], [cell], report)


def _rank_remark(method: str, dataset: str, found: dict[str, Summary]) -> str:
    """Where a loss ranks otherwise than in the paper."""
    if len(found) < len(ROWS):
        return ""
    ours = _rank(method, {name: summary.mean for name, summary in found.items()})
    papers = _rank(method, {name: published_figure(name, dataset)[0] for name in ROWS})
    return "" if ours == papers else f"rank {ours} here, rank {papers} in the paper"


def _rank(name: str, scores: dict[str, float]) -> int:
    return 1 + sum(score > scores[name] for score in scores.values())


def _best_remark(found: dict[str, dict[str, Summary]]) -> str:
    """Whether the paper's claim, that the inverse is best on every graph, holds here, and by how much on each."""
    whole = [dataset for dataset, cells in found.items() if len(cells) == len(ROWS)]
    if not whole:
        return "The paper's claim is that the inverse is best on every graph. No graph has been run with all three losses."
    leads = [_lead(dataset, found[dataset]) for dataset in whole]
    failing = [dataset for dataset in whole if _rank("inverse", {name: found[dataset][name].mean for name in ROWS}) > 1]
    verdict = (
        f"fails here on {', '.join(failing)}" if failing else f"holds for the mean on all that were run: {', '.join(whole)}"
    )
    return (
        f"The paper's claim, that the inverse is best on every graph, {verdict}. Paired over the splits: {'; '.join(leads)}."
    )


def _lead(dataset: str, found: dict[str, Summary]) -> str:
    """The inverse against the better of the other two, split by split: a lead in the mean may be none."""
    rival = max((name for name in ROWS if name != "inverse"), key=lambda name: found[name].mean)
    return f"{dataset}, against {rival}: {compare_scores(found['inverse'].by_split, found[rival].by_split)}"
