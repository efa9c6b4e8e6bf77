"""The edges of a file by the positions of their nodes, weighed by age and sign, as `io.weighing` does in memory.

look_through     one pass: whether weights are below zero, what the times are, which is the latest
latest_edges     the 200,000 latest friendly edges, all that a half-life is chosen from
numbered         the edges that are averaged over, or those that ask for distance, a batch at a time
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.graph.clock import Clock
from sparsecut.graph.timeline import DatedEdges
from sparsecut.io.edges.half_life import MOST_EDGES
from sparsecut.io.edges.weighing import aged
from sparsecut.io.stores.edge_batches import EdgeFile, TimeScan
from sparsecut.io.stores.matrix_building import NumberedBatch, NumberedEdges

Places = Callable[[Any], NDArray[np.int64]]  # the positions of ids
Batch = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32] | None, NDArray[np.float64] | None]  # and times


@dataclass(frozen=True)
class EdgeScan:
    """What all edges of a file say together."""

    has_negative: bool = False
    times: TimeScan | None = None  # of edges with times


def look_through(file: EdgeFile, report: Reporter) -> EdgeScan:
    """One pass over the edges; none where they have neither signs nor times."""
    columns = file.columns
    if columns is None or not (columns.time is not None or (file.is_signed and columns.weight is not None)):
        return EdgeScan()
    times = None if columns.time is None else TimeScan(file.what)
    has_negative, n_edges = False, 0
    for batch in file.batches():
        if times is not None and batch.times is not None:
            times.update(batch.times)
        has_negative |= batch.weights is not None and bool((batch.weights < 0).any())
        n_edges += len(batch.sources)
        report("reading times and signs", n_edges, file.n_edges)
    return EdgeScan(has_negative, times)


@dataclass(frozen=True)
class FileEdges:
    """The edges of a file, and how their ends become positions."""

    file: EdgeFile
    scan: EdgeScan
    places: tuple[Places, Places]  # of the sources, and of the targets
    directed: str
    report: Reporter

    def latest_edges(self, most: int = MOST_EDGES) -> DatedEdges:
        """The latest edges that join two nodes and do not ask for distance, in the order of the file."""
        kept: DatedEdges | None = None
        for batch in self._batches("choosing the half-life"):
            kept = latest_among(kept, batch, self.directed, most)
        assert kept is not None
        return kept

    def numbered(self, clock: Clock | None, *, is_demand: bool = False, with_meeting: bool = False) -> NumberedEdges:
        """The edges as a matrix is made of them, those of one sign."""
        assert self.file.columns is None or (self.file.columns.time is None) == (clock is None)
        kind = None if not self.file.has_weights else np.float32
        return NumberedEdges(
            lambda stage: (
                of_sign(batch, self.scan, clock, self.directed, is_demand=is_demand) for batch in self._batches(stage)
            ),
            kind if clock is None else np.float64,
            with_meeting,
        )

    def _batches(self, stage: str) -> Iterator[Batch]:
        n_edges, scan = 0, self.scan.times
        for batch in self.file.batches():
            times = None if scan is None or batch.times is None else scan.moments(batch.times)
            yield self.places[0](batch.sources), self.places[1](batch.targets), batch.weights, times
            n_edges += len(batch.sources)
            self.report(stage, n_edges, self.file.n_edges)


def latest_among(kept: DatedEdges | None, batch: Batch, directed: str, most: int = MOST_EDGES) -> DatedEdges:
    """The latest of some edges and of a batch that follows them, those that join two nodes and do not ask for distance."""
    i, j, weights, times = batch
    i, j = (j, i) if directed == "in" else (i, j)
    found = DatedEdges(i, j, weights, times)
    found = found.where(found.is_friendly)
    found = found if kept is None else _joined(kept, found)
    assert found.times is not None
    if len(found.times) <= most:
        return found
    is_kept = np.zeros(len(found.times), dtype=bool)
    is_kept[np.argsort(found.times, kind="stable")[-most:]] = True
    return found.where(is_kept)


def of_sign(batch: Batch, scan: EdgeScan, clock: Clock | None, directed: str, *, is_demand: bool) -> NumberedBatch:
    """The edges of a batch that are averaged over, or those that ask for distance, with their weights."""
    i, j, own, times = batch
    weights: NDArray[Any] | None = own
    if times is not None and clock is not None:
        i, j, weights = aged(i, j, own, times, clock, is_directed=directed != "symmetrize")
    if not is_demand and not scan.has_negative:
        return i, j, weights
    assert own is not None
    assert weights is not None
    here = own < 0 if is_demand else own >= 0
    return i[here], j[here], -weights[here] if is_demand else weights[here]


def _joined(first: DatedEdges, second: DatedEdges) -> DatedEdges:
    def both(name: str) -> Any:
        parts = getattr(first, name), getattr(second, name)
        return None if parts[0] is None else np.concatenate(parts)

    return DatedEdges(both("i"), both("j"), both("weights"), both("times"))
