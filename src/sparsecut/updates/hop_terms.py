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

With a tolerance a row may stay where it is while what it lacks, R_k = c_(K−k)·X + P·Y_(k−1) − Y_k, is short. R_k is kept
(`missing`): what many changes add to a row points in all directions, so that their sum stays short far longer than the sum
of their lengths would, and a row that moves is moved by it, with no neighbour read. `lacking` bounds the lengths of its
rows: the length of what is added is added to it, and the row itself is only measured where that says too much.
A row that lacks too much moves in its leading columns, and the rest of what it lacks stays where that is short
(`leading_columns`).

With v = 1/right (v = 1 for the mean) every filter here has P·v ≤ v, so that ‖P·X‖_v ≤ ‖X‖_v for ‖X‖_v = max ‖x_i‖/v_i. The
error of Y_k is E_k = P·E_(k−1) − R_k, that of Z

    ‖E‖_v = ‖Σ_k P^(K−k)·R_k‖_v ≤ Σ_k max_i ‖R_k[i]‖/v_i.

So ‖R_k[i]‖ ≤ ε_k·v_i/max v with Σ ε_k = ε holds every row of Z within ε of the exact one, however many changes there were.
The coefficients do not enter: the powers P^k X one by one would lack Σ_k |c_k| times as much, 8.5 for PageRank with restart
0.1 in its fewest hops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.kernels.entries import entries_on
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.filters import Filter
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.growing import GrowingArray
from sparsecut.updates.leading_columns import leading
from sparsecut.updates.matrix_diagonals import MatrixDiagonals

ROUNDING = 2.0**-24  # of float32
MOST_ROUNDING = 32 * ROUNDING  # of a row's length: where sums may have rounded by more the row is computed anew
WHOLE_SHARE = 0.4  # of the graph's entries: a hop that reads more of them is computed for all rows
ENTRIES_AT_ONCE = 1 << 18  # of a hop for all rows
ROW_BLOCK = 4096  # rows compared at a time, within a core's own cache
LONG = 4  # hops: from there on those in the middle get most of a tolerance
DISTINCT_SHARE = 32  # nodes for each entry: where there are more, entries are sorted in place of marking nodes

Integers = NDArray[np.int64]
NOBODY = np.empty(0, dtype=np.int64)
Rows = NDArray[np.float32]
CPU = torch.device("cpu")
Lacking = Sequence[tuple[Rows | None, Rows | None]]  # R and the lengths of its rows, for each hop; None where it is 0


@dataclass(frozen=True)
class Moved:
    """Places whose rows changed, and the change; None where it is not kept: of the last hop, or of one for all rows."""

    places: Integers
    change: Rows | None


@dataclass(frozen=True)
class Followed:
    """What an update did to Z: the places that moved, and the number of hops for all rows."""

    places: Integers
    n_whole: int


class HopTerms:
    """X and Y₁ … Y_K of one polynomial of one matrix P."""

    most_rounding: float = MOST_ROUNDING
    whole_share: float = WHOLE_SHARE

    def __init__(
        self,
        graph: ChangingGraph,
        filter: Filter,
        coefficients: Polynomial,
        X: Rows,
        diagonals: MatrixDiagonals | None = None,
    ) -> None:
        self.graph, self.coefficients = graph, coefficients
        self.diagonals = MatrixDiagonals(graph, filter) if diagonals is None else diagonals
        self._terms = [GrowingArray(np.ascontiguousarray(X, dtype=np.float32))]
        for hop in range(1, self.n_hops + 1):
            self._terms.append(GrowingArray(self._whole_hop(hop)))
        self._missing: list[GrowingArray] = []  # R₁ … R_K, behind X's place; made by the first tolerance
        self._lacking = [GrowingArray(np.zeros(len(X), dtype=np.float32)) for _ in coefficients]  # their rows' lengths
        self._rounding = [GrowingArray(np.zeros(len(X), dtype=np.float32)) for _ in coefficients]  # e_k
        self._loosest = [0.0] * len(coefficients)  # the largest ε v-scaled that rows were left at
        self._largest_v = 0.0

    @classmethod
    def restored(
        cls,
        graph: ChangingGraph,
        coefficients: Polynomial,
        terms: list[Rows],
        missing: Lacking,
        rounding: list[Rows],
        diagonals: MatrixDiagonals,
    ) -> HopTerms:
        """The terms as they were saved, with what they lack, None where it is nothing, and the bounds `rounding`."""
        known = object.__new__(cls)
        known._missing = []
        known.graph, known.coefficients, known.diagonals = graph, coefficients, diagonals
        none = np.zeros(len(terms[0]), dtype=np.float32)  # X lacks nothing
        known._terms = [GrowingArray(rows) for rows in terms]
        known._lacking = [GrowingArray(none.copy()) for _ in coefficients]
        known._loosest = [0.0] * len(coefficients)
        for hop, (rows, lengths) in enumerate(missing, start=1):
            if rows is not None and lengths is not None:
                known._missing_rows(hop)
                known._missing[hop], known._lacking[hop] = GrowingArray(rows), GrowingArray(lengths)
                known._loosest[hop] = math.inf
        known._rounding = [GrowingArray(bounds) for bounds in (none.copy(), *rounding)]
        known._largest_v = 0.0
        return known

    @cached_property
    def _single(self) -> Rows:
        """The coefficients as products read them."""
        return np.array(self.coefficients, dtype=np.float32)

    @property
    def n_hops(self) -> int:
        return len(self.coefficients) - 1

    @property
    def terms(self) -> list[Rows]:
        """X, Y₁ … Y_K."""
        return [term.rows for term in self._terms]

    @property
    def missing(self) -> list[Rows]:
        """R₁ … R_K; none where every row is exact."""
        return [rows.rows for rows in self._missing[1:]]

    @property
    def lacking(self) -> list[Rows]:
        """Bounds on the lengths of the rows of R₁ … R_K: what was summed since they were last computed is added to them."""
        return [bounds.rows for bounds in self._lacking[1:]]

    @property
    def rounding(self) -> list[Rows]:
        """e₁ … e_K."""
        return [bounds.rows for bounds in self._rounding[1:]]

    @property
    def n_bytes(self) -> int:
        return sum(rows.nbytes for rows in (*self.terms, *self.missing))

    def extend(self, n_nodes: int) -> None:
        """Nodes at the end; `update` must be given their rows."""
        for term, *bounds in zip(self._terms, self._lacking, self._rounding, strict=True):
            term.extend(np.zeros((n_nodes, term.rows.shape[1]), dtype=np.float32))
            for bound in bounds:
                bound.extend(np.zeros(n_nodes, dtype=np.float32))
        for missing in self._missing[1:]:
            missing.extend(np.zeros((n_nodes, missing.rows.shape[1]), dtype=np.float32))

    def level(self, places: Integers | None) -> Rows:
        """Z of some places, or of all, which is then only to be read."""
        whole = self._terms[-1].rows
        rows: Rows = whole if places is None else np.take(whole, places, axis=0)
        return rows if self.n_hops else rows * np.float32(self.coefficients[0])

    def update(self, relinked: Integers, places: Integers, X: Rows, tolerance: float) -> Followed:
        """Follow a change: nodes whose lists changed, and new rows of X; the graph has changed already."""
        before = self.diagonals.follow(relinked)
        limits = self._limits(relinked, tolerance)
        change = X
        if len(places):
            first = self._terms[0].rows
            change = X - np.take(first, places, axis=0)
            is_moved = change.any(axis=1)
            if not is_moved.all():  # counts around a node are computed for all that may have changed, of which few have
                places, X, change = places[is_moved], X[is_moved], change[is_moved]
            first[places] = X
        entered = Moved(places, change)
        moved = Moved(places, change * self._single[-1])
        return self._followed(moved, entered, relinked, before, limits)

    def packed(self, graph: ChangingGraph, diagonals: MatrixDiagonals, places: Integers) -> HopTerms:
        """The terms of the nodes at `places`, in that order, numbered from 0."""
        terms, rounding = ([rows[places] for rows in kept] for kept in (self.terms, self.rounding))
        missing = [(rows[places], lengths[places]) for rows, lengths in zip(self.missing, self.lacking, strict=False)]
        return HopTerms.restored(graph, self.coefficients, terms, missing, rounding, diagonals)

    def _followed(
        self, moved: Moved, entered: Moved, relinked: Integers, before: Rows | None, limits: list[float]
    ) -> Followed:
        """All hops, from the moves of Y₀ and those of X (`entered`)."""
        hop, follow = 1, self._one_hop if self.graph.loops is None else self._looped
        n_done = 1
        while n_done and hop <= self.n_hops:  # none is done that would read most of the graph, nor those behind it
            n_done, moved = follow(hop, moved, entered, relinked, before, limits)
            hop += n_done
        for whole in range(hop, self.n_hops + 1):
            moved = self._whole(whole)
        return Followed(moved.places, self.n_hops + 1 - hop)

    def _most_read(self) -> float:
        """The entries that a hop may read, beyond which it is computed for all rows."""
        return self.whole_share * (self.graph.n_entries + len(self.graph))

    def _one_hop(
        self, hop: int, moved: Moved, entered: Moved, relinked: Integers, before: Rows | None, limits: list[float]
    ) -> tuple[int, Moved]:
        """Y_hop in numpy; (1, what moved), or (0, …) where it reads too much."""
        graph, limit = self.graph, limits[hop]
        sources, messages = self._messages(hop, moved, relinked, before)
        n_read = int(graph.columns.count[sources].sum()) + int(graph.rows.count[relinked].sum()) + len(sources)
        if n_read > self._most_read():
            return 0, moved
        late = self._late(hop, limit, relinked)
        self._loosest[hop] = limit
        without = np.concatenate([relinked, late])
        targets, owed, sizes = self._sums(hop, moved, entered, without, sources, messages, limit)
        term, lacking, rounding = self._terms[hop].rows, self._lacking[hop].rows, self._rounding[hop].rows
        if limit:
            missing, most = self._missing_rows(hop), limit * self._v(targets)
            missing[targets], lengths = owed, lacking[targets] + sizes
            is_long = lengths > most  # by the lengths of what was summed, which may point in all directions
            lengths[is_long] = _lengths(owed[is_long])
            lacking[targets] = lengths
            rounding[targets] += np.float32(ROUNDING) * (sizes + lengths)
            moves = lengths > most
            targets, owed, sizes = targets[moves], owed[moves], np.zeros(int(moves.sum()), dtype=np.float32)
            stops, lacking[targets] = leading(owed, most[moves] if np.ndim(most) else most)
            stays = np.arange(owed.shape[1]) >= stops[:, None]
            missing[targets], owed[stays] = owed * stays, 0
        before_rows = np.take(term, targets, axis=0)  # several times faster than fancy indexing
        rows = before_rows + owed
        lengths = _lengths(rows)
        rounds = rounding[targets] + np.float32(ROUNDING) * (lengths + sizes)
        is_anew, change = rounds > self.most_rounding * lengths, owed
        if hop < self.n_hops:
            # What is passed on is what the stored row moved by, rounding and all: so errors do not travel.
            change = np.subtract(rows, before_rows, out=before_rows)
        again = without
        if is_anew.any():
            again = np.concatenate([without, targets[is_anew]])
            targets, change, rows, rounds = targets[~is_anew], change[~is_anew], rows[~is_anew], rounds[~is_anew]
        term[targets], rounding[targets] = rows, rounds
        fresh = self._rows_anew(again, hop)
        difference = fresh - np.take(term, again, axis=0)
        rounding[again] = 0
        if limit:  # what hardly moves stays, and lacks that much
            sizes = _lengths(difference)
            stays = sizes <= limit * self._v(again)
            missing[again], lacking[again] = difference * stays[:, None], sizes * stays
            again, fresh, difference = again[~stays], fresh[~stays], difference[~stays]
        elif len(late):
            self._missing_rows(hop)[late], lacking[late] = 0, 0
        term[again] = fresh
        places = np.concatenate([targets, again])
        return 1, Moved(places, np.concatenate([change, difference]) if hop < self.n_hops else None)

    def _missing_rows(self, hop: int) -> Rows:
        """R_hop; pages of zeros that nobody has written to take no memory."""
        if not self._missing:
            none = self._terms[0].rows[:0]
            zeros = (np.zeros(term.shape, dtype=np.float32) for term in self.terms[1:])
            self._missing = [GrowingArray(none), *map(GrowingArray, zeros)]
        return self._missing[hop].rows

    def _late(self, hop: int, limit: float, relinked: Integers) -> Integers:
        """The rows that were left further from the exact ones than they may be now."""
        if self._loosest[hop] <= limit:
            return relinked[:0]
        is_late = self._lacking[hop].rows > limit * self._v(slice(None))
        is_late[relinked] = False
        return np.flatnonzero(is_late)

    def _looped(
        self, first: int, moved: Moved, entered: Moved, relinked: Integers, before: Rows | None, limits: list[float]
    ) -> tuple[int, Moved]:
        """The hops from `first` on by compiled loops, as far as none reads too much; (how many, what moved)."""
        graph = self.graph
        assert graph.loops is not None
        loops, right = graph.loops.hops, self.diagonals.right
        hops = range(first, min(first + loops.MOST_HOPS, self.n_hops + 1))
        without, ends, loosest = relinked, NOBODY, self._loosest
        if any(before > now for before, now in zip(loosest[first:], limits[first : hops.stop], strict=False)):
            parts = [np.concatenate([relinked, self._late(hop, limits[hop], relinked)]) for hop in hops]
            without, ends = np.concatenate(parts), np.cumsum([0, *map(len, parts)])
        diagonals = self.diagonals.left, self.diagonals.own, self.diagonals.left[:0] if right is None else right
        if any(limits):
            self._missing_rows(1)
        n_most, kept, X = loops.MOST_HOPS + 1, slice(first - 1, hops.stop), self._terms[0].rows
        beyond, none, no_bounds = [X[:0]] * (n_most - len(hops) - 1), [X[:0]] * n_most, [self._lacking[0].rows[:0]]
        no_bounds *= len(beyond)
        n_done, places, change = loops.follow(
            first - 1,
            X,
            moved.places,
            moved.change,
            entered.places,
            entered.change,
            relinked,
            diagonals[2][:0] if before is None else before,
            without,
            ends,
            self._single,
            np.array(limits[first : hops.stop], dtype=np.float32),
            (*[term.rows for term in self._terms[kept]], *beyond),
            (*[rows.rows for rows in self._missing[kept]], *beyond) if self._missing else tuple(none),
            (*[bounds.rows for bounds in self._lacking[kept]], *no_bounds),
            (*[bounds.rows for bounds in self._rounding[kept]], *no_bounds),
            graph.columns.parts,
            graph.rows.parts,
            diagonals,
            graph.marks(),
            self._most_read(),
            np.float32(self.most_rounding),
        )
        self._loosest[first : first + n_done] = limits[first : first + n_done]
        return n_done, Moved(places, change)

    def _entering(self, hop: int) -> np.float32:
        """c_(K−k)."""
        coefficient: np.float32 = self._single[self.n_hops - hop]
        return coefficient

    def _scale(self, hop: int) -> np.float32:
        """What the rows before a hop are multiplied by: Y₀ is kept as X."""
        scale: np.float32 = self._single[-1] if hop == 1 else np.float32(1)
        return scale

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
        self,
        hop: int,
        moved: Moved,
        entered: Moved,
        without: Integers,
        sources: Integers,
        messages: Rows,
        limit: float,
    ) -> tuple[Integers, Rows, Rows]:
        """What c·ΔX + P·ΔY adds to the rows that it reaches, behind what they lacked.

        Places, in the order in which they are reached, sums, and Σ P·‖Δy‖, which the rounding of a sum is a part of, and
        which is large where large changes cancel.
        """
        assert moved.change is not None
        listed, coefficient = self.graph.columns.take(sources), self._entering(hop)
        entering = entered.places if coefficient else entered.places[:0]
        found, first = np.unique(np.concatenate([listed.columns, moved.places, entering]), return_index=True)
        targets = found[np.argsort(first)].astype(np.int64)
        targets = targets[~np.isin(targets, without)]
        number = np.full(len(self.graph), len(targets))  # the last: those computed anew, of which the sum is dropped
        number[targets] = np.arange(len(targets))
        left, own = self.diagonals.left, self.diagonals.own
        shape, starts = (len(targets) + 1, len(targets) + len(sources)), np.arange(len(targets))
        columns = np.concatenate([starts, number[listed.columns]])
        weights = np.concatenate([np.ones(len(targets), np.float32), listed.weights * left[listed.columns]])
        matrix = sp.csc_array((weights, columns, np.concatenate([starts, len(targets) + listed.offsets])), shape=shape)
        there = np.zeros((len(targets), messages.shape[1]), np.float32)
        if limit:
            np.take(self._missing_rows(hop), targets, axis=0, out=there)
        sums = matrix @ np.concatenate([there, messages])
        np.abs(matrix.data, out=matrix.data)
        sizes = matrix @ np.concatenate([np.zeros(len(targets), np.float32), _lengths(messages)])
        places, entries = number[moved.places], number[entering]
        sums[places] += own[moved.places, None] * moved.change  # several may be dropped, all else are one each
        sizes[places] += np.abs(own[moved.places]) * _lengths(moved.change)
        if coefficient:
            assert entered.change is not None
            sums[entries] += coefficient * entered.change
            sizes[entries] += np.abs(coefficient) * _lengths(entered.change)
        return targets, sums[:-1], sizes[:-1]

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
        if self._missing:
            self._missing[hop].rows[:] = 0
        return Moved(np.flatnonzero(is_moved), None)

    def _whole_hop(self, hop: int) -> Rows:
        return self._hopped(self._terms[hop - 1].rows, self._terms[0].rows, hop)

    def smoothed(self, X: Rows) -> Rows:
        """Σ c_k P^k X of other rows X, of all nodes; nothing of it is kept."""
        Y = X if self.n_hops else X * self._single[0]
        for hop in range(1, self.n_hops + 1):
            Y = self._hopped(Y, X, hop)
        return Y

    def _hopped(self, previous: Rows, X: Rows, hop: int) -> Rows:
        """c_(K−k)·X + P·Y_(k−1), in memory of numpy's, which asks for large pages: rows in no order are found faster.

        Some rows after the other, so that what is between takes the same little memory each time.
        """
        left, own = (as_tensor(diagonal, CPU)[:, None] for diagonal in (self.diagonals.left, self.diagonals.own))
        Y, right, entering = as_tensor(previous, CPU), self.diagonals.right, self._entering(hop)
        scaled, hopped = Y if right is None else Y * as_tensor(right, CPU)[:, None], np.empty_like(previous)
        for rows, entries in entries_on(self.graph.rows.csr(), CPU).parts(ENTRIES_AT_ONCE):
            sums = (entries @ scaled).mul_(left[rows])
            averaged = sums.addcmul_(Y[rows], own[rows]).mul_(float(self._scale(hop))).numpy()
            if entering:
                np.add(np.multiply(X[rows], entering, out=hopped[rows]), averaged, out=hopped[rows])
            else:
                hopped[rows] = averaged
        return hopped

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
        shares = tolerance_shares(self.n_hops)
        return [0.0, *(tolerance * share / self._largest_v for share in shares)]


@cache
def tolerance_shares(n_hops: int) -> tuple[float, ...]:
    """What each hop gets of a tolerance.

    In a long filter the first two get none, for they reach few rows and leave none of them where it is, and the last one
    half as much as those between: what it moves is passed on no further.
    """
    weights = [1.0] * n_hops if n_hops < LONG else [*(0.0,) * 2, *(1.0,) * (n_hops - 3), 0.5]
    return tuple(weight / sum(weights) for weight in weights)


def _lengths(rows: Rows) -> Rows:
    wide = rows.astype(np.float64)  # so that the order of the sum does not matter: compiled loops have another
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", wide, wide)), np.float32)
