"""A picture of a cut: both sides in colour, the edges between them on top.

Nodes lie where the two smoothest eigenvectors of the normalised Laplacian put them. A small side of a large graph would be a
dot there, so then only that side and what lies within two steps of it is drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sparsecut.base.errors import import_extra
from sparsecut.cuts.eigenvectors import smoothest
from sparsecut.cuts.objective import CutProblem, Mask, Real, undirected_adjacency
from sparsecut.graph import Graph
from sparsecut.io import check_writable, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALL = 0.05  # share of the nodes below which only the surroundings of the smaller side are drawn
STEPS = 2
MOST_EDGES = 20_000  # drawn, of the uncut ones
PICTURES = (".png", ".svg", ".pdf")


def draw_cut(graph: Graph, side: Mask, title: str, path: str | Path | None = None, *, overwrite: bool = False) -> Figure:
    """A matplotlib figure of a cut, written to a file if a path is given; its suffix is the format."""
    import_extra("matplotlib", caller="draw", extra="explore")
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    if path is not None:
        check_writable(path, overwrite, PICTURES)  # before the eigenvectors are computed
    A = undirected_adjacency(graph, "draw")
    shown = _surroundings(A, side) if side.mean() < SMALL else np.ones(graph.n_nodes, dtype=bool)
    A, inside = sp.csr_array(A[shown][:, shown]), side[shown]
    positions = spectral_positions(A)
    figure = Figure(figsize=(7, 5.2), layout="constrained")
    axes = figure.add_subplot()
    edges = sp.triu(A, 1).tocoo()
    is_cut = inside[edges.row] != inside[edges.col]
    random = np.random.default_rng(0)
    uncut = np.flatnonzero(~is_cut)
    uncut = random.permutation(uncut)[:MOST_EDGES]
    for chosen, colour, width in ((uncut, "0.85", 0.4), (np.flatnonzero(is_cut), "C3", 1.0)):
        lines = np.stack([positions[edges.row[chosen]], positions[edges.col[chosen]]], axis=1)
        axes.add_collection(LineCollection(list(lines), colors=colour, linewidths=width, zorder=1 if width < 1 else 2))
    size = float(np.clip(4000 / len(inside), 2, 60))
    for members, colour, label in ((~inside, "C0", "the rest"), (inside, "C1", "S")):
        axes.scatter(positions[members, 0], positions[members, 1], s=size, linewidths=0, color=colour, label=label, zorder=3)
    axes.set_axis_off()
    note = "" if shown.all() else f"\nS and what lies within {STEPS} steps: {int(shown.sum()):,} of {graph.n_nodes:,} nodes"
    axes.set_title(title + note, fontsize=9, wrap=True)
    axes.legend(frameon=False, markerscale=2)
    if path is not None:
        with write_whole(path, overwrite, PICTURES) as temporary:
            figure.savefig(temporary, dpi=150)
    return figure


def spectral_positions(A: sp.csr_array) -> Real:
    """A position in the plane for every node: two eigenvectors, by rank, so that dense corners are spread out."""
    n = A.shape[0]
    positions = np.zeros((n, 2))
    count, component = connected_components(A, directed=False)
    left = 0.0
    for part in np.argsort(-np.bincount(component), kind="stable")[:count].tolist():
        nodes = np.flatnonzero(component == part)
        width = np.sqrt(len(nodes))
        if len(nodes) > 2:
            problem = CutProblem.of_adjacency(sp.csr_array(A[nodes][:, nodes]), "conductance")
            vectors = smoothest(problem, 2, np.random.default_rng(0)).vectors
            ranks = np.argsort(np.argsort(vectors, axis=0, kind="stable"), axis=0) / max(len(nodes) - 1, 1)
            spread = (vectors - vectors.min(axis=0)) / np.maximum(np.ptp(vectors, axis=0), 1e-12)
            positions[nodes] = (0.5 * ranks + 0.5 * spread) * width
        else:
            positions[nodes, 1] = np.arange(len(nodes))
        positions[nodes, 0] += left
        left += 1.1 * width + 0.5
    return positions


def _surroundings(A: sp.csr_array, side: Mask) -> Mask:
    near: Mask = side.copy()
    for _ in range(STEPS):
        near = near | (A @ near.astype(np.float64) > 0)
    return near
