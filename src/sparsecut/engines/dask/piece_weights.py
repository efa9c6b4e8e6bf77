"""Edges of pieces weighed by age and sign, where they are: `sparsecut.io.stores.numbered_edges`, a piece per task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.engines.dask.feature_sources import Piece
from sparsecut.graph.clock import Clock
from sparsecut.graph.timeline import DatedEdges
from sparsecut.graph.times import RawTimes, raw_moments
from sparsecut.io.edges.edge_columns import EdgeColumns
from sparsecut.io.edges.edge_weights import edge_weights
from sparsecut.io.stores.edge_batches import TimeScan
from sparsecut.io.stores.numbered_edges import EdgeScan, latest_among, of_sign

Numbered = tuple[NDArray[np.int64], NDArray[np.int64], Any]


def look_at_piece(piece: Piece, first: int, columns: EdgeColumns, is_signed: bool, what: str) -> EdgeScan:
    """What the edges of a piece, of which the first is in a row, say together."""
    times, has_negative = None, False
    if columns.time is not None:
        times = TimeScan(what, n_rows=first)
        times.update(_times(piece, first, columns, what))
    if is_signed and columns.weight is not None:
        table = piece.table([columns.weight], what)
        has_negative = bool((edge_weights(table.column(columns.weight), columns.weight, what) < 0).any())
    return EdgeScan(has_negative, times)


def merged(scans: Sequence[EdgeScan]) -> EdgeScan:
    """What all pieces say together, in their order."""
    found = [scan.times for scan in scans if scan.times is not None]
    times = found[0] if found else None
    for one in found[1:]:
        assert times is not None
        times.merge(one)
    return EdgeScan(any(scan.has_negative for scan in scans), times)


def latest_of_piece(
    edges: Numbered, piece: Piece, first: int, columns: EdgeColumns, scan: EdgeScan, directed: str, what: str
) -> DatedEdges:
    """The latest edges of a piece: more than those no piece has among the latest of all."""
    i, j, weights = edges
    assert scan.times is not None
    return latest_among(None, (i, j, weights, scan.times.moments(_times(piece, first, columns, what))), directed)


def weigh_piece(
    edges: Numbered, piece: Piece, first: int, columns: EdgeColumns, scan: EdgeScan, clock: Clock | None, directed: str,
    is_demand: bool, what: str,
) -> Numbered:  # fmt: skip
    """The edges of one sign of a piece, with their weights."""
    i, j, weights = edges
    times = None
    if clock is not None:
        assert scan.times is not None
        times = scan.times.moments(_times(piece, first, columns, what))
    return of_sign((i, j, weights, times), scan, clock, directed, is_demand=is_demand)


def _times(piece: Piece, first: int, columns: EdgeColumns, what: str) -> RawTimes:
    assert columns.time is not None
    return raw_moments(piece.table([columns.time], what).column(columns.time), f"{what}, in column {columns.time!r},", first)
