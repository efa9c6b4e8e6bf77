"""Blocks of rows and what they want of one another, against dense matrices."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from operator_cases import N_NODES, case
from sparsecut.engines.dask.operator import BlockLists, Layout, lists_in_passing, whole_lists
from sparsecut.kernels import hops
from sparsecut.kernels.entries import Entries


@pytest.mark.parametrize("by_parts", [False, True])
@pytest.mark.parametrize("removes", [False, True])
def test_hops_of_blocks_are_the_dense_product(by_parts: bool, removes: bool, tmp_path: Path) -> None:
    operator, layout, P = case(tmp_path, by_parts=by_parts, removes=removes)
    X = np.random.default_rng(1).normal(size=(N_NODES, 3)).astype(np.float32)
    expected = P @ X + 0.25 * X
    blocks = [torch.from_numpy(X[layout.nodes(block)]) for block in range(layout.n_blocks)]
    for block in range(layout.n_blocks):
        lists = BlockLists(operator, layout, block)
        assert not len(lists.wanted(block))
        halo = [blocks[source][torch.from_numpy(lists.wanted(source)).long()] for source in range(layout.n_blocks)]
        found = lists.hop(blocks[block], halo, blocks[block], 0.25)
        np.testing.assert_allclose(found.numpy(), expected[layout.nodes(block)], rtol=1e-5, atol=1e-5)
    whole = whole_lists(operator)
    smoothed = hops.smooth(whole.entries, whole.diagonals, (0.25, 1.0), torch.from_numpy(X))
    np.testing.assert_allclose(smoothed.numpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
@pytest.mark.parametrize("removes", [False, True])
def test_lists_that_are_read_in_passing_are_those_that_are_held(removes: bool, at_once: int, tmp_path: Path) -> None:
    operator, layout, _ = case(tmp_path, by_parts=True, removes=removes)

    def joined(parts: Iterable[tuple[slice, Entries]]) -> list[tuple[int, list[int], list[float]]]:
        found = []
        for rows, entries in parts:
            assert rows.stop - rows.start == entries.n_rows
            for row, (start, stop) in enumerate(pairwise(entries.offsets.tolist()), start=rows.start):
                found.append((row, entries.indices[start:stop].tolist(), entries.values[start:stop].tolist()))
        return found

    held = joined([(slice(0, N_NODES), whole_lists(operator).entries)])
    assert joined(lists_in_passing(operator, at_once)) == held
    assert joined(whole_lists(operator).entries.parts(at_once)) == held
    for block in range(layout.n_blocks):
        own, kept = (BlockLists(operator, layout, block, path, entries_at_once=at_once) for path in (None, tmp_path / "l"))
        whole = joined([(slice(0, layout.size(block)), next(iter(own.entries(10**6)))[1])])
        assert joined(own.entries(at_once)) == joined(kept.entries(at_once)) == whole
        assert [kept.indices[:].tolist(), kept.values[:].tolist()] == [own.indices.tolist(), own.values.tolist()]


@pytest.mark.parametrize("marks", [0, 100])
def test_a_block_wants_each_row_of_others_once(marks: int, tmp_path: Path) -> None:
    """By marks for all nodes or by a sort."""
    operator, layout, _ = case(tmp_path, by_parts=True, removes=False)
    for block in range(layout.n_blocks):
        lists = BlockLists(operator, layout, block, marks_per_entry=marks)
        nodes = layout.nodes(block)
        indices, _, _ = operator.entries(nodes)
        others = np.setdiff1d(indices, nodes)
        assert len(lists.rows) == len(others)
        wanted = [nodes_of[lists.wanted(source)] for source in range(layout.n_blocks) for nodes_of in [layout.nodes(source)]]
        found = np.concatenate([nodes, *wanted])[lists.indices]
        np.testing.assert_array_equal(found, indices)


def test_groups_are_blocks_that_follow_one_another() -> None:
    assert Layout((0, 2, 5, 6, 9)).grouped(2).starts == (0, 5, 9)
    assert Layout((0, 2, 5, 6, 9)).grouped(4).starts == (0, 2, 5, 6, 9)
