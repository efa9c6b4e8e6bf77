"""What is known of a named graph: its sizes, where it comes from, the files that hold it, and how to read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.graph import Graph

MIT = "MIT (the repository that publishes it)"  # a licence of many


class GraphSizes(NamedTuple):
    """How large a graph is: edges are undirected and counted once, self-loops are none."""

    nodes: int
    edges: int
    features: int
    classes: int


class Roles(NamedTuple):
    """Nodes by what they are for: to train on, to choose by, and to test on (in an inductive graph, unseen)."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True)
class RawFile:
    """A file as its authors publish it."""

    path: str  # below a root, in PyTorch Geometric's layout
    url: str | None = None  # of the file, or of the zip archive that holds it; None where nobody serves it
    sha256: str | None = None  # None where it is not known
    member: str | None = None  # the file's name in that archive
    archive_sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class Dataset:
    name: str
    about: str
    sizes: GraphSizes
    origin: str
    citation: str
    licence: str | None = None  # None where its publishers state none
    raw: tuple[RawFile, ...]
    read: Callable[[Path], Graph]
    build: Callable[[Path, Reporter], None] | None = None  # what is done once, before it is read the first time
    by_hand: str = ""  # why its files are not fetched, where they could be
    paper: GraphSizes | None = None  # as the paper's table counts, which `note` explains where it differs
    note: str = ""  # what to know before comparing figures
    without_features: tuple[RawFile, ...] = ()  # files that hold the graph and its labels, where `raw` is absent
    read_roles: Callable[[Path], Roles] | None = None
    role_sizes: tuple[int, int, int] | None = None
    read_splits: Callable[[Path], tuple[Roles, ...]] | None = None  # those its publishers made, where they made some
    split_sizes: tuple[tuple[int, int, int], ...] = ()  # of each of them

    @property
    def n_nodes(self) -> int:
        return self.sizes.nodes

    @property
    def n_edges(self) -> int:
        return self.sizes.edges

    @property
    def n_features(self) -> int:
        return self.sizes.features

    @property
    def n_classes(self) -> int:
        return self.sizes.classes

    @property
    def has_splits(self) -> bool:
        """Whether its publishers made splits of its nodes."""
        return self.read_splits is not None or self.read_roles is not None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of its files below a root."""
        return tuple(file.path for file in self.raw)
