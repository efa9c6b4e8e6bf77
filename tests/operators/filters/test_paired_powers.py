"""The mean of two successive powers."""

from __future__ import annotations

import numpy as np

from sparsecut.operators.filters import Paired


def test_paired_powers_are_of_both_sides() -> None:
    """On a star the centre is one side and the leaves are the other: by hand, with one and two hops."""
    A = np.zeros((4, 4))
    A[0, 1:] = A[1:, 0] = 1
    P = (A + np.eye(4)) / (A + np.eye(4)).sum(axis=1, keepdims=True)
    coefficients = Paired(order=1).coefficients()
    S = sum(c * np.linalg.matrix_power(P, hop) for hop, c in enumerate(coefficients))
    np.testing.assert_allclose(S, (P + P @ P) / 2)
    assert Paired(order=3).coefficients() == (0, 0, 0, 0.5, 0.5)
    assert Paired().n_hops == 3
