"""Positions in the plane: neighbours stay neighbours, the seed decides, odd input is laid out or refused."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from sparsecut.base.errors import InputError, MissingExtraError
from sparsecut.explore import layout
from sparsecut.explore.layout import FEW_FOR_TSNE, METHODS, MODULES, MOST_BY_SKLEARN, choose_method, principal_components


def groups(n: int = 120, d: int = 10) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    which = np.arange(n) % 3
    return (6 * generator.normal(size=(3, d))[which] + generator.normal(size=(n, d))).astype(np.float32), which


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_groups_stay_together_and_the_seed_decides(method: str) -> None:
    if method != "pca" and importlib.util.find_spec(MODULES[method]) is None:
        pytest.skip(f"{MODULES[method]} is not installed")
    Z, which = groups()
    stages = []
    xy = layout(Z, method=method, random_state=4, progress=lambda *told: stages.append(told))
    assert xy.shape == (120, 2)
    assert xy.dtype == np.float32
    assert np.abs(xy).max() == pytest.approx(1)
    gaps = np.square(xy[:, None] - xy[None]).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert (which[gaps.argmin(axis=1)] == which).mean() > 0.95
    np.testing.assert_array_equal(xy, layout(Z, method=method, random_state=4))
    assert stages[-1][1:] == (1, 1)


def test_principal_components_are_those_of_the_decomposition() -> None:
    Z = np.random.default_rng(2).normal(size=(60, 7)).astype(np.float32) * np.arange(1, 8)
    centred = Z - Z.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    ours = principal_components(Z, 3)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=0), sizes[:3], rtol=1e-4)
    np.testing.assert_allclose(np.abs(ours), np.abs(centred @ axes[:3].T), atol=1e-3)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 3), (3, 1), (16, 4)])
def test_few_nodes_and_few_dimensions(shape: tuple[int, int]) -> None:
    xy = layout(np.random.default_rng(0).normal(size=shape))
    assert xy.shape == (shape[0], 2)
    assert np.isfinite(xy).all()


def test_equal_vectors_lie_in_one_place() -> None:
    assert not layout(np.ones((50, 4))).any()


def test_the_first_that_is_installed_is_chosen_and_principal_components_where_none_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec
    missing: set[str] = set()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in missing else find(name, *rest))
    order = [choose_method("auto")]
    while order[-1] != "pca":
        missing.add(MODULES[order[-1]])
        order.append(choose_method("auto"))
    assert order == [method for method in METHODS if method in order]


def test_few_nodes_are_laid_out_by_t_sne_without_a_library_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in MODULES.values() else find(name))
    assert choose_method("auto", FEW_FOR_TSNE) == choose_method("auto", MOST_BY_SKLEARN) == "tsne"
    assert choose_method("auto", MOST_BY_SKLEARN + 1) == "pca"
    Z, which = groups()
    xy = layout(Z)
    gaps = np.square(xy[:, None] - xy[None]).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert (which[gaps.argmin(axis=1)] == which).all()
    assert not np.array_equal(xy, layout(Z, method="pca"))
    np.testing.assert_array_equal(xy, layout(Z, method="tsne"))


def test_a_layout_that_was_asked_for_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sparsecut\[explore\]'"):
        layout(groups()[0], method="umap")


@pytest.mark.parametrize(
    ("Z", "message"), [([1.0], "finite matrix"), ([[np.inf, 1]], "finite matrix"), (np.ones((0, 2)), "finite")]
)
def test_wrong_input_is_refused(Z: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        layout(Z)
