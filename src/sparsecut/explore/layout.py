"""Positions in the plane: neighbours in the embedding close together.

The positions are computed by a library for that purpose from the leading principal components, which determine the
neighbourhoods. `docs/performance.md` has the measurements behind the order of METHODS: the first that is installed is
taken, and principal components alone where none is.
"""

from __future__ import annotations

import importlib.util
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_choice, check_integer, import_extra
from sparsecut.base.progress import Reporter, reporting
from sparsecut.graph import is_frame, like_frame, rows_and_ids

METHODS = ("pacmap", "umap", "tsne", "pca")
MODULES = {"pacmap": "pacmap", "umap": "umap", "tsne": "openTSNE"}
N_COMPONENTS = 50  # what every layout works on
N_ITERATIONS = 750  # of openTSNE: 250 with exaggeration, 500 without
FEW_FOR_TSNE = 2_500  # nodes up to which "auto" is t-SNE: it takes seconds, less than compiling a library's code does
MOST_BY_SKLEARN = 5_000  # nodes up to which "tsne" is scikit-learn's, and needs no library of its own
FEW = 16  # nodes up to which there are no neighbourhoods to keep: principal components are drawn as they are

Plane = NDArray[np.float32]


def layout(embedding: Any, *, method: str = "auto", random_state: int = 0, progress: Reporter | None = None) -> Any:
    """Compute a position in the plane for every node, neighbours in the embedding close together.

    Parameters
    ----------
    embedding : array or frame (n, d)
        One finite vector per node. A column of ids in a frame is none of the numbers.
    method : {"auto", "pacmap", "umap", "tsne", "pca"}, default="auto"
        The method. "auto" is t-SNE up to 2,500 nodes, and for more the first of these whose library is installed. "pca"
        needs none, and neither does "tsne" up to 5,000 nodes. PaCMAP is the fastest for many; UMAP and t-SNE keep more of
        the smallest neighbourhoods. Up to 16 nodes all of them give principal components.
    random_state : int, default=0
        The seed. The same vectors get the same positions on the same machine.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the progress bar, which appears after two seconds.

    Returns
    -------
    array (n, 2) of float32
        Centred, the larger of the two sides from −1 to 1. For a frame it is a frame, with the same ids and columns x and y.

    Raises
    ------
    InputError
        If the vectors are not a finite matrix, or the method's library is not installed.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> sc.layout(np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]]), method="pca").round(3).tolist()
    [[-1.0, -0.25], [1.0, -0.25], [0.0, 0.25]]
    """
    rows, ids = rows_and_ids(embedding)
    Z = np.asarray(rows, dtype=np.float32)
    if Z.ndim != 2 or not len(Z) or not Z.shape[1] or not np.isfinite(Z).all():
        raise InputError(f"A layout needs a finite matrix with one row per node. Got shape {Z.shape}.")
    check_choice("layout", "method", method, ("auto", *METHODS))
    check_integer("layout", "random_state", random_state, 0)
    chosen = choose_method(method, len(Z))
    components = principal_components(Z)
    with reporting(progress) as report:
        report(f"layout by {chosen}", 0, 1)
        if chosen == "pca" or len(Z) <= FEW or not components.any():
            xy = components[:, :2]
        else:
            xy = _DRAW[chosen](components, random_state, report)
        report(f"layout by {chosen}", 1, 1)
    places = _in_the_square(np.asarray(xy, dtype=np.float64))
    return like_frame(embedding, {"x": places[:, 0], "y": places[:, 1]}, ids) if is_frame(embedding) else places


def choose_method(method: str, n_nodes: int = 2**31) -> str:
    """The layout that "auto" stands for here; one that was requested must be installed."""
    if method == "auto":
        if n_nodes <= FEW_FOR_TSNE:
            return "tsne"
        return next(name for name in METHODS if name == "pca" or _is_there(name, n_nodes))
    if method in MODULES and n_nodes > FEW and not _is_there(method, n_nodes):
        with _quietly(MODULES[method]):
            import_extra(MODULES[method], caller=f"layout(method={method!r})", extra="explore")
    return method


def _is_there(method: str, n_nodes: int) -> bool:
    if method == "tsne" and n_nodes <= MOST_BY_SKLEARN:
        return True
    return importlib.util.find_spec(MODULES[method]) is not None


def principal_components(Z: Plane, n_components: int = N_COMPONENTS) -> Plane:
    """The leading principal components, at least two columns, each with the sign that makes its largest entry positive."""
    centred = Z - Z.mean(axis=0, dtype=np.float64).astype(np.float32)
    scatter = centred.T.astype(np.float64) @ centred if len(Z) < 2**20 else _scatter(centred)
    _, vectors = np.linalg.eigh(scatter)
    axes = vectors[:, ::-1][:, :n_components]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
    components = np.zeros((len(Z), max(2, axes.shape[1])), dtype=np.float32)
    components[:, : axes.shape[1]] = centred @ axes.astype(np.float32)
    return components


def _scatter(centred: Plane, block: int = 2**18) -> NDArray[np.float64]:
    """The scatter matrix, block by block: a copy of all rows in double precision would not fit beside them."""
    total = np.zeros((centred.shape[1],) * 2)
    for start in range(0, len(centred), block):
        rows = centred[start : start + block].astype(np.float64)
        total += rows.T @ rows
    return total


def _in_the_square(xy: NDArray[np.float64]) -> Plane:
    low, high = xy.min(axis=0), xy.max(axis=0)
    side = (high - low).max()
    return np.asarray((xy - (low + high) / 2) / (side / 2 if side > 0 else 1), dtype=np.float32)


def _pacmap(components: Plane, seed: int, report: Reporter) -> Any:
    with _quietly("pacmap"):
        pacmap = import_extra("pacmap", caller="layout", extra="explore")
        model = pacmap.PaCMAP(n_components=2, random_state=seed, apply_pca=False)
        return model.fit_transform(components, init=_start(components))


def _umap(components: Plane, seed: int, report: Reporter) -> Any:
    with _quietly("umap"):
        umap = import_extra("umap", caller="layout", extra="explore")
        model = umap.UMAP(n_neighbors=min(15, len(components) - 1), random_state=seed, init=_start(components))
        return model.fit_transform(components)


def _tsne(components: Plane, seed: int, report: Reporter) -> Any:
    import pyarrow as pa

    def after_iteration(iteration: int, error: float, embedding: Any) -> bool:
        report("layout by tsne", min(iteration, N_ITERATIONS), N_ITERATIONS)
        return False

    start, perplexity = 1e-4 * _start(components), min(30.0, max(1.0, (len(components) - 1) / 3))
    if len(components) <= MOST_BY_SKLEARN:
        from sklearn.manifold import TSNE

        model = TSNE(perplexity=perplexity, init=start, random_state=seed, max_iter=N_ITERATIONS, n_jobs=pa.cpu_count())
        return np.asarray(model.fit_transform(components))
    with _quietly("openTSNE"):
        tsne = import_extra("openTSNE", caller="layout", extra="explore")
        library = tsne.TSNE(
            perplexity=perplexity,
            initialization=start,
            random_state=seed,
            n_jobs=pa.cpu_count(),  # OMP_NUM_THREADS, or all cores
            callbacks=after_iteration,
            callbacks_every_iters=25,
        )
        return np.asarray(library.fit(components.astype(np.float64)))


@contextmanager
def _quietly(logger: str) -> Iterator[None]:
    """Without the remarks of a library: that a seed makes it slower, or that another library is not installed."""
    log = logging.getLogger(logger)
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _start(components: Plane) -> Plane:
    """The first two components with deviation one: a start that keeps the large shape, and the same on every run."""
    start = components[:, :2]
    return start / max(float(start[:, 0].std()), 1e-12)


_DRAW = {"pacmap": _pacmap, "umap": _umap, "tsne": _tsne}
