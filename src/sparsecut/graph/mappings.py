"""Features in a dict, node id → what the node has: a list of words, a row of numbers, or a dict of named values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.features import Scale, column_of, table_source
from sparsecut.graph.frames import rows_of
from sparsecut.graph.id_kinds import Ids, as_id_array

WHAT = "The dict of features"
TAKES = (
    f"{WHAT} must have for each node a list of words, a row of as many numbers, or a dict of named values. For columns of "
    "values pass a data frame."
)


def mapped_features(features: Mapping[Any, Any], node_ids: Ids, scale: Scale) -> Any:
    """The features of a dict in the order of the nodes: lists of words, a table, or a matrix."""
    if not features:
        raise InputError(f"{WHAT} is empty. Leave it out if there are no features.")
    ids, values = as_id_array(list(features), WHAT), list(features.values())
    rows = rows_of(node_ids, ids, WHAT)
    if all(isinstance(value, Mapping) for value in values):
        return table_source(table_of_rows(values, WHAT), WHAT, scale=scale).placed(rows)
    if are_word_lists(values):
        return words_source(values, WHAT).placed(rows)
    try:
        matrix = np.asarray([np.asarray(value) for value in values])
    except ValueError as error:  # rows of unequal length
        raise InputError(f"{TAKES} Got rows of unequal length.") from error
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise InputError(f"{TAKES} Got {type(values[0]).__name__}, as in {str(values[0])[:60]!r}.")
    return matrix[rows]


def are_word_lists(values: Sequence[Any]) -> bool:
    """Whether each value is a list of words, and one of them has any."""
    if not all(isinstance(value, list | tuple | set | frozenset | np.ndarray) for value in values):
        return False
    n_words = 0
    for word in chain.from_iterable(values):
        if not isinstance(word, str):
            return False
        n_words += 1
    return n_words > 0


def words_source(values: Sequence[Any], what: str) -> Any:
    """Lists of words as a source of features."""
    import pyarrow as pa

    lists = pa.array([list(value) for value in values], pa.large_list(pa.large_string()))
    return table_source(pa.table({"words": lists}), what)


def table_of_rows(rows: Sequence[Mapping[Any, Any]], what: str) -> Any:
    """An Arrow table from dicts of named values, one per row; what a row does not name is a gap."""
    import pyarrow as pa

    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({str(name): column_of([row.get(name) for row in rows], str(name), what) for name in names})
