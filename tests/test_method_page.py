"""The measured tables of docs/method.md are those of the committed results."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["alpha", "doubt", "epochs", "threads"])
def test_the_table_is_drawn_from_its_data(name: str) -> None:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = json.loads(module.RESULTS.read_text("utf-8"))["rows"]
    assert module.table(rows) in (ROOT / "docs" / "method.md").read_text("utf-8")
