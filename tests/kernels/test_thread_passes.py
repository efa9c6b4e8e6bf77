"""The number of threads follows what OpenMP is told."""

from __future__ import annotations

import pytest

from sparsecut.kernels.thread_passes import n_threads


@pytest.mark.parametrize(("asked", "n"), [("1", 1), ("3", 3), ("2,4", 2)])
def test_as_many_as_are_asked_for(monkeypatch: pytest.MonkeyPatch, asked: str, n: int) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert n_threads() == n


def test_otherwise_at_least_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for asked in ("", "many", "0"):
        monkeypatch.setenv("OMP_NUM_THREADS", asked)
        assert n_threads() >= 1
