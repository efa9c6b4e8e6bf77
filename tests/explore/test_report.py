"""What goes into the report, against hand-computed graphs and second routes; what comes out as a file."""

from __future__ import annotations

import base64
import gzip
import json
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from conftest import random_graph
from sparsecut.errors import InputError
from sparsecut.evaluation import probe, sample_splits
from sparsecut.evaluation.confusion import confusion_matrix
from sparsecut.evaluation.health import measure_health
from sparsecut.explore import page
from sparsecut.explore.cautions import cautions
from sparsecut.explore.node_columns import make_column, read_columns, unique_names
from sparsecut.explore.report import find_clusters

ROOT = Path(__file__).parents[2]


def blocks_of(path: Path) -> dict[str, bytes]:
    found = re.findall(r'data-block="([\w-]+)">([^<]*)</script>', path.read_text("utf-8"))
    return {name: gzip.decompress(base64.b64decode(text)) for name, text in found}


def meta_of(path: Path) -> dict[str, Any]:
    return dict(json.loads(blocks_of(path)["meta"]))


def section(meta: dict[str, Any], name: str) -> dict[str, Any]:
    return next(found for found in meta["sections"] if found["id"] == name)


def test_the_page_is_what_its_sources_give() -> None:
    build = runpy.run_path(str(ROOT / "web" / "build.py"))
    assert page.page_template() == build["build_page"](), "run: python web/build.py"


def test_the_build_refuses_what_joining_would_break(tmp_path: Path) -> None:
    join = runpy.run_path(str(ROOT / "web" / "build.py"))["join_modules"]
    (tmp_path / "a.js").write_text("export const one = 1;\n")
    (tmp_path / "b.js").write_text('import { one } from "./a.js";\n\nexport const two = one + 1;\n')
    assert "const two = one + 1;" in join(tmp_path, ("a", "b"))
    assert "import" not in join(tmp_path, ("a", "b"))
    for modules, text, message in (
        (("b", "a"), None, "must come before"),
        (("a",), None, "differ in b"),
        (("a", "b"), "const one = 2;\n", "is declared in"),
        (("a", "b"), 'import x from "./a.js";\n', "another form"),
    ):
        if text is not None:
            (tmp_path / "b.js").write_text(text)
        with pytest.raises(SystemExit, match=message):
            join(tmp_path, modules)


def test_the_report_holds_every_node_its_columns_and_its_neighbours(tmp_path: Path) -> None:
    graph = random_graph(60, seed=2)
    Z = np.random.default_rng(0).normal(size=(60, 6)).astype(np.float32)
    ids = [f"n{number}" for number in range(60)]
    graph = sc.Graph(graph.adjacency, node_ids=ids)
    path = sc.report(Z, tmp_path / "r.html", graph=graph, layout_method="pca", nodes={"weight": np.arange(60) / 7})
    blocks, meta = blocks_of(path), meta_of(path)
    assert json.loads(blocks["ids"]) == ids
    neighbors = np.frombuffer(blocks["neighbors"], dtype="<u4").reshape(60, 10)
    np.testing.assert_array_equal(neighbors, sc.Neighbors(Z).nearest(10).positions)
    names = [column["name"] for column in meta["columns"]]
    assert names == ["degree", "length", "cluster", "weight"]
    degrees = np.frombuffer(blocks[meta["columns"][0]["block"]], dtype="<f4")
    np.testing.assert_array_equal(degrees, (graph.adjacency != 0).sum(axis=1))
    lengths = np.frombuffer(blocks[meta["columns"][1]["block"]], dtype="<f4")
    np.testing.assert_allclose(lengths, np.linalg.norm(Z, axis=1), rtol=1e-6)
    xy = np.column_stack([np.frombuffer(blocks[name], dtype="<f4") for name in "xy"])
    np.testing.assert_array_equal(xy, sc.layout(Z, method="pca"))


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, digits: sc.Graph) -> None:
    Z = np.asarray(digits.features)[:200]
    first, second = (
        sc.report(Z, tmp_path / name, labels=digits.labels[:200], layout_method="pca") for name in ("a.html", "b.html")
    )
    assert first.read_bytes() == second.read_bytes()


def test_the_layout_is_kept_with_the_report_and_only_for_the_same_vectors(tmp_path: Path) -> None:
    Z = np.random.default_rng(0).normal(size=(80, 5)).astype(np.float32)
    stages: list[str] = []
    path = tmp_path / "r.html"
    sc.report(Z, path, layout_method="pca", progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" in stages
    first = blocks_of(path)["x"]
    stages.clear()
    sc.report(Z, path, layout_method="pca", progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" not in stages
    assert blocks_of(path)["x"] == first
    assert "kept from the report" in section(meta_of(path), "repeat")["sentences"][0]
    sc.report(Z * 2 + 1, path, layout_method="pca", progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" in stages
    path.write_text('<script type="application/octet-stream" data-block="meta">AAAA<', "utf-8")
    sc.report(Z, path, layout_method="pca")  # what is no report is no cache
    assert blocks_of(path)["x"] == first


def test_a_graph_in_another_order_is_aligned_by_id(tmp_path: Path) -> None:
    star = sp.csr_array(np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]))
    graph = sc.Graph(star, node_ids=["hub", "a", "b", "c"], labels=["x", "y", "y", "y"])
    path = sc.report(np.eye(4), tmp_path / "r.html", ids=["c", "hub", "a", "b"], graph=graph, layout_method="pca")
    blocks, meta = blocks_of(path), meta_of(path)
    degree = next(column for column in meta["columns"] if column["name"] == "degree")
    assert np.frombuffer(blocks[degree["block"]], dtype="<f4").tolist() == [1, 3, 1, 1]
    label = meta["columns"][0]
    assert [label["names"][code - 1] for code in np.frombuffer(blocks[label["block"]], dtype="<u2")] == ["y", "x", "y", "y"]
    with pytest.raises(InputError, match="does not have these nodes of the embedding: 'zoe'"):
        sc.report(np.eye(4), tmp_path / "r.html", ids=["zoe", "hub", "a", "b"], graph=graph)


def test_the_spectrum_and_the_rank_are_those_of_the_singular_values(tmp_path: Path) -> None:
    Z = (np.random.default_rng(0).normal(size=(100, 6)) * [9, 5, 3, 1, 1, 0.5]).astype(np.float32)
    spectrum = section(meta_of(sc.report(Z, tmp_path / "r.html", layout_method="pca")), "spectrum")
    shares = np.linalg.svd(Z - Z.mean(axis=0), compute_uv=False) ** 2
    shares /= shares.sum()
    np.testing.assert_allclose(spectrum["chart"]["y"], shares, rtol=1e-4)
    rank = np.exp(-(shares * np.log(shares)).sum())
    assert f"effective rank is {rank:.1f} of 6" in " ".join(spectrum["sentences"])


def test_the_confusion_matrix_is_counted_from_the_probes_own_predictions(digits: sc.Graph) -> None:
    Z, labels = np.asarray(digits.features), np.asarray(digits.labels)
    splits = sample_splits(labels, 5, 3)
    classes, counts = confusion_matrix(Z, labels, splits)
    scores = probe(Z, labels, splits)
    assert counts.sum() == sum(len(split.test) for split in splits)
    right = [np.trace(confusion_matrix(Z, labels, [split])[1]) / len(split.test) for split in splits]
    np.testing.assert_allclose(100 * np.array(right), scores.accuracies)
    np.testing.assert_array_equal(classes, np.arange(10))
    tested = np.concatenate([labels[split.test] for split in splits])
    np.testing.assert_array_equal(counts.sum(axis=1), np.bincount(tested))


def test_classes_that_are_apart_are_said_to_be_apart(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    labels = np.repeat(["red", "green"], 50)
    Z = np.where((labels == "red")[:, None], [5.0, 0.0], [0.0, 5.0]) + 0.1 * generator.normal(size=(100, 2))
    found = section(meta_of(sc.report(Z, tmp_path / "r.html", labels=labels, layout_method="pca")), "separation")
    text = " ".join(found["sentences"])
    assert "right for 100.0%" in text
    assert "well apart" in text
    assert "confuses no two classes" in text
    assert found["chart"]["shares"] == [[1, 0], [0, 1]]
    mixed = section(meta_of(sc.report(generator.normal(size=(100, 2)), tmp_path / "r.html", labels=labels)), "separation")
    assert "Most often confused" in " ".join(mixed["sentences"])


def test_clusters_are_the_groups_largest_first() -> None:
    generator = np.random.default_rng(0)
    which = np.repeat([0, 1, 2], [20, 50, 30])
    Z = (np.eye(3)[which] * 9 + 0.1 * generator.normal(size=(100, 3))).astype(np.float32)
    found = find_clusters(Z, which, 0)
    assert np.bincount(found).tolist() == [50, 30, 20]
    assert len(set(zip(found.tolist(), which.tolist(), strict=True))) == 3


def warned(Z: Any, graph: sc.Graph | None = None) -> str:
    Z = np.asarray(Z, dtype=np.float32)
    return " ".join(cautions(Z, measure_health(Z, graph), np.array([f"n{i}" for i in range(len(Z))]), graph))


def test_warnings_name_what_is_wrong_and_are_silent_otherwise() -> None:
    generator = np.random.default_rng(0)
    good = generator.normal(size=(60, 4))
    ring = sp.csr_array((np.ones(60), (np.arange(60), (np.arange(60) + 1) % 60)), shape=(60, 60))
    whole = sc.Graph(ring + ring.T)
    assert warned(good, whole) == ""
    assert "Collapsed to a line" in warned(np.outer(generator.normal(size=60), [1, 2, 3]))
    assert "1 of 5 dimensions are collapsed" in warned(np.column_stack([good, np.full(60, 3.0)]))
    assert "1 node has a vector of zeros, near to nothing: 'n7'" in warned(np.where(np.arange(60)[:, None] == 7, 0, good))
    assert "3 nodes (5%) share their vector" in warned(np.where(np.isin(np.arange(60), [4, 8, 9])[:, None], 1.5, good))
    assert "more than 10 times as long as the median: 'n5'" in warned(np.where(np.arange(60)[:, None] == 5, 500, good))
    cut = (ring + ring.T).toarray()
    cut[3] = cut[:, 3] = 0
    cut[29, 30] = cut[30, 29] = 0
    text = warned(good, sc.Graph(sp.csr_array(cut)))
    assert "1 node of the graph has no edge" in text
    assert "n3" in text
    assert "2 components with edges" in text


def test_nodes_with_broken_vectors_are_left_out_and_named(tmp_path: Path) -> None:
    Z = np.random.default_rng(0).normal(size=(40, 3))
    Z[5, 1], Z[9, 0] = np.nan, np.inf
    path = sc.report(
        Z, tmp_path / "r.html", layout_method="pca", nodes={"n": np.arange(40) + 0.5, "t": [f"t{i}" for i in range(40)]}
    )
    blocks, meta = blocks_of(path), meta_of(path)
    assert "2 of 40 nodes have vectors that are not finite and are left out: 5, 9" in meta["warnings"][0]
    kept = [number for number in range(40) if number not in (5, 9)]
    assert json.loads(blocks["ids"]) == [str(number) for number in kept]
    number = next(column for column in meta["columns"] if column["name"] == "n")
    np.testing.assert_array_equal(np.frombuffer(blocks[number["block"]], dtype="<f4"), np.array(kept) + 0.5)
    with pytest.raises(InputError, match="no row of finite numbers"):
        sc.report(np.full((3, 2), np.nan), tmp_path / "r.html")


def test_the_model_tells_its_choices_and_its_curve(tmp_path: Path, digits: sc.Graph) -> None:
    model = sc.SCE(dimension=8, solver=sc.Adam(epochs=6)).fit(digits)
    meta = meta_of(sc.report(model.embedding_, tmp_path / "r.html", model=model, layout_method="pca"))
    assert section(meta, "choices")["list"] == model.explain().splitlines()
    np.testing.assert_allclose(section(meta, "curve")["chart"]["y"], model.history_.loss, rtol=1e-5)
    solved = sc.SCE(dimension=8).fit(digits)
    names = [found["id"] for found in meta_of(sc.report(solved.embedding_, tmp_path / "r.html", model=solved))["sections"]]
    assert "choices" in names
    assert "curve" not in names  # the closed form has no epochs


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 1, 2, 3, 3], "class"),
        ([True, False, True, False, True, False], "class"),
        ([0.5, 1.5, 2.5, 0.5, 1.5, 2.5], "number"),
        ([1, 2, 3, 4, 5, 6], "number"),
        (["a", "b", "a", "b", "a", ""], "class"),
        (["a", "b", "c", "d", "e", "f"], "text"),
        ([None, None, None, None, None, None], "class"),
        ([np.nan, np.inf, 1.0, 2.5, 3.5, 4.5], "number"),
    ],
)
def test_what_a_column_is(values: list[Any], kind: str) -> None:
    assert make_column("c", values, 6).kind == kind


def test_node_tables_are_matched_by_id_and_gaps_stay_gaps(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("id,city,size\nb,Oslo,2.5\na,Lima,\n")
    city, size = read_columns(tmp_path / "nodes.csv", np.array(["a", "b", "c"]))
    shown = [("", *city.names)[code] for code in city.values] if city.kind == "class" else city.values
    assert list(shown) == ["Lima", "Oslo", ""]
    np.testing.assert_array_equal(size.values, np.array([np.nan, 2.5, np.nan], dtype=np.float32))
    with pytest.raises(InputError, match="names nodes that the embedding does not: 'b'"):
        read_columns(tmp_path / "nodes.csv", np.array(["a"]))
    import pandas as pd

    frame = pd.DataFrame({"node": [1, 0], "when": pd.to_datetime(["2020-01-02", "2021-03-04"])})
    (when,) = read_columns(frame, np.array([0, 1]))
    assert [name[:10] for name in when.names] == ["2020-01-02", "2021-03-04"]
    assert when.values.tolist() == [2, 1]


def test_names_of_columns_never_clash() -> None:
    columns = unique_names([make_column("degree", np.arange(4) * 1.5, 4) for _ in range(3)])
    assert [column.name for column in columns] == ["degree", "degree (2)", "degree (3)"]


def test_columns_beyond_the_room_of_the_page_are_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MAX_COLUMN_BYTES", 4000)
    generator = np.random.default_rng(0)
    nodes = {f"c{number}": generator.normal(size=300) for number in range(6)}
    meta = meta_of(sc.report(generator.normal(size=(300, 3)), tmp_path / "r.html", nodes=nodes, layout_method="pca"))
    assert "no room for" in " ".join(meta["warnings"])
    assert "c5" not in [column["name"] for column in meta["columns"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ids": [1]}, "ids must have one entry per row"),
        ({"labels": [1]}, "labels must have one entry per row"),
        ({"xy": [[1, 2]]}, "xy must have one entry per row"),
        ({"metric": "l1"}, "must be one of cosine, euclidean"),
        ({"nodes": {"a": [1]}}, "must have one value per node"),
        ({"nodes": "nowhere.csv"}, "does not exist"),
        ({"n_neighbors": -1}, "integer of at least 0"),
        ({"layout_method": "magic"}, "must be one of"),
    ],
)
def test_wrong_input_is_refused_and_leaves_no_file(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sc.report(np.eye(3), tmp_path / "r.html", **options)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_report_is_kept_if_asked(tmp_path: Path) -> None:
    path = sc.report(np.eye(3), tmp_path / "r.html")
    with pytest.raises(InputError, match="exists"):
        sc.report(np.eye(3), path, overwrite=False)
