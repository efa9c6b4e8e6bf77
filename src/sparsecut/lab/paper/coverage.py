"""What the page does not show of the paper, and why; and its graphs beside ours. From the results and the registry.

A cell is missing where its table is empty: the tables themselves say so, with the reason. What the paper states without a
figure has no cell, and is listed here.
"""

from __future__ import annotations

from collections.abc import Sequence

from sparsecut import datasets
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.shown import ALONE, EMPTY, ResultsTable, Shown, runs_in_words
from sparsecut.lab.paper.table1_rows import COLUMNS

GRAPHS = (*COLUMNS, "flickr", "reddit")  # of the paper's table of datasets
REASONS = {
    "its features are not at hand": "only the edges and the labels of Cora Full were on the machine",
    "its files are not at hand": "Reddit's and Flickr's files were not on the machine, and are not fetched unasked",
}  # what the short reason of a cell means
WITHOUT_FIGURES = (
    'MoSCE on unseen nodes: the paper says that its variants "produce almost the same results" and has no figure.',
    "Supervised methods on unseen nodes: the paper says that SCE comes close to them and has no figure.",
    "Memory: the paper says that G2G and DGI need much and that SCE needs little, and has no figure.",
)


def missing_remarks(tables: Sequence[ResultsTable], inductive: Results, figure: Results) -> list[str]:
    """What is missing, a line each: empty cells by reason, curves, fewer runs than the paper, what has no figure."""
    reasons: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for table in tables:
        for reason, cells in _empty(table).items():
            reasons.setdefault(reason, []).append(f"{table.title}: {_where(cells, table)}")
            counts[reason] = counts.get(reason, 0) + len(cells)
    lines = []
    for reason, where in reasons.items():
        words = f"{reason} ({REASONS[reason]})" if reason in REASONS else reason
        lines.append(f"{counts[reason]} cells are empty: {words}. {'; '.join(where)}.")
    return [*lines, *_curves(figure), *_fewer_runs(inductive), *WITHOUT_FIGURES]


def graph_table() -> ResultsTable:
    """The paper's graphs as it counts them, and as they are here."""
    rows = []
    for name in GRAPHS:
        dataset = datasets.find_dataset(name)
        assert dataset.paper is not None
        counts = [f"{dataset.sizes.nodes:,}", f"{dataset.sizes.edges:,}", f"{dataset.paper.edges:,}"]
        rest = [f"{dataset.sizes.features:,}", f"{dataset.sizes.classes}", dataset.note]
        rows.append((name, [Shown(words, verdict=ALONE) for words in (*counts, *rest)]))
    return ResultsTable(
        "The graphs",
        "Nodes, features and classes are the paper's. Edges are undirected and counted once here.",
        ["nodes", "edges", "edges in the paper", "features", "classes", "why they differ"],
        rows,
        [],
    )


def _empty(table: ResultsTable) -> dict[str, list[tuple[str, str]]]:
    """The empty cells of a table, row and column, by the reason they give."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row, cells in table.rows:
        for column, shown in zip(table.columns, cells, strict=True):
            if shown.verdict == EMPTY:
                found.setdefault(shown.ours, []).append((row, column))
    return found


def _where(cells: list[tuple[str, str]], table: ResultsTable) -> str:
    """Cells in words: the columns in which the same rows are empty, together."""
    rows_of: dict[str, list[str]] = {}
    for row, column in cells:
        rows_of.setdefault(column, []).append(row)
    columns_of: dict[tuple[str, ...], list[str]] = {}
    for column, rows in rows_of.items():
        columns_of.setdefault(tuple(rows), []).append(column)
    parts = []
    for same, columns in columns_of.items():
        others = [row for row, _ in table.rows if row not in same]
        if not others:
            words = "every row"
        else:
            words = ", ".join(same) if len(same) <= len(others) else f"every row but {', '.join(others)}"
        parts.append(f"{words} ({' and '.join(columns)})")
    return "; ".join(parts)


def _curves(figure: Results) -> list[str]:
    """Curves of the figure that were not recorded, and why."""
    content = read_experiment("figure")
    without = []
    for dataset in content["panels"]:
        for method in content["methods"]:
            place = {"method": method, "dataset": dataset, "per_class": content["per_class"]}
            if figure.find(**place) is None:
                without.append(f"{method} on {dataset} ({figure.why_absent(**place)})")
    return [f"Accuracy against time, without a curve: {', '.join(without)}."] if without else []


def _fewer_runs(inductive: Results) -> list[str]:
    """Cells of the inductive tables whose method has a seed and which have fewer runs than the paper."""
    n_runs = read_experiment("inductive")["n_runs"]
    few: dict[int, dict[str, list[str]]] = {}
    for cell in inductive.cells:
        if cell["n_runs"] < n_runs and cell["method"] not in read_experiment("inductive")["methods"]:
            few.setdefault(cell["n_runs"], {}).setdefault(cell["method"], []).append(cell["dataset"])
    lines = []
    for count, by_method in sorted(few.items()):
        where = "; ".join(f"{method} on {', '.join(graphs)}" for method, graphs in by_method.items())
        lines.append(f"Inductive learning, {runs_in_words(count)} instead of the paper's {n_runs}: {where}.")
    return lines
