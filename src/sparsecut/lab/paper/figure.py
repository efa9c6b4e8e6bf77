"""The paper's figure: test accuracy against wall-clock time, one point per epoch, one panel per graph.

`fit` calls back after every epoch, and the estimator then transforms with the weights it has so far: one training run gives
the whole curve. (Fitting anew with 1, 2, … epochs gives the same points, and E²/2 epochs to run for E of them.) The clock is
the history's own: what it took to get the graph ready, and each epoch; scoring an epoch is not on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from sparsecut.base.errors import import_extra
from sparsecut.base.progress import Reporter
from sparsecut.evaluation import probe, published_splits
from sparsecut.io import write_whole
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.row_methods import NOT_REGISTERED, code_of, load_graph, make_model, missing, registered, settings_of
from sparsecut.lab.paper.shown import ResultsTable
from sparsecut.lab.paper.table1 import run_of

_EXPERIMENT = read_experiment("figure")
COLUMNS = tuple(_EXPERIMENT["panels"])
ROWS = tuple(_EXPERIMENT["methods"])
COLOURS = {"SCE": "#c0392b", "DGI": "#2c5f8a"}
BEFORE_EPOCHS = ("prepare", "smooth", "gram")  # the stages of a fit that the first point waits for


def plan(request: Request) -> Plan:
    jobs: Plan = []
    for dataset in request.columns(COLUMNS):
        for method in request.rows(ROWS):
            cell: Cell = {"method": method, "dataset": dataset, "per_class": _EXPERIMENT["per_class"]}
            reason = NOT_REGISTERED if registered(method) is None else missing(dataset)
            model = None if reason is not None else make_model(method, dataset, request.seed)
            if model is not None and not any(name.split("__")[-1] == "epochs" for name in settings_of(model)):
                reason = "does not report its epochs"
            if reason is not None:
                jobs.append(Absent(cell, reason))
                continue
            cell |= {**run_of(request, _EXPERIMENT["n_splits"], request.seed, ["paper"]), "settings": settings_of(model)}
            jobs.append(CellJob([cell], partial(_record, model, cell), code_of(dataset, model, probe)))
    return jobs


def tables(results: Results) -> list[ResultsTable]:
    """No tables: the figure is drawn by `draw_figure`."""
    return []


def _record(model: Any, cell: Cell, report: Reporter) -> list[Cell]:
    """One training run, scored after every epoch."""
    graph = load_graph(cell["dataset"])
    splits = published_splits(cell["dataset"], cell["per_class"], graph.n_nodes)[: cell["n_splits"]]
    assert graph.labels is not None
    labels, accuracies = graph.labels, []

    def score(epoch: int, history: Any) -> None:
        accuracies.append(probe(model.transform(graph), labels, splits, progress=lambda *_: None).mean)

    model.fit(graph, progress=report)  # a warm-up: the first fit of a process pays for threads and caches
    model.fit(graph, callback=score, progress=report)
    history = model.history_
    start = sum(history.stages.get(name, 0.0) for name in BEFORE_EPOCHS)
    return [
        {
            "epoch_seconds": [round(start + seconds, 4) for seconds in accumulate(history.seconds)],
            "epoch_accuracies": [round(accuracy, 2) for accuracy in accuracies],
        }
    ]


def draw_figure(results: Results, folder: Path) -> list[Path]:
    """The figure as SVG and PNG, from the recorded runs. An empty panel says why it is empty."""
    import_extra("matplotlib", caller="sparsecut reproduce figure", extra="explore")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    paths = [folder / "figure.svg", folder / "figure.png"]
    # The ids and the date would otherwise change from drawing to drawing.
    with mpl.rc_context({"svg.hashsalt": "sparsecut", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(12, 2.9), layout="constrained")
        for panel, dataset in enumerate(COLUMNS):
            _draw_panel(figure.add_subplot(1, len(COLUMNS), panel + 1), results, dataset)
        for path in paths:
            with write_whole(path) as temporary:
                figure.savefig(temporary, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return paths


def _draw_panel(axes: Any, results: Results, dataset: str) -> None:
    axes.set_title(f"({'abcd'[COLUMNS.index(dataset)]}) {dataset}", y=-0.38)
    axes.set_xlabel("seconds")
    axes.set_ylabel("test accuracy (%)")
    drawn: list[str] = []
    empty: list[str] = []
    for method in ROWS:
        identity = {"method": method, "dataset": dataset, "per_class": _EXPERIMENT["per_class"]}
        cell = results.find(**identity)
        if cell is None:
            empty.append(f"{method}: {results.why_absent(**identity)}")
            continue
        seconds: Sequence[float] = cell["epoch_seconds"]
        axes.plot(seconds, cell["epoch_accuracies"], color=COLOURS[method], marker=".", markersize=3, label=method)
        drawn.append(method)
    axes.grid(alpha=0.3)
    if drawn:
        for reason in empty:
            axes.plot([], [], " ", label=reason)  # a line of the legend, without a line of the plot
        axes.legend(loc="lower right", frameon=False, fontsize=8)
        axes.set_xlim(left=0)
    else:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.text(0.5, 0.5, "\n".join(empty), va="center", ha="center", transform=axes.transAxes, color="0.45", fontsize=8)
