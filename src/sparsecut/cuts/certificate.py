"""A proof that the second smallest eigenvalue of a graph is not below a number: what makes a lower bound one.

An eigenvector with a small residual shows that *some* eigenvalue is near, not that it is the second. So the eigenvalues
below a number σ are counted. With N the Laplacian or the normalised one (scaled by the measure μ, N c = 0 for c = √μ/‖√μ‖):

    sparse    N − σI = L D Lᵀ            as many eigenvalues below σ as D has negative entries (Sylvester); one is λ₁ = 0
    dense     N − σI + 2σ c cᵀ ≻ 0       a Cholesky factor exists, so xᵀNx > σ‖x‖² for all x ⟂ c, and so λ₂ > σ

Rounding is part of the proof. The factors are those of a matrix that differs by some E, which moves eigenvalues by at most
‖E‖. For the sparse way E is bounded from the factors, entry by entry: |E| ≤ γ|L||U| + |L||U − D Lᵀ|, γ = k·u, with k the
longest row of L and u the rounding unit. For the dense way it is at most (n + 2)·u·tr (Rump, BIT 46, 2006). What is returned
is σ less that bound.

σ starts at the computed eigenvalue less its residual. Where the count says that an eigenvalue was missed, smaller ones are
tried, and numbers between: the bound is then a little lower than it might be, and still one.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from sparsecut.cuts.objective import Real

DENSE_UP_TO = 6_000  # nodes: 0.3 GB, and some seconds for each σ
DENSE_BELOW = 500  # nodes: dense whatever the factors are, since the dense way loses less to rounding
ROUNDING = 2.0**-53
CLOSE, N_HALVINGS = 0.02, 3  # shares further apart than this are halved between, as often
SHARES = (1.0, 1 - 1e-7, 0.999, 0.99, 0.9, 0.7, 0.5, 0.25, 0.1)  # of the first σ, tried until one is proved


def prove_second(
    N: sp.csc_array,
    root: Real,
    theta: float,
    *,
    is_cheap: bool,
    dense_up_to: int = DENSE_UP_TO,
    dense_below: int = DENSE_BELOW,
) -> float:
    """The largest number tried that λ₂ of N is proved not to be below; 0 where the graph is too large for a proof.

    theta : the first number to try. is_cheap : whether sparse factors stay small. root : the square roots of the measure.
    dense_up_to : nodes up to which the matrix may be dense. dense_below : nodes below which it always is.
    """
    n = N.shape[0]
    if not is_cheap and n > dense_up_to:
        return 0.0
    dense = N.toarray() if n < dense_below or not is_cheap else None

    def proved(sigma: float) -> float:
        """What is proved with σ: a little less than σ, or 0."""
        if not np.isfinite(sigma) or sigma <= 0:
            return 0.0
        slack = _sparse_slack(N, sigma) if dense is None else _dense_slack(dense, root, sigma)
        return 0.0 if slack is None else max(sigma - slack, 0.0)

    high = SHARES[0]
    for low in SHARES:
        bound = proved(low * theta)
        if bound:
            break
        high = low
    if bound and high - low > CLOSE:  # an eigenvalue was missed: it lies between
        for _ in range(N_HALVINGS):
            middle = (low + high) / 2
            better = proved(middle * theta)
            low, high, bound = (middle, high, better) if better else (low, middle, bound)
    return bound


def _sparse_slack(N: sp.csc_array, sigma: float) -> float | None:
    """The bound of E where one eigenvalue alone is below σ; None where there are more, or the factors do not say."""
    try:
        factors = splu(
            N - sigma * sp.eye_array(N.shape[0], format="csc"),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:  # exactly singular: σ is an eigenvalue of a leading block
        return None
    lower, upper = factors.L, factors.U
    pivots = upper.diagonal()
    # Pivots off the diagonal would leave L and U without a common D.
    if not np.array_equal(factors.perm_r, factors.perm_c) or np.count_nonzero(pivots < 0) != 1 or not pivots.all():
        return None
    longest = int(np.diff(sp.csr_array(lower).indptr).max())
    ones = np.ones(N.shape[0])
    rounded = 2 * (longest + 2) * ROUNDING * (abs(lower) @ (abs(upper) @ ones))
    uneven = abs(lower) @ (abs(upper - sp.diags_array(pivots) @ lower.T) @ ones)
    slack = float(np.max(rounded + uneven))
    return slack if np.isfinite(slack) else None


def _dense_slack(N: Real, root: Real, sigma: float) -> float | None:
    """The bound of E where N − σI + 2σ c cᵀ has a Cholesky factor; None where it has none."""
    n = len(N)
    constant = root / np.linalg.norm(root)
    shifted = N + 2 * sigma * np.outer(constant, constant)
    shifted[np.diag_indices(n)] -= sigma
    slack = 2 * (n + 2) * ROUNDING * float(np.abs(shifted.diagonal()).sum())
    try:
        scipy.linalg.cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None
    return slack
