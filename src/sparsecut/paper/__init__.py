"""The paper's experiments: one TOML file each, what runs them, and the pages that show our figures beside the paper's.

`EXPERIMENTS` names them. To run one cell by cell, with what is done already skipped:

    run_experiment("table1", Request(["cora"], ["SCE"]), folder, report, note)

`benchmarks/` runs its own tables by the same pieces: `Job`, `Absent` and `Request` say what to run, `run_jobs` runs it,
`Results` keeps the cells, `Table` and `Shown` are what a page is drawn from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsecut.lazy import lazy_names
from sparsecut.paper.experiments import EXPERIMENTS

if TYPE_CHECKING:
    from sparsecut.paper.figure import draw_figure
    from sparsecut.paper.page import read_results, tables_of, write_pages
    from sparsecut.paper.plan import Absent, Job, Plan, Request
    from sparsecut.paper.results import Cell, Results
    from sparsecut.paper.runner import check_request, run_experiment, run_jobs
    from sparsecut.paper.shown import Shown, Table

__all__ = [
    "EXPERIMENTS",
    "Absent",
    "Cell",
    "Job",
    "Plan",
    "Request",
    "Results",
    "Shown",
    "Table",
    "check_request",
    "draw_figure",
    "read_results",
    "run_experiment",
    "run_jobs",
    "tables_of",
    "write_pages",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Absent": "sparsecut.paper.plan",
        "Cell": "sparsecut.paper.results",
        "EXPERIMENTS": "sparsecut.paper.experiments",
        "Job": "sparsecut.paper.plan",
        "Plan": "sparsecut.paper.plan",
        "Request": "sparsecut.paper.plan",
        "Results": "sparsecut.paper.results",
        "Shown": "sparsecut.paper.shown",
        "Table": "sparsecut.paper.shown",
        "check_request": "sparsecut.paper.runner",
        "draw_figure": "sparsecut.paper.figure",
        "read_results": "sparsecut.paper.page",
        "run_experiment": "sparsecut.paper.runner",
        "run_jobs": "sparsecut.paper.runner",
        "tables_of": "sparsecut.paper.page",
        "write_pages": "sparsecut.paper.page",
    },
)
