"""The fit: what is chosen from the graph, the solvers, the estimators `SCE` and `MoSCE`, and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.model.history import History
    from sparsecut.model.loading import load
    from sparsecut.model.mosce import MoSCE
    from sparsecut.model.problem import Problem
    from sparsecut.model.sce import SCE
    from sparsecut.model.solver import Solution, Solver
    from sparsecut.model.solvers import Adam, ClosedForm

__all__ = ["SCE", "Adam", "ClosedForm", "History", "MoSCE", "Problem", "Solution", "Solver", "load"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Adam": "sparsecut.model.solvers",
        "ClosedForm": "sparsecut.model.solvers",
        "History": "sparsecut.model.history",
        "MoSCE": "sparsecut.model.mosce",
        "Problem": "sparsecut.model.problem",
        "SCE": "sparsecut.model.sce",
        "Solution": "sparsecut.model.solver",
        "Solver": "sparsecut.model.solver",
        "load": "sparsecut.model.loading",
    },
)
