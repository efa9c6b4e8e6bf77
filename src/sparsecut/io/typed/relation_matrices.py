"""From the tables of edges of each type to matrices: one clock for all types that have times, one graph of demands.

A type of edges without times does not age. Edges that ask for distance are demands whatever their type: what a type of edges
weighs against another (`graph.relations`) is for those that are averaged over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import loop_notes
from sparsecut.graph.clock import Clock
from sparsecut.graph.relations import Relations
from sparsecut.graph.timeline import DatedEdges, Timeline
from sparsecut.io.edges.weighing import Weighing, dated_edges, said_of_demands, weighed
from sparsecut.io.typed.relation_tables import RelationTable

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class RelationMatrices:
    """The edges of a graph with types as `Graph.from_canonical` takes them."""

    relations: Relations
    clock: Clock | None
    demands: sp.csr_array | None
    timeline: Timeline | None
    notes: tuple[str, ...]

    @property
    def parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("relations", "clock", "demands", "timeline")}


def relation_matrices(
    tables: Sequence[RelationTable], ends: Sequence[Ends], n_nodes: int, directed: str, weighing: Weighing
) -> RelationMatrices:
    """The matrices of tables whose ends are numbered."""
    edges = [dated_edges(i, j, table.weights, table.moments, directed) for table, (i, j) in zip(tables, ends, strict=True)]
    clock, timeline, notes = _clock(tables, edges, weighing)
    is_directed = directed != "symmetrize"
    made = [weighed(part, clock, n_nodes, is_directed=is_directed) for part in edges]
    demands = sp.csr_array(sum((one for _, one, _ in made[1:]), start=made[0][1]), dtype=np.float32)
    demands.has_canonical_format = True
    for table, (_, _, n_loops) in zip(tables, made, strict=True):
        notes = (*notes, *(f"{':'.join(table.key)}: {note}" for note in loop_notes(n_loops)))
    if weighing.is_signed:
        notes = (*notes, said_of_demands(demands.nnz, is_directed=is_directed))
    relations = relations_of(tables, [adjacency for adjacency, _, _ in made], clock)
    return RelationMatrices(relations, clock, demands if weighing.is_signed else None, timeline, notes)


def relations_of(tables: Sequence[RelationTable], matrices: Sequence[sp.csr_array], clock: Clock | None) -> Relations:
    """The types of edges, and which of them do not age where others do."""
    undated = [table.key for table in tables if clock is not None and table.moments is None]
    return Relations.of({table.key: matrix for table, matrix in zip(tables, matrices, strict=True)}, undated)


def _clock(
    tables: Sequence[RelationTable], edges: Sequence[DatedEdges], weighing: Weighing
) -> tuple[Clock | None, Timeline | None, tuple[str, ...]]:
    dated = [(table, part) for table, part in zip(tables, edges, strict=True) if table.moments is not None]
    if not dated:
        return None, None, ()
    kinds = [table.moments.is_calendar for table, _ in dated if table.moments is not None]
    if len(set(kinds)) > 1:
        first, second = dated[0][0], dated[kinds.index(not kinds[0])][0]
        raise InputError(
            f"{first.what} and {second.what} must have times of one kind, as all edges age by one clock. Got dates or "
            "epochs in one of them, and plain numbers in the other."
        )
    clock, notes = weighing.clock([part for _, part in dated], [table.what for table, _ in dated], kinds[0])
    ageing = "Edges" if len(dated) == len(tables) else f"Edges {', '.join(':'.join(table.key) for table, _ in dated)}"
    timeline = Timeline(tuple(edges), kinds[0], weighing.is_chosen)
    return clock, timeline, (*notes, f"{ageing} {clock}.")
