"""A map of an embedding as a picture, for notebooks and papers (matplotlib, extra `explore`).

Colours differ visibly on a light and on a dark background, also with red-green colour blindness. Classes are named on
the map. Up to 20,000 nodes are points, drawn in a random order, so that no class lies on top of another because of its
name; more nodes are an image whose pixels have the mean colour of their nodes, the denser the more opaque.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, import_extra
from sparsecut.base.progress import Reporter
from sparsecut.explore.layout import layout
from sparsecut.explore.palette import MISSING, RAMPS, class_colors, luminance, rgb
from sparsecut.graph import encode_labels, place_rows, place_values, rows_and_ids

MAX_POINTS = 20_000
MAX_NAMED = 20  # classes named on the map, the largest
MAX_CLASSES = 200  # different numbers beyond which they are drawn by a ramp
PIXELS = 700  # of the longer side of the image, at most


def plot(
    embedding: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    xy: ArrayLike | None = None,
    ax: Any = None,
    title: str = "",
    method: str = "auto",
    random_state: int = 0,
    progress: Reporter | None = None,
) -> Any:
    """Draw a map of an embedding with matplotlib (extra ``explore``).

    Parameters
    ----------
    embedding : array or frame (n, d)
        One vector per node; with two columns they are the positions themselves. A frame brings the ids of its rows: the
        index of a pandas frame, or a column named id.
    labels : array or series (n,), optional
        What to colour by: a class per node (−1, None, NaN and "" for none), or numbers with more than 200 different
        values, which are drawn by a ramp with a colour bar. A series is matched by its index, and may name more nodes.
    xy : array or frame (n, 2), optional
        Positions in the plane, for example from `layout`; computed by default.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. Its background decides between the light and the dark palette.
    title : str, default=""
        The title of the axes.
    method : {"auto", "pacmap", "umap", "tsne", "pca"}, default="auto"
        The layout: see `layout`.
    random_state : int, default=0
        The seed of the layout.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the layout's progress bar.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    InputError
        If positions or labels do not have one entry per node.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> ax = sc.plot(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), ["red", "blue", "red"], title="Three nodes")
    >>> ax.get_title(), [text.get_text() for text in ax.texts]
    ('Three nodes', ['red', 'blue'])
    """
    import_extra("matplotlib", caller="plot", extra="explore")
    rows, ids = rows_and_ids(embedding)
    Z = np.asarray(rows)
    labels = None if labels is None else place_values(labels, ids, len(Z), is_for_more=True)
    if xy is not None:
        xy = place_rows(xy, np.arange(len(Z)) if ids is None else ids, "The frame of positions")
    else:
        is_plane = Z.ndim == 2 and Z.shape[1] == 2
        xy = Z if is_plane else layout(Z, method=method, random_state=random_state, progress=progress)
    places = np.asarray(xy, dtype=np.float64)
    if places.shape != (len(Z), 2) or not np.isfinite(places).all():
        raise InputError(f"The positions must be two finite numbers for each of the {len(Z):,} nodes. Got {places.shape}.")
    if labels is not None and np.shape(labels) != (len(Z),):
        raise InputError(f"The labels must be one value for each of the {len(Z):,} nodes. Got {np.shape(labels)}.")
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(7, 6), layout="constrained")[1]
    theme = "dark" if luminance(np.asarray(_color(ax.get_facecolor())[:3])) < 0.2 else "light"
    colors, classes, codes, scale = _colors(labels, len(Z), theme)
    if len(Z) <= MAX_POINTS:
        order = np.random.default_rng(0).permutation(len(Z))
        size = float(np.clip(9000 / len(Z), 2, 40))
        ax.scatter(*places[order].T, s=size, c=colors[order], linewidths=0, alpha=0.85, rasterized=len(Z) > 2000)
    else:
        extent = _extent(places)
        ax.imshow(_density(places, colors, extent), extent=extent, aspect="auto", interpolation="nearest")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)
    ink = "#1b1f24" if theme == "light" else "#e8ebef"
    ax.set_title(title, color=ink)
    if scale is not None:
        bar = ax.figure.colorbar(scale, ax=ax, shrink=0.6)
        bar.outline.set_visible(False)
        bar.ax.tick_params(colors=ink)
    _name_classes(ax, places, classes, codes, ink)
    return ax


def _colors(
    labels: ArrayLike | None, n_nodes: int, theme: str
) -> tuple[NDArray[np.float64], list[str], NDArray[np.int64], Any]:
    """(a colour per node, the classes' names, the class of each node or −1, the scale of a colour bar or None)."""
    nobody = np.full(n_nodes, -1)
    if labels is None:
        return np.tile(class_colors(1, theme), (n_nodes, 1)), [], nobody, None
    values = np.asarray(labels)
    classes, codes = encode_labels(values)
    if values.dtype.kind in "iuf" and len(classes) > MAX_CLASSES:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        numbers = values.astype(np.float64)
        ramp = LinearSegmentedColormap.from_list("sparsecut", RAMPS[theme])
        scale = ScalarMappable(Normalize(np.nanmin(numbers), np.nanmax(numbers)), ramp)
        colors = scale.to_rgba(numbers)[:, :3]
        return np.where(np.isnan(numbers)[:, None], rgb(MISSING[theme]), colors), [], nobody, scale
    table = np.vstack([class_colors(len(classes), theme), rgb(MISSING[theme])])  # −1 takes the last
    return table[codes], [str(name) for name in classes], codes, None


def _density(places: NDArray[np.float64], colors: NDArray[np.float64], extent: tuple[float, ...]) -> NDArray[np.float64]:
    """An image (rows, columns, 4): the mean colour of every pixel's nodes, opaque by the logarithm of their number."""
    x0, x1, y0, y1 = extent
    longest = max(x1 - x0, y1 - y0)
    n_pixels = min(PIXELS, 2 * math.sqrt(len(places)))  # few nodes on many pixels would be dust
    width, height = (max(1, round(n_pixels * side / longest)) for side in (x1 - x0, y1 - y0))
    column = np.minimum(((places[:, 0] - x0) / (x1 - x0) * width).astype(int), width - 1)
    row = np.minimum(((y1 - places[:, 1]) / (y1 - y0) * height).astype(int), height - 1)
    pixel = row * width + column
    counts = np.bincount(pixel, minlength=width * height)
    image = np.zeros((width * height, 4))
    for channel in range(3):
        image[:, channel] = np.bincount(pixel, colors[:, channel], width * height) / np.maximum(counts, 1)
    image[:, 3] = np.where(counts, 0.35 + 0.65 * np.log1p(counts) / np.log1p(counts.max()), 0)
    return image.reshape(height, width, 4)


def _extent(places: NDArray[np.float64]) -> tuple[float, float, float, float]:
    (x0, y0), (x1, y1) = places.min(axis=0), places.max(axis=0)
    margin = max(x1 - x0, y1 - y0, 1e-9) * 0.02
    return x0 - margin, x1 + margin, y0 - margin, y1 + margin


def _name_classes(ax: Any, places: NDArray[np.float64], classes: list[str], codes: NDArray[np.int64], ink: str) -> None:
    """The names of the largest classes at one of their own nodes, moved apart where they would cover one another."""
    from matplotlib import patheffects

    sizes = np.bincount(codes[codes >= 0], minlength=len(classes))
    named = np.argsort(-sizes, kind="stable")[:MAX_NAMED]
    spots = []
    for code in named[sizes[named] > 0]:
        members = places[codes == code]
        middle = np.median(members, axis=0)
        spots.append(members[np.square(members - middle).sum(axis=1).argmin()])
    if not spots:
        return
    apart = _move_apart(np.array(spots), places)
    halo = [patheffects.withStroke(linewidth=3, foreground=ax.get_facecolor())]
    for code, (x, y) in zip(named, apart, strict=False):
        name = classes[code] if len(classes[code]) <= 24 else f"{classes[code][:23]}…"
        # The dollar sign would start a formula.
        text = ax.text(x, y, name.replace("$", r"\$"), ha="center", va="center", fontsize=10, fontweight="bold", color=ink)
        text.set_path_effects(halo)


def _move_apart(spots: NDArray[np.float64], places: NDArray[np.float64], n_rounds: int = 50) -> NDArray[np.float64]:
    """Push names that are nearer than a twentieth of the map along the line between them, half of the way each."""
    span = np.maximum(places.max(axis=0) - places.min(axis=0), 1e-12)
    at = (spots - places.min(axis=0)) / span
    reach = np.array([0.09, 0.045])
    for _ in range(n_rounds):
        gaps = (at[:, None] - at[None]) / reach
        distance = np.sqrt(np.square(gaps).sum(axis=2)) + np.eye(len(at)) * 9
        i, j = np.unravel_index(int(distance.argmin()), distance.shape)
        if distance[i, j] >= 1:
            break
        direction = gaps[i, j] / distance[i, j] if distance[i, j] > 1e-9 else np.array([0.0, 1.0])
        shift = direction * (1.001 - distance[i, j]) / 2 * reach
        at[i] += shift
        at[j] -= shift
    return np.asarray(at * span + places.min(axis=0))


def _color(value: Any) -> tuple[float, ...]:
    from matplotlib.colors import to_rgba

    return tuple(to_rgba(value))
