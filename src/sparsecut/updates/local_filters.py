"""What a filter of the user's own must be for changes to stay local: checked by its diagonals at a range of degrees."""

from __future__ import annotations

import torch

from sparsecut.operators.filters import Filter


def keeps_lengths(filter: Filter) -> bool:
    """Whether P·v ≤ v for v = 1/right, so that residuals have a bound; checked for a range of degrees."""
    degrees = torch.cat([torch.linspace(1, 64, 253), 2.0 ** torch.arange(7, 30)]).double()
    left, right, own = filter.diagonals(degrees)
    v = torch.ones_like(degrees) if right is None else 1 / right
    is_positive = bool((left >= 0).all()) and bool((own >= 0).all()) and bool((v > 0).all())
    return is_positive and bool((left * (degrees - 1) + own * v <= v * (1 + 1e-6)).all())


def is_local(filter: Filter) -> bool:
    """Whether the diagonals of a node depend on its own degree alone."""
    degrees = torch.tensor([1.0, 2.0, 5.0, 9.0], dtype=torch.float64)
    alone = [filter.diagonals(degrees[[place]]) for place in range(4)]
    for number, whole in enumerate(filter.diagonals(degrees)):
        parts = [part for diagonals in alone if (part := diagonals[number]) is not None]
        if whole is not None and not (len(parts) == 4 and torch.equal(whole, torch.cat(parts))):
            return False
    return True
