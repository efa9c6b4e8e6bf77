"""A table as a page shows it: words for every cell, and how it is judged."""

from __future__ import annotations

from dataclasses import dataclass

WITHIN, AHEAD, BEHIND, ALONE, EMPTY = "within", "ahead", "behind", "alone", "empty"
MET, MISSED = "met", "missed"  # of a target, rather than of a figure of the paper's


@dataclass(frozen=True)
class Shown:
    """A cell: our figure, the paper's, how they compare, and a remark."""

    ours: str
    paper: str = ""
    verdict: str = EMPTY
    remark: str = ""


@dataclass(frozen=True)
class Table:
    title: str
    about: str
    columns: list[str]
    rows: list[tuple[str, list[Shown]]]
    remarks: list[str]
