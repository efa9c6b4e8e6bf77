"""Tests that start a cluster or a browser say so by a marker, so that `make quick` leaves them out."""

from __future__ import annotations

import pytest

of_this_test: set[str] = set()  # filled by conftest.py before a test and its fixtures run


def require_mark(name: str) -> None:
    if name not in of_this_test:
        pytest.fail(f"This test needs the marker pytest.mark.{name}: it starts processes that `make quick` does without.")
