"""The weights of edges: finite numbers of zero or more, as float32, from a column of a table or from a list."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.kernels import REMEDIES


def edge_weights(values: Any, column: str, what: str) -> NDArray[np.float32]:
    """Finite weights of zero or more."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = _numbers_of(values, column, what)
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_boolean(values.type)):
        raise InputError(f"{what} must hold numbers in its weight column {column!r}. Got {values.type} values.")
    with np.errstate(over="ignore"):  # beyond float32: infinite, and refused below
        weights = np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy()).astype(
            np.float32
        )  # an empty cell becomes NaN
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if len(bad):
        got = values[int(bad[0])].as_py()
        if got is not None and np.isfinite(float(got)) and float(got) > 0:
            raise InputError(
                f"{what} has an edge weight that is too large for float32 in column {column!r}. Got {float(got):g} in row "
                f"{bad[0] + 1:,}. {REMEDIES['edge weight']}"
            )
        raise InputError(
            f"{what} must hold finite weights of zero or more in column {column!r}. "
            f"Got {'an empty cell' if got is None else got} in row {bad[0] + 1:,}."
        )
    return weights


def _numbers_of(words: Any, column: str, what: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.if_else(pc.equal(words, ""), pa.scalar(None, words.type), words)
    try:
        return pc.cast(words, pa.float64())
    except pa.ArrowInvalid:
        words = pc.utf8_trim_whitespace(words)
    is_number = pc.match_substring_regex(words, r"^[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:nan|inf|infinity))$")
    row = pc.index(is_number, False).as_py()
    if row >= 0:
        raise InputError(
            f"{what} must hold numbers in its weight column {column!r}. Got {words[row].as_py()!r} in row {row + 1:,}."
        )
    return pc.cast(words, pa.float64())


def check_weights(values: Any, what: str) -> NDArray[np.float32]:
    """Finite weights of zero or more, as float32."""
    try:
        with np.errstate(over="ignore"):
            weights = np.asarray(values, dtype=np.float64).astype(np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must have numbers as edge weights. Got others.") from error
    if weights.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(f"{what} must have finite edge weights of zero or more. Got others.")
    return weights
