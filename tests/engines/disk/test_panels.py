"""Panels of columns on disk against the matrix they hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from disk_cases import names_in
from sparsecut.engines.disk.panels import Panels
from sparsecut.io.stores.workfolder import WorkFolder, work_folder

MATRIX = np.random.default_rng(0).normal(size=(50, 11)).astype(np.float32)


@pytest.fixture
def work(tmp_path: Path) -> Iterator[WorkFolder]:
    with work_folder(tmp_path, "test") as folder:
        yield folder


def filled(work: WorkFolder) -> Panels:
    panels = Panels(work, "S", 50, (4, 4, 3))
    panels.fill(lambda: iter(torch.from_numpy(MATRIX).split(9)))
    return panels


def test_panels_hold_their_columns(work: WorkFolder) -> None:
    panels = filled(work)
    assert panels.shape == (50, 11)
    assert panels.spans == [slice(0, 4), slice(4, 8), slice(8, 11)]
    room = torch.empty(300)
    for panel, span in enumerate(panels.spans):
        assert np.array_equal(panels.read(panel, room), MATRIX[:, span])


@pytest.mark.parametrize("n_rows", [1, 7, 50])
def test_blocks_are_whole_rows_wherever_they_begin(work: WorkFolder, n_rows: int) -> None:
    panels = filled(work)
    slices = [slice(start, min(start + n_rows, 50)) for start in range(20, 50, n_rows)]
    for rows, block in panels.blocks(slices):
        assert np.array_equal(block, MATRIX[rows])


def test_a_panel_is_written_over_and_what_is_there_is_not_filled_again(work: WorkFolder) -> None:
    panels = filled(work)
    panels.write(1, torch.full((50, 4), 7.0))

    def never() -> Iterator[torch.Tensor]:
        raise AssertionError("filled again")

    panels.fill(never)
    ((_, whole),) = panels.blocks([slice(0, 50)])
    assert (whole[:, 4:8] == 7).all()
    assert np.array_equal(whole[:, 8:], MATRIX[:, 8:])


def test_files_go_away_with_the_panels_and_half_a_panel_is_none(work: WorkFolder) -> None:
    panels = filled(work)
    assert sum(name.startswith("S-") for name in names_in(work.path)) == 3
    del panels
    assert not [name for name in names_in(work.path) if name.startswith("S-")]

    def fail() -> Iterator[torch.Tensor]:
        yield torch.from_numpy(MATRIX[:9])
        raise RuntimeError("on the way")

    half = Panels(work, "T", 50, (11,))
    with pytest.raises(RuntimeError):
        half.fill(fail)
    assert not half.has(0)


def test_a_panel_that_ends_too_early_is_an_error(work: WorkFolder) -> None:
    panels = filled(work)
    with (work / "S-0001").open("r+b") as file:
        file.truncate(100)
    with pytest.raises(EOFError, match="a panel ends too early"):
        panels.read(1, torch.empty(300))
