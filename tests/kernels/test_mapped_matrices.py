"""Sums and multiples of matrices in memory maps have the bits of those in memory, whatever a block takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.graph.clock import rescaled
from sparsecut.graph.relations import Relations, sum_of
from sparsecut.kernels import is_mapped
from sparsecut.kernels.mapped_matrices import mapped, total_of

KEYS = (("a", "x", "b"), ("a", "y", "b"), ("a", "z", "b"))


def matrices(n: int = 300) -> list[sp.csr_array]:
    """Sparse, denser, and without entries."""
    generator = np.random.default_rng(0)
    found = []
    for density in (0.02, 0.1, 0.0):
        matrix = sp.csr_array(sp.random_array((n, n), density=density, rng=generator, dtype=np.float32))
        matrix.sort_indices()
        found.append(matrix)
    return found


def on_disk(matrix: sp.csr_array, folder: Path, name: str) -> sp.csr_array:
    found = sp.csr_array(matrix.shape, dtype=np.float32)
    for part in ("indptr", "indices", "data"):
        np.save(folder / f"{name}-{part}.npy", getattr(matrix, part))
        setattr(found, part, np.load(folder / f"{name}-{part}.npy", mmap_mode="r"))
    return found


def assert_same(found: Any, wanted: Any) -> None:
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part), getattr(wanted, part))


@pytest.mark.parametrize("factors", [(1.0, 1.0, 1.0), (2.5, 0.3, 1.7), (0.0, 1.7, 1.0), (0.0, 0.0, 2.0)])
def test_sums_are_those_of_memory(factors: tuple[float, ...], tmp_path: Path) -> None:
    held = matrices()
    stored = [on_disk(matrix, tmp_path, str(number)) for number, matrix in enumerate(held)]
    wanted = Relations(KEYS, tuple(held), factors).added_up()
    found = Relations(KEYS, tuple(stored), factors).added_up()
    assert_same(found, wanted)
    assert is_mapped(found) == bool(wanted.nnz)
    small = mapped(stored, lambda parts: sum_of(parts, factors), block_bytes=2000)
    assert_same(small, wanted)
    assert len(list(tmp_path.iterdir())) == 9  # what was made has no name


def test_multiples_and_totals_are_those_of_memory(tmp_path: Path) -> None:
    for number, held in enumerate(matrices()):
        stored = on_disk(held, tmp_path, str(number))
        for factor in (0.25, 1e-44, 1e40):  # the second leaves some weights at zero, the third would be beyond float32
            assert_same(rescaled(stored, factor), rescaled(held, factor))
        assert total_of(stored) == held.sum(dtype=np.float64)
    relations = Relations(KEYS, tuple(matrices()), (1.0,) * 3)
    assert relations.volumes.tolist() == [matrix.sum(dtype=np.float64) for matrix in relations.matrices]


def test_one_type_of_edges_is_itself(tmp_path: Path) -> None:
    stored = on_disk(matrices()[0], tmp_path, "one")
    assert Relations(KEYS[:1], (stored,), (1.0,)).added_up() is stored
