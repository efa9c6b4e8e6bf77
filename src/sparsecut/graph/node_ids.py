"""Nodes as a user names them: by id, and where those ids stand in a graph.

An id is an integer or a word (`id_kinds`), and is compared as what it is: 5 is not "5", and True is not 1. A whole float is
the integer it equals, because an array that holds weights beside ids has no other type for them; from 2**53 on it may stand
for several, and is no id. Positions are never taken for ids: in a graph whose ids are 10, 20, 30 the node 0 is unknown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph.frames import index_of
from sparsecut.graph.id_kinds import EXACT, Ids


def find_nodes(nodes: Any, node_ids: Ids, what: str) -> NDArray[np.int64]:
    """The positions of nodes given by their ids; ids that are not there are named in an error that begins with `what`."""
    values = nodes if isinstance(nodes, np.ndarray) and nodes.dtype != object else list(nodes)
    if not isinstance(values, np.ndarray) and values and all(type(value) is int for value in values):
        is_wide = not all(-(2**63) <= value < 2**63 for value in values)
        values = values if is_wide else np.array(values, dtype=np.int64)  # numpy would make floats of [2**63, -1]
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and node_ids.dtype.kind in "iu":
        positions = _find_integers(values, node_ids)
    else:
        known = {identity: position for position, identity in enumerate(node_ids.tolist())}
        values = values.tolist() if isinstance(values, np.ndarray) else values
        positions = np.array([_find(value, known) for value in values], dtype=np.int64)
    unknown = np.flatnonzero(positions < 0)
    if len(unknown):
        names = list(dict.fromkeys(repr(_plain(values[position])) for position in unknown))
        raise InputError(f"{what} names nodes that the graph does not have: {_few(names)}. {_describe(node_ids)}")
    return positions


def choose_nodes(nodes: Any, positions: Any, node_ids: Ids, caller: str) -> NDArray[np.int64]:
    """The positions of the nodes that a call asks for: by id, by a boolean mask with one entry per node, or by position."""
    if (nodes is None) == (positions is None):
        raise InputError(f"{caller} takes nodes by id or by position. Pass {caller}(ids) or {caller}(positions=[...]).")
    if positions is not None:
        return _check_positions(positions, len(node_ids), caller)
    if isinstance(nodes, str | bytes) or not isinstance(nodes, Iterable):
        raise InputError(
            f"{caller} takes a list of node ids or a boolean mask. Got {nodes!r}: pass [{nodes!r}] for one node."
        )
    if isinstance(nodes, set | frozenset):  # without an order of its own: the graph's
        return np.sort(find_nodes(nodes, node_ids, caller))
    values: Any = np.asarray(nodes) if hasattr(nodes, "dtype") else list(nodes)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InputError(f"{caller} takes a one-dimensional list of node ids. Got shape {values.shape}.")
    if not _is_mask(values):
        return find_nodes(values, node_ids, caller)
    mask, names = np.array(values, dtype=bool), index_of(nodes)
    if names is not None:
        return np.sort(find_nodes(names[mask], node_ids, f"The index of the mask given to {caller}"))
    if len(mask) != len(node_ids):
        raise InputError(
            f"A boolean mask given to {caller} needs an entry for each of the {len(node_ids):,} nodes. Got {len(mask):,}."
        )
    return np.flatnonzero(mask)


def _find_integers(values: NDArray[Any], node_ids: Ids) -> NDArray[np.int64]:
    order = np.argsort(node_ids, kind="stable")
    place = np.searchsorted(node_ids, values, sorter=order).clip(max=len(node_ids) - 1)
    found = order[place]
    return np.where(node_ids[found] == values, found, -1).astype(np.int64)


def _find(value: Any, known: dict[Any, int]) -> int:
    try:
        is_rounded = isinstance(value, float | np.floating) and abs(value) >= EXACT
        return -1 if _is_boolean(value) or is_rounded else known.get(value, -1)
    except TypeError:  # a list, a dict: no id at all
        return -1


def _is_mask(values: Any) -> bool:
    if isinstance(values, np.ndarray) and values.dtype != object:
        return bool(values.dtype.kind == "b")
    return len(values) > 0 and all(_is_boolean(value) for value in values)


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _check_positions(positions: Any, n_nodes: int, caller: str) -> NDArray[np.int64]:
    array = np.asarray(positions)
    is_whole = array.ndim == 1 and (array.dtype.kind in "iu" or array.size == 0)
    if not is_whole or (array.size and (array.min() < 0 or array.max() >= n_nodes)):
        raise InputError(
            f"The positions given to {caller} must be whole numbers from 0 to {n_nodes - 1:,}. "
            f"Got {array.dtype} values of shape {array.shape}"
            + (f", from {array.min()} to {array.max()}." if is_whole and array.size else ".")
        )
    return array.astype(np.int64)


def _describe(node_ids: Ids) -> str:
    """What the ids are like, and how a position becomes one."""
    if node_ids.dtype.kind in "iu":
        said = f"Its ids are integers from {node_ids.min()} to {node_ids.max()}"
    else:
        said = f"Its ids are {_few([repr(_plain(value)) for value in node_ids[:4]], 3)}"
    return f"{said}; the id of the node at position i is graph.node_ids[i]."


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _few(names: Sequence[str], limit: int = 5) -> str:
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and more"


def pack_ids(ids: Ids) -> NDArray[Any]:
    """Ids as an array without Python objects, for a file: integers as they are, words as the bytes of JSON."""
    return (
        ids.astype(np.int64) if ids.dtype.kind in "iu" else np.frombuffer(json.dumps(ids.tolist()).encode(), dtype=np.uint8)
    )


def unpack_ids(packed: NDArray[Any]) -> NDArray[Any]:
    """The ids that `pack_ids` packed."""
    return np.array(json.loads(packed.tobytes())) if packed.dtype == np.uint8 else packed
