"""How much memory a device has left."""

from __future__ import annotations

import os

import torch


def available_memory(device: torch.device) -> int:
    """Bytes that can still be taken on a device."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if "SC_AVPHYS_PAGES" in os.sysconf_names:
        # Free pages alone, without what the system would give back: a lower bound, which is what a plan needs.
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 4 << 30
