"""The report of a cut is that of `sparsecut.report` with the cut, on the vectors of `SCE()` where none are given."""

from __future__ import annotations

from pathlib import Path

import sparsecut as sc
from report_blocks import meta_of, section

GRAPH = sc.datasets.load("digits").subgraph(positions=range(0, 1797, 12))


def test_the_map_is_of_sce_where_no_vectors_are_given(tmp_path: Path) -> None:
    found = sc.partition(GRAPH, 3)
    path = found.report(tmp_path / "parts.html", layout_method="pca")
    meta = meta_of(path)
    assert meta["title"] == "Parts of the graph"
    assert section(meta, "parts")["table"]["header"][0] == "part"
    assert section(meta, "choices")["list"]
    same = sc.report(
        sc.SCE().fit_transform(GRAPH), tmp_path / "own.html", graph=GRAPH, cut=found, layout_method="pca", title="Mine"
    )
    assert meta_of(same)["layout"] == meta["layout"]
    given = found.report(tmp_path / "given.html", embedding=GRAPH.features, title="Mine", layout_method="pca")
    assert meta_of(given)["title"] == "Mine"
    assert "64 dimensions" in meta_of(given)["summary"]
