"""`sparsecut version`: the version alone, for scripts."""

from __future__ import annotations

from sparsecut.base.package_version import __version__


def version() -> None:
    """Print the version. `sparsecut info` says more."""
    print(f"sparsecut {__version__}")
