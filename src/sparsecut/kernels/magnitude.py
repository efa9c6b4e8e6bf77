"""Numbers that float32 cannot hold, or that overflow once they are squared and summed: found, and named by their place.

float32 ends at 3.4·10³⁸. A number beyond becomes infinite when it is read; one of 10³⁸ is finite, but its square is not, and
the moments are sums of squares. What overflowed is looked up only where something did, so numbers that work cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, OverflowInputError
from sparsecut.kernels.streaming import is_mapped, row_blocks, value_blocks
from sparsecut.kernels.thread_passes import on_threads

LARGEST = float(np.finfo(np.float32).max)
MIN_BYTES = 1 << 26  # below, threads are not worth their start
SUSPECT = 1e9  # below, it is not the size of a number that makes sums of squares overflow

REMEDIES = {
    "feature": "Scale the features down, for example divide each column by its standard deviation.",
    "edge weight": "Scale the edge weights down, for example divide them by the largest.",
}


def are_finite(matrix: Any) -> bool:
    values = matrix.data if sp.issparse(matrix) else matrix
    if is_mapped(values) or values.nbytes < MIN_BYTES:
        return all(map(_is_finite, value_blocks(matrix)))
    return all(on_threads(lambda rows: _is_finite(values[rows]), row_blocks(len(values), values.nbytes // len(values))))


def _is_finite(block: NDArray[Any]) -> bool:
    """A sum is finite where all its terms are, unless it overflows: then each is checked."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(block.sum())) or bool(np.isfinite(block).all())


def in_single(values: NDArray[Any], name: str, what: str) -> NDArray[np.float32]:
    """A column of a table in float32; a number that it cannot hold is named by its row and the column's name."""
    with np.errstate(over="ignore"):
        single = np.asarray(values).astype(np.float32)
    if np.isinf(single).any():
        lost = np.flatnonzero(np.isinf(single) & np.isfinite(values))
        if len(lost):
            place = f"in row {lost[0] + 1:,} of column {name!r}, {what[0].lower()}{what[1:]}"
            raise too_large("feature", float(values[lost[0]]), place)
    return single


def feature_error(given: Any, checked: Any, n_before: int = 0, names: Sequence[str] | None = None) -> InputError:
    """What is wrong with features that are not all finite in float32 (`checked`), by what they were when `given`.

    They may be a block of rows, with `n_before` rows before it. A column of a table is named, and its rows counted from 1.
    """
    row, column = _first_not_finite(checked)
    value = _exactly(given, row, column)
    row += n_before
    place = f"in row {row}, column {column}" if names is None else f"in row {row + 1:,} of column {names[column]!r}"
    if np.isfinite(value):
        return too_large("feature", value, place)
    return InputError(f"The features must be finite. Got {value:g} {place}. Fill or drop such values first.")


def weight_error(given: Any, checked: sp.csr_array) -> InputError:
    """The error that names the edge weight that is not finite; `given` may hold several for one edge, which are summed."""
    row, column = _first_not_finite(checked)
    value, place = _exactly(given, row, column), f"between the nodes at positions {row} and {column}"
    if np.isfinite(value):
        return too_large("edge weight", value, place)
    return InputError(f"The edge weights must be finite. Got {value:g} {place}.")


def too_large(what: str, value: float, place: str) -> InputError:
    """The error for a number that float32 cannot hold, or whose square it cannot."""
    reason = "" if abs(value) > LARGEST else ": sums of its square overflow"
    return InputError(f"One {what} is too large for float32{reason}. Got {value:g} {place}. {REMEDIES[what]}")


def overflow_error(graph: Any, error: InputError | None = None) -> InputError:
    """Why embedding this graph overflowed: its largest feature or edge weight if that is huge, else `error` as it was."""
    if graph.features is not None:
        value, row, column = _largest(graph.features)
        if abs(value) >= SUSPECT:
            return too_large("feature", value, f"in row {row}, column {column}")
        if abs(value) <= 1 / SUSPECT and error is not None:  # the inverse of the energy overflows
            return InputError(
                f"The features are too small to train on in float32: the largest is {value:g} in row {row}, column {column}."
                " Scale them up, for example divide each column by its standard deviation."
            )
    value, row, column = _largest(graph.adjacency)
    if abs(value) >= SUSPECT:
        return too_large("edge weight", value, f"between the nodes at positions {row} and {column}")
    return error or InputError("The embedding is not finite: a number overflowed. Scale the features down.")


@contextmanager
def naming_overflow(graph: Any) -> Iterator[None]:
    """Where sums of squares overflow, the error names the number of the graph that is too large."""
    try:
        # What overflows becomes infinite, is noticed in the sums, and is named then.
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except OverflowInputError as error:
        raise overflow_error(graph, error) from error


def check_finite(embedding: Any, graph: Any) -> Any:
    """The embedding, or an error that names the feature or edge weight for which a number in it overflowed."""
    for block in value_blocks(embedding):
        if not _is_finite(block):
            raise overflow_error(graph)
    return embedding


def _first_not_finite(matrix: Any) -> tuple[int, int]:
    values = matrix.data if sp.issparse(matrix) else matrix
    return _place(matrix, int(np.argmin(np.isfinite(values))))


def _largest(matrix: Any) -> tuple[float, int, int]:
    """The value of a dense or sparse matrix that is farthest from zero, its row and its column."""
    best, position, n_before = 0.0, 0, 0
    for block in value_blocks(matrix):
        values = np.abs(block).ravel()
        if values.size and float(values.max()) > abs(best):
            position = int(values.argmax())
            best, position = float(np.ravel(block)[position]), position + n_before
        n_before += values.size
    return (best, *_place(matrix, position)) if best else (0.0, 0, 0)


def _place(matrix: Any, position: int) -> tuple[int, int]:
    """Row and column of a value by its position among all that are stored."""
    if not sp.issparse(matrix):
        row, column = divmod(position, matrix.shape[1])
        return row, column
    return int(np.searchsorted(matrix.indptr, position, side="right")) - 1, int(matrix.indices[position])


def _exactly(matrix: Any, row: int, column: int) -> float:
    """An entry in float64, with entries given twice summed."""
    if sp.issparse(matrix):
        return float(sp.csr_array(matrix.astype(np.float64))[row, column])
    return float(np.asarray(matrix)[row, column])
