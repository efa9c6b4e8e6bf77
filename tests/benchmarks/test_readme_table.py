"""The README's table is drawn from the committed cells."""

from __future__ import annotations

from pathlib import Path

from readme_table import draw_table, put_table

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_shows_the_measured_table_and_nothing_else() -> None:
    text = README.read_text("utf-8")
    assert put_table(text) == text, "run: python benchmarks/render.py"


def test_a_table_by_hand() -> None:
    cells = [
        {"method": "SCE", "dataset": "cora", "per_class": 5, "mean": 70.04, "std": 1.06},
        {"method": "SCE", "dataset": "cora", "per_class": 20, "mean": 80.0, "std": 2.0},
        {"method": "DGI", "dataset": "cora", "per_class": 20, "mean": 99.0, "std": 0.0},
    ]
    scored = {"5": {"mean": 75.0, "std": 1.0}, "20": {"mean": 85.0, "std": 1.0}}
    beyond = [{"method": "default", "dataset": "cora", "accuracy": {"paper": scored}}]
    assert draw_table(cells, beyond).splitlines() == [
        "| | Cora, 5 labels | Cora, 20 labels |",
        "|---|---|---|",
        "| `SCE()` | 75.0 ± 1.0 | 85.0 ± 1.0 |",
        "| SCE as published | 70.0 ± 1.1 (74.3) | 80.0 ± 2.0 (80.2) |",
        "| MoSCE as published | – | – |",
    ]
    assert "`SCE()`" not in draw_table(cells)
    readme = f"Before.\n\n{draw_table(cells)}\n\nAfter."
    assert put_table(readme).startswith("Before.\n\n| | Cora, 5 labels |")
    assert put_table(readme).endswith("|\n\nAfter.")
