"""What memory is said to be left, against what the system has."""

from __future__ import annotations

import os

import pytest
import torch

from sparsecut.kernels.free_memory import available_memory


def test_what_is_left_is_part_of_what_there_is() -> None:
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < available_memory(torch.device("cpu")) <= whole


def test_a_system_that_does_not_say_gets_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf_names", {})
    assert available_memory(torch.device("cpu")) == 4 << 30
