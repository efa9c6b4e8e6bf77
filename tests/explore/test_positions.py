"""The positions of a report's nodes: kept from the report it replaces for the same vectors alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sparsecut as sc
from report_blocks import blocks_of, meta_of, section


def test_the_layout_is_kept_with_the_report_and_only_for_the_same_vectors(tmp_path: Path) -> None:
    Z = np.random.default_rng(0).normal(size=(80, 5)).astype(np.float32)
    stages: list[str] = []
    path = tmp_path / "r.html"
    sc.report(Z, path, layout_method="pca", overwrite=True, progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" in stages
    first = blocks_of(path)["x"]
    stages.clear()
    sc.report(Z, path, layout_method="pca", overwrite=True, progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" not in stages
    assert blocks_of(path)["x"] == first
    assert "kept from the report" in section(meta_of(path), "repeat")["sentences"][0]
    sc.report(Z * 2 + 1, path, layout_method="pca", overwrite=True, progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" in stages
    path.write_text('<script type="application/octet-stream" data-block="meta">AAAA<', "utf-8")
    sc.report(Z, path, layout_method="pca", overwrite=True)  # what is no report is no cache
    assert blocks_of(path)["x"] == first
