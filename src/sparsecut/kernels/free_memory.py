"""How much memory a device has left."""

from __future__ import annotations

import torch

from sparsecut.base.system_memory import free_memory

GUESS = 4 << 30  # where the system does not report it: macOS, Windows


def available_memory(device: torch.device) -> int:
    """Bytes that can still be taken on a device."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    free = free_memory()  # a lower bound, which is what a plan needs
    return GUESS if free is None else free
