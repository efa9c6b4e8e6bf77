"""The hops of a filter, kept so that a change recomputes only the rows it reaches.

    Y₀ = c_K·X,   Y_k = c_(K−k)·X + P·Y_(k−1),   Z = Y_K = Σ c_k P^k X           X = F·W
                                                                          P = diag(left)·A·diag(right) + diag(own)

which is Horner's rule. Rows of Y_k move where their row of P changed, which is at the ends of changed edges, where a row
they average over moved, or where X did:

    rows of P changed        Y_k[i] ← c_(K−k)·X[i] + (P·Y_(k−1))[i]                  computed anew
    all others               Y_k[i] ← Y_k[i] + c_(K−k)·ΔX[i] + (P·ΔY_(k−1))[i]       only what moved is summed

What a sum adds to a row rounds, by 2^−24 of the row and of what is summed, however small the row is when all is added up:
a neighbour's outlier that comes and goes would stay in it as rounding. So a bound e_k[i] on the rounding is kept, which
every sum adds to, and a row whose e_k exceeds `MOST_ROUNDING` of its own length is computed anew. A hop that reads most of
the graph is computed for all rows; the rows of which nothing has changed then come out the same, to the bit.

With a tolerance a row may stay where it is while what it lacks, R_k = c_(K−k)·X + P·Y_(k−1) − Y_k, is small. Of R_k a bound
on the length of each row is kept, r_k[i], to which every change adds. With v = 1/right (v = 1 for the mean) every filter
here has P·v ≤ v, so that ‖P·X‖_v ≤ ‖X‖_v for ‖X‖_v = max ‖x_i‖/v_i. The error of Y_k is E_k = P·E_(k−1) + R_k, that of Z

    ‖E‖_v = ‖Σ_k P^(K−k)·R_k‖_v ≤ Σ_k max_i r_k[i]/v_i.

So r_k[i] ≤ ε·v_i/(K·max v) for the K hops holds every row of Z within ε of the exact one, however many changes there were: a
row that is computed anew has r = 0, and one whose r would exceed its limit is computed anew. The coefficients do not enter:
the powers P^k X one by one would lack Σ_k |c_k| times as much, 8.5 for PageRank with restart 0.1 in its fewest hops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.filters import Filter
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.growing import GrowingArray
from sparsecut.updates.matrix_diagonals import MatrixDiagonals

ROUNDING = 2.0**-24  # of float32
MOST_ROUNDING = 32 * ROUNDING  # of a row's length: where sums may have rounded by more the row is computed anew
WHOLE_SHARE = 0.4  # of the graph's entries: a hop that reads more of them is computed for all rows
ROW_BLOCK = 4096  # rows compared at a time, within a core's own cache
DISTINCT_SHARE = 32  # nodes for each entry: where there are more, entries are sorted in place of marking nodes

Integers = NDArray[np.int64]
Rows = NDArray[np.float32]
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Moved:
    """Places whose rows changed, and the change; None where it is not kept: of the last hop, or of one for all rows."""

    places: Integers
    change: Rows | None
    is_whole: bool = False


@dataclass(frozen=True)
class Followed:
    """What an update did to Z: the places that moved, and the number of hops for all rows."""

    places: Integers
    n_whole: int


class HopTerms:
    """X and Y₁ … Y_K of one polynomial of one matrix P. The first `width` columns are exact; those behind follow them."""

    most_rounding: float = MOST_ROUNDING
    whole_share: float = WHOLE_SHARE

    def __init__(
        self,
        graph: ChangingGraph,
        filter: Filter,
        coefficients: Polynomial,
        X: Rows,
        width: int | None = None,
        diagonals: MatrixDiagonals | None = None,
    ) -> None:
        self.graph, self.coefficients, self.width = graph, coefficients, width
        self.diagonals = MatrixDiagonals(graph, filter) if diagonals is None else diagonals
        self._terms = [GrowingArray(np.ascontiguousarray(X, dtype=np.float32))]
        for hop in range(1, self.n_hops + 1):
            self._terms.append(GrowingArray(self._whole_hop(hop)))
        self._lacking = [GrowingArray(np.zeros(len(X), dtype=np.float32)) for _ in coefficients]  # r_k
        self._rounding = [GrowingArray(np.zeros(len(X), dtype=np.float32)) for _ in coefficients]  # e_k
        self._loosest = [0.0] * len(coefficients)  # the largest ε v-scaled that rows were left at
        self._largest_v = 0.0

    @classmethod
    def restored(
        cls,
        graph: ChangingGraph,
        coefficients: Polynomial,
        terms: list[Rows],
        lacking: list[Rows],
        rounding: list[Rows],
        width: int | None,
        diagonals: MatrixDiagonals,
    ) -> HopTerms:
        """The terms as they were saved, with their bounds `lacking` and `rounding`."""
        known = object.__new__(cls)
        known.graph, known.coefficients, known.width, known.diagonals = graph, coefficients, width, diagonals
        none = np.zeros(len(terms[0]), dtype=np.float32)  # X lacks nothing
        known._terms = [GrowingArray(rows) for rows in terms]
        known._lacking = [GrowingArray(bounds) for bounds in (none, *lacking)]
        known._rounding = [GrowingArray(bounds) for bounds in (none.copy(), *rounding)]
        known._loosest = [math.inf if bounds.rows.any() else 0.0 for bounds in known._lacking]
        known._largest_v = 0.0
        return known

    @property
    def n_hops(self) -> int:
        return len(self.coefficients) - 1

    @property
    def terms(self) -> list[Rows]:
        """X, Y₁ … Y_K."""
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
        for term, *bounds in zip(self._terms, self._lacking, self._rounding, strict=True):
            term.extend(np.zeros((n_nodes, term.rows.shape[1]), dtype=np.float32))
            for bound in bounds:
                bound.extend(np.zeros(n_nodes, dtype=np.float32))

    def level(self, places: Integers, n_columns: int) -> Rows:
        """Z of some places: the first columns."""
        rows: Rows = np.take(self._terms[-1].rows, places, axis=0)[:, :n_columns]
        return rows if self.n_hops else rows * np.float32(self.coefficients[0])

    def update(self, relinked: Integers, places: Integers, X: Rows, tolerance: float) -> Followed:
        """Follow a change: nodes whose lists changed, and new rows of X; the graph has changed already."""
        before = self.diagonals.follow(relinked)
        limits = self._limits(relinked, tolerance)
        first = self._terms[0].rows
        change = X - np.take(first, places, axis=0)
        is_moved = change.any(axis=1)
        if (
            len(places) and not is_moved.all()
        ):  # counts around a node are computed for all that may have changed, of which few have
            places, X, change = places[is_moved], X[is_moved], change[is_moved]
        first[places] = X
        entered = Moved(places, change)
        moved, n_whole = Moved(places, change * np.float32(self.coefficients[-1])), 0
        for hop in range(1, self.n_hops + 1):
            moved = self._hop(hop, moved, entered, relinked, before, limits[hop])
            n_whole += moved.is_whole
        return Followed(moved.places, n_whole)

    def packed(self, graph: ChangingGraph, diagonals: MatrixDiagonals, places: Integers) -> HopTerms:
        """The terms of the nodes at `places`, in that order, numbered from 0."""
        terms, lacking, rounding = ([rows[places] for rows in kept] for kept in (self.terms, self.lacking, self.rounding))
        return HopTerms.restored(graph, self.coefficients, terms, lacking, rounding, self.width, diagonals)

    def _hop(self, hop: int, moved: Moved, entered: Moved, relinked: Integers, before: Rows | None, limit: float) -> Moved:
        """Y_hop, from the moves of the one before and those of X (`entered`)."""
        if moved.is_whole:
            return self._whole(hop)
        graph = self.graph
        sources, messages = self._messages(hop, moved, relinked, before)
        into = graph.columns
        n_read = int(into.count[sources].sum()) + int(graph.rows.count[relinked].sum()) + len(sources)
        if n_read > self.whole_share * (graph.n_entries + len(graph)):
            return self._whole(hop)
        self._loosest[hop], loosest = limit, self._loosest[hop]
        late = self._late(hop, limit, relinked) if loosest > limit else relinked[:0]
        if graph.loops is not None:
            without = np.concatenate([relinked, late]) if len(late) else relinked
            return self._looped(hop, moved, entered, sources, messages, without, limit)
        targets, change, sizes, bounds = self._sums(hop, moved, entered, relinked, sources, messages)
        term, lacking, rounding = self._terms[hop].rows, self._lacking[hop].rows, self._rounding[hop].rows
        anew = [relinked, late]
        if len(late):
            kept = ~np.isin(targets, late)
            targets, change, sizes, bounds = targets[kept], change[kept], sizes[kept], bounds[kept]
        if limit:
            lacks = lacking[targets] + bounds
            stays = lacks <= limit * self._v(targets)
            lacking[targets[stays]] = lacks[stays] * np.float32(1 + 1e-6)  # the sum of lengths rounds too
            targets, change, sizes = targets[~stays], change[~stays], sizes[~stays]
        before_rows = np.take(term, targets, axis=0)  # several times faster than fancy indexing
        rows = before_rows + change
        lengths = self._exact_lengths(rows)
        rounds = rounding[targets] + np.float32(ROUNDING) * (lengths + sizes)
        is_anew = (rounds > self.most_rounding * lengths) | (
            lacking[targets] > np.float32(0.5) * np.float32(limit) * self._v(targets)
        )
        if hop < self.n_hops:
            # What is passed on is what the stored row moved by, rounding and all: so errors do not travel.
            change = np.subtract(rows, before_rows, out=before_rows)
        if is_anew.any():
            anew.append(targets[is_anew])
            targets, change, rows, rounds = targets[~is_anew], change[~is_anew], rows[~is_anew], rounds[~is_anew]
        term[targets], rounding[targets] = rows, rounds
        again = np.concatenate(anew)
        fresh = self._rows_anew(again, hop)
        difference = fresh - np.take(term, again, axis=0)
        if limit:  # what hardly moves stays, and lacks that much
            sizes = _lengths(difference)
            stays = sizes <= limit * self._v(again)
            lacking[again[stays]] = sizes[stays]
            again, fresh, difference = again[~stays], fresh[~stays], difference[~stays]
        term[again], lacking[again], rounding[again] = fresh, 0, 0
        places = np.concatenate([targets, again])
        return Moved(places, np.concatenate([change, difference]) if hop < self.n_hops else None)

    def _late(self, hop: int, limit: float, relinked: Integers) -> Integers:
        """The rows that were left further from the exact ones than they may be now."""
        is_late = self._lacking[hop].rows > limit * self._v(slice(None))
        is_late[relinked] = False
        return np.flatnonzero(is_late)

    def _looped(
        self,
        hop: int,
        moved: Moved,
        entered: Moved,
        sources: Integers,
        messages: Rows,
        without: Integers,
        limit: float,
    ) -> Moved:
        """The hop by compiled loops; the rows `without` are computed anew."""
        graph = self.graph
        assert graph.loops is not None
        loops, into, marks, change = graph.loops.hops, graph.columns.parts, graph.marks(), moved.change
        left, own, right = self.diagonals.left, self.diagonals.own, self.diagonals.right
        right = left[:0] if right is None else right
        term = self._terms[hop].rows
        width = term.shape[1] if self.width is None else self.width
        coefficient, scale = self._entering(hop), self._scale(hop)
        own_places = self._own_places(hop, moved, entered)
        targets = np.sort(loops.reached(sources, into, own_places, without, marks))
        entering = (entered.places if coefficient else entered.places[:0]), entered.change, coefficient
        moves = moved.places, change, *entering
        if limit:
            bounds_of = into, left, own, right, self._lacking[hop].rows, marks, np.float32(limit)
            targets = loops.staying(targets, sources, messages, *moves, *bounds_of)
        sums, sizes = loops.summed(targets, without, sources, messages, *moves, into, left, own, marks, width)
        bounds, rows = (self._lacking[hop].rows, self._rounding[hop].rows), graph.rows.parts
        limits, passes_on = (np.float32(limit), np.float32(self.most_rounding)), hop < self.n_hops
        arrays = self._terms[hop - 1].rows, scale, self._terms[0].rows, coefficient, term, *bounds, rows, left, own, right
        places, change = loops.settled(targets, without, sums, sizes, *arrays, *limits, width, passes_on)
        return Moved(places, change if passes_on else None)

    def _entering(self, hop: int) -> np.float32:
        """c_(K−k)."""
        coefficient: np.float32 = np.float32(self.coefficients[self.n_hops - hop])
        return coefficient

    def _scale(self, hop: int) -> np.float32:
        """What the rows before a hop are multiplied by: Y₀ is kept as X."""
        scale: np.float32 = np.float32(self.coefficients[-1] if hop == 1 else 1)
        return scale

    def _own_places(self, hop: int, moved: Moved, entered: Moved) -> Integers:
        return np.concatenate([moved.places, entered.places]) if hop > 1 and self._entering(hop) else moved.places

    def _messages(self, hop: int, moved: Moved, relinked: Integers, before: Rows | None) -> tuple[Integers, Rows]:
        """The nodes whose right·Y changed, and by what; a changed degree changes it too."""
        assert moved.change is not None
        if before is None:
            return moved.places, moved.change
        right = self.diagonals.right
        assert right is not None
        sources = np.union1d(moved.places, relinked)
        now = np.take(self._terms[hop - 1].rows, sources, axis=0) * self._scale(hop)
        change = np.zeros(now.shape, dtype=np.float32)
        change[np.searchsorted(sources, moved.places)] = moved.change
        old = right[sources]
        old[np.searchsorted(sources, relinked)] = before
        return sources, right[sources, None] * now - old[:, None] * (now - change)

    def _sums(
        self, hop: int, moved: Moved, entered: Moved, relinked: Integers, sources: Integers, messages: Rows
    ) -> tuple[Integers, Rows, Rows, Rows]:
        """c·ΔX + P·ΔY of the rows that are summed up: those that average over a source, and the moved ones themselves.

        Beside it Σ P·‖Δy‖ in the exact columns, which the rounding of the sum is a part of, and which is large where large
        changes cancel, and the same in all columns, which the sum is no longer than.
        """
        assert moved.change is not None
        listed = self.graph.columns.take(sources)
        targets = self._distinct(listed.columns, self._own_places(hop, moved, entered), relinked)
        number = self.graph.marks()
        number[targets] = np.arange(len(targets), dtype=np.int32)
        number[relinked] = len(targets)  # computed anew: what is summed for them is dropped
        left, own = self.diagonals.left, self.diagonals.own
        entries = listed.weights * left[listed.columns], number[listed.columns], listed.offsets.astype(np.int32)
        matrix, places = sp.csc_array(entries, shape=(len(targets) + 1, len(sources))), number[moved.places]
        coefficient, entering = self._entering(hop), number[entered.places]
        number[targets] = number[relinked] = 0
        sums = matrix @ messages
        np.abs(matrix.data, out=matrix.data)
        sizes, bounds = matrix @ self._exact_lengths(messages), matrix @ _lengths(messages)
        sums[places] += own[moved.places, None] * moved.change  # several may be dropped, all else are one each
        sizes[places] += np.abs(own[moved.places]) * self._exact_lengths(moved.change)
        bounds[places] += np.abs(own[moved.places]) * _lengths(moved.change)
        if coefficient:
            assert entered.change is not None
            sums[entering] += coefficient * entered.change
            sizes[entering] += np.abs(coefficient) * self._exact_lengths(entered.change)
            bounds[entering] += np.abs(coefficient) * _lengths(entered.change)
        return targets, sums[:-1], sizes[:-1], bounds[:-1]

    def _distinct(self, columns: NDArray[np.int32], moved: Integers, without: Integers) -> Integers:
        """The nodes of both, each once, without some."""
        if (len(columns) + len(moved)) * DISTINCT_SHARE < len(self.graph):
            return np.setdiff1d(np.concatenate([columns.astype(np.int64), moved]), without)
        is_there = np.zeros(len(self.graph), dtype=bool)
        is_there[columns] = True
        is_there[moved] = True
        is_there[without] = False
        return np.flatnonzero(is_there)

    def _rows_anew(self, places: Integers, hop: int) -> Rows:
        """Y_hop[places]."""
        previous = self._terms[hop - 1].rows
        left, own, right = self.diagonals.left, self.diagonals.own, self.diagonals.right
        listed = self.graph.rows.take(places)
        weights = listed.weights if right is None else listed.weights * right[listed.columns]
        offsets = listed.offsets.astype(np.int32)
        matrix = sp.csr_array((weights, listed.columns, offsets), shape=(len(places), len(self.graph)))
        rows: Rows = matrix @ previous
        rows *= left[places, None]
        rows += own[places, None] * np.take(previous, places, axis=0)
        rows *= self._scale(hop)
        rows += self._entering(hop) * np.take(self._terms[0].rows, places, axis=0)
        return rows

    def _whole(self, hop: int) -> Moved:
        """Y_k for all rows. A row sums the same numbers in the same order each time: where none changed, it stays."""
        fresh, old = self._whole_hop(hop), self._terms[hop].rows
        is_moved = np.empty(len(old), dtype=bool)
        for start in range(0, len(old), ROW_BLOCK):
            block, here = slice(start, start + ROW_BLOCK), fresh[start : start + ROW_BLOCK]
            is_moved[block] = (here != old[block]).any(axis=1)
            old[block] = here
        self._lacking[hop].rows[:], self._rounding[hop].rows[:], self._loosest[hop] = 0, 0, 0.0
        return Moved(np.flatnonzero(is_moved), None, is_whole=True)

    def _whole_hop(self, hop: int) -> Rows:
        left, own = (as_tensor(diagonal, CPU)[:, None] for diagonal in (self.diagonals.left, self.diagonals.own))
        Y, right = as_tensor(self._terms[hop - 1].rows, CPU), self.diagonals.right
        sums = SparseMatrix(self.graph.rows.csr(), CPU) @ (Y if right is None else Y * as_tensor(right, CPU)[:, None])
        hopped: Rows = sums.mul_(left).addcmul_(Y, own).mul_(float(self._scale(hop))).numpy()
        if self._entering(hop):
            hopped += self._entering(hop) * self._terms[0].rows
        return hopped

    def _exact_lengths(self, rows: Rows) -> Rows:
        """Lengths of rows in the columns that are exact."""
        return _lengths(rows if self.width is None else rows[:, : self.width])

    def _v(self, places: Any) -> Any:
        right = self.diagonals.right
        return 1.0 if right is None else 1 / right[places]

    def _limits(self, relinked: Integers, tolerance: float) -> list[float]:
        """The bound on r_k/v_i for each hop."""
        if not tolerance:
            return [0.0] * len(self.coefficients)
        if self.diagonals.right is not None:
            among = slice(None) if not self._largest_v else relinked
            largest = float(np.max(self._v(among), initial=1.0))
            if largest > self._largest_v:  # a power of two: rows that were left are looked through again at few of them
                self._largest_v = 2.0 ** math.ceil(math.log2(largest))
        else:
            self._largest_v = 1.0
        share = tolerance / (max(self.n_hops, 1) * self._largest_v)
        return [0.0, *(share for _ in self.coefficients[1:])]


def _lengths(rows: Rows) -> Rows:
    wide = rows.astype(np.float64)  # so that the order of the sum does not matter: compiled loops have another
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", wide, wide)), np.float32)
