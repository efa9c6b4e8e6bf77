"""The paper's experiments: one TOML file each, what runs them, and the pages that show our figures beside the paper's.

`EXPERIMENTS` names them. To run one cell by cell, with what is done already skipped:

    run_experiment("table1", Request(["cora"], ["SCE"]), folder, report, note)

`benchmarks/` runs its own tables by the same pieces: `CellJob`, `Absent` and `Request` say what to run, `run_jobs` runs it,
`Results` keeps the cells, `ResultsTable` and `Shown` are what a page is drawn from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names
from sparsecut.lab.paper.experiments import EXPERIMENTS

if TYPE_CHECKING:
    from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Plan, Request
    from sparsecut.lab.paper.figure import draw_figure
    from sparsecut.lab.paper.results import Cell, Results
    from sparsecut.lab.paper.results_page import read_results, tables_of, write_pages
    from sparsecut.lab.paper.runner import check_request, run_experiment, run_jobs
    from sparsecut.lab.paper.shown import ResultsTable, Shown

__all__ = [
    "EXPERIMENTS",
    "Absent",
    "Cell",
    "CellJob",
    "Plan",
    "Request",
    "Results",
    "ResultsTable",
    "Shown",
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
        "Absent": "sparsecut.lab.paper.experiment_plan",
        "Cell": "sparsecut.lab.paper.results",
        "EXPERIMENTS": "sparsecut.lab.paper.experiments",
        "CellJob": "sparsecut.lab.paper.experiment_plan",
        "Plan": "sparsecut.lab.paper.experiment_plan",
        "Request": "sparsecut.lab.paper.experiment_plan",
        "Results": "sparsecut.lab.paper.results",
        "Shown": "sparsecut.lab.paper.shown",
        "ResultsTable": "sparsecut.lab.paper.shown",
        "check_request": "sparsecut.lab.paper.runner",
        "draw_figure": "sparsecut.lab.paper.figure",
        "read_results": "sparsecut.lab.paper.results_page",
        "run_experiment": "sparsecut.lab.paper.runner",
        "run_jobs": "sparsecut.lab.paper.runner",
        "tables_of": "sparsecut.lab.paper.results_page",
        "write_pages": "sparsecut.lab.paper.results_page",
    },
)
