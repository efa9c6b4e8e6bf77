"""Better cuts by single moves: the pass of Fiduccia and Mattheyses (1982), with the sparsity itself as the goal.

Flow finds the best set among many at once, but only where it can be bounded by an inner and an outer set; in a dense random
graph, and where a balance must be kept to the node, it proposes nothing useful. Here nodes change sides one after the other,
each at most once, always the move that leaves the best value, even if that is worse than before; the best moment is kept.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from sparsecut.cuts.objective import CutProblem, Mask

MAX_TOUCHED = 1_000_000  # edges looked at in one call: a second or two, however large and dense the graph is
PATIENCE = 150  # moves without a new best value before a pass gives up
MAX_PASSES = 6


def local_search(problem: CutProblem, side: Mask, patience: int = PATIENCE) -> Mask:
    """The cut after passes of single moves; never worse than given, and allowed if the moves lead there."""
    best, value = side, problem.value(side)
    patience, left = min(patience, 20 + problem.n_nodes // 10), MAX_TOUCHED
    for _ in range(MAX_PASSES):
        moved, touched = _pass(problem, best, patience, left)
        left -= touched
        new = problem.value(moved)
        if not (new < value * (1 - 1e-12) or (math.isinf(value) and (moved != best).any())):
            break
        best, value = moved, new
        if left <= 0:
            break
    return best


def _pass(problem: CutProblem, side: Mask, patience: int, limit: int) -> tuple[Mask, int]:
    """The best moment of one pass, and how many edges were visited."""
    A = problem.adjacency
    within = A @ side.astype(np.float64)
    # What moving a node takes off the cut: its weight across less its weight on its own side. Only nodes that touch the
    # other side are worth a move: the others would add all their edges to the cut.
    gains = np.where(side, problem.degrees - 2 * within, 2 * within - problem.degrees)
    near = np.flatnonzero(gains > -problem.degrees).tolist()
    gain, on, measure = gains.tolist(), side.tolist(), problem.measure
    cut, inside = problem.cut(side), float(measure[side].sum())
    moved: set[int] = set() if problem.held is None else set(np.flatnonzero(problem.held).tolist())
    moves: list[int] = []
    heaps: tuple[list[tuple[float, int]], ...] = ([], [])
    for node in near:
        heaps[on[node]].append((-gain[node], node))
    for heap in heaps:
        heapq.heapify(heap)
    best, best_length = (_excess(problem, inside), problem.plain_value(cut, inside)), 0
    touched = 0
    while len(moves) - best_length < patience and touched < limit:
        options = []
        for heap in heaps:
            while heap and (heap[0][1] in moved or -heap[0][0] != gain[heap[0][1]]):
                heapq.heappop(heap)  # moved already, or an old entry
            if heap:
                node = heap[0][1]
                size = inside + (-measure[node] if on[node] else measure[node])
                new_cut = cut - gain[node]
                options.append((_excess(problem, size), problem.plain_value(new_cut, size), node, new_cut, size))
        if not options:
            break
        excess, value, node, cut, inside = min(options)
        if value == math.inf:
            break
        moved.add(node)
        moves.append(node)
        first, last = A.indptr[node], A.indptr[node + 1]
        touched += int(last - first)
        for other, weight in zip(A.indices[first:last].tolist(), A.data[first:last].tolist(), strict=True):
            gain[other] += 2 * weight if on[other] == on[node] else -2 * weight
            if other not in moved:
                heapq.heappush(heaps[on[other]], (-gain[other], other))
        on[node] = not on[node]
        if excess < best[0] or (excess == best[0] and value < best[1] * (1 - 1e-12)):
            best, best_length = (excess, value), len(moves)
    result: Mask = side.copy()
    result[moves[:best_length]] = ~side[moves[:best_length]]
    return result, touched


def _excess(problem: CutProblem, inside: float) -> float:
    """How far the sides are from allowed measures."""
    if problem.allowed is None:
        return 0.0
    sides = (inside, problem.total - inside)
    far = min(max(low - side, side - high, 0.0) for low, high in problem.allowed for side in sides)
    return 0.0 if far <= 1e-9 * problem.total else far
