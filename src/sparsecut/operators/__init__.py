"""The mathematics of the method: filters and their matrix, negative graphs, losses, how levels become one."""

from sparsecut.operators.aggregation import AGGREGATIONS, Aggregation, Projection, aggregate
from sparsecut.operators.diagonals import Diagonals, mean_diagonals, symmetric_diagonals
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import NegativeGraph, Negatives
from sparsecut.operators.propagation import Propagation, propagation_matrix

__all__ = [
    "AGGREGATIONS",
    "Aggregation",
    "Diagonals",
    "Filter",
    "NegativeGraph",
    "Negatives",
    "Projection",
    "Propagation",
    "aggregate",
    "mean_diagonals",
    "propagation_matrix",
    "symmetric_diagonals",
]
