"""An adjacency as it is passed in, checked and made canonical: what `Graph` promises about its own.

float32, sorted; repeats summed, stored zeros and self-loops dropped; weights finite and not negative
"symmetrize"   max(A, Aᵀ)        "out"   A        "in"   Aᵀ
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import DirectedGraphWarning, InputError
from sparsecut.graph.foreign import not_square
from sparsecut.graph.look import is_canonical
from sparsecut.kernels import are_finite, weight_error

DIRECTIONS = ("symmetrize", "out", "in")
DIRECTED_NOTE = "The adjacency is directed and was made undirected: max(A, Aᵀ)."


def check_adjacency(adjacency: Any, directed: str) -> tuple[sp.csr_array, tuple[str, ...]]:
    """(canonical float32 CSR without self-loops, oriented as `directed` says; notes on what was changed).

    What is canonical already is shared, not copied: one pass over it, on all threads (`sparsecut.graph.look`).
    """
    if not sp.issparse(adjacency):
        got = type(adjacency).__name__
        try:
            adjacency = np.asarray(adjacency)
            got = f"{got} of shape {adjacency.shape}" if adjacency.ndim else got
            is_matrix = adjacency.ndim == 2 and adjacency.dtype.kind in "biuf"
        except ValueError:
            is_matrix = False
        if not is_matrix:
            raise InputError(
                "The adjacency must be a scipy sparse matrix or a two-dimensional array of numbers. "
                f"Got {got} instead. Edges become a graph with sc.from_edges(edges), files with sc.read_graph(path)."
            )
    if adjacency.shape[0] != adjacency.shape[1]:
        raise wrong_shape(adjacency.shape)
    if adjacency.shape[0] == 0:
        raise InputError("The graph is empty: the adjacency has no rows. A graph needs at least one node.")
    if adjacency.dtype.kind not in "biuf":
        raise InputError(f"The edge weights must be real numbers. Got an adjacency of type {adjacency.dtype}.")
    if is_canonical(adjacency, is_symmetric=directed == "symmetrize") and directed != "in":
        A = sp.csr_array((adjacency.data, adjacency.indices, adjacency.indptr), shape=adjacency.shape, dtype=np.float32)
        A.has_canonical_format = True
        return A, ()
    return _made_canonical(adjacency, directed)


def split_signs(adjacency: Any, directed: str) -> tuple[sp.csr_array, sp.csr_array]:
    """(the weights above zero, those below without their sign, canonical) of an adjacency with both."""
    try:
        whole = sp.csr_array(adjacency)
    except (TypeError, ValueError) as error:
        raise InputError(
            "A signed adjacency must be a matrix of numbers in the host's memory: of scipy or numpy."
        ) from error
    if whole.dtype.kind not in "biuf":
        raise InputError(f"The edge weights must be real numbers. Got an adjacency of type {whole.dtype}.")
    friendly, demands = (sp.csr_array(part) for part in (whole.maximum(0), (-whole).maximum(0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectedGraphWarning)  # which the friendly edges give
        return friendly, check_adjacency(demands, directed)[0]


def wrong_shape(shape: tuple[int, ...]) -> InputError:
    """The error for a matrix that is no adjacency."""
    return InputError(
        f"The adjacency must be square, one row and one column per node. Got shape {shape}.{not_square(shape)}"
    )


def negative_weight(value: float, row: int, column: int) -> InputError:
    """The error for a weight below zero."""
    return InputError(
        f"The edge weights must be zero or more. Got {value:g} between the nodes at positions {row} and {column}. "
        "Weights below zero ask for distance, where a graph is made with signed=True."
    )


def _made_canonical(adjacency: Any, directed: str) -> tuple[sp.csr_array, tuple[str, ...]]:
    with np.errstate(over="ignore"):  # a weight beyond float32 becomes infinite and is refused below
        A = sp.csr_array(adjacency, dtype=np.float32, copy=True)  # (n, n)
        A.sum_duplicates()
    _check_weights(A, adjacency)
    A.eliminate_zeros()

    notes: list[str] = []
    n_loops = int(np.count_nonzero(A.diagonal()))
    if n_loops:
        A.setdiag(0)
        A.eliminate_zeros()
        notes += loop_notes(n_loops)
    A_transposed = A.T.tocsr()
    if directed == "in":
        A = A_transposed
    elif directed == "symmetrize" and (A_transposed != A).nnz:
        A = A.maximum(A_transposed)
        notes.append(DIRECTED_NOTE)
        warnings.warn(DIRECTED_NOTE, DirectedGraphWarning, stacklevel=4)
    A.sort_indices()
    return A, tuple(notes)


def loop_notes(n_loops: int) -> tuple[str, ...]:
    """What a graph notes where so many nodes had an edge to themselves; nothing where none had."""
    if not n_loops:
        return ()
    return (f"{n_loops:,} self-loops were dropped: filters count each node in its own neighbourhood once.",)


def _check_weights(A: sp.csr_array, given: Any) -> None:
    if not are_finite(A):
        raise weight_error(given, A)
    is_negative = A.data < 0
    if is_negative.any():
        entry = int(np.argmax(is_negative))
        row = int(np.searchsorted(A.indptr, entry, side="right")) - 1
        raise negative_weight(float(A.data[entry]), row, int(A.indices[entry]))
