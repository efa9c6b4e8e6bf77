"""The pictures of the pages against their numbers: places of marks, colours of wins, and what is committed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from drawing import IMAGES, Axis, Panel, Picture, spanning, written
from result_pictures import COLOUR_OF, count_wins, drawn_pictures, wins

DRAWN = drawn_pictures()


def cell(method: str, values: list[float]) -> dict[str, object]:
    scored = {"mean": sum(values) / len(values), "std": 1.0, "values": values}
    accuracy = {probe: {"5": scored, "20": scored} for probe in ("paper", "tuned")}
    return {"dataset": "cora", "method": method, "accuracy": accuracy, "seconds": 1.0}


@pytest.mark.parametrize(
    ("axis", "value", "place"),
    [(Axis(0, 10), 2.5, 25), (Axis(1, 10_000, is_log=True), 100, 50), (Axis(0, 10), 99, 100), (Axis(0, 10), -1, 0)],
)
def test_a_value_stands_at_its_share_of_the_axis(axis: Axis, value: float, place: float) -> None:
    assert axis.place(value, 100) == pytest.approx(place)


def test_ticks_are_round_and_within_the_limits() -> None:
    assert Axis(0.3, 9).ticks() == [2, 4, 6, 8]
    assert Axis(0.02, 150, is_log=True).ticks() == pytest.approx([0.1, 1, 10, 100])
    assert [written(tick) for tick in (0.1, 1000, 1e6)] == ["0.1", "1,000", "10⁶"]


def test_higher_values_stand_higher_on_a_panel() -> None:
    panel = Panel(Picture("p", 100, 100), 10, 20, 50, 60, Axis(0, 1), Axis(0, 1))
    assert panel.at(0, 0) == (10, 80)
    assert panel.at(1, 1) == (60, 20)
    axis = spanning([2.0, 4.0])
    assert axis.low < 2 < 4 < axis.high


def test_a_win_is_blue_a_loss_red_and_chance_grey() -> None:
    ours, lower, higher, level = [80.0, 81.0, 82.0], [70.0, 71.5, 72.0], [85.0, 86.5, 87.0], [70.0, 95.0, 79.0]
    cells = [cell("default", ours), cell("SCE", lower), cell("DGI", higher), cell("raw", level)]
    picture = wins(cells)
    squares = re.findall(r'fill="(#\w+)">\n?<title>cora: SCE\(\) minus (\S+)', "\n".join(picture.parts))
    assert {name: colour for colour, name in squares} == {
        "SCE": COLOUR_OF["ahead"],
        "DGI": COLOUR_OF["behind"],
        "raw": COLOUR_OF["level"],
    }
    assert count_wins(cells) == {"n_compared": 3, "n_ahead": 1, "n_level": 1, "n_behind": 1}


@pytest.mark.parametrize("name", DRAWN)
def test_a_committed_picture_is_drawn_from_the_committed_results(name: str) -> None:
    drawn = DRAWN[name].svg()
    assert (IMAGES / name).read_text("utf-8") == drawn, "run: python benchmarks/render.py"
    ET.fromstring(drawn)  # well-formed
    assert "prefers-color-scheme: dark" in drawn
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
