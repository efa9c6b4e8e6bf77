"""What a solver is: it finds the weights W from the moments of the smoothed rows, and touches no row itself."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from torch import Tensor

from sparsecut.base.choice import Choice
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.operators.aggregation import Aggregation, Projection
from sparsecut.operators.reason import Reason

if TYPE_CHECKING:  # a problem has settings, and settings have a solver
    from sparsecut.model.problem import Problem


@dataclass(frozen=True)
class Solution:
    """What a solver finds.

    Parameters
    ----------
    projection : Projection
        W for every level, how the levels become one, and the offset.
    reasons : tuple of str, optional
        Sentences for `explain()`, one for each choice that the solver made.
    scatter : torch.Tensor of shape (dimension, dimension), optional
        That of the embedding, where the solver knows it: it will not be computed again.

    Examples
    --------
    >>> import sparsecut as sc, torch
    >>> found = sc.Solution(sc.Projection((torch.eye(3),), "mean"), ("the features as they are.",))
    """

    projection: Projection
    reasons: tuple[Reason | str, ...] = ()
    scatter: Tensor | None = None


class Solver(Choice):
    """Finds the weights. A subclass says how in `solve`.

    Examples
    --------
    >>> import sparsecut as sc
    >>> import torch
    >>> class Principal(sc.Solver):
    ...     def solve(self, problem):
    ...         _, vectors = torch.linalg.eigh(problem.moments().M)
    ...         return sc.Solution(sc.Projection(problem.split(vectors[:, -problem.dimension:].float()), "mean"))
    >>> Z = sc.SCE(dimension=8, solver=Principal()).fit_transform(sc.datasets.load("digits"))
    """

    chooses_from_graph: ClassVar[bool] = True
    """Whether "auto" settings of weighting and filter are chosen from the graph; otherwise they are the paper's."""

    aggregations: ClassVar[tuple[Aggregation, ...]] = ("mean",)
    """What it can join levels by."""

    chooses_dimension: ClassVar[bool] = False
    """Whether it chooses the dimension itself where none is given."""

    def needs_whole_gram(self, n_columns: int) -> bool:
        """Whether it needs M itself for rows of so many columns, and not products with it alone."""
        return True

    @property
    def sharpened_rank(self) -> float:
        """The effective rank of a refit in closed form, which `span_drift_` compares with."""
        return CONSTANTS.spectrum.effective_rank

    @abstractmethod
    def solve(self, problem: Problem) -> Solution:
        """The weights for a problem."""

    def needs(self) -> frozenset[str]:
        """What it needs of an engine beyond the moments (`sparsecut.engines.contract.NEEDS`)."""
        return frozenset()

    def most_columns(self, n_features: int, n_levels: int) -> int:
        """The columns of the embedding that dimension="auto" takes, or the most it may take."""
        return min(CONSTANTS.spectrum.trained_dimension, n_features)
