"""The four drawings of docs/how_it_works.md, computed on a graph of two circles of friends:

    PYTHONPATH=benchmarks python docs/draw_idea.py

idea_cut.svg        two groups and the few lines between them
idea_smoothing.svg  a noisy column before and after averaging over neighbours
idea_moments.svg    n rows become a small square of sums
idea_solution.svg   the eigenvalues of that square, and what sharpening makes of them
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from drawing import COLOURS, Picture

N_EACH, N_COLUMNS = 9, 6
FIRST, SECOND = COLOURS[1], COLOURS[3]


def friends() -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    """Adjacency, places in the plane and noisy columns of two groups of nine with two lines between them."""
    rng = np.random.default_rng(4)
    side = np.repeat([0, 1], N_EACH)
    angle = np.tile(np.linspace(0, 2 * np.pi, N_EACH, endpoint=False), 2)
    places = np.c_[np.where(side, 300, 100) + 62 * np.cos(angle), 118 + 62 * np.sin(angle)]
    ring = [(first + one, first + (one + 1) % N_EACH) for first in (0, N_EACH) for one in range(N_EACH)]
    chords = [(a, b) for a in range(2 * N_EACH) for b in range(a) if side[a] == side[b] and rng.random() < 0.2]
    across = [(0, N_EACH + 4), (1, N_EACH + 5)]
    pairs = sorted({(max(pair), min(pair)) for pair in ring + chords + across})
    rows, columns = np.array(pairs).T
    A = sp.coo_array((np.ones(len(pairs)), (rows, columns)), shape=(2 * N_EACH,) * 2)
    features = np.where(side, 1.0, -1.0)[:, None] * rng.random(N_COLUMNS) + 1.1 * rng.standard_normal(
        (2 * N_EACH, N_COLUMNS)
    )
    return sp.csr_array(A + A.T), places, features


def draw_cut(A: sp.csr_array, places: np.ndarray) -> Picture:
    picture = Picture("A sparse cut: many lines within the groups, two across", 420, 230)
    _lines(picture, A, places, 0)
    for number, (x, y) in enumerate(places):
        picture.mark(x, y, f"node {number}", colour=FIRST if number < N_EACH else SECOND, size=7)
    picture.line(200, 44, 200, 196, kind="one")
    picture.text(200, 216, "the cut", anchor="middle")
    return picture


def draw_smoothing(A: sp.csr_array, places: np.ndarray, features: np.ndarray) -> Picture:
    picture = Picture("One column of the features: as given, and averaged over neighbours twice", 860, 230)
    smoothed = _averaged(A, features)
    for shift, column, words in ((0, features[:, 0], "as given"), (430, smoothed[:, 0], "after two averages")):
        _lines(picture, A, places, shift)
        scale = np.abs(column).max()
        for (x, y), value in zip(places, column, strict=True):
            colour = FIRST if value < 0 else SECOND
            picture.mark(x + shift, y, f"{value:+.2f}", colour=colour, size=3 + 7 * abs(value) / scale)
        picture.text(200 + shift, 216, words, anchor="middle")
    return picture


def draw_moments(features: np.ndarray, smoothed: np.ndarray) -> Picture:
    picture = Picture("n rows become an f × f square of sums: nothing after it depends on n", 620, 250)
    M = len(smoothed) * smoothed.T @ smoothed - np.outer(smoothed.sum(0), smoothed.sum(0))
    _squares(picture, smoothed, 40, 40, 10)
    _squares(picture, M, 360, 85, 18)
    picture.text(40 + 5 * N_COLUMNS, 242, f"S: {len(features)} rows, {N_COLUMNS} columns", anchor="middle")
    picture.text(235, 140, "one pass  →", anchor="middle", kind="bold")
    picture.text(360 + 9 * N_COLUMNS, 216, f"M: {N_COLUMNS} × {N_COLUMNS}", anchor="middle")
    return picture


def draw_solution(smoothed: np.ndarray) -> Picture:
    picture = Picture("The directions of M: some separate more pairs than others; the strongest are strengthened", 640, 220)
    values = np.linalg.eigvalsh(np.cov(smoothed.T))[::-1]
    for left, heights, words in ((40, values, "eigenvalues of M"), (350, values**1.6, "sharpened")):
        for number, height in enumerate(heights / heights.max()):
            x, tall = left + 40 * number, 130 * height
            picture.parts.append(
                f'<rect x="{x}" y="{180 - tall:.1f}" width="28" height="{tall:.1f}" fill="{COLOURS[0]}">'
                f"<title>direction {number + 1}: {height:.2f}</title></rect>"
            )
        picture.text(left + 115, 204, words, anchor="middle")
    return picture


def _averaged(A: sp.csr_array, features: np.ndarray) -> np.ndarray:
    with_own = A + sp.eye_array(A.shape[0])
    P = sp.diags_array(1 / with_own.sum(1)) @ with_own
    return np.asarray(P @ (P @ features))


def _lines(picture: Picture, A: sp.csr_array, places: np.ndarray, shift: float) -> None:
    entries = A.tocoo()
    for a, b in zip(*entries.coords, strict=True):
        if a < b:
            (x, y), (to_x, to_y) = places[a], places[b]
            across = (a < N_EACH) != (b < N_EACH)
            picture.line(x + shift, y, to_x + shift, to_y, colour=COLOURS[0] if across else "#9aa1aa")


def _squares(picture: Picture, values: np.ndarray, left: float, top: float, side: float) -> None:
    strongest = np.abs(values).max()
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            colour = FIRST if value < 0 else SECOND
            picture.parts.append(
                f'<rect x="{left + side * column:g}" y="{top + side * row:g}" width="{side - 1:g}" height="{side - 1:g}" '
                f'fill="{colour}" fill-opacity="{abs(value) / strongest:.2f}"/>'
            )


def main() -> None:
    A, places, features = friends()
    smoothed = _averaged(A, features)
    draw_cut(A, places).save("idea_cut.svg")
    draw_smoothing(A, places, features).save("idea_smoothing.svg")
    draw_moments(features, smoothed).save("idea_moments.svg")
    draw_solution(smoothed).save("idea_solution.svg")


if __name__ == "__main__":
    main()
