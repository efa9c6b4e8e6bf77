"""The fit: what is chosen from the graph, the solvers, the estimators `SCE` and `MoSCE`, and their files."""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.model.adam import Adam as Adam
    from sparsecut.model.closed_form import ClosedForm as ClosedForm
    from sparsecut.model.history import History as History
    from sparsecut.model.loading import load as load
    from sparsecut.model.mosce import MoSCE as MoSCE
    from sparsecut.model.problem import Problem as Problem
    from sparsecut.model.sce import SCE as SCE
    from sparsecut.model.solver import Solution as Solution
    from sparsecut.model.solver import Solver as Solver

__getattr__, __dir__ = lazy_names(__name__)
__all__ = __dir__()  # noqa: PLE0605  the names above, which type checkers read there
