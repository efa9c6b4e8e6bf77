"""Pictures of cuts and of one GPU on made numbers: marks stand where the quotients and milliseconds say."""

from __future__ import annotations

import re

import pytest

from engine_pictures import LEFT, one_gpu, sparsest_cuts


def test_a_sparser_cut_lies_left_of_the_line_and_a_missing_peer_is_not_drawn() -> None:
    columns = ["graph", "objective", "sparsecut", "best peer", "whose"]
    rows = [["a", "φ′", 0.8, 1.0, "METIS"], ["b", "φ′", 1.05, 1.0, "KaHIP"], ["c", "φ′", 1.0, None, None]]
    picture = sparsest_cuts({"tables": [{"caption": "", "columns": columns, "rows": rows}]})
    drawn = "".join(picture.parts)
    places = {name: float(x) for x, name in re.findall(r'circle cx="([\d.]+)"[^>]*><title>(\w), φ′', drawn)}
    line = LEFT + 430 * 0.8  # 1 on an axis from 0.6 to 1.1
    assert places["a"] == pytest.approx(LEFT + 430 * 0.4, abs=0.1)
    assert places["a"] < line < places["b"]
    assert "c" not in places


def test_a_missed_target_has_another_colour_and_shape() -> None:
    columns = ["size", "rows in", "ms", "target", "met", "plain torch, ms"]
    rows = [["small", "float32", 10.0, "< 16 ms", True, 20.0], ["large", "float16", 1500.0, "< 1 s", False, None]]
    drawn = "".join(one_gpu({"tables": [{"caption": "", "columns": columns, "rows": rows}]}).parts)
    met = re.search(r"<polygon[^>]*><title>small, float32: 10 ms", drawn)
    missed = re.search(r"<circle[^>]*><title>large, float16: 1.5e\+03 ms", drawn)
    assert met
    assert missed
    assert drawn.count("<title>plain torch: 20 ms") == 1
