"""Pictures: of a cut or of parts, each in a colour with the edges between them on top; of a tree.

Nodes lie where the two smoothest eigenvectors of the normalised Laplacian put them. A small side of a large graph would be a
dot there, so then only that side and what lies within two steps of it is drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
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
MOST_NAMED = 12  # parts in a legend
PICTURES = (".png", ".svg", ".pdf")


def draw_cut(graph: Graph, side: Mask, title: str, path: str | Path | None = None, *, overwrite: bool = False) -> Figure:
    """A matplotlib figure of a cut, written to a file if a path is given; its suffix is the format."""
    _check_picture(path, overwrite)
    A = undirected_adjacency(graph, "draw")
    shown = _surroundings(A, side) if side.mean() < SMALL else np.ones(graph.n_nodes, dtype=bool)
    if not shown.all():
        title += f"\nS and what lies within {STEPS} steps: {int(shown.sum()):,} of {graph.n_nodes:,} nodes"
    A, groups = sp.csr_array(A[shown][:, shown]), side[shown].astype(np.int64)
    return _draw(A, groups, ["the rest", "S"], title, path, overwrite)


def draw_parts(
    graph: Graph, parts: NDArray[np.int64], title: str, path: str | Path | None = None, *, overwrite: bool = False
) -> Figure:
    """A matplotlib figure of parts; their numbers are named beside it where they are few."""
    _check_picture(path, overwrite)
    count = int(parts.max()) + 1
    names = [f"part {part}" for part in range(count)] if count <= MOST_NAMED else []
    return _draw(undirected_adjacency(graph, "draw"), parts, names, title, path, overwrite)


def draw_tree(
    linkage: Real, n_leaves: int, title: str, path: str | Path | None = None, *, overwrite: bool = False
) -> Figure:
    """A matplotlib figure of the uppermost splits of a tree, by the number of nodes below each."""
    _check_picture(path, overwrite)
    from matplotlib.figure import Figure
    from scipy.cluster.hierarchy import dendrogram

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    dendrogram(linkage, p=n_leaves, truncate_mode="lastp", ax=axes, no_labels=False, color_threshold=0)
    axes.set_ylabel("nodes below the split")
    axes.set_xlabel("clusters, the number of their nodes in brackets; single nodes by position")
    axes.set_title(title, fontsize=9)
    return _written(figure, path, overwrite)


def _check_picture(path: str | Path | None, overwrite: bool) -> None:
    """That matplotlib is there and the file may be written, before anything is computed."""
    import_extra("matplotlib", caller="draw", extra="explore")
    if path is not None:
        check_writable(path, overwrite, PICTURES)


def _draw(
    A: sp.csr_array, groups: NDArray[np.int64], names: list[str], title: str, path: str | Path | None, overwrite: bool
) -> Figure:
    """Nodes in the colours of their groups, the edges between groups on top."""
    import matplotlib
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    positions = spectral_positions(A)
    figure = Figure(figsize=(7, 5.2), layout="constrained")
    axes = figure.add_subplot()
    edges = sp.triu(A, 1).tocoo()
    is_cut = groups[edges.row] != groups[edges.col]
    random = np.random.default_rng(0)
    uncut = np.flatnonzero(~is_cut)
    uncut = random.permutation(uncut)[:MOST_EDGES]
    for chosen, colour, width in ((uncut, "0.85", 0.4), (np.flatnonzero(is_cut), "C3", 1.0)):
        lines = np.stack([positions[edges.row[chosen]], positions[edges.col[chosen]]], axis=1)
        axes.add_collection(LineCollection(list(lines), colors=colour, linewidths=width, zorder=1 if width < 1 else 2))
    size = float(np.clip(4000 / len(groups), 2, 60))
    count = int(groups.max()) + 1
    colours = ["C0", "C1"] if count <= 2 else matplotlib.colormaps["turbo"](np.linspace(0.05, 0.95, count))
    for group in range(count):
        members = groups == group
        axes.scatter(
            positions[members, 0],
            positions[members, 1],
            s=size,
            linewidths=0,
            color=colours[group],
            label=names[group] if names else None,
            zorder=3,
        )
    axes.set_axis_off()
    axes.set_title(title, fontsize=9, wrap=True)
    if names:
        axes.legend(loc="upper left", bbox_to_anchor=(0, 0), ncols=4, frameon=False, markerscale=2)
    return _written(figure, path, overwrite)


def _written(figure: Figure, path: str | Path | None, overwrite: bool) -> Figure:
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
