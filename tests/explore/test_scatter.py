"""Pictures: every node is drawn, colours suit the ground, names stand apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.base.errors import InputError
from sparsecut.explore import palette
from sparsecut.explore.scatter import _density, _extent, _move_apart


@pytest.fixture(autouse=True)
def closed_figures() -> Any:
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_every_node_is_drawn_in_its_class_colour_and_all_can_be_read(style: str) -> None:
    from matplotlib import pyplot

    generator = np.random.default_rng(0)
    labels = np.array(["a", "b", ""])[generator.integers(3, size=300)]
    with pyplot.style.context(style):
        ax = sc.plot(generator.normal(size=(300, 2)), labels, title="A title")
    (points,) = ax.collections
    theme = "light" if style == "default" else "dark"
    ground = palette.luminance(np.asarray(ax.get_facecolor()[:3]))
    colors, counts = np.unique(np.round(points.get_facecolors()[:, :3], 6), axis=0, return_counts=True)
    expected = {
        tuple(np.round(palette.rgb(color), 6)): (labels == name).sum()
        for color, name in (
            (*palette.CLASSES[theme][:1], "a"),
            (palette.CLASSES[theme][1], "b"),
            (palette.MISSING[theme], ""),
        )
    }
    assert {tuple(color): count for color, count in zip(colors, counts, strict=True)} == expected
    for color in colors:
        bright, dim = sorted((palette.luminance(color), ground), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 3
    assert sorted(text.get_text() for text in ax.texts) == ["a", "b"]


def test_many_nodes_become_an_image_of_their_density() -> None:
    xy = np.random.default_rng(0).normal(size=(30_000, 2))
    ax = sc.plot(xy, np.arange(30_000) % 2)
    assert not ax.collections
    (image,) = ax.images
    assert image.get_array()[..., 3].max() == pytest.approx(1)


def test_a_pixel_has_the_mean_colour_of_its_nodes() -> None:
    places = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    colors = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0]])
    image = _density(places, colors, _extent(places))
    shown = image[image[..., 3] > 0]
    assert len(shown) == 2
    np.testing.assert_allclose(shown[shown[:, 3].argmax()], [0.5, 0, 0.5, 1])


def test_numbers_are_drawn_by_a_ramp_with_a_bar() -> None:
    values = np.linspace(0, 5, 400)
    ax = sc.plot(np.column_stack([values, values]), values)
    assert len(ax.figure.axes) == 2
    assert not ax.texts


def test_names_are_moved_apart() -> None:
    places = np.random.default_rng(0).random((500, 2))
    spots = np.array([[0.5, 0.5], [0.5, 0.5], [0.505, 0.5], [0.9, 0.9]])
    moved = _move_apart(spots, places)
    gaps = (moved[:, None] - moved[None]) / (np.ptp(places, axis=0) * [0.09, 0.045])
    distances = np.sqrt(np.square(gaps).sum(axis=2)) + 9 * np.eye(4)
    assert distances.min() > 0.99


def test_500_classes_names_with_dollars_and_one_node() -> None:
    generator = np.random.default_rng(0)
    ax = sc.plot(generator.normal(size=(1000, 2)), [f"$class_{number % 500}" for number in range(1000)])
    assert len(ax.texts) == 20
    ax.figure.canvas.draw()
    sc.plot([[1.0, 2.0, 3.0]], [7]).figure.canvas.draw()


def test_a_model_plots_itself_and_a_loaded_one_says_how(digits: sc.Graph, tmp_path: Path) -> None:
    model = sc.SCE(dimension=8).fit(digits)
    ax = model.plot(digits.labels, method="pca", title="digits")
    assert ax.get_title() == "digits"
    assert len(ax.texts) == 10
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=r"sparsecut.plot\(model.transform\(graph\)\)"):
        sc.load(tmp_path / "model.safetensors").plot()


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(InputError, match="one value for each of the 3 nodes"):
        sc.plot(np.eye(3), [1, 2])
    with pytest.raises(InputError, match="two finite numbers"):
        sc.plot(np.eye(3), xy=np.eye(3))
