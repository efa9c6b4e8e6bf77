"""The sections of a report against the decomposition and the model they describe."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sparsecut as sc
from report_blocks import meta_of, section
from sparsecut.explore.findings import find_clusters


def test_the_spectrum_and_the_rank_are_those_of_the_singular_values(tmp_path: Path) -> None:
    Z = (np.random.default_rng(0).normal(size=(100, 6)) * [9, 5, 3, 1, 1, 0.5]).astype(np.float32)
    spectrum = section(meta_of(sc.report(Z, tmp_path / "r.html", layout_method="pca")), "spectrum")
    shares = np.linalg.svd(Z - Z.mean(axis=0), compute_uv=False) ** 2
    shares /= shares.sum()
    np.testing.assert_allclose(spectrum["chart"]["y"], shares, rtol=1e-4)
    rank = np.exp(-(shares * np.log(shares)).sum())
    assert f"effective rank is {rank:.1f} of 6" in " ".join(spectrum["sentences"])


def test_the_model_tells_its_choices_and_its_curve(tmp_path: Path, digits: sc.Graph) -> None:
    model = sc.SCE(dimension=8, solver=sc.Adam(epochs=6)).fit(digits)
    meta = meta_of(sc.report(model.embedding_, tmp_path / "r.html", model=model, layout_method="pca"))
    assert section(meta, "choices")["list"] == model.explain().splitlines()
    np.testing.assert_allclose(section(meta, "curve")["chart"]["y"], model.history_.loss, rtol=1e-5)
    solved = sc.SCE(dimension=8).fit(digits)
    meta = meta_of(sc.report(solved.embedding_, tmp_path / "solved.html", model=solved, layout_method="pca"))
    names = [found["id"] for found in meta["sections"]]
    assert "choices" in names
    assert "curve" not in names  # the closed form has no epochs


def test_clusters_are_the_groups_largest_first() -> None:
    generator = np.random.default_rng(0)
    which = np.repeat([0, 1, 2], [20, 50, 30])
    Z = (np.eye(3)[which] * 9 + 0.1 * generator.normal(size=(100, 3))).astype(np.float32)
    found = find_clusters(Z, which, 0)
    assert np.bincount(found).tolist() == [50, 30, 20]
    assert len(set(zip(found.tolist(), which.tolist(), strict=True))) == 3
