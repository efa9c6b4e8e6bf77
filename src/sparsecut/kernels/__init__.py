"""Arithmetic on arrays, in float32 and half precision, on CPU and GPU: sparse products, hops, moments, eigenvectors."""

from sparsecut.kernels.memory import available_memory
from sparsecut.kernels.moments import mean_of, scatter
from sparsecut.kernels.optimizer import AdamSteps
from sparsecut.kernels.polynomials import Polynomial, is_power, power
from sparsecut.kernels.sparse import Entries, SparseMatrix, as_tensor, entries_of
from sparsecut.kernels.spectrum import leading_eigenvectors, rank_of_scatter, sharpening, signed

__all__ = [
    "AdamSteps",
    "Entries",
    "Polynomial",
    "SparseMatrix",
    "as_tensor",
    "available_memory",
    "entries_of",
    "is_power",
    "leading_eigenvectors",
    "mean_of",
    "power",
    "rank_of_scatter",
    "scatter",
    "sharpening",
    "signed",
]
