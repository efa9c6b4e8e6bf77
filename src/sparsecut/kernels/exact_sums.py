"""Sums that do not depend on the order of their terms, nor on how these are cut into blocks.

Every term is split into a multiple of a coarse power of two and a multiple of a fine one. Sums of so many multiples fit the
53 bits of a float64, so each is exact, whoever adds up which part first (Demmel and Nguyen, 2013). What is below the fine
power is dropped from each term: 2⁻¹⁰⁴·n² of the bound, 10⁻¹⁵ for a hundred million terms.
"""

from __future__ import annotations

import math
from typing import Any

BITS = 52


def exact_parts(terms: Any, bound: float, n_terms: int) -> tuple[Any, Any]:
    """(coarse, fine): the sums of the two parts of these terms, each at most `bound` in size, of `n_terms` in all."""
    room = BITS - max(n_terms, 1).bit_length()
    scale = 2.0 ** (room - math.ceil(math.log2(bound)))
    coarse = (terms * scale).round() / scale
    finer = scale * 2.0 ** (room + 1)
    return coarse.sum(), ((terms - coarse) * finer).round().sum() / finer
