"""`sparsecut demo`: scores, an embedding and a report in one folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shell import sparsecut
from sparsecut import read_embedding

pytestmark = pytest.mark.slow


def test_demo(tmp_path: Path) -> None:
    # With all its splits it runs in test_house.py, in an environment without extras.
    result = json.loads(sparsecut("demo", "--quick", "--json", folder=tmp_path).stdout)
    raw, embedded = result["scores"]["raw features"], result["scores"]["SCE"]
    for n_labels in ("5", "20"):
        assert embedded[n_labels]["accuracy"] > raw[n_labels]["accuracy"]
    assert result["peak_memory_bytes"] > 0
    Z, ids = read_embedding(tmp_path / "sparsecut-demo" / "embedding.parquet")
    assert len(ids) == len(Z) == 1797
    assert (tmp_path / "sparsecut-demo" / "report.html").read_bytes().startswith(b"<!doctype html>")
