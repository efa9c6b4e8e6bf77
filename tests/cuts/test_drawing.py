"""The picture of a cut: both sides, the edges between them, and the surroundings of a small side."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import sparsecut as sc
from cut_graphs import barbell, grid


def test_it_draws_itself(tmp_path) -> None:
    found = sc.sparsest_cut(barbell(12))
    figure = found.draw(tmp_path / "cut.png")
    assert (tmp_path / "cut.png").read_bytes()[:4] == b"\x89PNG"
    lines = [collection for collection in figure.axes[0].collections if hasattr(collection, "get_segments")]
    assert sorted(len(line.get_segments()) for line in lines) == [1, 132]  # the bridge, and two cliques of 12
    assert "12 of 24 nodes" in repr(found)


def test_a_small_side_is_drawn_with_its_surroundings() -> None:
    whisker = sc.Graph(sp.block_diag([grid(20, 20).adjacency, np.ones((6, 6)) - np.eye(6)]))
    A = whisker.adjacency.tolil()
    A[0, 400] = A[400, 0] = 1
    found = sc.sparsest_cut(sc.Graph(A.tocsr()))
    assert set(found.nodes.tolist()) == set(range(400, 406))
    assert "within 2 steps" in found.draw().axes[0].get_title()
