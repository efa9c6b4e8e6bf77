"""Polynomials of a linear map, by their coefficients: Σ c_k P^k X = c₀X + P(c₁X + P(c₂X + …)), a product for each power."""

from __future__ import annotations

Polynomial = tuple[float, ...]  # the coefficients c₀ … c_k


def power(order: int) -> Polynomial:
    """The coefficients of P^k alone."""
    return (*(0.0,) * order, 1.0)


def is_power(coefficients: Polynomial) -> bool:
    """Whether the polynomial is P^k alone."""
    return coefficients[-1] == 1 and not any(coefficients[:-1])
