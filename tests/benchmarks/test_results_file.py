"""The file that a benchmark leaves: whole and stamped, and nothing beside it where the run is stopped on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import results_file
from results_file import write_results

CONTENT: dict[str, Any] = {"title": "Wide", "tables": [], "notes": [], "points": {}, "command": "python benchmarks/wide.py"}


def test_a_result_is_stamped_with_its_code_and_machine(tmp_path: Path) -> None:
    write_results("wide", folder=tmp_path / "results", **CONTENT)
    result = json.loads((tmp_path / "results/wide.json").read_text("utf-8"))
    assert result["code"]["start"] == ["wide"]
    assert {"date", "cpu", "cores"} <= set(result["environment"])


def test_nothing_is_in_the_folder_while_the_code_is_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing takes seconds, and a run that is killed meanwhile removes nothing: an empty `.wide-….json` stayed behind."""
    found: list[list[str]] = []

    def watched(start: Any) -> dict[str, Any]:
        found.append([path.name for path in tmp_path.iterdir()])
        return {"start": start, "hash": "0" * 16}

    monkeypatch.setattr(results_file, "stamp_code", watched)
    write_results("wide", folder=tmp_path, **CONTENT)
    assert found == [[]]
    assert [path.name for path in tmp_path.iterdir()] == ["wide.json"]
