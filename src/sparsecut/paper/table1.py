"""Table 1 of the paper: accuracy on the 50 published splits, 5 and 20 labels a class, the paper's figure beside ours."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from sparsecut import datasets
from sparsecut.base import SparsestCutEmbedding
from sparsecut.errors import InputError
from sparsecut.estimators import SCE, MoSCE
from sparsecut.evaluation import probe, published_splits
from sparsecut.progress import Reporter
from sparsecut.published import read_experiment

METHODS: dict[str, type[SparsestCutEmbedding]] = {"SCE": SCE, "MoSCE": MoSCE}
DATASETS = ("cora", "citeseer", "pubmed", "cora_full")  # the columns of the published table, in its order
LABEL_COUNTS = (5, 20)


def published_figure(method: str, dataset: str, per_class: int) -> tuple[float, float]:
    """The paper's mean and standard deviation for a cell."""
    groups = read_experiment("table1")["published"]
    row = next(rows[method] for rows in groups.values() if method in rows)
    mean, std = row[2 * DATASETS.index(dataset) + LABEL_COUNTS.index(per_class)]
    return mean, std


def run_table1(
    names: Sequence[str], methods: Sequence[str], n_splits: int, random_state: int, report: Reporter
) -> Iterator[dict[str, Any]]:
    """Fit each method once on each graph and probe it on the first `n_splits` published splits; yields a cell at a time."""
    for dataset in names:
        if dataset not in runnable():
            raise InputError(f"{dataset!r} cannot be run: its features are not at hand. Run one of {', '.join(runnable())}.")
        graph = datasets.load(dataset)
        assert graph.labels is not None
        for method in methods:
            model = METHODS[method].paper(dataset, random_state=random_state)
            started = time.perf_counter()
            Z = model.fit_transform(graph, progress=report)
            seconds = time.perf_counter() - started
            for per_class in LABEL_COUNTS:
                splits = published_splits(dataset, per_class, graph.n_nodes)[:n_splits]
                scores = probe(Z, graph.labels, splits, progress=report)
                published_mean, published_std = published_figure(method, dataset, per_class)
                yield {
                    "dataset": dataset,
                    "method": method,
                    "per_class": per_class,
                    "mean": round(scores.mean, 2),
                    "std": round(scores.std, 2),
                    "published_mean": published_mean,
                    "published_std": published_std,
                    "n_splits": len(splits),
                    "seconds": round(seconds, 3),
                    "random_state": random_state,
                    "probe": scores.probe,
                }


def runnable() -> list[str]:
    """The datasets of the table whose features are at hand."""
    return [dataset for dataset in DATASETS if datasets.brings_features(dataset)]


def render_markdown(cells: Sequence[dict[str, Any]]) -> str:
    """The table as Markdown, ours first and the paper's in brackets."""
    found = {(cell["method"], cell["dataset"], cell["per_class"]): cell for cell in cells}
    columns = [(dataset, n) for dataset in DATASETS for n in LABEL_COUNTS if any(key[1:] == (dataset, n) for key in found)]
    lines = [
        "| | " + " | ".join(f"{dataset.capitalize()}, {n} labels" for dataset, n in columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    for method in METHODS:
        shown = [
            f"{cell['mean']:.1f} ± {cell['std']:.1f} ({cell['published_mean']:.1f})" if cell else "–"
            for cell in (found.get((method, *column)) for column in columns)
        ]
        lines.append(f"| {method} | " + " | ".join(shown) + " |")
    return "\n".join(lines)
