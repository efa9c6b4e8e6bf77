"""The paper's experiments: one TOML file each, what runs them, and the pages that show our figures beside the paper's.

`EXPERIMENTS` names them. To run one cell by cell, with what is done already skipped:

    run_experiment("table1", Request(["cora"], ["SCE"]), folder, report, note)

`benchmarks/` runs its own tables by the same pieces: `CellJob`, `Absent` and `Request` say what to run, `run_jobs` runs it,
`Results` keeps the cells, `ResultsTable` and `Shown` are what a page is drawn from.
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.lab.paper.experiment_plan import Absent as Absent
    from sparsecut.lab.paper.experiment_plan import CellJob as CellJob
    from sparsecut.lab.paper.experiment_plan import Plan as Plan
    from sparsecut.lab.paper.experiment_plan import Request as Request
    from sparsecut.lab.paper.experiments import EXPERIMENTS as EXPERIMENTS
    from sparsecut.lab.paper.figure import draw_figure as draw_figure
    from sparsecut.lab.paper.results import Cell as Cell
    from sparsecut.lab.paper.results import Results as Results
    from sparsecut.lab.paper.results_page import read_results as read_results
    from sparsecut.lab.paper.results_page import tables_of as tables_of
    from sparsecut.lab.paper.results_page import write_pages as write_pages
    from sparsecut.lab.paper.runner import check_request as check_request
    from sparsecut.lab.paper.runner import run_experiment as run_experiment
    from sparsecut.lab.paper.runner import run_jobs as run_jobs
    from sparsecut.lab.paper.shown import ResultsTable as ResultsTable
    from sparsecut.lab.paper.shown import Shown as Shown
else:
    __getattr__, __dir__ = lazy_names(__name__)
