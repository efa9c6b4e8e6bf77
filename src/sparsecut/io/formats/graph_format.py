"""What a format of graph files is, and which there are.

A format is a module of this folder. It declares what it reads, and nothing else has to know of it:

    FORMATS = (GraphFormat((".mtx",), read, is_text=True),)

`read` takes a `GraphRequest` and returns a `Graph`, or a `HeldGraph` where the file also holds attributes of the nodes,
which `features=` and `labels=` may name. Edge lists, which are tables, are read by `sparsecut.io.graphs` itself.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph

OPTIONS = ("adjacency", "weight")  # of `read_graph`, which only some formats have a use for
ADJACENCY_NAMES = ("adjacency", "adj", "adj_matrix", "network", "net", "graph", "A", "W", "G")


@dataclass(frozen=True)
class GraphRequest:
    """What `read_graph` was called with, as far as it concerns the graph file."""

    path: Path
    directed: str
    adjacency: str | None = None
    weight: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class GraphFormat:
    """A format of graph files.

    Parameters
    ----------
    suffixes : tuple of str
        By which its files are recognised.
    read : callable
        From a `GraphRequest` to a `Graph`, or to a `HeldGraph` where `has_attributes`.
    options : tuple of str, default=()
        The `OPTIONS` that it has a use for; others are refused.
    is_text : bool, default=False
        Whether a file may be packed: .mtx.gz.
    has_attributes : bool, default=False
        Whether files hold attributes of nodes.
    recognises : callable, optional
        Whether a path is of this format, where that is not a matter of the suffix.
    """

    suffixes: tuple[str, ...]
    read: Callable[[GraphRequest], Any]
    options: tuple[str, ...] = ()
    is_text: bool = False
    has_attributes: bool = False
    recognises: Callable[[Path], bool] | None = None


@cache
def all_formats() -> tuple[GraphFormat, ...]:
    """The formats that the modules of this folder declare."""
    from sparsecut.io import formats

    names = sorted(module.name for module in pkgutil.iter_modules(formats.__path__))
    modules = [import_module(f"{formats.__name__}.{name}") for name in names]
    return tuple(each for module in modules for each in getattr(module, "FORMATS", ()))


def format_of(path: Path, suffix: str) -> GraphFormat | None:
    """The format of a file with that suffix, the one of its packing left out."""
    own = (each for each in all_formats() if each.recognises is not None and each.recognises(path))
    return next(own, None) or next((each for each in all_formats() if suffix in each.suffixes), None)


def known_suffixes() -> tuple[str, ...]:
    """The suffixes of all formats."""
    return tuple(suffix for each in all_formats() for suffix in each.suffixes)


@dataclass(frozen=True)
class GraphParts:
    """The matrices of a graph, as a file holds them."""

    adjacency: Any
    features: Any = None
    labels: Any = None
    notes: tuple[str, ...] = ()

    def graph(self, directed: str) -> Graph:
        """The graph that they are."""
        return Graph(self.adjacency, features=self.features, labels=self.labels, directed=directed, notes=self.notes)


def choose_adjacency(names: Sequence[str], asked: str | None, path: Path) -> str:
    """Which of the matrices of a file is the adjacency: the requested one, one with a usual name, or the only one."""
    if asked is not None:
        if asked not in names:
            raise InputError(f"The graph file {path} has no array {asked!r}. It has: {', '.join(names)}.")
        return asked
    # A SuiteSparse file has its matrix in the field A of a struct: Problem.A.
    named = [name for wanted in ADJACENCY_NAMES for name in names if name.rpartition(".")[2].lower() == wanted.lower()]
    if named or len(names) == 1:
        return named[0] if named else names[0]
    raise InputError(f"The graph file {path} holds {', '.join(names)}. Say which one is the adjacency.")
