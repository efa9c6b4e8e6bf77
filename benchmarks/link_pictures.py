"""The picture of the probabilities of links, from the committed results; `result_pictures.py` draws it with the others.

link_calibration.svg   found over predicted share of links, a mark per graph and bin
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drawing import COLOURS, SHAPES, Axis, Panel, Picture

LEAST_HELD_OUT = 10  # links of a bin: the share of fewer is chance
LEAST_SHARE = 0.00002


def link_calibration(result: dict[str, Any]) -> Picture:
    """On the line as many pairs are links as predicted; above it more are, below it fewer."""
    picture = Picture("Share of pairs that are links: found over predicted, per graph and bin", 470, 450)
    axis = Axis(LEAST_SHARE, 1.0, is_log=True)
    panel = Panel(picture, 70, 60, 370, 340, axis, axis)
    panel.frame("found (up) over predicted (across)")
    picture.line(*panel.at(LEAST_SHARE, LEAST_SHARE), *panel.at(1, 1), kind="one")
    for graph, point in result["points"].items():
        for one in point["bins"]:
            if one["held_out"] >= LEAST_HELD_OUT:
                name = Path(graph).name.split(".")[0]
                about = f"{name}: predicted {one['predicted']:.3%}, found {one['found']:.3%}"
                picture.mark(*panel.at(one["predicted"], one["found"]), about, colour=COLOURS[0], shape=SHAPES[0])
    return picture
