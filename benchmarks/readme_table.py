"""The README's table of accuracies, from `docs/results/table1.json` and `benchmarks/results/beyond.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from sparsecut.model.published import read_experiment
from sparsecut.paper.results import Cell
from sparsecut.paper.table1 import COLUMNS, LABEL_COUNTS, published_figure

ROOT = Path(__file__).parents[1]
FILES = (ROOT / "docs/results/table1.json", ROOT / "benchmarks/results/beyond.json")
OURS = tuple(read_experiment("table1")["published"]["ours"])  # the rows of the paper's own methods


def put_table(readme: str) -> str:
    """The README with its table drawn again from the committed cells."""
    cells, beyond = (json.loads(path.read_text("utf-8"))["cells"] for path in FILES)
    table = draw_table(cells, beyond)
    drawn, n_found = re.subn(r"(?m)^\| \| \w+, 5 labels .*(?:\n\|.*)+", lambda _: table, readme)
    assert n_found == 1, "the README has one table that starts with a dataset's 5 labels"
    return drawn


def draw_table(cells: Sequence[Cell], beyond: Sequence[Cell] = ()) -> str:
    """SCE and MoSCE as Markdown, ours first and the paper's in brackets; above them the default, of `beyond`."""
    found = {(cell["method"], cell["dataset"], cell["per_class"]): cell for cell in cells if cell["method"] in OURS}
    columns = [
        (dataset, count)
        for dataset in COLUMNS
        for count in LABEL_COUNTS
        if any(key[1:] == (dataset, count) for key in found)
    ]
    lines = [
        "| | " + " | ".join(f"{dataset.capitalize()}, {count} labels" for dataset, count in columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    default = {cell["dataset"]: cell["accuracy"]["paper"] for cell in beyond if cell["method"] == "default"}
    if all(dataset in default for dataset, _ in columns):
        scored = [default[dataset][str(count)] for dataset, count in columns]
        lines.append("| `SCE()` | " + " | ".join(f"{cell['mean']:.1f} ± {cell['std']:.1f}" for cell in scored) + " |")
    for method in OURS:
        shown = [
            f"{cell['mean']:.1f} ± {cell['std']:.1f} ({published_figure(method, *column)[0]:.1f})" if cell else "–"
            for column, cell in ((column, found.get((method, *column))) for column in columns)
        ]
        lines.append(f"| {method} as published | " + " | ".join(shown) + " |")
    return "\n".join(lines)
