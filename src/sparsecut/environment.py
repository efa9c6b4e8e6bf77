"""What a measurement ran on: the stamp every committed result carries."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

from sparsecut.version import __version__


def environment_stamp() -> dict[str, str | int]:
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "cpu": cpu_name(),
        "cores": os.cpu_count() or 0,
        "python": platform.python_version(),
        "sparsecut": __version__,
        **{package: version(package) for package in ("numpy", "scipy", "scikit-learn", "torch")},
    }


def cpu_name() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
