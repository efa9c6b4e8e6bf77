"""PanelSizes at which small graphs are many blocks and many panels."""

from __future__ import annotations

import pytest

from sparsecut.engines.disk import sizes


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows and a few entries, and no more memory than a few columns take."""
    monkeypatch.setattr(sizes, "MIN_BLOCK", 1 << 12)
    monkeypatch.setattr(sizes, "MAX_BLOCK", 1 << 12)
    monkeypatch.setattr(sizes, "GRAM_MATRICES", 0)
    monkeypatch.setattr(sizes, "N_PRODUCTS", 0)
    monkeypatch.setattr(sizes, "ROW_BLOCK", 0)
    monkeypatch.setattr(sizes, "PAIR_BYTES", 0)
