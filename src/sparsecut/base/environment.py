"""What a measurement ran on: the stamp every committed result carries, and the facts that a report of a defect needs."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sparsecut.base.package_version import __version__
from sparsecut.base.system_memory import total_memory

CORE = ("numpy", "scipy", "scikit-learn", "torch", "safetensors", "pyarrow", "typer", "rich", "threadpoolctl")
EXTRAS = {  # by extra
    "explore": ("matplotlib", "pacmap"),
    "search": ("faiss-cpu",),
    "cuts": ("kahip", "mtkahypar", "pymetis"),
    "formats": ("networkx",),
    "pyg": ("torch-geometric",),
    "anndata": ("anndata",),
    "baselines": ("gensim",),
    "fast": ("numba",),
    "cluster": ("bokeh", "dask", "distributed", "zarr"),
    "pandas": ("pandas",),
    "polars": ("polars",),
}


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


def machine_facts() -> dict[str, Any]:
    """Versions of the libraries, installed extras, processor, threads, memory and GPU."""
    import torch

    return {
        "sparsecut": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "libraries": {package: _version_of(package) for package in CORE},
        "extras": {extra: {package: _version_of(package) for package in packages} for extra, packages in EXTRAS.items()},
        "cpu": cpu_name(),
        "cores": os.cpu_count() or 0,
        "threads": torch.get_num_threads(),
        "memory_bytes": total_memory(),
        "cuda": torch.version.cuda,
        "gpus": [torch.cuda.get_device_name(place) for place in range(torch.cuda.device_count())],
    }


def _version_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
