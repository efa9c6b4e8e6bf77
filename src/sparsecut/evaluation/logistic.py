"""Logistic regression, one-vs-rest, solved exactly: every class of many training sets at once.

For each class, with labels y = ±1 and the constant 1 as one more feature (the intercept is regularised, as liblinear does):

    minimise ½‖w‖² + C·Σ log(1 + exp(−y_i·w·x_i))

Two facts make this fast. A rotation of the features changes nothing but w's coordinates, and one to r = min(n, d+1) of them
keeps all there is: with n training nodes far fewer than d dimensions the problem is as small as its n × n Gram matrix, and
X = U√Λ of that matrix's eigenvectors serves. In those coordinates XᵀX = Λ is diagonal, so 1 + mean(D)·Λ is nearly the
Hessian I + XᵀDX, and a few steps of conjugate gradients on it solve each Newton step. All is products of stacked matrices:
one eigenvalue problem per training set, none per class or per C.

The objective is strongly convex with constant 1, so ‖w − w*‖ ≤ ‖gradient at w‖: the tolerance is a bound on w's error.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

MAX_STEPS = 100
MAX_CONJUGATE_STEPS = 250


class OneVsRest:
    """The regressions of s training sets of one size: X (s, n, d), Y (s, n, c) of +1 where the class is, −1 elsewhere.

    `fit(C)` may be called for one C after another; each starts where the last one ended.
    """

    def __init__(self, X: NDArray[Any], Y: Array) -> None:
        n_sets, n_rows, _ = X.shape
        self._features = np.concatenate([X, np.ones((n_sets, n_rows, 1))], axis=2)  # (s, n, d + 1)
        self._Y = Y
        self._X, self._spectrum = _rotate(self._features)  # (s, n, r), (s, r)
        self._X_transposed = np.ascontiguousarray(self._X.swapaxes(1, 2))
        self._W = np.zeros((n_sets, self._X.shape[2], Y.shape[2]))
        self._margins = np.zeros_like(Y)

    def fit(self, C: float, tolerance: float = 1e-8) -> Array:
        """The weights (s, d + 1, c), the intercepts in their last row, to a relative error of at most `tolerance`."""
        Y = self._Y
        at_zero = _norm(self._X_transposed @ (C / 2 * Y))  # the gradient's size at w = 0, to measure later ones by
        for _ in range(MAX_STEPS):
            doubt = expit(-Y * self._margins)  # the probability given to the wrong side
            gradient = self._W - self._X_transposed @ (C * Y * doubt)
            is_open = _norm(gradient) > self._attainable(C, tolerance) * _norm(self._W)
            if not is_open.any():
                break
            curvature = C * doubt * (1 - doubt)  # the diagonal of D
            step = self._newton_step(gradient, curvature, at_zero) * is_open
            self._move(step, gradient, C)
        else:
            warnings.warn(
                f"The logistic regression with C = {C:g} did not reach its tolerance in {MAX_STEPS} Newton steps: the "
                "embedding's scale is extreme. Divide it by its largest entry.",
                stacklevel=3,
            )
        # At the optimum w = Σ C·y_i·doubt_i·x_i, which is also the way back from the rotated coordinates.
        return np.asarray(self._features.swapaxes(1, 2) @ (C * Y * expit(-Y * self._margins)))

    def _newton_step(self, gradient: Array, curvature: Array, at_zero: Array) -> Array:
        """(I + XᵀDX)⁻¹·(−gradient) by preconditioned conjugate gradients, more exactly the closer the optimum is."""
        size = _norm(gradient)
        target = size * np.minimum(0.1, np.sqrt(_divide(size, at_zero)))
        preconditioner = 1 / (1 + self._spectrum[..., None] * curvature.mean(axis=1, keepdims=True))
        step, residual = np.zeros_like(gradient), -gradient
        scaled = preconditioner * residual
        direction, slope = scaled, _dot(residual, scaled)
        for _ in range(MAX_CONJUGATE_STEPS):
            is_open = _norm(residual) > target
            if not is_open.any():
                break
            image = direction + self._X_transposed @ (curvature * (self._X @ direction))
            length = _divide(slope, _dot(direction, image)) * is_open
            step += length * direction
            residual -= length * image
            scaled = preconditioner * residual
            previous, slope = slope, _dot(residual, scaled)
            direction = scaled + _divide(slope, previous) * direction
        return step

    def _move(self, step: Array, gradient: Array, C: float) -> None:
        """Take the step, halved where it lowers the objective too little: far from the optimum Newton's may overshoot."""
        change = self._X @ step
        start = self._objective(self._W, self._margins, C)
        slope = _dot(gradient, step)
        length = np.ones_like(slope)
        for _ in range(50):
            W, margins = self._W + length * step, self._margins + length * change
            # Close to the optimum the decrease drowns in the rounding of the objective itself.
            is_long = self._objective(W, margins, C) > start + 1e-4 * length * slope + 1e-12 * start
            if not is_long.any():
                break
            length = np.where(is_long, length / 2, length)
        self._W, self._margins = W, margins

    def _objective(self, W: Array, margins: Array, C: float) -> Array:
        losses = np.logaddexp(0, -self._Y * margins).sum(axis=1, keepdims=True)
        return np.asarray(_dot(W, W) / 2 + C * losses)

    def _attainable(self, C: float, tolerance: float) -> Array:
        """The requested tolerance, or what the rounding of a gradient with this curvature allows."""
        rounding = np.finfo(np.float64).eps * C * self._spectrum.max(axis=1)[:, None, None]
        return np.asarray(np.clip(rounding, tolerance, 1e-4))


def _rotate(features: Array) -> tuple[Array, Array]:
    """The points in r = min(n, d + 1) coordinates, X (s, n, r), in which XᵀX is diagonal: X and that diagonal."""
    transposed = features.swapaxes(1, 2)
    if features.shape[1] <= features.shape[2]:
        values, vectors = np.linalg.eigh(features @ transposed)  # the Gram matrix of the rows
        spectrum = np.maximum(values, 0)
        return vectors * np.sqrt(spectrum)[:, None], spectrum
    values, vectors = np.linalg.eigh(transposed @ features)  # of the columns
    return features @ vectors, np.maximum(values, 0)


def _dot(left: Array, right: Array) -> Array:
    """The inner product for every training set and class, (s, 1, c)."""
    return np.asarray(np.einsum("src,src->sc", left, right)[:, None])


def _norm(values: Array) -> Array:
    return np.asarray(np.sqrt(_dot(values, values)))


def _divide(numerator: Array, denominator: Array) -> Array:
    """The quotient, 0 where a problem is solved and both are 0."""
    return np.asarray(np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0))
