"""Folders for unfinished work: names that follow from what is computed, pieces that are whole or absent, locks."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from disk_cases import community_graph, mapped, names_in
from sparsecut.io.stores import workfolder
from sparsecut.io.stores.workfolder import fingerprint_of, work_folder


def test_the_same_call_has_the_same_fingerprint_and_no_other(tmp_path: Path) -> None:
    graph = community_graph()
    maps = mapped(graph, tmp_path)
    same = fingerprint_of(graph.adjacency, maps["features"], {"order": 2}, None)
    assert same == fingerprint_of(graph.adjacency, np.load(tmp_path / "features.npy", mmap_mode="r"), {"order": 2}, None)
    assert same != fingerprint_of(graph.adjacency, maps["features"], {"order": "2"}, None)
    os.utime(tmp_path / "features.npy", (1, 1))
    assert same != fingerprint_of(graph.adjacency, maps["features"], {"order": 2}, None)
    assert fingerprint_of(graph.features) == fingerprint_of(graph.features.copy())
    assert fingerprint_of(graph.features) != fingerprint_of(graph.features + 1)
    assert fingerprint_of([1], [2]) != fingerprint_of([1, 2], [])


def test_locks_of_runs_that_have_ended_do_not_hold_anyone_up(tmp_path: Path) -> None:
    with work_folder(tmp_path, "x") as work:
        assert (work / workfolder.LOCK).exists()
    with work_folder(tmp_path, "x"):
        pass
    assert names_in(tmp_path) == []


def test_what_is_remembered_is_computed_once_and_comes_back_to_the_bit(tmp_path: Path) -> None:
    values = [0.1, [1, 2], "a word", None, {"W": np.random.default_rng(0).normal(size=(3, 2)).astype(np.float32)}]
    with work_folder(tmp_path, "x") as work:
        for number, value in enumerate(values):
            first = work.remembered(f"piece-{number}", lambda value=value: value)

            def again() -> None:
                raise AssertionError("computed again")

            second = work.remembered(f"piece-{number}", again)
            if isinstance(value, dict):
                assert all(np.array_equal(found["W"], value["W"]) for found in (first, second))
                assert second["W"].dtype == np.float32
            else:
                assert first == second == value


def test_half_a_piece_is_none(tmp_path: Path) -> None:
    def write(work: workfolder.WorkFolder) -> None:
        with work.writing("piece") as file:
            file.write(b"half")
            raise RuntimeError("on the way")

    with work_folder(tmp_path, "x") as work:
        with pytest.raises(RuntimeError):
            write(work)
        assert not work.has("piece")
