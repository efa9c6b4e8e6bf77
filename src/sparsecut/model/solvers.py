"""The solvers of the library, and the words for them."""

from typing import Literal

from sparsecut.model.adam import Adam
from sparsecut.model.closed_form import ClosedForm

SolverWord = Literal["closed_form", "adam"]

__all__ = ["Adam", "ClosedForm", "SolverWord"]
