"""Matrices in memory maps, computed from others some rows at a time: sums, and multiples, that are never in memory whole.

The result lies in files without a name, beside the matrices it was made of (or where the system keeps temporary files, where
that folder cannot be written to): they are gone with the last array that uses them, also where a process is killed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.kernels.streaming import BLOCK_BYTES, blocks_of_entries, release, value_blocks

Make = Callable[[Sequence[sp.csr_array]], sp.csr_array]


def made_by_blocks(
    matrices: Sequence[sp.csr_array], make: Make, *, block_bytes: int = BLOCK_BYTES
) -> Iterator[sp.csr_array]:
    """`make` of some rows of every matrix, block after block. It gives each row as it would of whole matrices."""
    longest = max(matrices, key=lambda matrix: int(matrix.nnz))
    for rows in blocks_of_entries(longest.indptr, max(block_bytes // len(matrices), 1)):
        yield make([rows_of_mapped(matrix, rows) for matrix in matrices])
        for matrix in matrices:
            release(matrix, rows)


def rows_of_mapped(matrix: sp.csr_array, rows: slice) -> sp.csr_array:
    """Some rows of a canonical CSR matrix: views where it lies."""
    ends = np.asarray(matrix.indptr[rows.start : rows.stop + 1])
    entries = slice(int(ends[0]), int(ends[-1]))
    part = sp.csr_array((rows.stop - rows.start, matrix.shape[1]), dtype=matrix.dtype)
    part.indptr, part.indices, part.data = ends - ends[0], matrix.indices[entries], matrix.data[entries]
    part.has_canonical_format = True
    return part


def mapped(matrices: Sequence[sp.csr_array], make: Make, *, block_bytes: int = BLOCK_BYTES) -> sp.csr_array:
    """`make` of matrices of one shape, in memory maps."""
    first = matrices[0]
    n_rows, folder = first.shape[0], _folder_of(first)
    counts = np.zeros(n_rows + 1, dtype=np.int64)
    with _file_in(folder) as indices, _file_in(folder) as values:
        row = 0
        try:
            for block in made_by_blocks(matrices, make, block_bytes=block_bytes):
                indices.write(np.ascontiguousarray(block.indices, dtype=first.indices.dtype).data)
                values.write(np.ascontiguousarray(block.data, dtype=np.float32).data)
                counts[row + 1 : row + 1 + block.shape[0]] = np.diff(block.indptr)
                row += block.shape[0]
            for file in (indices, values):
                file.flush()
        except OSError as error:
            raise InputError(
                f"The types of edges could not be added up on the disk of {folder}: {error.strerror}. Free some room there, "
                "or build the store on another disk."
            ) from error
        total = sp.csr_array(first.shape, dtype=np.float32)
        indptr = np.cumsum(counts)
        total.indptr = indptr.astype(np.int32) if indptr[-1] <= np.iinfo(np.int32).max else indptr
        total.indices = _map(indices, first.indices.dtype, int(indptr[-1]))
        total.data = _map(values, np.dtype(np.float32), int(indptr[-1]))
    total.has_canonical_format = True
    return total


def total_of(matrix: sp.csr_array) -> float:
    """The sum of all weights in float64, with the bits that numpy gives in one go."""
    total = 0.0
    for values in value_blocks(matrix):
        total = float(np.add.reduce(values, dtype=np.float64, initial=total))
    return total


def _folder_of(matrix: sp.csr_array) -> Path:
    """Where a matrix lies."""
    root: Any = matrix.indices
    while root is not None and not isinstance(root, np.memmap):
        root = getattr(root, "base", None)
    return Path(tempfile.gettempdir()) if root is None or root.filename is None else Path(root.filename).resolve().parent


def _file_in(folder: Path) -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(dir=folder)
    except OSError:  # a store that may only be read
        return tempfile.TemporaryFile()


def _map(file: IO[bytes], kind: np.dtype[Any], n_values: int) -> NDArray[Any]:
    if not n_values:
        return np.empty(0, dtype=kind)
    return np.memmap(file, dtype=kind, mode="r", shape=(n_values,))
