"""Parts improved by moving single nodes, and parts brought within their bounds.

What is minimised, of parts P with cut(P) edges leaving them and volumes vol(P) out of M:

    cut            Σ cut(P) / 2
    conductance    the mean of cut(P) / min(vol P, M − vol P)
    modularity     −Σ (within(P)/M − (vol(P)/M)²), within(P) = vol(P) − cut(P)

A move changes two parts alone, so its gain follows from the node's weight into each.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.cuts.objective import Mask, Real, smaller_side, totals

Members = NDArray[np.int64]

MAX_PASSES = 10


def worth(A: sp.csr_array, members: Members, count: int, objective: str) -> float:
    """The value of parts, the smaller the better."""
    cuts, volumes = cuts_and_volumes(A, members, count)
    if objective == "cut":
        return float(cuts.sum() / 2)
    total = max(float(volumes.sum()), 1e-300)
    if objective == "conductance":
        return float(np.mean(smaller_side(cuts, volumes, total)))
    return -float(((volumes - cuts) / total - (volumes / total) ** 2).sum())


def cuts_and_volumes(A: sp.csr_array, members: Members, count: int) -> tuple[Real, Real]:
    """The weight of the edges that leave each part, and the sum of its degrees."""
    rows = np.repeat(members, np.diff(A.indptr))
    weights = A.data.astype(np.float64)
    volumes = totals(rows, weights, count)
    return np.maximum(volumes - totals(rows, np.where(rows == members[A.indices], weights, 0.0), count), 0.0), volumes


def move_nodes(A: sp.csr_array, members: Members, objective: str, weights: Real, most: float, held: Mask) -> Members:
    """The parts after moving nodes of their borders one by one, each to the part where the objective gains most."""
    count = int(members.max()) + 1
    cuts, volumes = (array.tolist() for array in cuts_and_volumes(A, members, count))
    total = max(sum(volumes), 1e-300)
    loads, sizes = totals(members, weights, count).tolist(), np.bincount(members, minlength=count).tolist()
    part = members.tolist()
    degrees = np.asarray(A.sum(axis=1), dtype=np.float64).ravel().tolist()

    def value(cut: float, volume: float) -> float:
        if objective == "modularity":
            return float(cut / total + (volume / total) ** 2)
        size = min(volume, total - volume) if objective == "conductance" else 1.0
        return float(cut / size) if size > 0 else math.inf

    for _ in range(MAX_PASSES):
        current = np.array(part)
        crossing = np.repeat(current, np.diff(A.indptr)) != current[A.indices]
        border = np.unique(np.repeat(np.arange(len(part)), np.diff(A.indptr))[crossing])
        n_moved = 0
        for node in border[~held[border]].tolist():
            own, degree = part[node], degrees[node]
            if sizes[own] == 1:
                continue
            links: dict[int, float] = {}
            first, last = A.indptr[node], A.indptr[node + 1]
            for other, weight in zip(A.indices[first:last].tolist(), A.data[first:last].tolist(), strict=True):
                links[part[other]] = links.get(part[other], 0.0) + weight
            left = (cuts[own] - degree + 2 * links.get(own, 0.0), volumes[own] - degree)
            saved = value(cuts[own], volumes[own]) - value(*left)
            best, goal, joined = 1e-12, -1, (0.0, 0.0)
            for target, link in links.items():
                if target == own or loads[target] + weights[node] > most * (1 + 1e-9):
                    continue
                grown = (cuts[target] + degree - 2 * link, volumes[target] + degree)
                gain = saved + value(cuts[target], volumes[target]) - value(*grown)
                if gain > best:
                    best, goal, joined = gain, target, grown
            if goal >= 0:
                (cuts[own], volumes[own]), (cuts[goal], volumes[goal]) = left, joined
                loads[own], loads[goal] = loads[own] - weights[node], loads[goal] + weights[node]
                sizes[own], sizes[goal] = sizes[own] - 1, sizes[goal] + 1
                part[node] = goal
                n_moved += 1
        if not n_moved:
            break
    return np.array(part, dtype=np.int64)


def keep_bounds(A: sp.csr_array, members: Members, count: int, weights: Real, most: float, fixed: Members | None) -> Members:
    """The parts with fixed nodes in theirs, none empty, and none too heavy where the others have room."""
    members = members.copy()
    held = np.zeros(len(members), dtype=bool)
    if fixed is not None:
        held = fixed >= 0
        if (members[held] != fixed[held]).any():
            members = _named_by(members, fixed, weights, count)
    sizes = np.bincount(members, minlength=count)
    for empty in np.flatnonzero(sizes == 0).tolist():
        nodes = np.flatnonzero((sizes[members] > 1) & ~held)
        if not len(nodes):
            break
        node = int(nodes[np.argmax(totals(members, weights, count)[members[nodes]])])
        sizes[members[node]] -= 1
        members[node], sizes[empty] = empty, 1
    loads = totals(members, weights, count)
    for part in np.flatnonzero(loads > most * (1 + 1e-9)).tolist():
        _unload(A, members, part, loads, sizes, weights, most, held)
    return members


def _named_by(members: Members, fixed: Members, weights: Real, count: int) -> Members:
    """Parts renamed so that most of the fixed weight is where it must be, and the rest of it moved there."""
    from scipy.optimize import linear_sum_assignment

    held = fixed >= 0
    shared = np.zeros((count, count))
    np.add.at(shared, (members[held], fixed[held]), weights[held])
    rows, columns = linear_sum_assignment(-shared)
    names = np.empty(count, dtype=np.int64)
    names[rows] = columns
    return np.where(held, fixed, names[members])


def _unload(
    A: sp.csr_array,
    members: Members,
    part: int,
    loads: Real,
    sizes: NDArray[np.int64],
    weights: Real,
    most: float,
    held: Mask,
) -> None:
    """Move nodes out of a part that is too heavy, those first that lose the fewest edges, as long as others have room."""
    count = len(loads)
    nodes = np.flatnonzero((members == part) & ~held)
    H = sp.csr_array((np.ones(len(members)), members, np.arange(len(members) + 1)), shape=(len(members), count))
    links = (A[nodes] @ H).toarray()  # (nodes of the part, parts)
    gains = links - links[:, [part]]
    gains[:, part] = -np.inf
    for node, row in ((int(nodes[at]), gains[at]) for at in np.argsort(-gains.max(axis=1), kind="stable")):
        if loads[part] <= most * (1 + 1e-9) or sizes[part] == 1:
            return
        fits = np.flatnonzero((loads + weights[node] <= most * (1 + 1e-9)) & np.isfinite(row))
        if len(fits):
            goal = int(fits[np.lexsort((loads[fits], -row[fits]))[0]])
            members[node] = goal
            loads[part], loads[goal] = loads[part] - weights[node], loads[goal] + weights[node]
            sizes[part], sizes[goal] = sizes[part] - 1, sizes[goal] + 1
