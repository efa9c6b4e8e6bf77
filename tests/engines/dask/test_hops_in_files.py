"""Hops whose rows lie in files, against the kernels' hops, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from operator_cases import N_NODES, case
from sparsecut.engines.dask.hops_in_files import hop_in_files, smooth_in_files
from sparsecut.engines.dask.operator import BlockLists, whole_lists
from sparsecut.kernels import hops


class Rows:
    """Rows in a file, as hops take them."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.shape = values, values.shape

    def read(self, nodes: slice | np.ndarray | None = None) -> np.ndarray:
        return self.values if nodes is None else np.array(self.values[nodes])


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
