"""Names for what a graph file holds at its nodes: attributes of GraphML, GML and JSON; obsm, layers and obs of AnnData.

`features="age"` or `labels="club"` may name an attribute in the file, a file, or a column of a node table. For such a file:

1. a path with a folder in it ("./club"), or a `Path`, is a file
2. a name that the graph file has is that attribute, even where a file of this name is in the working folder; a note and a
   warning say so
3. any other name is looked for as without attributes: a file, or a column of the node table (`nodes=`, or beside the graph)

With `nodes=` names are columns of that table. A name that is none of these is an error that lists what the file has.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import Scale
from sparsecut.graph import Graph
from sparsecut.io.nodes.node_files import NodeFiles, as_columns, find_sibling, is_path, read_node_files


@dataclass(frozen=True)
class HeldGraph:
    """A graph file that has been read; `make(features, labels, scale, notes)` gives the graph with some attributes."""

    names: dict[str, list[str]]  # by the place they lie in: {"node attributes": ["age", "club"]}
    make: Callable[[Any, Any, Scale, tuple[str, ...]], Graph]
    usual: Any = None  # the features where none are named

    def has(self, name: str) -> bool:
        place, colon, key = name.partition(":")
        return any(name in names for names in self.names.values()) or bool(colon and key in self.names.get(place, ()))

    def __str__(self) -> str:
        listed = [f"{place}: {first_few(names, 20)}" for place, names in self.names.items() if names and names != [place]]
        return "; ".join(listed) or "no node attributes"


def graph_with_nodes(
    held: HeldGraph,
    path: Path,
    features: str | Path | Sequence[str] | None,
    labels: str | Path | None,
    nodes: str | Path | None,
    missing: str,
    *,
    scale: Scale = "auto",
    encoding: str | None = None,
    **columns: Any,
) -> Graph:
    """The graph with the features and labels that are named, from the file itself or from others."""
    inner_features = inner_labels = None
    notes: list[str] = []
    if nodes is None:
        inner_features = _held_names(held, features)
        if inner_features is not None:
            notes += _also_a_file(features)
            features = None
        if isinstance(labels, str) and held.has(labels):
            notes += _also_a_file(labels)
            inner_labels, labels = labels, None
        _check_known(held, path, features, labels)
    beside = NodeFiles(missing)
    if any(value is not None for value in (features, labels, nodes, *columns.values())):
        beside = read_node_files(path, features, labels, nodes, missing, scale=scale, encoding=encoding, **columns)
        # Without names a node table gives all it has; what was named in the graph file is not to be replaced by that.
        beside = beside if inner_features is None else replace(beside, features=None)
        beside = beside if inner_labels is None else replace(beside, labels=None)
    if inner_features is None and beside.features is None:
        inner_features = held.usual
    return beside.onto(held.make(inner_features, inner_labels, scale, tuple(notes)))


def _held_names(held: HeldGraph, features: Any) -> Any:
    """The attributes that `features` names, if the file has them all: one name, or several."""
    if isinstance(features, str) and held.has(features):
        return features
    names = as_columns(features)
    if not names or not all(held.has(name) for name in names):
        return None
    return names if len(names) > 1 or not isinstance(features, str) else names[0]


def _check_known(held: HeldGraph, path: Path, features: Any, labels: Any) -> None:
    """A name that is left must be a file or a column of a table beside the graph."""
    wanted = [*(as_columns(features) or ()), *([labels] if isinstance(labels, str) and not is_path(labels) else [])]
    wanted = [name for name in wanted if not held.has(name)]
    is_lost = [
        str(name) for name in (features, labels) if isinstance(name, str) and not Path(name).exists() and "/" not in name
    ]
    if wanted and find_sibling(path) is None:
        lost = wanted[0]
    elif is_lost and not wanted:
        lost = is_lost[0]  # with a suffix, as of a file, but none is there
    else:
        return
    raise InputError(f"{lost!r} is neither a file nor in the graph file {path}. The file has {held}.")


def _also_a_file(name: Any) -> list[str]:
    """A note, and a warning, where a name could have meant a file as well."""
    if not isinstance(name, str) or not Path(name).is_file():
        return []
    message = f"{name!r} was taken from the graph file; the file of this name was not read. './{name}' names the file."
    warnings.warn(message, UserWarning, stacklevel=4)
    return [message]
