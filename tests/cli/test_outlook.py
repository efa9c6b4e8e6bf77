"""What is said before a long fit: its time and memory, a better engine, and that it does not fit."""

from __future__ import annotations

import pytest

from sparsecut.cli.console import Output
from sparsecut.cli.outlook import say_outlook
from sparsecut.engines import EngineChoice
from sparsecut.engines.costs import Cost
from sparsecut.model.cost_estimate import Estimates

GIB = 1 << 30
SLOW = Cost("disk", 900.0, GIB)
FAST = Cost("memory", 100.0, 4 * GIB)
TOO_LARGE = Cost("memory", 100.0, 40 * GIB, fits=False, why="15.00 GiB are free")


@pytest.mark.parametrize(
    ("costs", "word", "said"),
    [
        ([FAST, SLOW], "memory", "About 100.0 s with --engine memory, and 4.00 GiB of memory."),
        (
            [FAST, SLOW],
            "disk",
            "About 15 min with --engine disk, and 1.00 GiB of memory; "
            "--engine memory takes about 100.0 s and 4.00 GiB of memory.",
        ),
        (
            [TOO_LARGE, SLOW],
            "memory",
            "This may not fit with --engine memory, which needs about 40.00 GiB: 15.00 GiB are free. "
            "--engine disk takes about 15 min and 1.00 GiB of memory.",
        ),
        ([Cost("memory", 9.0, GIB)], "memory", ""),
        ([SLOW], "memory", ""),
        ([FAST, SLOW], "auto", "About 100.0 s with --engine memory, which --engine auto takes, and 4.00 GiB of memory."),
        (
            [Cost("memory", 100.0, 1 << 60, fits=False, why="15.00 GiB are free"), SLOW],
            "auto",
            "About 15 min with --engine disk, which --engine auto takes, and 1.00 GiB of memory.",
        ),
    ],
    ids=["long", "slower", "too large", "short", "another engine", "auto", "auto takes disk"],
)
def test_in_a_sentence(costs: list[Cost], word: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    say_outlook(Estimates(costs), EngineChoice.of(word, "test", "engine"), Output(as_json=False, quiet=False))
    assert capsys.readouterr().err.strip() == said


def test_of_a_fit_that_is_soon_done_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    say_outlook(None, EngineChoice.of("memory", "test", "engine"), Output(as_json=False, quiet=False))
    assert capsys.readouterr().err == ""
