"""What a graph knows of each node, checked: its features, its label and its id, one of each per node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import NamedColumns
from sparsecut.graph.frames import is_frame
from sparsecut.graph.id_kinds import Ids, as_id_array
from sparsecut.kernels import are_finite, feature_error

Features: TypeAlias = "NDArray[np.float32] | sp.csr_array"


def check_features(features: Any, n_nodes: int) -> Features:
    """Finite float32 rows, one per node, dense or canonical CSR; what is that already is shared, not copied."""
    if sp.issparse(features):
        # A canonical float32 CSR is shared, not copied: features are the largest thing a user holds.
        with np.errstate(over="ignore"):  # a value beyond float32 becomes infinite and is refused below
            checked = sp.csr_array(features, dtype=np.float32)
            if not checked.has_canonical_format:
                checked = checked.copy()
                checked.sum_duplicates()
    else:
        try:
            features = np.asarray(features)
            if features.dtype.kind not in "biuf":
                features = features.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"The features must be numbers, one row per node. {str(error).capitalize()}.") from error
        if features.ndim != 2:
            raise InputError(f"The features must be two-dimensional, one row per node. Got shape {features.shape}.")
        with np.errstate(over="ignore"):  # a value beyond float32 becomes infinite and is refused below
            checked = np.ascontiguousarray(features, dtype=np.float32)
    if checked.shape[0] != n_nodes:
        raise wrong_rows(n_nodes, checked.shape[0])
    if checked.shape[1] == 0:
        raise InputError("The features must have at least one column. Got none. Leave features out if there are none.")
    if not are_finite(checked):
        raise feature_error(features, checked)
    return checked


def wrong_rows(n_nodes: int, n_rows: int) -> InputError:
    """The error for features that do not have one row per node."""
    return InputError(f"The features must have one row for each of the {n_nodes:,} nodes. Got {n_rows:,} rows.")


def named_columns(names: Sequence[str] | None, features: Any) -> NamedColumns | None:
    """The columns of an array by the names given for them."""
    if names is None:
        return None
    if features is None or is_frame(features):
        raise InputError("feature_names are the names of an array's columns. A frame has its own; leave them out.")
    checked = tuple(str(name) for name in names)
    n_columns = np.shape(features)[1] if np.ndim(features) == 2 or sp.issparse(features) else len(checked)
    if len(checked) != n_columns or len(set(checked)) < len(checked):
        raise InputError(
            f"The feature_names must be one name for each of the {n_columns:,} columns, all different. "
            f"Got {len(checked):,}, of which {len(set(checked)):,} differ."
        )
    return NamedColumns(checked)


def check_column(name: str, values: ArrayLike, n_nodes: int) -> NDArray[Any]:
    """An array with one value per node."""
    column = np.asarray(values)
    if column.shape != (n_nodes,):
        raise InputError(f"The {name} must be one value for each of the {n_nodes:,} nodes. Got shape {column.shape}.")
    return column


def check_same_ids(named: Ids, node_ids: ArrayLike | None) -> Ids:
    """The ids that the adjacency has as a frame's index, which others beside it may not contradict."""
    if node_ids is not None and not np.array_equal(named, np.asarray(node_ids)):
        raise InputError(
            "The node_ids differ from the index of the adjacency. Leave node_ids out, or pass frame.to_numpy()."
        )
    return named


def check_ids(values: ArrayLike, n_nodes: int) -> Ids:
    """Ids of one kind, each of which occurs once."""
    ids = check_column("node_ids", as_id_array(values), n_nodes)
    unique, counts = np.unique(ids, return_counts=True)
    if len(unique) < n_nodes:
        raise InputError(f"The node ids must be unique. These occur more than once: {first_few(unique[counts > 1])}.")
    return ids
