"""The half-life of edges, chosen by how well earlier edges predict later ones.

The last fifth of the edges (of the latest 200,000) is held out, those between nodes that were known before; and then the
last tenth, since where the last fifth begins may be amid a burst of edges, or long ago. For each of some half-lives the
earlier edges, aged by it, give every node a place (`features.places`), averaged over two hops as the structure is;
the AUC is the chance that the target of a later edge is nearer to its source, by the cosine, than a node that is drawn by
its degree. Half-lives are powers of two of the span of time, from a 256th to the whole, and no ageing. Each counts by how
well its figure f, smoothed over its neighbours, may be the best one, exp(−((f* − f)/s)²/2) with s the standard error of an
AUC, and the half-life is their mean, of the logarithms: where figures hardly differ, none of them is left out by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph.times import say_duration

MOST_EDGES = 200_000
HELD_OUT = (0.2, 0.1)  # of the edges, the latest
RANKS_DEVIATION = 0.29  # of ranks between 0 and 1 at random
LEAST_HELD_OUT = 100  # edges: the AUC of fewer says little
N_DRAWN = 5  # other targets for each source
SHARES = tuple(2.0**-power for power in range(8, -1, -1))  # of the span of time


def choose_half_life(
    i: NDArray[np.int64], j: NDArray[np.int64], times: NDArray[np.float64], *, is_calendar: bool
) -> tuple[float, tuple[str, ...]]:
    """(the half-life, infinite for none; what to say of it)."""
    order = np.argsort(times, kind="stable")[-MOST_EDGES:]
    i, j, times = i[order], j[order], times[order]
    is_edge = i != j
    i, j, times = i[is_edge], j[is_edge], times[is_edge]
    span = float(times[-1] - times[0]) if len(times) else 0.0
    trials = []
    for share in HELD_OUT if span > 0 else ():
        trial = _Trial.of(i, j, times, int(len(times) * (1 - share)))
        trials += [trial] if trial is not None and trial.n_held_out >= LEAST_HELD_OUT else []
    if not trials:
        return np.inf, ("Edges do not age: too few of them, by time, to choose a half-life from. half_life=… sets one.",)
    half_lives = [*(span * share for share in SHARES), np.inf]
    figures = np.mean([[trial.auc(one) for one in half_lives] for trial in trials], axis=0)
    smooth, error = _smoothed(figures), RANKS_DEVIATION / np.sqrt(max(trial.n_held_out for trial in trials))
    place = np.average(np.arange(len(half_lives)), weights=np.exp(-(((smooth.max() - smooth) / error) ** 2) / 2))
    best = float(span * 2.0 ** (place - len(SHARES) + 1)) if place < len(SHARES) - 0.5 else np.inf  # none is the last place
    said = ", ".join(
        f"{say_duration(half_life, is_calendar=is_calendar)} {figure:.1%}"
        for half_life, figure in zip(half_lives, figures, strict=True)
    )
    chosen = say_duration(best, is_calendar=is_calendar)
    return best, (f"Half-life {chosen}, by how well earlier edges predict later ones (AUC): {said}.",)


@dataclass(frozen=True)
class _Trial:
    """Earlier edges, and later ones between the same nodes with nodes that were drawn in place of their targets."""

    n_nodes: int
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    times: NDArray[np.float64]
    held_out: NDArray[np.int64]  # (m, 2)
    drawn: NDArray[np.int64]  # (N_DRAWN, m)

    @classmethod
    def of(cls, i: NDArray[np.int64], j: NDArray[np.int64], times: NDArray[np.float64], n_earlier: int) -> _Trial | None:
        ends = np.concatenate([i[:n_earlier], j[:n_earlier]])
        known, numbers = np.unique(ends, return_inverse=True)
        if not len(known):
            return None
        later = np.stack([i[n_earlier:], j[n_earlier:]], axis=1)
        later = np.searchsorted(known, later[np.isin(later, known).all(axis=1)])
        degrees = np.bincount(numbers, minlength=len(known)).astype(np.float64)
        drawn = np.random.default_rng(0).choice(len(known), size=(N_DRAWN, len(later)), p=degrees / degrees.sum())
        return cls(len(known), numbers[:n_earlier], numbers[n_earlier:], times[:n_earlier], later, drawn)

    @property
    def n_held_out(self) -> int:
        return len(self.held_out)

    def auc(self, half_life: float) -> float:
        """The chance that a later target is nearer than a drawn one, ties counting half."""
        Z = self._vectors(half_life)
        sources = Z[self.held_out[:, 0]]
        found = np.einsum("ij,ij->i", sources, Z[self.held_out[:, 1]])
        others = np.concatenate([np.einsum("ij,ij->i", sources, Z[targets]) for targets in self.drawn])
        others.sort()
        below = np.searchsorted(others, found) + np.searchsorted(others, found, side="right")
        return float(below.mean() / (2 * len(others)))

    def _vectors(self, half_life: float) -> NDArray[np.float32]:
        """Places, averaged over two hops, of length 1."""
        from sparsecut.features.places import Places  # imports torch
        from sparsecut.kernels.sparse import between_diagonals

        weights = np.exp2((self.times - self.times[-1]) / half_life)
        ends = np.concatenate([self.sources, self.targets]), np.concatenate([self.targets, self.sources])
        A = sp.coo_array((np.tile(weights, 2), ends), shape=(self.n_nodes, self.n_nodes)).tocsr().astype(np.float32)
        A.eliminate_zeros()
        A.sort_indices()
        ids = np.arange(self.n_nodes)
        rows = Places.fit(A, ids, is_aged=True).rows(A, ids)
        shares = 1 / (1 + A.sum(axis=1, dtype=np.float64))
        P = between_diagonals(A, shares, None, shares)
        rows = P @ (P @ rows)
        rows -= rows.mean(axis=0)
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)


def _smoothed(figures: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.concatenate([figures[:1], figures, figures[-1:]])
    return np.asarray(padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4)
