"""Progress: a bar on a terminal, lines in a log, and a unit for every stage."""

from __future__ import annotations

import ast
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sparsecut.base.progress import UNITS, Pace, ProgressBar, in_time

SOURCE = Path(__file__).parents[2] / "src" / "sparsecut"


class Clock:
    """Seconds that go on when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_a_terminal_there_is_one_line_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar(clock=clock) as bar:
        for epoch in range(1, 31):
            clock.now += 1
            bar("training", epoch, 40)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "training: 10 of 40 epochs. 0:10 so far, about 0:30 left.",
        "training: 20 of 40 epochs. 0:20 so far, about 0:20 left.",
        "training: 30 of 40 epochs. 0:30 so far, about 0:10 left.",
    ]


def test_stages_within_stages_are_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar(clock=clock) as bar:
        bar("table1, cells", 0, 8)
        clock.now += 3700
        bar("probe", 5, 50)
        clock.now += 5
        bar("probe", 50, 50)  # over: it is not told any more
        bar("Gram matrix", 1, 1)
        clock.now += 6
        bar("table1, cells", 2, 8)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "table1: 0 of 8 cells; probe: 5 of 50 splits. 1:01:40 so far, about 9:15:00 left."
    assert second.startswith("table1: 2 of 8 cells. 1:01:51 so far")


def test_a_stage_that_begins_again_is_timed_anew() -> None:
    clock, ended = Clock(), []
    bar = ProgressBar(is_enabled=False, on_end=ended.append, clock=clock)
    for _ in range(2):
        for split in (1, 2, 3):
            clock.now += 1
            bar("probe", split, 3)
    assert ended == ["probe: 3 of 3 splits, 3.0 s"] * 2


def test_quick_work_and_a_disabled_bar_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    for is_enabled, seconds in ((True, 1), (False, 100)):
        with ProgressBar(is_enabled, clock=clock) as bar:
            clock.now += seconds
            bar("training", 1, 2)
    assert capsys.readouterr().err == ""


SCRIPT = """
from sparsecut.base.progress import ProgressBar
seconds = [0.0]
with ProgressBar(clock=lambda: seconds[0]) as bar:
    for row in range(1, 4):
        seconds[0] += 5
        bar("deep[red], KiB", row, 3)
print("done")
"""


def test_a_terminal_has_a_bar_that_names_its_unit_and_goes_away() -> None:
    parent, child = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=child,
        check=True,
        env={**os.environ, "COLUMNS": "80", "TERM": "xterm"},
    )
    os.close(child)
    shown = os.read(parent, 100_000).decode()
    os.close(parent)
    assert done.stdout == b"done\n"
    assert "deep[red]: 1 of 3 KiB" in shown
    assert "so far" not in shown  # no lines on a terminal
    assert shown.rstrip().endswith("\x1b[2K")  # the line is cleared


def test_a_long_step_that_reports_nothing_is_shown_too(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar(pace=Pace(silent=0.0, per_line=0.2, per_drawing=0.02)) as bar:
        bar("methods", 0, 3)
        thread = bar._thread
        time.sleep(0.7)
    thread.join(5)
    assert not thread.is_alive()
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 3
    assert all(line.startswith("methods: 0 of 3 methods. 0:0") for line in lines)
    time.sleep(0.3)
    assert capsys.readouterr().err == ""  # it ends with the work


def test_what_changes_from_call_to_call_is_shown_and_the_stage_stays_the_same() -> None:
    ended: list[str] = []
    clock = iter(float(second) for second in range(100))
    with ProgressBar(is_enabled=False, on_end=ended.append, clock=lambda: next(clock)) as bar:
        for done in range(1, 4):
            bar(f"smoothing · {done} GiB moved", done, 3)
    assert ended == ["smoothing: 3 of 3 hops · 3 GiB moved, 3.0 s"]


def stages() -> set[str]:
    """The stages that are reported by a fixed name anywhere in the library."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and len(node.args) == 3 and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                is_single = isinstance(node.args[2], ast.Constant) and node.args[2].value == 1
                if name in ("report", "progress") and isinstance(node.args[0].value, str) and not is_single:
                    found.add(node.args[0].value)
    return found


@pytest.mark.slow
def test_every_stage_has_a_unit() -> None:
    assert {"training", "smoothing", "probe"} <= stages()
    assert {stage for stage in stages() if ", " not in stage} <= UNITS.keys()


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0:00"), (65, "1:05"), (3599.6, "1:00:00"), (7322, "2:02:02")])
def test_seconds_as_a_clock_shows_them(seconds: float, words: str) -> None:
    assert in_time(seconds) == words
