"""The library's filters beside the names that `reference.dense_filter` has for them."""

from __future__ import annotations

from sparsecut.operators.filters import Average, Filter, Heat, Lazy, PageRank, Power, Symmetric

FILTERS = (
    *("row", "symmetric", "lazy"),
    *("average", "average-symmetric", "pagerank", "pagerank-symmetric", "heat", "heat-symmetric"),
)


def make_filter(name: str, order: int = 2, strength: float = 0.2) -> Filter:
    """The filter that `dense_filter(A, name, order, strength)` is the matrix of."""
    powers: dict[str, type[Power]] = {"row": Power, "symmetric": Symmetric, "lazy": Lazy}
    if name in powers:
        return powers[name](order=order)
    kind, _, symmetric = name.partition("-")
    normalization = "symmetric" if symmetric else "mean"
    if kind == "average":
        return Average(order=order, normalization=normalization)
    if kind == "pagerank":
        return PageRank(restart=strength, order=order, normalization=normalization)
    return Heat(time=strength, order=order, normalization=normalization)
