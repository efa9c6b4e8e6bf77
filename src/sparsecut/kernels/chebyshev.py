"""The shortest polynomial that stands for a long one on [−1, 1], where the eigenvalues of P are.

    q of the least degree d with  max |q(x) − p(x)| ≤ ε  on [−1, 1],   q(1) = p(1),   the first d/4 coefficients those of p

A polynomial costs one hop for each power, so a lower degree is that many hops less. With q(1) = p(1) rows that are alike
stay as they are. The first coefficients are what a node keeps of its own row and of its nearest neighbours: they count where
nodes have many neighbours, for then most eigenvalues are near 0. The error is made even by Lawson's rule, weighted least
squares whose weights grow with it. d starts where it can: the Chebyshev coefficients a_k of p say that no degree below k
comes nearer than π/4·|a_k|.

What it guarantees for a matrix: where P = D^−½ N D^½ with a symmetric N of eigenvalues in [−1, 1] (the mean and the
symmetric matrix of an undirected graph with weights ≥ 0; D = I for the latter),

    ‖q(P)X − p(P)X‖ ≤ ε‖X‖   in the norm that weighs the rows with D, of every X.

The eigenvalues of a directed graph's P are complex, within the unit disc: there a polynomial fitted on [−1, 1] may be far
off, and the long one is taken.

The coefficients of the powers alternate and grow with the degree. Horner's rule in float32 loses as many times its rounding
as their sizes sum up to; `GROWTH` bounds it, and where it does not hold p itself is returned.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, polynomial
from numpy.typing import NDArray

from sparsecut.kernels.polynomials import Polynomial

KEPT = 4  # one coefficient in so many stays as it was, from the first on
GROWTH = 256.0  # Σ|c_k| of the short polynomial, at most: in float32 the rounding then stays below 2·10⁻⁵
MOST_HOPS = 24  # of the short polynomial: with more, the coefficients grow beyond that anyway
N_POINTS = 257  # on [−1, 1], as dense towards the ends as polynomials are steep
N_ROUNDS = 40  # of Lawson's rule: within a few percent of the least error

Array = NDArray[np.float64]


@lru_cache(maxsize=64)
def shortened(coefficients: Polynomial, error: float) -> Polynomial:
    """The polynomial of least degree within `error` of another on [−1, 1]; the other itself where none is shorter."""
    if not any(coefficients[1:]):
        return coefficients[:1]
    least = np.pi / 4 * np.abs(chebyshev.poly2cheb(coefficients))  # no degree below k has a smaller error than least[k]
    for degree in range(1, min(len(coefficients) - 1, MOST_HOPS + 1)):
        if least[degree + 1 :].max(initial=0) > error:
            continue
        short, distance = _nearest(coefficients, degree)
        if distance <= error:
            powers = _padded(chebyshev.cheb2poly(short), degree)
            if np.abs(powers).sum() <= GROWTH:
                return tuple(float(coefficient) for coefficient in powers)
    return coefficients


def _nearest(coefficients: Polynomial, degree: int) -> tuple[Array, float]:
    """Chebyshev coefficients of a polynomial near another, and its largest error on the points."""
    x = np.cos(np.linspace(0, np.pi, N_POINTS))
    values = polynomial.polyval(x, np.array(coefficients))
    n_kept = degree // KEPT
    powers = np.stack([_padded(chebyshev.cheb2poly(unit), degree) for unit in np.eye(degree + 1)], axis=1)
    fixed = np.stack([np.ones(degree + 1), *powers[:n_kept]])  # the value at 1, and the first coefficients of the powers
    start = np.linalg.lstsq(fixed, np.array([sum(coefficients), *coefficients[:n_kept]]), rcond=None)[0]
    free = np.linalg.svd(fixed)[2][len(fixed) :].T  # what changes none of them
    basis = chebyshev.chebvander(x, degree)
    sought, basis = values - basis @ start, basis @ free
    weights = np.ones(len(x))
    best, least = start, np.inf
    for _ in range(N_ROUNDS):
        root = np.sqrt(weights)[:, None]
        found = np.linalg.lstsq(basis * root, sought * root[:, 0], rcond=None)[0]
        errors = np.abs(basis @ found - sought)
        if errors.max() < least:
            best, least = start + free @ found, float(errors.max())
        weights *= errors
        weights /= max(weights.sum(), 1e-300)
    return best, least


def _padded(coefficients: NDArray[Any], degree: int) -> Array:
    return np.pad(coefficients, (0, degree + 1 - len(coefficients)))
