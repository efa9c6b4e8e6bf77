"""PanelPasses over panels against numpy, whatever the widths of the panels and the blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from reference import dense_laplacian
from sparsecut.engines.disk.disk_passes import PanelPasses
from sparsecut.engines.disk.panels import Panels
from sparsecut.engines.disk.sizes import PanelSizes
from sparsecut.io.stores.workfolder import WorkFolder, work_folder
from sparsecut.operators.negatives import AllPairs, ListedPairs, NegativeGraph

S = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32) + 3
G = np.random.default_rng(1).normal(size=(50, 5)).astype(np.float32)


@pytest.fixture
def work(tmp_path: Path) -> Iterator[WorkFolder]:
    with work_folder(tmp_path, "test") as folder:
        yield folder


def panels_of(work: WorkFolder, name: str, matrix: np.ndarray, widths: tuple[int, ...]) -> Panels:
    panels = Panels(work, name, len(matrix), widths)
    panels.fill(lambda: iter([torch.from_numpy(matrix)]))
    return panels


@pytest.mark.parametrize("block_bytes", [100, 1 << 20])
def test_moments_of_several_lists_of_weights(work: WorkFolder, block_bytes: int) -> None:
    weights = [None, torch.linspace(0, 1, 50, dtype=torch.float64)]
    side_by_side = [panels_of(work, "S", S, (3, 4)), panels_of(work, "G", G, (5,))]
    means, scatters = PanelPasses(PanelSizes(9, block_bytes), lambda *_: None, row_block=4).moments(side_by_side, weights)
    X = np.hstack([S, G]).astype(np.float64)
    for w, mean, scatter in zip(weights, means, scatters, strict=True):
        p = np.ones(50) if w is None else w.numpy()
        expected = p @ X / p.sum()
        assert np.allclose(mean, expected, atol=1e-6)
        assert np.allclose(scatter, (X - expected).T @ (p[:, None] * (X - expected)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("block_bytes", [100, 1 << 20])
def test_pairs_between_two_lists_of_panels(work: WorkFolder, block_bytes: int) -> None:
    generator = np.random.default_rng(2)
    pairs, weights = generator.integers(0, 50, (80, 2)), generator.random(80).astype(np.float32)
    seen: list[tuple[str, int, int]] = []
    passes = PanelPasses(PanelSizes(9, block_bytes), lambda *report: seen.append(report))
    first, second = [panels_of(work, "S", S, (3, 4))], [panels_of(work, "G", G, (2, 3)), panels_of(work, "T", S, (7,))]
    found = passes.gram_of_pairs(first, second, ListedPairs(50, pairs, weights))
    L = dense_laplacian(50, pairs, weights)
    assert np.allclose(found, S.T @ L @ np.hstack([G, S]), rtol=1e-4, atol=1e-3)
    assert all(0 < done <= total for _, done, total in seen)


@pytest.mark.parametrize("block_bytes", [100, 1 << 20])
def test_the_laplacian_of_panels(work: WorkFolder, block_bytes: int) -> None:
    generator = np.random.default_rng(3)
    pairs, weights = generator.integers(0, 50, (80, 2)), generator.random(80).astype(np.float32)
    a = generator.random(50)
    negatives = NegativeGraph(
        50, (AllPairs(50, 0.5), AllPairs(50, 2.0, torch.from_numpy(a))), (ListedPairs(50, pairs, weights),)
    )
    L = dense_laplacian(50, pairs, weights) + 0.5 * (50 * np.eye(50) - 1) + 2 * (a.sum() * np.diag(a) - np.outer(a, a))
    panels, image = panels_of(work, "S", S, (3, 4)), Panels(work, "image", 50, (3, 4))
    PanelPasses(PanelSizes(9, block_bytes), lambda *_: None).laplacian(panels, negatives, image)
    ((_, found),) = image.blocks([slice(0, 50)])
    assert np.allclose(found, L @ S, atol=1e-3)


@pytest.mark.parametrize("start", [0, 12, 48])
def test_rows_go_on_from_where_a_run_was_killed(work: WorkFolder, start: int) -> None:
    passes = PanelPasses(PanelSizes(9, 8 * 7 * 4), lambda *_: None)  # four rows a block
    blocks = [(rows, block.clone()) for rows, block in passes.rows([panels_of(work, "S", S, (3, 4))], "projection", start)]
    assert blocks[0][0].start == start
    assert np.array_equal(torch.cat([block for _, block in blocks]), S[start:])


def test_room_for_panels_is_kept_and_grows(work: WorkFolder) -> None:
    passes, panels = PanelPasses(PanelSizes(9, 100), lambda *_: None), panels_of(work, "S", S, (3, 4))
    without = passes.buffers(panels, with_start=False)
    assert [len(room) for room in without] == [0, 200, 200]
    with_start = passes.buffers(panels, with_start=True)
    assert [len(room) for room in with_start] == [200, 200, 200]
    assert with_start[1].data_ptr() == without[1].data_ptr()
    list(passes.rows([panels], "Gram matrix"))  # what follows needs the room for matrices
    assert passes.buffers(panels, with_start=True)[1].numel() == 200
