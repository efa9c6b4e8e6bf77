"""A comparison as a frame, as text and as a table: the same figures everywhere."""

from __future__ import annotations

import html
import math
import re

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.evaluation import Scores, compare_scores
from sparsecut.lab.compared import MethodComparison, MethodResult

FIRST = Scores({"accuracy": np.array([80.0, 82.0])}, majority=30.0)
SECOND = Scores({"accuracy": np.array([70.0, 71.0]), "macro_f1": np.array([60.0, 61.0])}, majority=30.0)
MEASURED = {"seconds": 1.5, "peak_memory_bytes": 3 * 2**20, "columns": 16}
COMPARED = MethodComparison(
    [
        MethodResult("one", {5: FIRST, 20: FIRST}, {}, MEASURED),
        MethodResult("<two>", {5: SECOND, 20: SECOND}, {20: compare_scores(SECOND, FIRST)}, MEASURED),
        MethodResult("three", {}, {}, {}, "It failed."),
    ]
)


def test_it_is_a_sequence_of_results() -> None:
    assert len(COMPARED) == 3
    assert [result.method for result in COMPARED] == ["one", "<two>", "three"]
    assert COMPARED[-1].error == "It failed."
    assert [result.method for result in COMPARED[:2]] == ["one", "<two>"]


def test_the_frame_has_a_row_per_method_and_kind_of_split() -> None:
    frame = COMPARED.to_pandas()
    assert frame[["method", "labels"]].to_numpy().tolist() == [
        [method, labels] for method in ("one", "<two>", "three") for labels in (5, 20)
    ]
    assert frame["accuracy"].tolist()[:4] == [81.0, 81.0, 70.5, 70.5]
    assert frame["accuracy"].isna().tolist() == [False] * 4 + [True] * 2
    row = frame.iloc[3]
    assert (row["difference"], row["macro_f1"], row["seconds"], row["peak_memory_mib"]) == (-10.5, 60.5, 1.5, 3.0)
    assert row["columns"] == 16
    assert math.isnan(frame.iloc[1]["difference"])
    assert frame.iloc[4]["error"] == "It failed."


def test_text_and_table_have_the_same_cells() -> None:
    lines = [re.split(r"\s{2,}", line.strip()) for line in repr(COMPARED).splitlines()]
    assert lines[0] == ["method", "5 labels (majority 30.0)", "20 labels (majority 30.0)", "less one", "seconds", "peak MiB"]
    assert lines[2] == ["<two>", "70.5 ± 0.5", "70.5 ± 0.5", "-10.5", "1.50", "3"]
    assert lines[3] == ["three", "failed", "failed"]
    shown = COMPARED._repr_html_()
    cells = [html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", shown)]
    assert cells[6:12] == lines[2]
    assert "<two>" not in shown
    assert 'data-v="70.5"' in shown


def test_compare_takes_names_between_commas_and_one_number_of_labels() -> None:
    graph = sc.datasets.load("digits")
    compared = sc.compare(graph, "raw", per_class=5, n_splits=2)
    assert compared.to_pandas()["accuracy"].tolist() == [pytest.approx(compared[0].scores[5].mean)]
