"""An earlier embedding is turned onto today's, so that what has not changed lies where it lay."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from report_blocks import blocks_of, meta_of, section
from sparsecut.base.errors import InputError
from sparsecut.explore.report_before import match_before

pandas = pytest.importorskip("pandas")
GENERATOR = np.random.default_rng(5)
Z = GENERATOR.normal(size=(50, 6)).astype(np.float32)
TURN = np.linalg.qr(GENERATOR.normal(size=(6, 6)))[0]
IDS = np.array([f"n{number}" for number in range(50)])


def column(path: Path, name: str) -> np.ndarray:
    described = next(one for one in meta_of(path)["columns"] if one["name"] == name)
    return np.frombuffer(blocks_of(path)[described["block"]], "<f4" if described["kind"] == "number" else "<u2")


def test_a_turned_embedding_has_not_moved(tmp_path: Path) -> None:
    path = sc.report(Z, tmp_path / "r.html", before=Z @ TURN, layout_method="pca")
    assert column(path, "moved").max() < 1e-5
    assert column(path, "neighbours kept").min() == 1
    blocks = blocks_of(path)
    for axis in "xy":
        now, before = (np.frombuffer(blocks[name], "<f4") for name in (axis, f"before-{axis}"))
        np.testing.assert_allclose(now, before, atol=1e-4)


def test_nodes_are_matched_by_id_and_those_that_moved_come_first(tmp_path: Path) -> None:
    earlier = (Z @ TURN)[::-1].copy()
    earlier[49 - 7] += 5  # node 7 was elsewhere
    frame = pandas.DataFrame(earlier, index=pandas.Index([*IDS[::-1][:-1], "gone"], name="id"))  # without node 0
    path = sc.report(Z, tmp_path / "r.html", ids=IDS, before=frame, layout_method="pca")
    told = section(meta_of(path), "before")
    assert told["sentences"][0] == "Nodes in both embeddings: 49. New: 1. Gone: 1, 'gone'."
    assert told["chart"]["names"][0] == "n7"
    moved = column(path, "moved")
    assert np.isnan(moved[0])
    assert moved[7] == np.nanmax(moved)
    assert column(path, "since").tolist() == [2] + [1] * 49
    common = np.frombuffer(blocks_of(path)["before-common"], "<u1")
    assert common.tolist() == [0] + [1] * 49


def test_an_embedding_of_another_width_and_from_a_file(tmp_path: Path) -> None:
    sc.write_embedding(tmp_path / "earlier.npz", np.hstack([Z, np.zeros((50, 2))]), IDS)
    found = match_before(tmp_path / "earlier.npz", Z, IDS)
    np.testing.assert_allclose(found.Z, Z, atol=1e-5)


def test_what_cannot_be_matched_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="40 rows and this one 50"):
        sc.report(Z, tmp_path / "r.html", before=Z[:40])
    with pytest.raises(InputError, match="has 0 of this one's nodes"):
        sc.report(Z, tmp_path / "r.html", before=pandas.DataFrame(Z, index=IDS))
    with pytest.raises(InputError, match="Leave xy out"):
        sc.report(Z, tmp_path / "r.html", before=Z, xy=Z[:, :2])
    assert not (tmp_path / "r.html").exists()


def test_positions_of_two_embeddings_are_not_taken_for_one(tmp_path: Path) -> None:
    path = sc.report(Z, tmp_path / "r.html", before=-Z, layout_method="pca")
    assert json.loads(blocks_of(path)["meta"])["layout"]["key"] == ""
