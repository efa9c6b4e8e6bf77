"""`sparsecut plot`: a picture in the colours of the labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from cli_files import assert_refused, write_labels
from sparsecut import write_embedding
from sparsecut.explore.palette import class_colors


def colors_in(path: Path) -> set[tuple[int, ...]]:
    pixels = (imread(path)[..., :3] * 255).round().astype(int)
    return set(map(tuple, pixels.reshape(-1, 3)))


def has_colors(path: Path, n_classes: int) -> bool:
    """Whether every class is drawn in its colour, at 0.85 on white."""
    found = np.array(sorted(colors_in(path)))
    drawn = np.round(255 * (0.85 * class_colors(n_classes, "light") + 0.15)).astype(int)
    return all(np.abs(found - color).sum(axis=1).min() <= 4 for color in drawn)


@pytest.mark.slow
def test_labels_are_colours_and_the_file_is_replaced_only_by_force(run, tmp_path):
    places = np.array([[0, 0], [10, 0], [0, 10], [10, 10]], dtype=np.float32)
    write_embedding(tmp_path / "z.parquet", np.eye(4, 3), list("abcd"), xy=places)
    labels = write_labels(tmp_path / "l.csv", list("abcd"), ["x", "y", "x", "y"])
    words = ("plot", tmp_path / "z.parquet", "-l", labels, "-o", tmp_path / "map.png")
    code, out, error = run(*words, "--title", "Four")
    assert code == 0, error
    assert out == f"4 nodes → {tmp_path / 'map.png'}\n"
    assert has_colors(tmp_path / "map.png", 2)
    assert_refused(run(*words, "-q"), "exists. Pass overwrite=True (--force)")
    assert run(*words, "--force", "--dark", "-q")[0] == 0
    assert (20, 23, 28) in colors_in(tmp_path / "map.png")


@pytest.mark.slow
def test_labels_may_be_those_of_the_graph(run, tmp_path):
    nodes = "".join(f'node [ id {place} label "{name}" team "{name in "ab"}" ] ' for place, name in enumerate("abcd"))
    (tmp_path / "g.gml").write_text(f"graph [ {nodes} edge [ source 0 target 1 ] edge [ source 1 target 3 ] ]")
    places = np.array([[0, 0], [10, 0], [0, 10], [10, 10]], dtype=np.float32)
    write_embedding(tmp_path / "z.parquet", np.eye(4), list("dbca"), xy=places)
    words = ("plot", tmp_path / "z.parquet", "--graph", tmp_path / "g.gml", "-l", "team", "-o", tmp_path / "m.png")
    code, _, error = run(*words)
    assert code == 0, error
    assert has_colors(tmp_path / "m.png", 2)
    assert not has_colors(tmp_path / "m.png", 3)


def test_wrong_input_is_one_sentence(run, vectors, tmp_path):
    path = vectors[0]
    assert_refused(run("plot", path, "-o", tmp_path / "m.bmp", "-q"), "must end in .png, .svg or .pdf")
    assert_refused(run("plot", path, "--layout", "x", "-q"), "must be one of 'auto', 'pacmap'")
    assert_refused(run("plot", path, "-l", "nothing", "-o", tmp_path / "m.png", "-q"), "neither a file nor a dataset")
