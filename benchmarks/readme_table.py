"""The README's table of accuracies, from `docs/results/table1.json` and `benchmarks/results/beyond.json`.

Under the table stands in words where SCE as published is ahead of DGI, its strongest rival in the paper, and where not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from beyond_tables import count_missed
from sparsecut.evaluation.linear_probe import PROTOCOLS
from sparsecut.lab.paper import EXPERIMENTS
from sparsecut.lab.paper.code_stamp import ABOUT_EARLIER, EARLIER, mark_earlier
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.seeds import summarise
from sparsecut.lab.paper.table1_rows import COLUMNS, LABEL_COUNTS, published_figure
from sparsecut.lab.paper.table1_shown import against_in_words

ROOT = Path(__file__).parents[1]
RESULTS, BEYOND = ROOT / "docs/results", ROOT / "benchmarks/results/beyond.json"
OURS = tuple(read_experiment("table1")["published"]["ours"])  # the rows of the paper's own methods
RIVAL = "DGI"
PROBE = "paper"  # of the table: the other is on the pages of results


def put_table(readme: str) -> str:
    """The README with its table and the sentence under it drawn again from the committed cells."""
    results = EXPERIMENTS["table1"].results(RESULTS)
    beyond = json.loads(BEYOND.read_text("utf-8"))["cells"]
    words = [*(against_in_words(results, RIVAL, probe) for probe in PROTOCOLS), _seeds(results.cells)]
    table = draw_table(results.cells, beyond)
    words += [ABOUT_EARLIER] if EARLIER in table else []
    drawn = f"{table}\n\n{' '.join(word for word in words if word)}"
    pattern = r"(?m)^\| \| \w+, 5 labels .*(?:\n\|.*)+\n\nWith the paper probe.*"
    replaced, n_found = re.subn(pattern, lambda _: drawn, readme)
    assert n_found == 1, "the README has one table that starts with a dataset's 5 labels, and a line under it"
    n_missed, n_judged = count_missed(Results(BEYOND.parent, BEYOND.stem))
    return re.sub(r"on \d+ of the(\s+)\[\d+ comparisons", rf"on {n_missed} of the\g<1>[{n_judged} comparisons", replaced)


def draw_table(cells: Sequence[Cell], beyond: Sequence[Cell] = ()) -> str:
    """SCE, MoSCE and DGI as Markdown, the paper's figures in brackets; above them the default, of `beyond`."""
    columns = [
        (dataset, count)
        for dataset in COLUMNS
        for count in LABEL_COUNTS
        if any((cell["dataset"], cell["per_class"]) == (dataset, count) and cell["method"] in OURS for cell in cells)
    ]
    lines = [
        "| | " + " | ".join(f"{dataset.capitalize()}, {count} labels" for dataset, count in columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    default = {cell["dataset"]: cell for cell in beyond if cell["method"] == "default"}
    if all(dataset in default for dataset, _ in columns):
        lines.append(_line("`SCE()`", [_default_figure(default[dataset], count) for dataset, count in columns]))
    lines += [_line(f"{method} as published", [_figure(cells, method, *at) for at in columns]) for method in (*OURS, RIVAL)]
    return "\n".join(lines)


def _default_figure(cell: Cell, per_class: int) -> str:
    scored = cell["accuracy"][PROBE][str(per_class)]
    return mark_earlier(f"{scored['mean']:.1f} ± {scored['std']:.1f}", cell)


def _figure(cells: Sequence[Cell], method: str, dataset: str, per_class: int) -> str:
    place = (method, dataset, per_class)
    placed = [cell for cell in cells if (cell["method"], cell["dataset"], cell["per_class"]) == place]
    found = summarise(placed, PROBE)
    return "–" if found is None else mark_earlier(f"{found} ({published_figure(*place)[0]:.1f})", *placed)


def _seeds(cells: Sequence[Cell]) -> str:
    """How many seeds each row has, the fewest of its cells first."""
    parts = []
    for method in (*OURS, RIVAL):
        counts: dict[tuple[str, int], int] = {}
        for cell in cells:
            if cell["method"] == method:
                place = (cell["dataset"], cell["per_class"])
                counts[place] = counts.get(place, 0) + 1
        if counts:
            ends = sorted({min(counts.values()), max(counts.values())})
            parts.append(f"{method} {' to '.join(map(str, ends))}")
    return f"Seeds: {', '.join(parts)}."


def _line(name: str, figures: list[str]) -> str:
    return f"| {name} | " + " | ".join(figures) + " |"
