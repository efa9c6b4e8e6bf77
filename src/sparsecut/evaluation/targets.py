"""What a probe predicts: one class per node, several labels per node, or a number; of all nodes or of a few.

    classes   one value per node: words, integers, or floats that are whole
    several   a matrix (n, c) of zeros and ones, dense or sparse; a frame of such columns; or a list of labels for each node,
              as a list, a series or a column of a frame; or, where it is requested, text that spells one: "a;b"
    numbers   floats with fractions, or whatever is numeric where it is requested

A series and a frame are matched to the rows by their index, a dict by its keys; each may name a few nodes. A node has no
target where its class is None, NaN, −1 or "", its number is NaN or None, or its row of labels is not there or holds NaN.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, ReadingWarning, check_choice, first_few
from sparsecut.evaluation.metrics import CLASSES, NUMBERS, SEVERAL
from sparsecut.evaluation.splits import Nodes
from sparsecut.features import LABEL_SEPARATORS, items_of, shared_separator
from sparsecut.graph import Ids, encode_labels, is_frame, library_of, place_values, rows_and_ids, spread_labels
from sparsecut.graph.id_columns import EXACT_NAMES, positions

KINDS = ("auto", CLASSES, SEVERAL, NUMBERS)
LISTS = (list, set, tuple, frozenset, np.ndarray)  # frames give their lists as arrays


@dataclass(frozen=True)
class ProbeTarget:
    """What to predict for each row of an embedding.

    `values` are codes of `classes` from 0 on with −1 for a node without one, (n,); truth values, (n, c); or numbers, (n,).
    """

    kind: str
    values: NDArray[Any]
    classes: NDArray[Any]
    is_known: NDArray[np.bool_]

    @property
    def known(self) -> Nodes:
        """The nodes that have a target."""
        return np.flatnonzero(self.is_known)

    @property
    def labels(self) -> NDArray[Any]:
        """The class of every node by its name, and the mark of no label at the others."""
        return spread_labels(self.classes[self.values[self.known]], self.known, len(self.values))

    def take(self, rows: Nodes) -> ProbeTarget:
        """The targets in another order of the rows."""
        return ProbeTarget(self.kind, self.values[rows], self.classes, self.is_known[rows])


def read_target(labels: Any, ids: Ids | None, n_rows: int, kind: str = "auto", caller: str = "evaluate") -> ProbeTarget:
    """The targets of an embedding's rows, whose ids are given, from whatever they come as."""
    check_choice(caller, "target", kind, KINDS)
    if hasattr(labels, "adjacency"):
        raise InputError("The labels must be one value per node. Got a Graph: pass graph.labels.")
    named = isinstance(labels, Mapping)
    own, values = (np.asarray(list(labels)), list(labels.values())) if named else (None, labels)
    if kind in ("auto", SEVERAL) and (listed := _listed_labels(_placed_lists(values, ids, n_rows))) is not None:
        return _several(*listed, own, ids, n_rows)
    if kind in ("auto", SEVERAL) and _is_matrix(values):
        return _several_of_matrix(values, ids, n_rows)
    if kind == SEVERAL and (spelt := _spelt_lists(_placed_lists(values, ids, n_rows))) is not None:
        return _several(*spelt, own, ids, n_rows)
    if kind == SEVERAL:
        raise InputError(
            "Several labels per node are a matrix of zeros and ones, or a list of labels for each node. Got one value per "
            "node: use target='classes'."
        )
    if kind == NUMBERS:
        values = _as_floats(values)
    values = place_values(values, ids, n_rows) if own is None else _placed_by(own, np.asarray(values), ids, n_rows)
    if kind == NUMBERS or (kind == "auto" and _has_fractions(values)):
        numbers = np.asarray(values, dtype=np.float64)
        _check_rows(len(numbers), n_rows)
        return ProbeTarget(NUMBERS, numbers, np.empty(0), np.isfinite(numbers))
    classes, codes = encode_labels(values)
    _check_rows(len(codes), n_rows)
    if kind == "auto" and classes.dtype.kind == "U" and (mark := shared_separator(classes.tolist(), "|;")):
        example = next(name for name in classes.tolist() if mark in name)
        warnings.warn(
            f"The labels spell lists, as {example!r} does, and every spelling counts as a class of its own. If a node has "
            "several labels, say so: target='several' (--predict several); if not, target='classes' (--predict classes).",
            ReadingWarning,
            stacklevel=3,
        )
    return ProbeTarget(CLASSES, codes, classes, codes >= 0)


def _check_rows(n_labels: int, n_rows: int) -> None:
    if n_labels != n_rows:
        raise InputError(f"An embedding and its labels need one row per node. Got {n_rows:,} rows and {n_labels:,} labels.")


def _has_fractions(values: Any) -> bool:
    array = np.asarray(values)
    if array.dtype.kind != "f" or array.ndim != 1:
        return False
    finite = array[np.isfinite(array)]
    return bool((finite != np.round(finite)).any())


def _as_floats(values: Any) -> Any:
    """Numbers as floats, so that a node without one can be marked; a series keeps its index."""
    try:
        return values.astype(np.float64) if hasattr(values, "astype") else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Numbers to predict must be numeric, NaN where a node has none. {str(error).capitalize()}."
        ) from error


def _placed_by(own: Ids, values: NDArray[Any], ids: Ids | None, n_rows: int) -> NDArray[Any]:
    """The values of a dict in the order of the rows."""
    rows = _rows_of(own, ids, n_rows)
    placed = np.full(n_rows, np.nan) if values.dtype.kind == "f" else np.full(n_rows, None, dtype=object)
    placed[rows] = values
    return placed


def _rows_of(own: Ids, ids: Ids | None, n_rows: int) -> Nodes:
    known = np.arange(n_rows) if ids is None else ids
    rows = positions(own, known)
    if (rows < 0).any():
        raise InputError(
            f"The labels name nodes that the embedding does not have: {first_few(own[rows < 0].tolist())}. Leave them out."
        )
    return rows


def _placed_lists(values: Any, ids: Ids | None, n_rows: int) -> Any:
    """What brings ids of its own and may hold lists, in the order of the rows; anything else as it is."""
    is_column = len(_value_columns(values)) == 1 if is_frame(values) else library_of(values) == "pandas"
    return place_values(values, ids, n_rows) if is_column else values


def _value_columns(frame: Any) -> list[str]:
    """The columns of a frame that are not called as ids are."""
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    return [str(name) for name in names if str(name).lower() not in EXACT_NAMES]


def _listed_labels(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]] | None:
    """The labels and their truth values of a list with a list, set or tuple of labels for each node; None for others."""
    array = values.to_numpy() if hasattr(values, "to_numpy") and not is_frame(values) else values
    if not (isinstance(array, list) or (isinstance(array, np.ndarray) and array.dtype == object)):
        return None
    if not any(isinstance(one, LISTS) for one in array):
        return None
    rows = [[str(label) for label in one] if isinstance(one, LISTS) else None for one in array]
    if wrong := [one for one, row in zip(array, rows, strict=True) if row is None and not _is_missing(one)]:
        raise InputError(f"Several labels per node are a list for each node, None where there is none. Got {wrong[0]!r}.")
    classes = np.array(sorted({label for row in rows if row is not None for label in row}))
    place = {label: code for code, label in enumerate(classes.tolist())}
    truth = np.zeros((len(rows), len(classes)), dtype=np.bool_)
    for number, row in enumerate(rows):
        truth[number, [place[label] for label in row or ()]] = True
    return classes, truth


def _spelt_lists(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]] | None:
    """`_listed_labels` of labels that spell a list each, "a;b"; None for others."""
    if is_frame(values):
        return None
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    words = [str(one).strip() if isinstance(one, str) else "" for one in array]
    separator = shared_separator(words, LABEL_SEPARATORS)
    return _listed_labels([items_of(one, separator) if one else None for one in words]) if separator else None


def _is_missing(one: Any) -> bool:
    return one is None or one != one or one == ""


def _several(classes: Any, truth: Any, own: Any, ids: Ids | None, n_rows: int) -> ProbeTarget:
    if own is not None:
        spread = np.zeros((n_rows, len(classes)), dtype=np.bool_)
        spread[_rows_of(own, ids, n_rows)] = truth
        truth = spread
    _check_rows(len(truth), n_rows)
    return _checked_several(truth, classes, truth.any(axis=1))


def _is_matrix(values: Any) -> bool:
    if sp.issparse(values):
        return True
    if is_frame(values):
        return len(_value_columns(values)) > 1
    return getattr(values, "ndim", 0) == 2 and min(values.shape) > 0 and values.shape[1] > 1


def _several_of_matrix(values: Any, ids: Ids | None, n_rows: int) -> ProbeTarget:
    """Truth values of a matrix or of a frame, whose columns are the labels and whose index or ids place its rows."""
    names = _value_columns(values) if is_frame(values) else None
    rows, own = rows_and_ids(values, "The frame of labels")
    matrix = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
    is_known = ~np.isnan(matrix).any(axis=1)
    if not np.isin(matrix[is_known], (0, 1)).all():
        raise InputError("A matrix of labels must hold zeros and ones, a column per label. It holds other numbers.")
    if own is not None:
        places = _rows_of(own, ids, n_rows)
        truth: NDArray[np.bool_] = np.zeros((n_rows, matrix.shape[1]), dtype=np.bool_)
        known: NDArray[np.bool_] = np.zeros(n_rows, dtype=np.bool_)
        truth[places], known[places] = matrix == 1, is_known
    else:
        truth, known = np.asarray(matrix == 1), np.asarray(is_known)
        _check_rows(len(truth), n_rows)
    kept = names[-truth.shape[1] :] if names is not None else range(truth.shape[1])
    return _checked_several(truth, np.array(list(kept)), known)


def _checked_several(truth: NDArray[np.bool_], classes: NDArray[Any], is_known: NDArray[np.bool_]) -> ProbeTarget:
    if truth.shape[1] < 2 or not truth.any():
        raise InputError(f"Several labels per node need at least two labels that nodes have. Got {truth.shape[1]}.")
    return ProbeTarget(SEVERAL, truth, classes, is_known)
