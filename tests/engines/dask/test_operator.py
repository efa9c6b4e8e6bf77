"""Blocks of rows and what they want of one another, against dense matrices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from sparsecut.engines.dask.hops_in_files import hop_in_files, smooth_in_files
from sparsecut.engines.dask.operator import BlockLists, Layout, Operator, lists_in_passing, whole_lists
from sparsecut.engines.dask.shared import share, share_matrix
from sparsecut.io.stores.workfolder import WorkFolder
from sparsecut.kernels import hops
from sparsecut.kernels.entries import Entries

N_NODES = 23


def case(tmp_path: Path, *, by_parts: bool, removes: bool) -> tuple[Operator, Layout, np.ndarray]:
    """A weighted operator with all three diagonals, a layout of four blocks, and the dense matrix."""
    generator, work = np.random.default_rng(0), WorkFolder(tmp_path)
    A = sp.random_array((N_NODES, N_NODES), density=0.3, random_state=0, format="csr", dtype=np.float32)
    A.sort_indices()
    left, right, own = generator.uniform(0.5, 2, (3, N_NODES)).astype(np.float32)
    kept = A.copy()
    removed = None
    if removes:
        gone = np.array([0, 5, 6, A.nnz - 1])
        kept.data[gone], removed = 0, share(gone, work, "removed")
    shared = [share(values, work, name) for values, name in ((left, "left"), (right, "right"), (own, "own"))]
    operator = Operator(f"{tmp_path}", share_matrix(A, work, "A"), *shared, removed)
    order = np.arange(N_NODES)
    if by_parts:
        order = np.argsort(generator.integers(0, 4, N_NODES), kind="stable")
    starts = (0, 6, 7, 15, N_NODES)
    for first, last in pairwise(starts):
        order[first:last].sort()
    place = np.empty(N_NODES, dtype=np.int64)
    place[order] = np.arange(N_NODES)
    layout = Layout(starts, share(order, work, "order"), share(place, work, "place")) if by_parts else Layout(starts)
    return operator, layout, left[:, None] * kept.toarray() * right + np.diag(own)


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


class Rows:
    """Rows in a file, as hops take them."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.shape = values, values.shape

    def read(self, nodes: slice | np.ndarray | None = None) -> np.ndarray:
        return self.values if nodes is None else np.array(self.values[nodes])


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


@pytest.mark.parametrize("polynomial", [(0.0, 1.0), (0.0, 0.0, 2.0), (0.25, 0.0, 0.5)])
@pytest.mark.parametrize("with_right", [True, False])
def test_hops_through_files_have_the_bits_of_the_kernels(
    with_right: bool, polynomial: tuple[float, ...], tmp_path: Path
) -> None:
    operator, layout, _ = case(tmp_path, by_parts=True, removes=True)
    operator = operator if with_right else replace(operator, name=f"{tmp_path}-left", right=None)
    X = np.random.default_rng(1).normal(size=(N_NODES, 3)).astype(np.float32)
    whole = whole_lists(operator)
    expected = hops.smooth(whole.entries, whole.diagonals, polynomial, torch.from_numpy(X)).numpy()
    for holds_lists in (True, False):
        found = smooth_in_files(operator, polynomial, Rows(X), tmp_path / "panel", holds_lists=holds_lists)
        np.testing.assert_array_equal(found.read(), expected)
        assert [path.name for path in tmp_path.glob("panel*")] == ["panel"]  # the hops before the last are gone
    nodes = [layout.nodes(group) for group in range(layout.n_blocks)]
    first = [Rows(X[of_group]) for of_group in nodes]
    lists = [BlockLists(operator, layout, group) for group in range(layout.n_blocks)]
    groups, factor = first, polynomial[-1]
    for hop, coefficient in enumerate(reversed(polynomial[:-1])):
        groups = [
            hop_in_files(own, group, groups, factor, (first[group], coefficient), tmp_path / f"{group}-{hop}")
            for group, own in enumerate(lists)
        ]
        factor = 1.0
    for of_group, rows in zip(nodes, groups, strict=True):
        np.testing.assert_array_equal(rows.read(), expected[of_group])


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
