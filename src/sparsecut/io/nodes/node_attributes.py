"""What other libraries' graphs hold at their nodes: ids, features and labels, out of lists of attributes.

`features` is an array with one row per node, the name of an attribute that holds a vector or a number, or a list of names: a
table, which becomes features as `sparsecut.features` describes. `labels` is an array or the name of an attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import Scale, column_of, table_source
from sparsecut.graph import are_word_lists, as_integers, check_one_kind, id_error, words_source


def as_node_ids(values: Sequence[Any], what: str, remedy: str = "") -> tuple[NDArray[Any], tuple[str, ...]]:
    """(ids as an array, notes): integers or words as they are, tuples as their text. Mixtures and others are refused."""
    kind = check_one_kind(values, what, remedy)
    if kind == "integers":
        return as_integers(values, what), ()
    if kind not in ("words", "values of type tuple"):
        raise id_error(what, str(kind), values[0], remedy)
    words = [str(value) for value in values]
    notes = (f"Node ids: tuples became their text, as in {words[0]!r}.",) if kind == "values of type tuple" else ()
    longest = max(map(len, words))
    is_uneven = len(words) * longest * 4 > 2**26 + 16 * sum(map(len, words))
    return np.array(words, dtype=object if is_uneven else np.str_), notes


def node_features(features: Any, attributes: list[Any], what: str, scale: Scale = "auto") -> Any:
    """Features as they are, or those of an attribute, or a table of several."""
    is_names = isinstance(features, list | tuple) and all(isinstance(name, str) for name in features)
    if not (is_names or isinstance(features, str)):
        return features
    if isinstance(features, str) and attributes and np.ndim(attributes[0].get(features)) == 1:
        vectors = [node.get(features) for node in attributes]
        if are_word_lists(vectors):
            return words_source(vectors, what)
        try:
            return np.asarray(vectors, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} must hold vectors of one length as {features!r}, at every node.") from error
    names = [features] if isinstance(features, str) else [str(name) for name in features]
    import pyarrow as pa

    columns: dict[str, list[Any]] = {name: [node.get(name) for node in attributes] for name in names}
    absent = [name for name, values in columns.items() if all(value is None for value in values)]
    if absent:
        raise no_attribute(absent[0], attributes, what)
    table = pa.table({name: column_of(values, name, what) for name, values in columns.items()})
    return table_source(table, what, scale=scale)


def node_labels(labels: Any, attributes: list[Any], what: str) -> Any:
    """Labels as they are, or those of an attribute; a node without it has none."""
    if not isinstance(labels, str):
        return labels
    values = [node.get(labels) for node in attributes]
    if all(value is None for value in values):
        raise no_attribute(labels, attributes, what)
    known = [value for value in values if value is not None]
    is_integer = all(isinstance(value, int | np.integer) for value in known)
    is_number = all(isinstance(value, int | float | np.number) for value in known)
    absent: Any = -1 if is_integer else np.nan if is_number else ""
    return np.array([absent if value is None else value for value in values])


def no_attribute(name: str, attributes: list[Any], what: str) -> InputError:
    names = sorted({str(key) for node in attributes for key in node})
    return InputError(f"{what} has no node attribute {name!r}. It has: {first_few(names, 20) or 'none'}.")
