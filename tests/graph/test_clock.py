"""Clocks: weights at one moment are those at another times one factor."""

from __future__ import annotations

import pytest

from sparsecut.graph.clock import Clock


def test_weights_at_another_moment() -> None:
    early, late = Clock(10.0, 100.0), Clock(10.0, 130.0)
    age = 25.0  # of an edge at the later moment
    assert 2 ** (-age / 10) * late.factor_to(early) == pytest.approx(2 ** (-(age - 30) / 10))
    assert early.factor_to(late) == 0.125


def test_what_a_file_keeps_is_read_back() -> None:
    clock = Clock(86400.0, 1.6e9)
    assert Clock.read(clock.to_header()) == clock
    assert Clock.read(None) is None
