"""Matrices sorted on disk are those that `build_adjacency` makes in memory, to the bit, for any edges and ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsecut.base.errors import InputError
from sparsecut.io.edges.adjacency import build_adjacency
from sparsecut.io.stores.matrix_building import (
    MAX_NODES,
    MatrixBuild,
    NumberedEdges,
    check_node_count,
    merge_entries,
    range_size,
)
from sparsecut.io.stores.store import mapped_matrix
from sparsecut.io.stores.workfolder import WorkFolder

N_NODES = 9


def built(
    folder: Path, i: Any, j: Any, weights: Any, directed: str, range_entries: int, place: str = "", batch: int = 7
) -> tuple[Any, int]:
    """The matrix of edges given some at a time."""
    (folder / "store").mkdir(exist_ok=True)

    def batches(_: str) -> Any:
        for start in range(0, len(i), batch):
            rows = slice(start, start + batch)
            yield i[rows], j[rows], None if weights is None else weights[rows]

    kind = None if weights is None else weights.dtype.type
    edges = NumberedEdges(batches, kind, with_meeting=True)
    build = MatrixBuild(WorkFolder(folder), edges, N_NODES, directed, range_entries, lambda *_: None, place)
    sizes = build.run()
    assert sizes.meeting.n_edges == len(i)
    assert sizes.meeting.n_loops == int((i == j).sum())
    matrix = mapped_matrix(folder / "store" / place, N_NODES)
    assert sizes.n_entries == matrix.nnz
    again = build.run()  # as after a kill between this and what follows
    assert again == sizes
    return matrix, sizes.n_loops


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edges=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.floats(0, 4)), max_size=60),
    directed=st.sampled_from(["symmetrize", "out", "in"]),
    kind=st.sampled_from([None, np.float32, np.float64]),
    range_entries=st.integers(1, 30),
    place=st.sampled_from(["", "relations/3"]),
)
def test_any_edges_are_the_matrix_of_memory(
    tmp_path_factory: Any, edges: list[Any], directed: str, kind: Any, range_entries: int, place: str
) -> None:
    table = np.array(edges, dtype=np.float64).reshape(-1, 3)
    i, j = table[:, :2].T.astype(np.int64)
    weights = None if kind is None else table[:, 2].astype(kind)
    found, n_loops = built(tmp_path_factory.mktemp("work"), i, j, weights, directed, range_entries, place)
    wanted, n_wanted = build_adjacency(i, j, weights, N_NODES, directed)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert n_loops == n_wanted


def test_many_repeats_are_summed_as_memory_sums_them(tmp_path: Path) -> None:
    weights = np.random.default_rng(0).random(1000).astype(np.float32)
    ends = np.zeros(1000, dtype=np.int64), np.full(1000, 3)
    for kind in (np.float32, np.float64):
        (tmp_path / kind.__name__).mkdir()
        found, _ = built(tmp_path / kind.__name__, *ends, weights.astype(kind), "out", 10_000)
        wanted, _ = build_adjacency(*ends, weights.astype(kind), N_NODES, "out")
        assert found.data.tolist() == wanted.data.tolist()


def test_entries_of_a_range_by_hand() -> None:
    # Row 2: column 1 by direction 0 twice (0.5 + 0.25), by direction 1 once (1); column 4 with a weight of zero.
    keys = np.array([((2 << 32) | 1) << 1, (((2 << 32) | 1) << 1) | 1, ((2 << 32) | 1) << 1, ((2 << 32) | 4) << 1])
    merged = merge_entries(keys, np.array([0.5, 1.0, 0.25, 0.0], dtype=np.float32), 1, 4)
    assert merged["indices"].tolist() == [1]
    assert merged["weights"].tolist() == [1.0]
    assert merged["counts"].tolist() == [0, 1, 0]


def test_limits_are_told() -> None:
    assert range_size(1000, 10_000, 1 << 30) > 10_000
    with pytest.raises(InputError, match="The memory_limit of build_store is too small for this graph: 100 MiB"):
        range_size(1000, 10_000, 100 << 20)
    with pytest.raises(InputError, match="A store holds at most 1,073,741,824 nodes"):
        check_node_count(MAX_NODES + 1, "The graph")
