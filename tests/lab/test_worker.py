"""One fit of a method in a process of its own, called here without the process."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import random_graph
from sparsecut import Power
from sparsecut.lab import worker
from sparsecut.lab.baselines import SmoothedFeatures

JOB = {"words": {}, "is_supervised": False, "is_directed": False, "offered": {}, "paper": None}


def write_job(folder: Path, *, is_sparse: bool, **more: object) -> object:
    graph = random_graph(20, 5, is_sparse=is_sparse)
    sp.save_npz(folder / "adjacency.npz", graph.adjacency)
    if is_sparse:
        sp.save_npz(folder / "features.npz", graph.features)
    else:
        np.save(folder / "features.npy", graph.features)
    (folder / "job.json").write_text(json.dumps({**JOB, **more}))
    return graph


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_the_answer_lies_in_the_folder_beside_what_was_measured(tmp_path: Path, is_sparse: bool) -> None:
    graph = write_job(
        tmp_path,
        is_sparse=is_sparse,
        name="smoothed",
        home="sparsecut.lab.baselines:SmoothedFeatures",
        offered={"filter__order": 3},
    )
    measured = worker.run(tmp_path)
    np.testing.assert_allclose(
        np.load(tmp_path / "answer.npy"), SmoothedFeatures(filter=Power(order=3)).fit_transform(graph), atol=1e-6
    )
    assert 0 < measured["seconds"] <= measured["first_seconds"]
    assert measured["dimension"] == 5
    assert measured["memory_before_bytes"] > 0
    assert measured["peak_memory_bytes"] > 0


def test_a_sentence_takes_the_place_of_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_job(
        tmp_path,
        is_sparse=False,
        name="smoothed",
        home="sparsecut.lab.baselines:SmoothedFeatures",
        offered={"filter__order": -1},
    )
    monkeypatch.setattr(sys, "argv", ["worker", str(tmp_path)])
    worker.main()
    result = json.loads((tmp_path / "result.json").read_text())
    assert result == {"error": "The order parameter of Power must be an integer of at least 0. Got -1 instead."}


def raise_peak() -> None:
    block = np.ones(worker.memory("VmHWM") - worker.memory("VmRSS") + 64 * 2**20, dtype=np.uint8)
    assert worker.memory("VmHWM") - worker.memory("VmRSS") < block.nbytes


def can_start_the_peak_anew() -> bool:
    """Not every container passes the request to its kernel, and some take it without effect."""
    raise_peak()
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return worker.memory("VmHWM") - worker.memory("VmRSS") < 16 * 2**20


def test_the_peak_is_counted_from_where_it_was_forgotten() -> None:
    if sys.platform != "linux" or not can_start_the_peak_anew():
        pytest.skip("this system does not let a process start its peak anew")
    raise_peak()
    worker.forget_peak()
    before = worker.memory("VmHWM")
    block = np.ones(96 * 2**20, dtype=np.uint8)
    assert 90 * 2**20 < worker.memory("VmHWM") - before < 110 * 2**20
    assert worker.memory("VmRSS") >= block.nbytes
