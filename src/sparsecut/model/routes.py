"""Which way training goes: over the Gram matrix M or over the rows, and the rows as S or as the factors P, F.

    over gram   builds M once, then f²·d per step, whatever n is
    over rows   both products with S every step: 4·n·f·d with S dense, far less with sparse factors
    smoothed    S = P^k F is formed: k hops once
    factors     S is never formed: F·W first, then k hops of d columns; for sparse features

The four combinations are priced in multiply-adds of a dense matrix product, and the cheapest that fits the memory is
taken. Prices need only be right to a factor: the answers agree to float tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

ROUTES = ("auto", "gram", "rows")

# A gathered multiply-add costs as much as this many in a dense product: 3 when the gathered matrix is in cache, 30 and
# more when it is not (Cora, Citeseer and Pubmed, two cores: 90 down to 3 GFLOP/s against 195).
GATHER_COST = 8


@dataclass(frozen=True)
class TrainingWork:
    """The work a price depends on."""

    n_nodes: int
    n_features: int
    orders: tuple[int, ...]  # the hops of each level
    dimensions: tuple[int, ...]  # the columns of each level's embedding
    feature_entries: int | None  # stored entries of sparse features; None where they are dense
    propagation_entries: int
    negative_entries: int
    n_steps: int
    is_joint: bool  # the levels share one Gram matrix (mean)


@dataclass(frozen=True)
class Route:
    over: str  # "gram" or "rows"
    held: str  # "smoothed" or "factors"
    reason: str


def choose_route(work: TrainingWork, *, route: str, is_linear: bool, is_batched: bool, memory: int) -> Route:
    """The cheapest of the routes that are possible, requested, and fit into memory."""
    overs = [over for over in ("gram", "rows") if route in ("auto", over)]
    helds = ["smoothed"] if work.feature_entries is None else ["smoothed", "factors"]
    if not is_linear:
        overs, why = ["rows"], "max is not a function of M"
    elif is_batched:
        overs, helds, why = ["rows"], ["smoothed"], "mini-batches take rows"
    elif route != "auto":
        why = f"route={route!r} was requested"
    else:
        why = "cheapest"
    candidates = list(product(overs, helds))
    small_enough = [candidate for candidate in candidates if _bytes(work, *candidate) <= memory]
    if not small_enough:
        over, held = min(candidates, key=lambda candidate: _bytes(work, *candidate))
        why += ", least memory"
    else:
        over, held = min(small_enough, key=lambda candidate: price(work, *candidate))
    prices = ", ".join(
        f"{o} over {h} {price(work, o, h) / 1e9:.3g}" for o, h in sorted(candidates, key=lambda c: price(work, *c))
    )
    return Route(over, held, f"{why} (in 10⁹ multiply-adds: {prices})")


def price(work: TrainingWork, over: str, held: str) -> float:
    """What a fit costs, in multiply-adds of a dense product."""
    n, f = work.n_nodes, work.n_features

    def touch(widths: Sequence[int]) -> float:
        """S·X and Sᵀ·Y for every level, with that many columns each, and the Laplacian between them."""
        if held == "smoothed":
            products = sum(2 * n * f * width for width in widths)
        else:
            assert work.feature_entries is not None
            products = sum(
                2 * GATHER_COST * (work.feature_entries + order * work.propagation_entries) * width
                for order, width in zip(work.orders, widths, strict=True)
            )
        return products + GATHER_COST * work.negative_entries * max(widths)

    smoothing = max(work.orders) * work.propagation_entries * f * GATHER_COST if held == "smoothed" else 0
    if over == "rows":
        return smoothing + work.n_steps * touch(work.dimensions)
    n_levels = len(work.orders)
    if work.is_joint:
        building, step = touch([n_levels * f] * n_levels), (n_levels * f) ** 2 * work.dimensions[0]
    else:
        building, step = touch([f] * n_levels), sum(f * f * dimension for dimension in work.dimensions)
    return smoothing + building + work.n_steps * step


def _bytes(work: TrainingWork, over: str, held: str) -> int:
    n_levels = len(work.orders)
    total = 4 * work.n_nodes * work.n_features * n_levels if held == "smoothed" else 0
    if over == "gram":
        width = work.n_features * (n_levels if work.is_joint else 1)
        total += 3 * 4 * width**2 * (1 if work.is_joint else n_levels)  # M, its transpose, their mean
    else:
        total += 3 * 4 * work.n_nodes * sum(work.dimensions)  # Z, L·Z and the gradient
    return total
