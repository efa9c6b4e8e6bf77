"""The results' file of the peers, and its tables: every method on every graph, and the published figures beside ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.methods import METHODS, OWN
from peers.scores import N_RANDOM, PER_CLASS, PLANETOID, PROBES, PUBLISHED
from results_file import write_results

NAME = "peers"
PAGE_GRAPHS = tuple(PLANETOID)
MORE_GRAPHS = ("amazon_photo", "blogcatalog")
PACKAGES = ("pycleora", "scikit-network", "nodevectors", "karateclub", "torch-geometric")

Points = dict[str, Any]


def save(points: Points) -> None:
    write_results(
        NAME,
        title="Peers",
        about="What a user would pick today, with its own defaults and with the features where it takes them, from the "
        "graph in memory to one row per node. Accuracies are percent with 5 / 20 labels per class, by the probe `paper` "
        "(C = 1, the embedding as it comes) and by `tuned` (C and standardisation chosen on validation nodes, so that an "
        "embedding's scale does not matter). Every fit has a process of its own. Seconds are the processor's, of the "
        "quickest of up to three fits, without imports; memory is the peak beyond the imports, the graph included.",
        command="OMP_NUM_THREADS=1 python benchmarks/peers",
        tables=tables_of(points),
        notes=notes_of(points),
        points=points,
        environment=versions_of(points),
    )


def tables_of(points: Points) -> list[dict[str, Any]]:
    seeds = "Where a method has chance in it, `paper` is the mean over as many seeds as it has fits, `tuned` its first seed."
    tables = [
        _accuracies(points, PAGE_GRAPHS, f"Accuracy over the 50 published splits of each graph. {seeds}"),
        _accuracies(points, MORE_GRAPHS, f"Accuracy over {N_RANDOM} random splits of each graph."),
        _costs(points, "Processor seconds and peak memory in MiB of one fit, one thread."),
        _checks(points),
    ]
    return [table for table in tables if table["rows"]]


def _accuracies(points: Points, graphs: tuple[str, ...], caption: str) -> dict[str, Any]:
    present = [name for name in graphs if any(f"{name}, {method}" in points for method in METHODS)]
    rows = []
    for method, facts in METHODS.items():
        cells = [points.get(f"{name}, {method}") for name in present]
        if any(cells):
            shown = [_accuracy(cell, protocol) for cell in cells for protocol in PROBES]
            rows.append([method, facts.runs, facts.reads, *shown])
    columns = ["method", "runs by", "reads", *(f"{name}, {protocol}" for name in present for protocol in PROBES)]
    return {"caption": caption, "columns": columns, "rows": rows}


def _accuracy(point: dict[str, Any] | None, protocol: str) -> str | None:
    if point is None or "accuracy" not in point:
        return None
    return " / ".join(f"{np.mean(point['accuracy'][protocol][str(n)]['means']):.1f}" for n in PER_CLASS)


def _costs(points: Points, caption: str) -> dict[str, Any]:
    present = [name for name in (*PAGE_GRAPHS, *MORE_GRAPHS) if any(f"{name}, {method}" in points for method in METHODS)]
    rows = []
    for method in METHODS:
        cells = [points.get(f"{name}, {method}") for name in present]
        if any(cells):
            rows.append([method, *(value for cell in cells for value in _cost(cell))])
    columns = ["method", *(f"{name}, {what}" for name in present for what in ("columns", "s", "MiB"))]
    return {"caption": caption, "columns": columns, "rows": rows}


def _cost(point: dict[str, Any] | None) -> tuple[int | None, float | None, float | None]:
    if point is None or "processor_seconds" not in point:
        return None, None, None
    return point["columns"], min(point["processor_seconds"]), point["peak_mebibytes"]


def _checks(points: Points) -> dict[str, Any]:
    rows: list[list[Any]] = []
    for method, (_, figures) in PUBLISHED.items():
        for name, figure in zip(PAGE_GRAPHS, figures, strict=True):
            found = points.get(f"{name}, {method}", {}).get("check", {})
            rows += [[method, name, split, f"{figure:.1f}", f"{value:.1f}"] for split, value in found.items()]
    return {
        "caption": "Is each run as it should be? What its authors publish, and the embedding of the tables above on their "
        "kind of split: Planetoid's public one; 10 % of the nodes for training (three random splits); or 80 % of them and "
        "the class whose mean row points the same way (ten). The first two are scored by `tuned` here, by the authors' "
        "own logistic regressions there. CCA-SSG's published figures are those that GraphMAE's README quotes.",
        "columns": ["method", "graph", "split", "published", "here"],
        "rows": rows,
    }


def notes_of(points: Points) -> list[str]:
    own = ", ".join(method for method, facts in METHODS.items() if facts.runs == OWN)
    failed = [f"{key}: {point['failed']}" for key, point in points.items() if "failed" in point]
    return [
        "What reads the edges alone does another task than what reads the features too.",
        f"Written here from paper or documentation, with the settings published there: {own}. The file of each in "
        "`benchmarks/peers` says what they are.",
        "How many columns there are decides as much as the method: compare the two rows of each of scikit-network's. Its "
        "default of two is for drawing, so 32 and 128 stand here. nodevectors' ProNE has its default, 32, and ours the "
        "paper's 128. FastRP has no default and gets 256, which its documentation recommends. LouvainEmbedding has one "
        "column per community.",
        "GRACE compares all pairs of nodes. On Pubmed that is 19,717² similarities at every step, so each step compares "
        "2,000 nodes drawn anew, and 300 epochs stand for the 1,500 of its authors.",
        "Cleora's README reports figures for graphs called Cora, CiteSeer and PubMed. In the release measured here "
        "`pycleora.datasets.load_cora()` and the other two make a random graph of that size with planted classes, and "
        "read no file but their own cache. The last table has the same embedding, scored as its `metrics` module does, on "
        "the real graphs and on those that it generates.",
        "SlimG chooses among its channels by labels, with a group lasso. Its embedding here is all of them side by side.",
        "karateclub's current release, 1.3.3, asks for numpy < 1.23, pandas ≤ 1.3.5 and networkx < 2.7, none of which is "
        "built for Python 3.11. Its older release 1.2.2 installs; one of its methods that read features and one that does "
        "not are here.",
        "TENE is hardly above chance on Pubmed. It runs there as on the others, with its defaults; why was not looked into.",
        "Measured while other work ran on the same two cores: the data has the clock's seconds beside the processor's.",
        *_not_run(points),
        *failed,
    ]


def _not_run(points: Points) -> list[str]:
    """Of each graph the methods without a cell, and how long their fits took on the slowest graph that has them all."""
    known = {key: sum(point["processor_seconds"]) for key, point in points.items() if "processor_seconds" in point}
    if not known:
        return []
    longest = max(PAGE_GRAPHS, key=lambda name: sum(value for key, value in known.items() if key.startswith(f"{name}, ")))
    said = []
    for graph in MORE_GRAPHS:
        without = [method for method in METHODS if f"{graph}, {method}" not in points]
        minutes = sum(known.get(f"{longest}, {method}", 0.0) for method in without) / 60
        if without:
            which = "all methods" if len(without) == len(METHODS) else ", ".join(without)
            took = f", whose fits took {minutes:.0f} minutes of one core on {longest}" if minutes else ""
            said.append(f"Not run on {graph}: {which}{took}. `--graphs {graph}` runs them, with the packages named above.")
    return said


def versions_of(points: Points) -> dict[str, str]:
    """The packages' versions as the cells have them: a cell may be run again where the others' packages are not."""
    return {
        package: next(
            (point["version"] for key, point in points.items() if _runs(key) == package and "version" in point), "?"
        )
        for package in PACKAGES
    }


def _runs(key: str) -> str:
    return METHODS[key.partition(", ")[2]].runs
