"""A table as a page shows it: words for every cell, and how it is judged.

A figure of ours is within one standard deviation of the paper's, ahead of it or behind it. The deviation is the paper's;
where it published none (times, micro-F1) it is ours. An empty cell says why it is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparsecut.lab.paper.code_stamp import mark_earlier
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.seeds import summarise

WITHIN, AHEAD, BEHIND, ALONE, EMPTY = "within", "ahead", "behind", "alone", "empty"
NOTHING = "–"  # where a figure is missing that another would be compared with
MET, MISSED = "met", "missed"  # of a target, rather than of a figure of the paper's


@dataclass(frozen=True)
class Shown:
    """A cell: our figure, the paper's, how they compare, and a remark."""

    ours: str
    paper: str = ""
    verdict: str = EMPTY
    remark: str = ""

    @property
    def is_run(self) -> bool:
        return self.verdict != EMPTY and self.ours != NOTHING


@dataclass(frozen=True)
class ResultsTable:
    """A table of a page; `rows` are a name and its cells, one per column."""

    title: str
    about: str
    columns: list[str]
    rows: list[tuple[str, list[Shown]]]
    remarks: list[str]

    def run(self) -> ResultsTable:
        """The table without the rows and columns in which nothing was run; what else is empty is left blank."""
        kept = [place for place in range(len(self.columns)) if any(cells[place].is_run for _, cells in self.rows)]
        rows = [
            (name, [cells[place] if cells[place].is_run else Shown("") for place in kept])
            for name, cells in self.rows
            if any(shown.is_run for shown in cells)
        ]
        return replace(self, columns=[self.columns[place] for place in kept], rows=rows)


def without_empty_columns(table: ResultsTable) -> ResultsTable:
    """The table less the columns in which no row has a figure of ours, and a remark that names them.

    A table with no figure at all stays as it is: it shows what is to be run.
    """
    filled = [any(row[place].is_run for _, row in table.rows) for place in range(len(table.columns))]
    if all(filled) or not any(filled):
        return table
    left_out = [column for column, is_filled in zip(table.columns, filled, strict=True) if not is_filled]
    return ResultsTable(
        table.title,
        table.about,
        [column for column, is_filled in zip(table.columns, filled, strict=True) if is_filled],
        [(name, [shown for shown, is_filled in zip(row, filled, strict=True) if is_filled]) for name, row in table.rows],
        [*table.remarks, f"Without a figure of ours, and left out: {'; '.join(left_out)}."],
    )


def verdict(ours: float, paper: float, deviation: float, *, is_less_better: bool = False) -> str:
    """Within one deviation, ahead or behind. 1e-9 allows for rounding."""
    if abs(ours - paper) <= deviation + 1e-9:
        return WITHIN
    return AHEAD if (ours < paper) == is_less_better else BEHIND


def accuracy_shown(
    results: Results, published: tuple[float, float] | None, probe: str, remark: str = "", **identity: object
) -> Shown:
    """The runs of all seeds under a probe, beside the paper's mean and standard deviation where it has them."""
    paper = "" if published is None else f"{published[0]:.1f} ± {published[1]:.1f}"
    cells = results.find_all(**identity)
    found = summarise(cells, probe)
    if found is None:
        return Shown(results.why_absent(**identity), paper)
    judged = ALONE if published is None else verdict(found.mean, *published)
    return Shown(
        mark_earlier(str(found), *cells), paper, judged, "; ".join(part for part in (found.counts(), remark) if part)
    )


def mean_and_deviation(cell: Cell) -> str:
    return f"{cell['mean']:.1f} ± {cell['std']:.1f}" if cell.get("n_runs", 2) > 1 else f"{cell['mean']:.1f}"


def runs_in_words(n_runs: int) -> str:
    return f"{n_runs} runs" if n_runs > 1 else "one run"


def tally_verdicts(rows: Sequence[tuple[str, list[Shown]]]) -> str:
    verdicts = [shown.verdict for _, row in rows for shown in row]
    counts = ", ".join(f"{verdicts.count(name)} {name}" for name in (AHEAD, WITHIN, BEHIND))
    alone = f"{verdicts.count(ALONE)} without a figure of the paper's"
    return f"Of {len(verdicts)} cells: {counts}; {alone}, {verdicts.count(EMPTY)} empty."
