"""From results as data to tables as shown: in every cell the paper's figure beside ours, and how ours compares.

A figure of ours is within one standard deviation of the paper's, ahead of it or behind it. The deviation is the paper's;
where it published none (times, micro-F1) it is ours. An empty cell says why it is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sparsecut import datasets
from sparsecut.evaluation import Scores, compare_scores
from sparsecut.model.published import read_experiment
from sparsecut.paper import inductive, loss, table1, timing
from sparsecut.paper.beyond_tables import checks_shown, graphs_shown, left_out_shown, targets_shown
from sparsecut.paper.results import Cell, Results
from sparsecut.paper.shown import AHEAD, ALONE, BEHIND, EMPTY, WITHIN, Shown, Table

EXPERIMENTS = ("table1", "time", "loss", "inductive", "figure", "beyond", "leave_out")


def read_results(folder: Path) -> dict[str, Results]:
    return {name: Results(folder, name) for name in EXPERIMENTS}


def tables_of(names: Sequence[str], results: dict[str, Results]) -> list[Table]:
    """The tables of some experiments, in the order of the page."""
    drawn = {
        "table1": (table1_shown,),
        "loss": (loss_shown,),
        "time": (time_shown,),
        "inductive": (f1_shown, seconds_shown),
        "beyond": (targets_shown, checks_shown),
        "leave_out": (left_out_shown,),
    }
    tables = [draw(results[name]) for name, drawers in drawn.items() if name in names for draw in drawers]
    return tables + (graphs_shown(results["beyond"]) if "beyond" in names else [])


def verdict(ours: float, paper: float, deviation: float, *, is_less_better: bool = False) -> str:
    """Within one deviation, ahead or behind. The last digit published is not held against anyone: 1e-9 for rounding."""
    if abs(ours - paper) <= deviation + 1e-9:
        return WITHIN
    return AHEAD if (ours < paper) == is_less_better else BEHIND


def table1_shown(results: Results) -> Table:
    columns = [(dataset, count) for dataset in table1.COLUMNS for count in table1.LABEL_COUNTS]
    rows = []
    for method in table1.ROWS:
        row = []
        for dataset, count in columns:
            mean, std = table1.published_figure(method, dataset, count)
            row.append(_score(results, mean, std, method=method, dataset=dataset, per_class=count))
        rows.append((method, row))
    return Table(
        "Table 1: accuracy",
        "Accuracy in percent, mean ± standard deviation over the published random splits, with 5 and 20 labels a class; "
        "probe: paper (logistic regression, C = 1). One fit a cell.",
        [f"{dataset}, {count}" for dataset, count in columns],
        rows,
        [_tally(rows)],
    )


def loss_shown(results: Results) -> Table:
    per_class = read_experiment("loss")["per_class"]
    found = {
        dataset: {
            method: cell
            for method in loss.ROWS
            if (cell := results.find(method=method, dataset=dataset, per_class=per_class)) is not None
        }
        for dataset in loss.COLUMNS
    }
    rows = []
    for method in loss.ROWS:
        row = []
        for dataset in loss.COLUMNS:
            remark = _rank_remark(method, dataset, found[dataset])
            mean, std = loss.published_figure(method, dataset)
            row.append(_score(results, mean, std, remark, method=method, dataset=dataset, per_class=per_class))
        rows.append((method, row))
    return Table(
        "The loss",
        "SCE's encoder without training, with the negative energy and with its inverse (SCE): accuracy in percent, "
        f"{per_class} labels a class, the same start and the same negatives; probe: paper.",
        list(loss.COLUMNS),
        rows,
        [_best_remark(found), _tally(rows)],
    )


def time_shown(results: Results) -> Table:
    rows = []
    for method in timing.ROWS:
        row = []
        for dataset in timing.COLUMNS:
            paper = timing.published_seconds(method, dataset)
            paper_ratio = paper / timing.published_seconds("SCE", dataset)
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
                    _runs(cell),
                )
            )
        rows.append((method, row))
    return Table(
        "Training time",
        "Seconds of a whole fit, and how many times SCE's that is. The ratio is the figure: the paper's seconds are of one "
        "NVIDIA 1080 Ti, ours of the machine named below. All methods take turns in one process, after a warm-up of each. "
        "What is judged is the seconds, machine against machine.",
        list(timing.COLUMNS),
        rows,
        [_tally(rows)],
    )


def f1_shown(results: Results) -> Table:
    rows = []
    for method in inductive.ROWS:
        row = []
        for dataset in inductive.GRAPHS:
            cell = results.find(method=method, dataset=dataset)
            paper = inductive.published_figure(method, dataset, "f1")
            published = "" if paper is None else f"{paper:.1f}"
            if cell is None:
                row.append(Shown(results.why_absent(method=method, dataset=dataset), published))
                continue
            judged = ALONE if paper is None else verdict(cell["mean"], paper, cell["std"])
            row.append(Shown(_mean(cell), published, judged, f"{_runs(cell)}, {_width(cell):,} columns"))
        rows.append((method, row))
    return Table(
        "Inductive learning: micro-F1",
        "Trained on the training nodes' graph alone, micro-F1 in percent on test nodes embedded afterwards; mean ± standard "
        f"deviation over seeds of the method. {_roles()} With an arrow: trained on one graph, tested on all of another. "
        "Only Reddit and Flickr are the paper's; the others have no figure of its and run with its settings for Flickr.",
        list(inductive.GRAPHS),
        rows,
        [_tally(rows), *_beaten(results)],
    )


def seconds_shown(results: Results) -> Table:
    rows = []
    for method in inductive.ROWS:
        if method in inductive.UNTRAINED:
            continue
        row = []
        for dataset in inductive.COLUMNS:
            cell = results.find(method=method, dataset=dataset)
            paper = inductive.published_figure(method, dataset.removesuffix(" stand-in"), "seconds")
            is_stand_in = dataset in inductive.STANDINS
            published = "" if paper is None else f"{paper:g} s" + (" on the real one" if is_stand_in else "")
            if cell is None:
                row.append(Shown(results.why_absent(method=method, dataset=dataset), published))
                continue
            judged = ALONE
            if paper is not None and not is_stand_in:
                judged = verdict(cell["seconds"], paper, cell["seconds_std"], is_less_better=True)
            remark = (
                f"{cell['seen_nodes']:,} nodes, {cell['seen_edges']:,} edges; transform {cell['transform_seconds']:.2f} s"
            )
            row.append(Shown(f"{cell['seconds']:.2f} s", published, judged, remark))
        rows.append((method, row))
    return Table(
        "Inductive learning: training seconds",
        "Seconds of a fit on the training nodes' graph, and of embedding the whole graph afterwards (transform). The "
        "paper's are of a CPU with 48 cores. A stand-in is a generated graph of the sizes in the paper's table of datasets, "
        "timed once: its seconds stand beside the paper's for the real graph and are not judged by them.",
        list(inductive.COLUMNS),
        rows,
        [],
    )


def _score(results: Results, mean: float, std: float, remark: str = "", **identity: object) -> Shown:
    """A cell of accuracies beside the paper's."""
    published = f"{mean:.1f} ± {std:.1f}"
    cell = results.find(**identity)
    if cell is None:
        return Shown(results.why_absent(**identity), published)
    return Shown(_mean(cell), published, verdict(cell["mean"], mean, std), remark)


def _mean(cell: Cell) -> str:
    return f"{cell['mean']:.1f} ± {cell['std']:.1f}" if cell.get("n_runs", 2) > 1 else f"{cell['mean']:.1f}"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _runs(cell: Cell) -> str:
    return f"{cell['n_runs']} runs" if cell["n_runs"] > 1 else "one run"


def _width(cell: Cell) -> int:
    """The columns of an embedding: as measured, those asked for, or as many as the graph has features."""
    if "columns" in cell:
        return int(cell["columns"])
    about = read_experiment("inductive")["graphs"][cell["dataset"]]
    return int(cell["settings"].get("dimension") or datasets.find_dataset(about.get("meet", cell["dataset"])).n_features)


def _roles() -> str:
    """How the nodes of a graph without roles of its own were cut."""
    drawn = {
        name: about["fractions"] for name, about in read_experiment("inductive")["graphs"].items() if "fractions" in about
    }
    return " ".join(
        f"{name}: {train:.0%} of each class's nodes for training, {validation:.0%} for validation (not used), the rest for "
        "testing, drawn once by the seed."
        for name, (train, validation) in drawn.items()
    )


def _rank_remark(method: str, dataset: str, found: dict[str, Cell]) -> str:
    """Where a loss ranks otherwise than in the paper."""
    if len(found) < len(loss.ROWS):
        return ""
    ours = _rank(method, {name: cell["mean"] for name, cell in found.items()})
    papers = _rank(method, {name: loss.published_figure(name, dataset)[0] for name in loss.ROWS})
    return "" if ours == papers else f"rank {ours} here, rank {papers} in the paper"


def _rank(name: str, scores: dict[str, float]) -> int:
    return 1 + sum(score > scores[name] for score in scores.values())


def _best_remark(found: dict[str, dict[str, Cell]]) -> str:
    """Whether the paper's claim, that the inverse is best on every graph, holds here, and by how much on each."""
    whole = [dataset for dataset, cells in found.items() if len(cells) == len(loss.ROWS)]
    if not whole:
        return "The paper's claim is that the inverse is best on every graph. No graph has been run with all three losses."
    leads = [_lead(dataset, found[dataset]) for dataset in whole]
    failing = [
        dataset for dataset in whole if _rank("inverse", {name: found[dataset][name]["mean"] for name in loss.ROWS}) > 1
    ]
    verdict = (
        f"fails here on {', '.join(failing)}" if failing else f"holds for the mean on all that were run: {', '.join(whole)}"
    )
    return (
        f"The paper's claim, that the inverse is best on every graph, {verdict}. Paired over the splits: {'; '.join(leads)}."
    )


def _lead(dataset: str, cells: dict[str, Cell]) -> str:
    """The inverse against the better of the other two, split by split: a lead in the mean may be none."""
    rival = max((name for name in loss.ROWS if name != "inverse"), key=lambda name: float(cells[name]["mean"]))
    ours, others = (Scores(np.array(cells[name]["accuracies"])) for name in ("inverse", rival))
    return f"{dataset}, against {rival}: {compare_scores(ours, others)}"


def _beaten(results: Results) -> list[str]:
    """Where a method that learns nothing scores higher than SCE."""
    lost = []
    for dataset in inductive.GRAPHS:
        sce = results.find(method="SCE", dataset=dataset)
        for method in inductive.UNTRAINED:
            other = results.find(method=method, dataset=dataset)
            if sce is not None and other is not None and other["mean"] > sce["mean"]:
                lost.append(f"{method} on {dataset} (by {other['mean'] - sce['mean']:.1f} points)")
    return [f"SCE scores less than what learns nothing: {', '.join(lost)}."] if lost else []


def _tally(rows: Sequence[tuple[str, list[Shown]]]) -> str:
    verdicts = [shown.verdict for _, row in rows for shown in row]
    counts = ", ".join(f"{verdicts.count(name)} {name}" for name in (AHEAD, WITHIN, BEHIND))
    alone = f"{verdicts.count(ALONE)} without a figure of the paper's"
    return f"Of {len(verdicts)} cells: {counts}; {alone}, {verdicts.count(EMPTY)} empty."
