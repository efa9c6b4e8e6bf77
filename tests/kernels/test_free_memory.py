"""What memory is said to be left, against what the system has."""

from __future__ import annotations

import os

import pytest
import torch

from sparsecut.base.system_memory import total_memory
from sparsecut.kernels.free_memory import GUESS, available_memory


def test_what_is_left_is_part_of_what_there_is() -> None:
    assert 0 < available_memory(torch.device("cpu")) <= (total_memory() or GUESS)


def test_a_system_that_does_not_say_gets_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf_names", {})
    assert available_memory(torch.device("cpu")) == GUESS
