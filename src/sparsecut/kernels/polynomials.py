"""Polynomials of a linear map by Horner's rule: Σ c_k P^k X = c₀X + P(c₁X + P(c₂X + …)), one product for each power."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Polynomial = tuple[float, ...]  # the coefficients c₀ … c_k
X = TypeVar("X")


def power(order: int) -> Polynomial:
    """The coefficients of P^k alone."""
    return (*(0.0,) * order, 1.0)


def is_power(coefficients: Polynomial) -> bool:
    """Whether the polynomial is P^k alone."""
    return coefficients[-1] == 1 and not any(coefficients[:-1])


def horner(coefficients: Polynomial, rows: X, hop: Callable[[X], X]) -> X:
    """Σ c_k·hop^k(rows) by Horner's rule, from the last hop back. Rows other than tensors serve for powers alone."""
    start: Any = rows
    result: Any = start if coefficients[-1] == 1 else start * coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = hop(result)
        if coefficient:
            result = result.add_(start, alpha=coefficient)  # a hop's result is new: nobody else holds it
    return result  # type: ignore[no-any-return]
