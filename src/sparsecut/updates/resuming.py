"""Where the stream of changes stands that a model follows, and which vectors its reader may have missed after a kill.

The position goes to the disk with the update, in one record of the log: the changes up to it are in the model, and no other.
The vectors of an update are written after that, so a process that is killed may have written fewer. They are found again
from the updates of the log, which are made again when the model is loaded; the last one is always among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from sparsecut.updates.live import Changed, LiveState


class Position(NamedTuple):
    """How far a stream was read: so many lines, which end at so many bytes."""

    line: int = 0
    offset: int = 0


class Replayed:
    """The nodes that the updates of a log changed, each with the position of the stream behind it."""

    def __init__(self, first: Position, renewed_at: int = -1) -> None:
        self._first = first  # of the model's file, which holds the updates before
        self._renewed_at = renewed_at  # the offset at which all vectors became others
        self._updates: list[tuple[Position, list[Any], list[Any]]] = []

    def add(self, position: Position, changed: Changed) -> None:
        self._updates.append((position, changed.ids.tolist(), changed.removed))

    def behind(self, offset: int, state: LiveState) -> Changed:
        """What changed behind an offset of the stream, as it is now; all vectors where the log does not reach back to it."""
        from sparsecut.updates.live import Changed

        if offset < self._first.offset or offset <= self._renewed_at:
            places = state.index.places()
            note = "The log does not reach back to where the vectors were last read: all vectors are written again."
            if offset <= self._renewed_at:
                note = "Nodes were forgotten since the vectors were last read: all vectors are written again."
            return Changed(state.ids_of(places), state.embedding(), [], [note])
        named: dict[Any, None] = {}
        for position, ids, removed in self._updates:
            if position.offset > offset:
                named |= dict.fromkeys([*ids, *removed])
        places = state.index.find(list(named))
        is_there = places >= 0
        gone = [identity for identity, is_here in zip(named, is_there, strict=True) if not is_here]
        places = np.sort(places[is_there])
        return Changed(state.ids_of(places), np.take(state.vectors.rows, places, axis=0), gone)
