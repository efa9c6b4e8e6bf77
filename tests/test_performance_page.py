"""The page of measurements: drawn from data alone, every cell shown as it was measured."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
RENDER = runpy.run_path(str(ROOT / "benchmarks/render.py"))
render, shown = RENDER["render"], RENDER["_shown"]
STAMP = {"date": "2026-01-01", "cpu": "Abacus", "cores": 2, "python": "3.11.0", "torch": "2.13.0"}


def write(folder: Path, name: str, **content: Any) -> None:
    base = {"title": name.title(), "about": "What was run.", "tables": [], "notes": [], "environment": STAMP}
    (folder / f"{name}.json").write_text(json.dumps({**base, **content}))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (1234567, "1,234,567"),
        (0.012345, "0.0123"),
        (2.0, "2.00"),
        (99.95, "100"),
        (1234.5, "1,234"),
        (0.0, "0"),
        (True, "yes"),
        (False, "no"),
        (None, "–"),
        ("a|b", "a\\|b"),
    ],
)
def test_cells(cell: Any, expected: str) -> None:
    assert shown(cell) == expected


def test_a_section_states_its_machine_its_tables_and_what_falls_short(tmp_path: Path) -> None:
    rows = [["fast", 0.5, "≥ 3", True], ["slow", 5, "≥ 3", False], ["free", 1.25, None, None]]
    table = {"caption": "Times.", "columns": ["kernel", "seconds", "target", "met"], "rows": rows}
    write(tmp_path, "peers", tables=[table], notes=["Slow is slow."], command="python benchmarks/peers.py")
    write(tmp_path, "smoothing")
    write(tmp_path, "unknown")
    page = render(tmp_path)
    assert page.index("## Smoothing") < page.index("## Peers")  # the page's order, not the folder's
    assert "## Unknown" not in page
    assert "Of 2 figures with a target, 1 meet it." in page
    assert "| kernel | seconds | target | met |\n| --- | ---: | --- | --- |\n| fast | 0.500 | ≥ 3 | yes |" in page
    assert "| slow | 5 | ≥ 3 | **no** |\n| free | 1.25 | – | – |\n\n- Slow is slow." in page
    machine = "Abacus, 2 cores (python 3.11.0, torch 2.13.0), 2026-01-01"
    assert f"Measured by `python benchmarks/peers.py` on {machine}." in page


def test_the_committed_page_is_drawn_from_the_committed_data() -> None:
    assert (ROOT / "docs/performance.md").read_text("utf-8") == render(), "run: python benchmarks/render.py"
    cuts = render(sections=RENDER["CUTS"], introduction=RENDER["CUTS_INTRODUCTION"])
    assert (ROOT / "docs/partition_results.md").read_text("utf-8") == cuts, "run: python benchmarks/render.py"
    links = render(sections=RENDER["LINKS"], introduction=RENDER["LINKS_INTRODUCTION"])
    assert (ROOT / "docs/links_results.md").read_text("utf-8") == links, "run: python benchmarks/render.py"
    kinds = render(sections=RENDER["KINDS"], introduction=RENDER["KINDS_INTRODUCTION"])
    assert (ROOT / "docs/kinds_results.md").read_text("utf-8") == kinds, "run: python benchmarks/render.py"
    scaling = render(sections=RENDER["SCALING"], introduction=RENDER["SCALING_INTRODUCTION"])
    assert (ROOT / "docs/scaling.md").read_text("utf-8") == scaling, "run: python benchmarks/render.py"


def test_committed_results_are_stamped() -> None:
    for name in RENDER["SECTIONS"]:
        path = ROOT / "benchmarks/results" / f"{name}.json"
        if path.exists():
            result = json.loads(path.read_text("utf-8"))
            assert {"date", "cpu", "cores", "python", "sparsecut", "torch"} <= set(result["environment"]), name
            assert all(len(row) == len(table["columns"]) for table in result["tables"] for row in table["rows"]), name


def test_a_target_that_is_missed_stands_out_and_another_no_does_not() -> None:
    table = RENDER["_table"](["torch imported", "met"], [[False, False], [True, True]])
    assert table.splitlines()[2:] == ["| no | **no** |", "| yes | yes |"]
