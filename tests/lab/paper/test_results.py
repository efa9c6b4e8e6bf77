"""Results as data: one line per cell, a new run in the place of the old, nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparsecut import InputError
from sparsecut.lab.paper.results import IDENTITY, Results

SCE_CORA = {"method": "SCE", "dataset": "cora", "per_class": 5}


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    Results(tmp_path, "table1").add([{**SCE_CORA, "mean": 74.9}, {**SCE_CORA, "per_class": 20, "mean": 81.2}])
    again = Results(tmp_path, "table1")
    assert again.find(**SCE_CORA) == {**SCE_CORA, "mean": 74.9}
    assert again.find(method="SCE", dataset="cora", per_class=1) is None
    assert again.has({**SCE_CORA, "mean": 74.9})
    assert not again.has({**SCE_CORA, "seed": 1})
    lines = (tmp_path / "table1.json").read_text("utf-8").splitlines()
    assert [json.loads(line.strip(" ,"))["per_class"] for line in lines if "mean" in line] == [5, 20]
    assert [path.name for path in tmp_path.iterdir()] == ["table1.json"]


def test_a_new_run_takes_the_place_of_the_old_and_of_the_reason_it_was_empty(tmp_path: Path) -> None:
    results = Results(tmp_path, "table1")
    results.mark_absent(SCE_CORA, "no files")
    results.mark_absent(SCE_CORA, "still no files")
    assert results.why_absent(**SCE_CORA) == "still no files"
    assert len(results.absent) == 1
    results.add([{**SCE_CORA, "mean": 70.0}])
    assert results.why_absent(**SCE_CORA) == "not run"
    results.mark_absent(SCE_CORA, "no files")  # filled before: it stays
    results.add([{**SCE_CORA, "mean": 75.0}])
    assert [cell["mean"] for cell in results.cells] == [75.0]
    assert results.absent == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"experiment": "loss", "cells": []}', '{"experiment": "time", "cells": [1]}']
)
def test_a_file_that_holds_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "time.json").write_text(text)
    with pytest.raises(InputError, match=r"time.json does not hold the results of time"):
        Results(tmp_path, "time")
    assert (tmp_path / "time.json").read_text() == text


def test_runs_told_apart_by_the_identity_stand_side_by_side(tmp_path: Path) -> None:
    identity = (*IDENTITY, "seed")
    results = Results(tmp_path, "table1", identity)
    results.mark_absent(SCE_CORA, "no files")
    for seed, mean in ((0, 70.0), (1, 71.0), (0, 72.0)):
        results.add([{**SCE_CORA, "seed": seed, "mean": mean}])
    again = Results(tmp_path, "table1", identity)
    assert [(cell["seed"], cell["mean"]) for cell in again.find_all(**SCE_CORA)] == [(0, 72.0), (1, 71.0)]
    assert again.find(**SCE_CORA)["seed"] == 0
    assert again.absent == []
    again.mark_absent(SCE_CORA, "no files")  # filled before: it stays
    assert again.absent == []
