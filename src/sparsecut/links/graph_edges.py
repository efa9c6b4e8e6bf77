"""Where a fit of links reads the edges of its graphs: in this process, or where the engine has them.

    edges.passes(graph)          passes over the rows of a graph (`sparsecut.kernels.block`)
    edges.without(graph, pairs)  the graph less some links
    edges.turned(graph)          the graph whose row j lists the sources of j, where edges have directions

Edges that lie in memory maps are read some rows at a time, and what is made of them lies in files, too. An engine that
works from files to files has its passes where its rows are: those of a cluster run on the workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.engines import EngineChoice, Job
from sparsecut.engines.in_process import InProcess
from sparsecut.graph import Graph
from sparsecut.graph.linked_pairs import without_links
from sparsecut.kernels.block import Passes, degrees
from sparsecut.kernels.streaming import is_mapped
from sparsecut.links.mapped_edges import in_folder, turned_round, without_entries

Pairs = NDArray[np.int64]


class GraphEdges:
    """Edges of graphs as a fit reads them; `engine` is where passes run, `folder` where files are made."""

    def __init__(
        self, engine: EngineChoice | None = None, folder: Path | None = None, stack: ExitStack | None = None
    ) -> None:
        self.engine, self.folder = engine, folder
        self._stack = stack
        self._opened: list[tuple[Graph, Passes]] = []

    def passes(self, graph: Graph) -> Passes:
        """Passes over the rows of a graph; those of an engine end with the fit."""
        if self.engine is None or self._stack is None:
            return InProcess(graph)
        for known, passes in self._opened:
            if known is graph:
                return passes
        job = Job("Links", graph.replace(features=None), n_columns=1, with_moments=False)  # edges alone are read
        self._opened.append((graph, self._stack.enter_context(self.engine.open(job))))
        return self._opened[-1][1]

    def degrees(self, graph: Graph) -> NDArray[np.float64]:
        """The weighted degrees of all nodes."""
        if self.engine is None:
            return np.asarray(graph.degrees, dtype=np.float64)
        return np.asarray(degrees(self.passes(graph))[slice(0, graph.n_nodes)], dtype=np.float64)

    def without(self, graph: Graph, pairs: Pairs) -> Graph:
        """The graph less the links between some pairs, in both directions."""
        if not is_mapped(graph.adjacency):
            return without_links(graph, pairs)
        return graph.replace(adjacency=in_folder(partial(without_entries, graph.adjacency, pairs), self.folder))

    def turned(self, graph: Graph) -> Graph:
        """The graph with every edge the other way; the same graph where edges have no direction."""
        if not graph.is_directed:
            return graph
        adjacency = graph.adjacency
        if is_mapped(adjacency):
            return graph.replace(adjacency=in_folder(partial(turned_round, adjacency), self.folder))
        return graph.replace(adjacency=sp.csr_array(adjacency.T.tocsr()))


IN_PROCESS = GraphEdges()


@contextmanager
def edges_by(engine: Any) -> Iterator[GraphEdges]:
    """The edges of a fit by an engine, a choice or its word; None is this process. What it starts ends with the block."""
    choice = None if engine is None else EngineChoice.of(engine, "Links", "engine")
    if choice is None or not choice.keeps_files:
        yield IN_PROCESS
        return
    scratch = choice.get_params(deep=False).get("scratch")
    with choice.running() as running, ExitStack() as stack:
        yield GraphEdges(running, None if scratch is None else Path(scratch), stack)


def engine_of(source: Any) -> Any:
    """The engine of what makes the vectors: of several the first that works from files to files."""
    sources = source if isinstance(source, list | tuple) else [source]
    for one in sources:
        own = engine_of(one) if isinstance(one, list | tuple) else getattr(one, "engine", None)
        if own is not None and EngineChoice.of(own, "Links", "engine").keeps_files:
            return own
    return None
