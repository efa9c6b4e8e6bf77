"""pandas out, pandas in: whatever takes vectors takes them by the ids they bring, so shuffled rows change no answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sparsecut as sc
from cut_graphs import planted
from report_blocks import blocks_of, meta_of
from sparsecut.base.errors import InputError
from sparsecut.evaluation import (
    confusion_matrix,
    evaluate_clusters,
    evaluate_links,
    hold_out_edges,
    measure_health,
    probe,
    role_split,
    score_links,
)

N = 90
RANDOM = np.random.default_rng(0)
SHUFFLED = RANDOM.permutation(N)
WORDS = np.array([f"node {number:03d}" for number in range(N)])
GRAPH = planted(N, 3, 8, 1, seed=0)
LABELS = np.asarray(GRAPH.labels)
FEATURES = RANDOM.normal(size=(N, 6)) + 2 * np.eye(6)[LABELS]
MODEL = sc.SCE(dimension=5).set_output(transform="pandas")


def embedded(node_ids: Any) -> tuple[sc.Graph, pd.DataFrame]:
    graph = sc.Graph(GRAPH.adjacency, features=FEATURES, labels=LABELS, node_ids=node_ids)
    return graph, MODEL.fit_transform(graph)


@pytest.fixture(params=[WORDS, RANDOM.permutation(N), np.arange(N)], ids=["words", "permuted integers", "0 to n - 1"])
def story(request: pytest.FixtureRequest) -> tuple[sc.Graph, pd.DataFrame, dict[str, Any], pd.Series]:
    """A graph, its embedding as `set_output` gives it, the same with shuffled rows in many forms, and labels by id."""
    graph, frame = embedded(request.param)
    shuffled = frame.iloc[SHUFFLED]
    with_ids = shuffled.reset_index(names="id")
    forms = {"pandas": shuffled, "polars": pl.from_pandas(with_ids), "arrow": pa.table(with_ids)}
    labels = pd.Series(np.array(["x", "y", "z"])[LABELS], index=graph.node_ids).iloc[RANDOM.permutation(N)]
    return graph, frame, forms, labels


def test_scores_of_labels_do_not_depend_on_any_order(story: Any) -> None:
    graph, frame, forms, labels = story
    split = role_split(np.arange(0, N, 4), None, None, N)
    expected = probe(frame.to_numpy(), LABELS, [split]).mean
    assert probe(frame, labels, [split]).mean == expected > 90
    in_order, by_row = labels.loc[graph.node_ids].to_numpy(), labels.loc[forms["pandas"].index].to_numpy()
    scores = sc.evaluate(frame.to_numpy()[SHUFFLED], by_row, per_class=5, n_splits=3).accuracies
    for form in forms.values():
        np.testing.assert_array_equal(sc.evaluate(form, labels, per_class=5, n_splits=3).accuracies, scores)
        classes, counts = confusion_matrix(form, labels, [split])
        np.testing.assert_array_equal(counts, confusion_matrix(frame.to_numpy()[SHUFFLED], by_row, [split])[1])
        assert classes.tolist() == ["x", "y", "z"]
    # Labels of some nodes: the others are left out, as with an array.
    few = labels.iloc[:60]
    without = np.where(np.isin(graph.node_ids, few.index), in_order, "")
    np.testing.assert_array_equal(
        sc.evaluate(frame, few, per_class=3, n_splits=3).accuracies,
        sc.evaluate(frame.to_numpy(), without, per_class=3, n_splits=3).accuracies,
    )


def test_a_mismatch_is_an_error(story: Any) -> None:
    graph, frame, _, labels = story
    unknown: Any = "nobody" if graph.node_ids.dtype.kind == "U" else 1234
    with pytest.raises(InputError, match=f"name nodes that the embedding does not have: {unknown!r}"):
        sc.evaluate(frame, labels.rename(index={graph.node_ids[7]: unknown}))


def test_splits_of_a_dataset_are_of_its_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame(FEATURES, index=np.arange(N)).iloc[SHUFFLED]
    labels = pd.Series(LABELS, index=np.arange(N)).iloc[SHUFFLED[::-1]]
    seen: list[Any] = []

    def make_splits(split: str, labels: Any, **options: Any) -> Any:
        seen.append(np.asarray(labels))
        return [role_split(np.arange(0, N, 4), None, None, N)]

    monkeypatch.setattr("sparsecut.evaluation.probing.make_splits", make_splits)
    found = sc.evaluate(frame, labels, split="official", dataset="ours")
    assert found.mean == sc.evaluate(FEATURES, LABELS, split="official", dataset="ours").mean
    np.testing.assert_array_equal(seen[0], LABELS)


def test_neighbours_are_asked_for_and_answered_by_id(story: Any, tmp_path: Path) -> None:
    graph, frame, forms, _ = story
    expected = sc.Neighbors(frame.to_numpy(), graph.node_ids).query(graph.node_ids[:9], k=3)
    for form in forms.values():
        found = sc.Neighbors(form).query(graph.node_ids[:9], k=3)
        assert found.ids.tolist() == expected.ids.tolist()
        np.testing.assert_array_equal(sc.Neighbors(frame).query_vectors(form, k=1).ids[:, 0], graph.node_ids[SHUFFLED])
    path = tmp_path / "index.safetensors"
    near = sc.Neighbors(forms["pandas"], index="approximate")
    near.save(path)
    assert sc.Neighbors.load(path, forms["polars"]).query(graph.node_ids[:2]).ids.shape == (2, 10)
    assert near.query([]).ids.shape == (0, 10)


def test_a_file_has_the_ids_of_the_frame(story: Any, tmp_path: Path) -> None:
    graph, frame, forms, labels = story
    for name, form in forms.items():
        for suffix in (".parquet", ".csv", ".npy", ".npz"):
            path = tmp_path / f"{name}{suffix}"
            sc.write_embedding(path, form)
            Z, ids = sc.read_embedding(path)
            assert ids.tolist() == graph.node_ids[SHUFFLED].tolist()
            np.testing.assert_allclose(Z, frame.to_numpy()[SHUFFLED], rtol=1e-6)
        sc.write_embedding(tmp_path / f"{name}.tsv", form, labels=labels)
        lines = (tmp_path / f"{name}.metadata.tsv").read_text().splitlines()[1:]
        assert lines == [f"{node}\t{labels[node]}" for node in graph.node_ids[SHUFFLED]]
    again = pd.read_parquet(tmp_path / "pandas.parquet")  # as other programs read it: a column of lists
    assert sc.Neighbors(again).ids.tolist() == graph.node_ids[SHUFFLED].tolist()


def test_the_map_keeps_the_ids(story: Any) -> None:
    graph, frame, forms, labels = story
    expected = dict(zip(graph.node_ids.tolist(), sc.layout(frame.to_numpy()[SHUFFLED], method="pca").tolist(), strict=True))
    expected = dict(zip(graph.node_ids[SHUFFLED].tolist(), expected.values(), strict=True))
    places = sc.layout(forms["pandas"], method="pca")
    assert dict(zip(places.index.tolist(), places[["x", "y"]].to_numpy().tolist(), strict=True)) == expected
    table = sc.layout(forms["polars"], method="pca")
    assert isinstance(table, pl.DataFrame)
    assert table["id"].to_list() == graph.node_ids[SHUFFLED].tolist()
    drawn = sc.plot(frame, labels, xy=places).collections[0]
    by_id = {tuple(np.round(place, 5)): node for node, place in expected.items()}
    order = [by_id[tuple(np.round(place, 5))] for place in np.asarray(drawn.get_offsets(), dtype=np.float32).tolist()]
    colors = drawn.get_facecolors().round(3)
    assert len({(labels[node], tuple(color)) for node, color in zip(order, colors, strict=True)}) == 3


def test_the_report_has_each_node_s_label_and_place(story: Any, tmp_path: Path) -> None:
    graph, _, forms, labels = story
    xy = pd.DataFrame({"x": np.arange(N, dtype=float), "y": 0.0}, index=graph.node_ids)
    for name, form in forms.items():
        path = sc.report(form, tmp_path / f"{name}.html", graph=graph, labels=labels, xy=xy, layout_method="pca")
        blocks, columns = blocks_of(path), meta_of(path)["columns"]
        assert json.loads(blocks["ids"]) == [str(node) for node in graph.node_ids[SHUFFLED]]
        assert np.frombuffer(blocks["x"], "<f4").tolist() == SHUFFLED.tolist()
        (label,) = (column for column in columns if column["name"] == "label")
        codes = np.frombuffer(blocks[label["block"]], "<u2")
        assert np.array(label["names"])[codes - 1].tolist() == labels.loc[graph.node_ids[SHUFFLED]].tolist()


def test_cuts_clusters_health_and_links_match_nodes_and_rows(story: Any) -> None:
    graph, frame, forms, labels = story
    vectors = frame.to_numpy()
    parts = sc.partition(graph, 3, use="both", embedding=vectors).parts
    tree = sc.hierarchy(graph, use="embedding", embedding=vectors).linkage
    cut = sc.sparsest_cut(graph, embedding=vectors).nodes
    split = hold_out_edges(graph)
    health = measure_health(vectors, graph).cut_ratio
    in_rows, moved = labels.loc[graph.node_ids[SHUFFLED]].to_numpy(), graph.subgraph(positions=SHUFFLED)
    clusters = evaluate_clusters(vectors[SHUFFLED], in_rows, graph=moved, n_runs=1)
    assert clusters.figures["modularity"][0] > 0.3
    for form in forms.values():
        np.testing.assert_array_equal(sc.partition(graph, 3, use="both", embedding=form).parts, parts)
        np.testing.assert_array_equal(sc.sparsest_cut(graph, embedding=form).nodes, cut)
        assert score_links(form, split, scorings=["dot"]) == score_links(vectors, split, scorings=["dot"])
        assert measure_health(form, graph).cut_ratio == pytest.approx(health)
        found = evaluate_clusters(form, labels, graph=graph, n_runs=1)
        assert found.figures == clusters.figures
    np.testing.assert_array_equal(sc.hierarchy(graph, use="embedding", embedding=forms["polars"]).linkage, tree)
    links = evaluate_links(graph, MODEL.fit_transform, n_runs=1, scorings=["dot"])
    assert links.auc == evaluate_links(graph, sc.SCE(dimension=5).fit_transform, n_runs=1, scorings=["dot"]).auc


def test_a_fitted_model_draws_labels_by_id() -> None:
    graph, _ = embedded(WORDS)
    model = sc.SCE(dimension=2).fit(graph)
    labels = pd.Series(np.array(["x", "y", "z"])[LABELS], index=WORDS)
    axes = [model.plot(values, method="pca") for values in (labels.to_numpy(), labels.iloc[SHUFFLED])]
    colors = [drawn.collections[0].get_facecolors() for drawn in axes]
    np.testing.assert_array_equal(*colors)
