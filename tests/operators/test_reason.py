"""Reasons keep what is shown, and survive a file."""

from __future__ import annotations

import json

import numpy as np

from sparsecut.operators.reason import Reason, of_channel, read_reasons, to_header


def test_figures_are_kept_to_three_decimals_so_that_sums_in_another_order_agree() -> None:
    one, other = (Reason("weighting", "l2", "amounts", {"correlation": 0.1234 + tiny}) for tiny in (0.0, 1e-9))
    assert one == other
    assert one.figures == {"correlation": 0.123}
    measured = Reason("trial", "", "held-out edges", {"a": np.array(0.51234, dtype=np.float32)})
    assert json.dumps(measured.figures) == '{"a": 0.512}'  # a checkpoint returns arrays
    assert Reason("trial", "", "few edges", {"edges": 1_234_567}).figures == {"edges": 1_234_567}


def test_they_survive_json_beside_the_sentences_of_others() -> None:
    reasons = [Reason("spectrum", "1.50", "sharpened", {"length": 2.5}, "own"), "principal directions."]
    assert read_reasons(json.loads(json.dumps(to_header(reasons)))) == reasons


def test_a_channel_marks_its_reasons() -> None:
    marked = of_channel([Reason("spectrum", "1.50", "flat"), "principal directions."], "own")
    assert marked == [Reason("spectrum", "1.50", "flat", {}, "own"), "own: principal directions."]
