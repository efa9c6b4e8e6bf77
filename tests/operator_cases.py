"""A weighted operator of 23 nodes in files, with rows taken out of it and blocks that are parts, and its dense matrix."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from sparsecut.engines.dask.operator import Layout, Operator
from sparsecut.engines.dask.shared import share, share_matrix
from sparsecut.io.stores.workfolder import WorkFolder

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
