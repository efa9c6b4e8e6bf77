"""Graphs with two sides, users and movies: ids that say their side, and the doubt where both sides count from 1.

`user_id` 7 and `movie_id` 7 are two nodes, and become `user:7` and `movie:7` where the sides are kept apart
(`bipartite=True`). Names are the main evidence for two sides, since the values of two columns that count from 1 look like
those of one kind. Where names say nothing, integers do: nodes of one kind hardly ever point to themselves, while the ids of
two sides coincide as often as chance makes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.edges.edge_columns import EdgeColumns
from sparsecut.io.edges.edge_names import side_words
from sparsecut.io.edges.ids import as_array

MIN_EXPECTED = 8.0  # coincidences, before fewer than by chance means anything
FEW = 0.25  # of the coincidences that chance would make


@dataclass(frozen=True)
class Meeting:
    """What two columns of ids have in common."""

    n_edges: int = 0
    n_shared: int = 0  # ids that are in both
    n_loops: int = 0  # rows with the same id twice
    n_products: float = 0.0  # Σ over ids of how often it is in the first, times how often in the second

    @property
    def n_expected(self) -> float:
        """Rows with the same id twice, if the two columns had nothing to do with each other."""
        return self.n_products / max(self.n_edges, 1)


def meet(i: NDArray[Any], j: NDArray[Any], n_ids: int) -> Meeting:
    """What two columns of numbered ids have in common."""
    return meeting_of(np.bincount(i, minlength=n_ids), np.bincount(j, minlength=n_ids), int(np.count_nonzero(i == j)))


def meeting_of(first: NDArray[Any], second: NDArray[Any], n_loops: int) -> Meeting:
    """What two columns have in common, from how often each id is in the first and in the second."""
    n_shared = int(np.count_nonzero((first > 0) & (second > 0)))
    return Meeting(int(first.sum()), n_shared, n_loops, float(first.astype(np.float64) @ second))


def sum_of(meetings: Iterable[Meeting]) -> Meeting:
    """Meetings of different ids, added up."""
    listed = list(meetings)
    return Meeting(
        sum(one.n_edges for one in listed),
        sum(one.n_shared for one in listed),
        sum(one.n_loops for one in listed),
        sum(one.n_products for one in listed),
    )


def side_doubts(columns: EdgeColumns | None, meeting: Meeting, is_integer: bool, what: str) -> tuple[str, ...]:
    """What to say where the same id in both columns may be two nodes."""
    if columns is None or not columns.may_be_sides or not meeting.n_shared:
        return ()
    is_without_loops = meeting.n_expected >= MIN_EXPECTED and meeting.n_loops < FEW * meeting.n_expected
    if columns.kinship == "unknown" and (is_without_loops or not is_integer):
        return ()
    words = side_words(columns.source, columns.target)
    return (
        f"{what} has {meeting.n_shared:,} ids in both columns {columns.source!r} and {columns.target!r}, and each was taken "
        f"for one node. If these are two kinds of nodes, bipartite=True (--bipartite) keeps them apart, with ids such as "
        f"'{words[0]}:…' and '{words[1]}:…'. If they are one kind, say so: bipartite=False (--no-bipartite).",
    )


def check_side_ids(columns: EdgeColumns, has_ids: bool, what: str) -> None:
    """Refuse features without ids for a graph with two sides, before any work: rows have no side."""
    if columns.sides is not None and not has_ids:
        raise InputError(
            f"{what} has rows without ids, and bipartite=True needs ids that say their side: '{columns.sides[0]}:1', "
            f"'{columns.sides[1]}:1'. Give the features a column of ids (Parquet)."
        )


def with_side(ids: Any, side: str) -> Any:
    """An Arrow array of ids as words that say their side: user:7."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.cast(ids, pa.large_string())
    return pc.binary_join_element_wise(pa.scalar(side, pa.large_string()), words, pa.scalar(":", pa.large_string()))


def keep_apart(
    i: NDArray[Any], j: NDArray[Any], ids: NDArray[Any], sides: tuple[str, str]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(sources, targets, ids) of edges between numbered ids, where an id in both columns is two nodes.

    The nodes of the first column come first, each side in the order of the ids.
    """
    import pyarrow as pa

    numbered, parts, n_before = [], [], 0
    for end, side in zip((i, j), sides, strict=True):
        occurs = np.zeros(len(ids), dtype=bool)
        occurs[end] = True
        place = np.cumsum(occurs) - 1 + n_before
        numbered.append(place[end])
        found = ids[occurs]
        parts.append(with_side(pa.array(found.tolist() if found.dtype.kind not in "iu" else found), side))
        n_before += len(found)
    words = pa.concat_arrays([part.combine_chunks() if isinstance(part, pa.ChunkedArray) else part for part in parts])
    return numbered[0], numbered[1], as_array(words)
