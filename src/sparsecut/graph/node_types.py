"""Types of nodes, which their ids say: "author:7" is the author 7, and another node than "paper:7"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.graph.id_kinds import Ids

SEPARATOR = ":"


def with_type(ids: NDArray[Any], name: str) -> NDArray[np.str_]:
    """Ids as a graph with several types has them."""
    return np.char.add(f"{name}{SEPARATOR}", np.asarray(ids).astype(np.str_))


def codes_of(node_ids: Ids, names: Sequence[str]) -> NDArray[np.int16]:
    """The place of every node's type among the names; −1 for an id that begins with none of them and a colon."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = np.full(len(node_ids), -1, dtype=np.int16)
    if not len(names) or node_ids.dtype.kind in "iu":
        return codes
    words = pa.array(node_ids.tolist() if node_ids.dtype.kind != "U" else node_ids, pa.large_string())
    for code, name in enumerate(names):
        codes[pc.starts_with(words, f"{name}{SEPARATOR}").to_numpy(zero_copy_only=False)] = code
    return codes


def ids_of_one_type(node_ids: Ids, name: str, what: str) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """(which nodes are of a type, their ids without it) where only ids are known, as of an embedding."""
    codes = codes_of(node_ids, (name,))
    if (codes < 0).all():
        raise InputError(
            f"{what} has no nodes of type {name!r}: no id begins with '{name}{SEPARATOR}'. The first is {node_ids[0]!s}."
        )
    return codes == 0, ids_of_type(node_ids, (name,), codes, name)


def ids_of_type(node_ids: Ids, names: Sequence[str] | None, codes: NDArray[np.int16], name: str) -> NDArray[Any]:
    """The ids of one type without it, in the order of the rows; integers where all of them are."""
    if names is None or name not in names:
        known = "the graph has no types" if names is None else f"its types are {first_few(list(names), 10)}"
        raise InputError(f"The graph has no nodes of type {name!r}: {known}.")
    start = len(name) + len(SEPARATOR)
    words = [str(node)[start:] for node in node_ids[codes == names.index(name)].tolist()]
    try:
        numbers = np.array([int(word) for word in words], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(words, dtype=np.str_)
    is_plain = all(str(number) == word for number, word in zip(numbers.tolist(), words, strict=True))
    return numbers if is_plain else np.array(words, dtype=np.str_)
