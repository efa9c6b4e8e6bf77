"""The README's table is drawn from the committed cells."""

from __future__ import annotations

from pathlib import Path

from readme_table import draw_table, put_table
from stamps import TODAY

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_shows_the_measured_table_and_nothing_else() -> None:
    text = README.read_text("utf-8")
    assert put_table(text) == text, "run: python benchmarks/render.py"


def cell(method: str, count: int, seed: int, paper: list[float], tuned: list[float]) -> dict[str, object]:
    scores = {"paper": {"accuracies": paper}, "tuned": {"accuracies": tuned}}
    return {"method": method, "dataset": "cora", "per_class": count, "seed": seed, "scores": scores, "code": TODAY}


def test_a_table_by_hand() -> None:
    cells = [
        cell("SCE", 5, 0, [69.0, 71.0], [70.0, 72.0]),
        cell("SCE", 5, 1, [71.0, 73.0], [71.0, 73.0]),
        cell("SCE", 20, 0, [78.0, 82.0], [80.0, 80.0]),
        cell("DGI", 20, 0, [98.0, 100.0], [97.0, 99.0]),
        cell("GAT", 20, 0, [1.0], [1.0]),
    ]
    scored = {"5": {"mean": 75.0, "std": 1.0}, "20": {"mean": 85.0, "std": 1.0}}
    beyond = [{"method": "default", "dataset": "cora", "accuracy": {"paper": scored, "tuned": scored}, "code": TODAY}]
    assert draw_table(cells, beyond).splitlines() == [
        "| | Cora, 5 labels | Cora, 20 labels |",
        "|---|---|---|",
        "| `SCE()` | 75.0 ± 1.0 | 85.0 ± 1.0 |",
        "| SCE as published | 71.0 ± 1.0 ± 1.0 (74.3) | 80.0 ± 2.0 (80.2) |",
        "| MoSCE as published | – | – |",
        "| DGI as published | – | 99.0 ± 1.0 (78.1) |",
    ]
    assert "`SCE()`" not in draw_table(cells)


def test_what_is_around_the_table_stays() -> None:
    readme = "Before.\n\n| | Cora, 5 labels |\n|---|---|\n| x | y |\n\nWith the paper probe\n\nAfter."
    drawn = put_table(readme)
    assert drawn.startswith("Before.\n\n| | Cora, 5 labels |")
    assert drawn.endswith("\n\nAfter.")
    assert put_table(drawn) == drawn
    assert "With the tuned probe, SCE as published is, against DGI:" in drawn
    assert "Seeds: SCE 8, MoSCE 8" in drawn
