"""`sparsecut version`."""

from __future__ import annotations

from sparsecut.base.package_version import __version__


def test_it_is_the_version(run):
    assert run("version") == (0, f"sparsecut {__version__}\n", "")
