"""The hops of a filter, kept so that a change recomputes only the rows it reaches.

    Y₀ = X = F·W,   Y_k = P·Y_(k−1),   Z = Σ c_k Y_k                P = diag(left)·A·diag(right) + diag(own)

Rows of Y_k move where their row of P changed, which is at the ends of changed edges, or where a row they average over moved:

    rows of P changed        Y_k[i] ← (P·Y_(k−1))[i]                          computed anew
    all others               Y_k[i] ← Y_k[i] + (P·ΔY_(k−1))[i]                only what moved is summed

What a sum adds to a row rounds, by 2^−24 of the row and of what is summed, however small the row is when all is added up:
a neighbour's outlier that comes and goes would stay in it as rounding. So a bound e_k[i] on the rounding is kept, which
every sum adds to, and a row whose e_k exceeds `MOST_ROUNDING` of its own length is computed anew. A hop that reads most of
the graph is computed for all rows; the rows of which nothing has changed then come out the same, to the bit.

With a tolerance a row may stay where it is while what it lacks, R_k = P·Y_(k−1) − Y_k, is small. Of R_k a bound on the
length of each row is kept, r_k[i], to which every change adds. With v = 1/right (v = 1 for the mean) every filter here has
P·v ≤ v, so that ‖P·X‖_v ≤ ‖X‖_v for ‖X‖_v = max ‖x_i‖/v_i. The error E_k of Y_k is E_k = P·E_(k−1) + R_k, and of Z

    ‖E‖_v ≤ Σ_k |c_k| ‖E_k‖_v ≤ Σ_j t_j·max_i r_j[i]/v_i,     t_j = Σ_(k≥j) |c_k|.

So r_j[i] ≤ ε·v_i/(K·t_j·max v) for the K hops holds every row of Z within ε of the exact one, however many changes there
were: a row that is computed anew has r = 0, and one whose r would exceed its limit is computed anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.kernels.entries import weighted_sums
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.filters import Filter
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.growing import GrowingArray

ROUNDING = 2.0**-24  # of float32
MOST_ROUNDING = 32 * ROUNDING  # of a row's length: where sums may have rounded by more the row is computed anew
WHOLE_SHARE = 0.4  # of the graph's entries: a hop that reads more of them is computed for all rows
ROW_BLOCK = 4096  # rows compared at a time, within a core's own cache
LARGE_SUMS = 8192  # entries, from which on torch sums rows up
KEPT_SHARE = 32  # nodes for each row that moved: the last hop's moves are kept for moments where there are more
DISTINCT_SHARE = 32  # nodes for each entry: where there are more, entries are sorted in place of marking nodes

Integers = NDArray[np.int64]
Rows = NDArray[np.float32]
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Moved:
    """Places whose rows changed, and the change; None where it is not kept: many rows changed, or the hop was for all."""

    places: Integers
    change: Rows | None
    is_whole: bool = False


@dataclass(frozen=True)
class Followed:
    """What an update did to Z = Σ c_k Y_k: the moves of the terms that are part of it, and the hops for all rows."""

    moves: list[tuple[float, Moved]]
    n_whole: int

    def change_of(self, places: Integers) -> Rows | None:
        """The change of Z at `places`, which are ascending and include all that changed; None where it was not kept."""
        changes = [
            (coefficient, moved.places, moved.change) for coefficient, moved in self.moves if moved.change is not None
        ]
        if not changes or len(changes) < len(self.moves):
            return None
        total = np.zeros((len(places), changes[0][2].shape[1]), dtype=np.float32)
        for coefficient, moved, change in changes:
            total[np.searchsorted(places, moved)] += np.float32(coefficient) * change
        return total


class HopTerms:
    """Y₀ … Y_K of one polynomial of one matrix P. The first `width` columns are exact; those behind follow them."""

    most_rounding: float = MOST_ROUNDING
    whole_share: float = WHOLE_SHARE

    def __init__(
        self, graph: ChangingGraph, filter: Filter, coefficients: Polynomial, X: Rows, width: int | None = None
    ) -> None:
        self.graph, self.filter, self.coefficients, self.width = graph, filter, coefficients, width
        self._diagonals = [GrowingArray(diagonal) for diagonal in self._diagonals_of(graph.degrees)]
        self._terms = [GrowingArray(np.ascontiguousarray(X, dtype=np.float32))]
        for _ in coefficients[1:]:
            self._terms.append(GrowingArray(self._whole_hop(self._terms[-1].rows)))
        self._lacking = [GrowingArray(np.zeros(len(X), dtype=np.float32)) for _ in coefficients]  # r_k
        self._rounding = [GrowingArray(np.zeros(len(X), dtype=np.float32)) for _ in coefficients]  # e_k
        self._loosest = [0.0] * len(coefficients)  # the largest ε v-scaled that rows were left at
        self._largest_v = 0.0
        self._scratch = np.zeros(0, dtype=np.int32)

    @classmethod
    def restored(
        cls,
        graph: ChangingGraph,
        filter: Filter,
        terms: list[Rows],
        lacking: list[Rows],
        rounding: list[Rows],
        width: int | None,
    ) -> HopTerms:
        """The terms as they were saved, with their bounds `lacking` and `rounding`."""
        known = object.__new__(cls)
        known.graph, known.filter, known.coefficients, known.width = graph, filter, filter.coefficients(), width
        known._diagonals = [GrowingArray(diagonal) for diagonal in known._diagonals_of(graph.degrees)]
        none = np.zeros(len(terms[0]), dtype=np.float32)  # Y₀ lacks nothing
        known._terms = [GrowingArray(rows) for rows in terms]
        known._lacking = [GrowingArray(bounds) for bounds in (none, *lacking)]
        known._rounding = [GrowingArray(bounds) for bounds in (none.copy(), *rounding)]
        known._loosest = [math.inf if bounds.rows.any() else 0.0 for bounds in known._lacking]
        known._largest_v, known._scratch = 0.0, np.zeros(0, dtype=np.int32)
        return known

    @property
    def n_hops(self) -> int:
        return len(self.coefficients) - 1

    @property
    def terms(self) -> list[Rows]:
        """Y₀ … Y_K."""
        return [term.rows for term in self._terms]

    @property
    def lacking(self) -> list[Rows]:
        """r₁ … r_K."""
        return [bounds.rows for bounds in self._lacking[1:]]

    @property
    def rounding(self) -> list[Rows]:
        """e₁ … e_K."""
        return [bounds.rows for bounds in self._rounding[1:]]

    @property
    def n_bytes(self) -> int:
        return sum(term.rows.nbytes for term in self._terms)

    def extend(self, n_nodes: int) -> None:
        """Nodes at the end; `update` must be given their rows."""
        for diagonal, rows in zip(self._diagonals, self._diagonals_of(np.ones(n_nodes)), strict=True):
            diagonal.extend(rows)
        for term, *bounds in zip(self._terms, self._lacking, self._rounding, strict=True):
            term.extend(np.zeros((n_nodes, term.rows.shape[1]), dtype=np.float32))
            for bound in bounds:
                bound.extend(np.zeros(n_nodes, dtype=np.float32))

    def level(self, places: Integers, n_columns: int) -> Rows:
        """Σ c_k Y_k of some places: the first columns."""
        total: Rows | None = None
        for coefficient, term in zip(self.coefficients, self._terms, strict=True):
            if coefficient:
                part = np.take(term.rows, places, axis=0)[:, :n_columns]
                if coefficient != 1:
                    part *= np.float32(coefficient)
                total = part if total is None else np.add(total, part, out=total)
        return np.zeros((len(places), n_columns), dtype=np.float32) if total is None else total

    def update(self, relinked: Integers, places: Integers, X: Rows, tolerance: float) -> Followed:
        """Follow a change: nodes whose lists changed, and new rows of X; the graph has changed already."""
        left, own, *right = (diagonal.rows for diagonal in self._diagonals)
        before = right[0][relinked] if right else None
        for diagonal, rows in zip((left, own, *right), self._diagonals_of(self.graph.degrees[relinked]), strict=True):
            diagonal[relinked] = rows
        limits = self._limits(relinked, tolerance)
        first = self._terms[0].rows
        moved = Moved(places, X - np.take(first, places, axis=0))
        first[places] = X
        moves = [(self.coefficients[0], moved)]
        for hop in range(1, self.n_hops + 1):
            moved = self._hop(hop, moved, relinked, before, limits[hop])
            moves.append((self.coefficients[hop], moved))
        n_whole = sum(moved.is_whole for _, moved in moves)
        return Followed([(coefficient, moved) for coefficient, moved in moves if coefficient], n_whole)

    def packed(self, graph: ChangingGraph, places: Integers) -> HopTerms:
        """The terms of the nodes at `places`, in that order, numbered from 0."""
        terms, lacking, rounding = ([rows[places] for rows in kept] for kept in (self.terms, self.lacking, self.rounding))
        return HopTerms.restored(graph, self.filter, terms, lacking, rounding, self.width)

    def _hop(self, hop: int, moved: Moved, relinked: Integers, before: Rows | None, limit: float) -> Moved:
        if moved.is_whole:
            return self._whole(hop)
        graph, previous = self.graph, self._terms[hop - 1].rows
        sources, messages = self._messages(moved, relinked, before, previous)
        into = graph.columns
        n_read = int(into.count[sources].sum()) + int(graph.rows.count[relinked].sum()) + len(sources)
        if n_read > self.whole_share * (graph.n_entries + len(graph)):
            return self._whole(hop)
        targets, change, sizes = self._sums(moved, relinked, sources, messages)
        term, lacking, rounding = self._terms[hop].rows, self._lacking[hop].rows, self._rounding[hop].rows
        anew = [relinked]
        if self._loosest[hop] > limit:  # rows were left further from the exact ones than they may be now
            is_late = lacking > limit * self._v(slice(None))
            is_late[relinked] = False
            anew.append(np.flatnonzero(is_late))
            kept = ~is_late[targets]
            if not kept.all():
                targets, change, sizes = targets[kept], change[kept], sizes[kept]
        self._loosest[hop] = limit
        if limit:
            lacks = lacking[targets] + _lengths(change)
            stays = lacks <= limit * self._v(targets)
            lacking[targets[stays]] = lacks[stays] * np.float32(1 + 1e-6)  # the sum of lengths rounds too
            targets, change, sizes = targets[~stays], change[~stays], sizes[~stays]
        before_rows = np.take(term, targets, axis=0)  # several times faster than fancy indexing
        rows = before_rows + change
        lengths = self._exact_lengths(rows)
        rounds = rounding[targets] + np.float32(ROUNDING) * (lengths + sizes)
        is_anew = (rounds > self.most_rounding * lengths) | (lacking[targets] > 0)
        if hop < self.n_hops or len(targets) * KEPT_SHARE <= len(graph):
            # What is passed on is what the stored row moved by, rounding and all: so errors do not travel.
            change = np.subtract(rows, before_rows, out=before_rows)
        if is_anew.any():
            anew.append(targets[is_anew])
            targets, change, rows, rounds = targets[~is_anew], change[~is_anew], rows[~is_anew], rounds[~is_anew]
        term[targets], rounding[targets] = rows, rounds
        again = np.concatenate(anew)
        fresh = self._rows_anew(again, previous)
        difference = fresh - np.take(term, again, axis=0)
        if limit:  # what hardly moves stays, and lacks that much
            sizes = _lengths(difference)
            stays = sizes <= limit * self._v(again)
            lacking[again[stays]] = sizes[stays]
            again, fresh, difference = again[~stays], fresh[~stays], difference[~stays]
        term[again], lacking[again], rounding[again] = fresh, 0, 0
        places = np.concatenate([targets, again])
        is_asked = hop < self.n_hops or len(places) * KEPT_SHARE <= len(graph)
        return Moved(places, np.concatenate([change, difference]) if is_asked else None)

    def _messages(self, moved: Moved, relinked: Integers, before: Rows | None, previous: Rows) -> tuple[Integers, Rows]:
        """The nodes whose right·Y changed, and by what; a changed degree changes it too."""
        assert moved.change is not None
        if before is None:
            return moved.places, moved.change
        right = self._diagonals[2].rows
        sources = np.union1d(moved.places, relinked)
        change = np.zeros((len(sources), previous.shape[1]), dtype=np.float32)
        change[np.searchsorted(sources, moved.places)] = moved.change
        old = right[sources]
        old[np.searchsorted(sources, relinked)] = before
        now = np.take(previous, sources, axis=0)
        return sources, right[sources, None] * now - old[:, None] * (now - change)

    def _sums(self, moved: Moved, relinked: Integers, sources: Integers, messages: Rows) -> tuple[Integers, Rows, Rows]:
        """P·ΔY of the rows that are summed up: those that average over a source, and the moved ones themselves.

        Beside it Σ P·‖Δy‖, which the rounding of the sum is a part of, and which is large where large changes cancel.
        """
        assert moved.change is not None
        listed = self.graph.columns.take(sources)
        targets = self._distinct(listed.columns, moved.places, relinked)
        if len(self._scratch) < len(self.graph):
            self._scratch = np.zeros(2 * len(self.graph), dtype=np.int32)
        number = self._scratch
        number[targets] = np.arange(len(targets), dtype=np.int32)
        number[relinked] = len(targets)  # computed anew: what is summed for them is dropped
        left, own = (diagonal.rows for diagonal in self._diagonals[:2])
        entries = listed.weights * left[listed.columns], number[listed.columns], listed.offsets.astype(np.int32)
        matrix, places = sp.csc_array(entries, shape=(len(targets) + 1, len(sources))), number[moved.places]
        sums = matrix @ messages
        np.abs(matrix.data, out=matrix.data)
        sizes = matrix @ self._exact_lengths(messages)
        sums[places] += own[moved.places, None] * moved.change  # several may be dropped, all else are one each
        sizes[places] += np.abs(own[moved.places]) * self._exact_lengths(moved.change)
        return targets, sums[:-1], sizes[:-1]

    def _distinct(self, columns: NDArray[np.int32], moved: Integers, without: Integers) -> Integers:
        """The nodes of both, each once, without some."""
        if (len(columns) + len(moved)) * DISTINCT_SHARE < len(self.graph):
            return np.setdiff1d(np.concatenate([columns.astype(np.int64), moved]), without)
        is_there = np.zeros(len(self.graph), dtype=bool)
        is_there[columns] = True
        is_there[moved] = True
        is_there[without] = False
        return np.flatnonzero(is_there)

    def _rows_anew(self, places: Integers, previous: Rows) -> Rows:
        """(P·Y)[places]."""
        left, own, *right = (diagonal.rows for diagonal in self._diagonals)
        listed = self.graph.rows.take(places)
        weights = listed.weights * right[0][listed.columns] if right else listed.weights
        offsets = listed.offsets.astype(np.int32)
        if len(weights) < LARGE_SUMS:  # waking torch's threads would take longer
            matrix = sp.csr_array((weights, listed.columns, offsets), shape=(len(places), len(self.graph)))
            rows: Rows = matrix @ previous
        else:
            parts = map(torch.from_numpy, (listed.columns, offsets, weights))
            rows = weighted_sums(next(parts), next(parts), next(parts), as_tensor(previous, CPU)).numpy()
        rows *= left[places, None]
        rows += own[places, None] * np.take(previous, places, axis=0)
        return rows

    def _whole(self, hop: int) -> Moved:
        """Y_k for all rows. A row sums the same numbers in the same order each time: where none changed, it stays."""
        fresh, old = self._whole_hop(self._terms[hop - 1].rows), self._terms[hop].rows
        is_moved = np.empty(len(old), dtype=bool)
        for start in range(0, len(old), ROW_BLOCK):
            block, here = slice(start, start + ROW_BLOCK), fresh[start : start + ROW_BLOCK]
            is_moved[block] = (here != old[block]).any(axis=1)
            old[block] = here
        self._lacking[hop].rows[:], self._rounding[hop].rows[:], self._loosest[hop] = 0, 0, 0.0
        return Moved(np.flatnonzero(is_moved), None, is_whole=True)

    def _whole_hop(self, rows: Rows) -> Rows:
        left, own, *right = (as_tensor(diagonal.rows, CPU)[:, None] for diagonal in self._diagonals)
        Y = as_tensor(rows, CPU)
        sums = SparseMatrix(self.graph.rows.csr(), CPU) @ (Y * right[0] if right else Y)
        hopped: Rows = sums.mul_(left).addcmul_(Y, own).numpy()
        return hopped

    def _diagonals_of(self, degrees: NDArray[np.float64]) -> list[Rows]:
        """left, own and, where it is not 1, right; in float32, as products read them."""
        found = self.filter.diagonals(torch.from_numpy(np.ascontiguousarray(degrees))).single()
        return [diagonal.numpy().copy() for diagonal in (found.left, found.own, found.right) if diagonal is not None]

    def _exact_lengths(self, rows: Rows) -> Rows:
        """Lengths of rows in the columns that are exact."""
        return _lengths(rows if self.width is None else rows[:, : self.width])

    def _v(self, places: Any) -> Any:
        return 1 / self._diagonals[2].rows[places] if len(self._diagonals) == 3 else 1.0

    def _limits(self, relinked: Integers, tolerance: float) -> list[float]:
        """The bound on r_k/v_i for each hop."""
        if not tolerance:
            return [0.0] * len(self.coefficients)
        if len(self._diagonals) == 3:
            among = slice(None) if not self._largest_v else relinked
            largest = float(np.max(self._v(among), initial=1.0))
            if largest > self._largest_v:  # a power of two: rows that were left are looked through again at few of them
                self._largest_v = 2.0 ** math.ceil(math.log2(largest))
        else:
            self._largest_v = 1.0
        tails = np.cumsum(np.abs(self.coefficients[::-1]))[::-1]
        return [
            0.0,
            *(tolerance / (self.n_hops * float(tail) * self._largest_v) if tail else math.inf for tail in tails[1:]),
        ]


def _lengths(rows: Rows) -> Rows:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
