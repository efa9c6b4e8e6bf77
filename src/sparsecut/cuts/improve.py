"""Better cuts from a given one, by maximum flow: MQI inside a set, FlowImprove around it, and a band along its border.

    MQI           the subset of S with the least cut(C)/μ(C): exact (Lang and Rao, 2004)
    FlowImprove   the least cut(C) / (μ(C∩S) − θ μ(C∖S)), θ = μ(S)/μ(S̄): may leave S (Andersen and Lang, 2008)
    band          the least cut(C) − slope·μ(C) among sets that differ from S only near its border: what a balanced cut needs

Each is a few flows with a fixed price λ, lowered to the quotient of what was found until nothing is cheaper (Dinkelbach).
Every set that a flow proposes is valued anew by the objective itself, so a call never returns a worse set than it was given.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sparsecut.cuts.flow import best_between
from sparsecut.cuts.objective import CutProblem, Mask

MAX_ROUNDS = 8
FAR_FROM_HALF = 0.25  # of the measure: a set below is not near the kink
SHARES_OF_SLOPE = (1.0, 0.5, 0.2, 0.0)  # min(s, M−s) has a kink in the middle: near it the full slope would step too far


def mqi(problem: CutProblem, side: Mask) -> Mask:
    """The best subset of the smaller side of a cut, or of what an earlier subset left."""
    best = problem.smaller(side)
    value = problem.value(best)
    current = best
    for _ in range(MAX_ROUNDS):
        inside = problem.measure[current].sum()
        if not inside > 0:
            break
        price = problem.cut(current) / inside
        nothing = np.zeros_like(current)
        found = best_between(problem.adjacency, nothing, ~current, price * problem.measure)
        found = [subset for subset in found if subset.any() and problem.measure[subset].sum() > 0]
        if not found:
            break
        cheapest = min(found, key=lambda subset: problem.cut(subset) / problem.measure[subset].sum())
        best, value = _better(problem, found, best, value)
        if problem.cut(cheapest) / problem.measure[cheapest].sum() >= price * (1 - 1e-9):
            break
        current = cheapest
    return best


def flow_improve(problem: CutProblem, side: Mask, reach: Mask | None = None) -> Mask:
    """A better set near the smaller side of a cut, inside it or not; nodes outside `reach` stay out."""
    reference = problem.smaller(side)
    best, value = reference, problem.value(reference)
    measure = problem.measure
    inside = measure[reference].sum()
    if not 0 < inside < problem.total:
        return best
    worth = np.where(reference, measure, -measure * inside / (problem.total - inside))
    outer = np.zeros_like(reference) if reach is None else ~(reach | reference)
    nothing = np.zeros_like(reference)
    price = problem.cut(reference) / inside
    for _ in range(MAX_ROUNDS):
        found = best_between(problem.adjacency, nothing, outer, price * worth)
        found = [subset for subset in found if worth[subset].sum() > 0]
        if not found:
            break
        best, value = _better(problem, found, best, value)
        lowest = min(problem.cut(subset) / worth[subset].sum() for subset in found)
        if lowest >= price * (1 - 1e-9):
            break
        price = lowest
    return best


def band(problem: CutProblem, side: Mask, width: int) -> Mask:
    """A better set among those that differ from the cut only within `width` steps of its border."""
    best, value = side, problem.value(side)
    if not np.isfinite(value):
        return best
    near = border(problem, side)
    for _ in range(width - 1):
        near = near | (problem.adjacency @ near.astype(np.float64) > 0)
    if problem.held is not None:
        near = near & ~problem.held
    inner, outer = side & ~near, ~side & ~near
    for slope in _slopes(problem, value, float(problem.measure[side].sum())):
        found = best_between(problem.adjacency, inner, outer, slope * problem.measure)
        best, value = _better(problem, found, best, value)
    return best


def n_slopes(problem: CutProblem) -> int:
    """How many flows a band takes."""
    return {"ratio": 1, "cut": 2}.get(problem.objective, len(SHARES_OF_SLOPE))


def _slopes(problem: CutProblem, value: float, inside: float) -> tuple[float, ...]:
    """What one more unit of measure in the set is worth in edges, at the present value."""
    total = problem.total
    if problem.objective == "ratio":  # the derivative of s(M−s)/M
        return (value * (total - 2 * inside) / total,)
    if problem.objective == "cut":  # the least cut there is, and the one that leans to the middle as the ratio does
        return (0.0, value * (total - 2 * inside) / (inside * (total - inside)))
    full = float(value * np.sign(total - 2 * inside))
    is_far = min(inside, total - inside) < FAR_FROM_HALF * total
    return (full,) if is_far else tuple(full * share for share in SHARES_OF_SLOPE)


def border(problem: CutProblem, side: Mask) -> Mask:
    """The nodes with an edge across the cut, on both sides."""
    inside = problem.adjacency @ side.astype(np.float64)
    crosses: Mask = np.where(side, inside < problem.degrees * (1 - 1e-12), inside > 0)
    return crosses


def _better(problem: CutProblem, found: Iterable[Mask], best: Mask, value: float) -> tuple[Mask, float]:
    for candidate in found:
        new = problem.value(candidate)
        if new < value:
            best, value = candidate, new
    return best, value
