"""Memory as the system tells it, against what the system says elsewhere; None where it does not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import torch

from sparsecut.base.system_memory import GUESS, available_memory, free_memory, peak_memory, total_memory


def test_total_is_what_linux_writes_down() -> None:
    if not Path("/proc/meminfo").exists():
        pytest.skip("this system has no /proc/meminfo to compare with")
    first = Path("/proc/meminfo").read_text().splitlines()[0]
    assert total_memory() == int(first.split()[1]) * 1024


def test_peak_is_in_bytes_and_part_of_what_there_is() -> None:
    peak, total = peak_memory(), total_memory()
    if peak is None or total is None:
        pytest.skip("this system tells no memory")
    assert 20 * 2**20 < peak < total  # Python and numpy alone take more


def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sysconf_names", raising=False)
    monkeypatch.setitem(sys.modules, "resource", None)
    assert (total_memory(), free_memory(), peak_memory()) == (None, None, None)


def test_what_is_left_is_part_of_what_there_is() -> None:
    assert 0 < available_memory(torch.device("cpu")) <= (total_memory() or GUESS)


def test_a_system_that_does_not_say_gets_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf_names", {})
    assert available_memory(torch.device("cpu")) == GUESS
