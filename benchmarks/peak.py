"""The peak of a process's resident memory between two moments, as Linux counts it."""

from __future__ import annotations

from pathlib import Path

RESIDENT, PEAK = "VmRSS", "VmHWM"  # pages in memory now, and the most of them since the peak was reset


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def mebibytes(name: str) -> float:
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024
