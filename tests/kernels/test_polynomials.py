"""Powers, by their coefficients."""

from __future__ import annotations

from sparsecut.kernels.polynomials import is_power, power


def test_powers_are_known_as_such() -> None:
    assert power(0) == (1.0,)
    assert power(2) == (0.0, 0.0, 1.0)
    assert all(is_power(power(order)) for order in range(4))
    assert not is_power((0.5, 0.5))
    assert not is_power((0.0, 2.0))
    assert not is_power((1.0, 0.0))
