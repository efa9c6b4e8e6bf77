"""The tasks of `sparsecut evaluate` against the library's own functions."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.csv
import pytest

from cli_files import N_NODES, assert_refused, write_labels
from conftest import load_or_skip
from sparsecut import datasets, evaluate, write_embedding
from sparsecut.evaluation import evaluate_clusters, measure_health, probe, sample_splits, uniform_splits, write_splits


def test_classify_prints_a_table_and_json(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    order = np.random.default_rng(1).permutation(N_NODES)  # labels in another order are matched by id
    file = write_labels(tmp_path / "labels.csv", ids[order], labels[order])
    code, out, _ = run("evaluate", path, "--labels", file, "--splits", 4)
    assert code == 0
    for word in ("Probe: paper", "95 % interval", "macro_f1", "(majority"):
        assert word in out
    code, out, _ = run("evaluate", path, "--labels", file, "--splits", 4, "--per-class", 7, "--probe", "tuned", "--json")
    result = json.loads(out)
    expected = evaluate(Z, labels, per_class=7, n_splits=4, probe="tuned")
    assert result["probe"] == "tuned"
    assert result["per_class"]["7"] == json.loads(json.dumps(expected.to_dict()))


def test_metrics_targets_and_cross_validation(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    file = write_labels(tmp_path / "labels.csv", ids, labels)
    named = "balanced_accuracy,roc_auc,recall@20%,f1_weighted"
    code, out, _ = run("evaluate", path, "-l", file, "--metrics", named, "--split", "cv", "--splits", 10, "--json")
    assert code == 0
    told = json.loads(out)["per_class"]["cv"]["metrics"]
    expected = evaluate(Z, labels, metrics=named, split="cv", n_splits=10)
    assert {name: one["mean"] for name, one in told.items()} == pytest.approx(
        {name: values.mean() for name, values in expected.figures.items()}
    )
    code, out, _ = run("evaluate", path, "-l", file, "--metrics", "accuracy", "--splits", 3)
    assert f"majority {expected.majority:.1f}"[:11] in out
    numbers = write_labels(tmp_path / "numbers.csv", ids, np.round(Z[:, 0] + 0.25, 3))
    code, out, _ = run("evaluate", path, "-l", numbers, "--splits", 10, "--json")
    told = json.loads(out)
    assert (told["target"], told["probe"], told["split"]) == ("numbers", "ridge", "cv")
    assert told["per_class"]["cv"]["metrics"]["r2"]["mean"] > 0.9
    groups = tmp_path / "groups.csv"
    rows = [f"{node},{label}" for node, label in zip(ids, labels, strict=True)]
    rows += [f"{node},even" for node in ids[::2]]
    groups.write_text("id,group\n" + "\n".join(rows) + "\n")
    code, out, _ = run("evaluate", path, "-l", groups, "--predict", "several", "--splits", 5, "--json")
    told = json.loads(out)
    assert (code, told["target"]) == (0, "several")
    assert list(told["per_class"]["cv"]["metrics"]) == ["micro_f1", "macro_f1"]
    assert_refused(run("evaluate", path, "-l", file, "--metrics", "r2", "-q"), "'r2' is not one of classes")
    assert_refused(run("evaluate", path, "-l", file, "--predict", "words", "-q"), "must be one of 'auto', 'classes'")


def test_a_class_with_one_member(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    labels = np.where(ids == "n17", "lonely", labels)
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, labels), "-q")
    assert_refused(result, "A class needs at least two nodes", "These have one: 'lonely'", "Leave such labels out")


def test_more_labels_than_members(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, labels), "--per-class", 500, "-q")
    assert_refused(result, "500 training nodes per class need classes of more nodes than that")
    code, out, error = run("evaluate", path, "-l", tmp_path / "l.csv", "--per-class", 30)
    assert code == 0
    assert "majority" in out
    assert "have at most 70 nodes (2·30 + 10) and give half of them to training" in error


def test_one_class_only(run, vectors, tmp_path):
    path, _, ids, _ = vectors
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, ["red"] * N_NODES), "-q")
    assert_refused(result, "at least two classes. Got one class, red, for 240 nodes")
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, [""] * N_NODES), "-q")
    assert_refused(result, "Got no label at all")


def test_given_splits(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    splits = sample_splits(labels, 6, 2, random_state=9)
    write_splits(tmp_path / "splits.json", splits, ids)
    file = write_labels(tmp_path / "l.csv", ids, labels)
    code, out, _ = run("evaluate", path, "-l", file, "--split", tmp_path / "splits.json", "--json")
    assert code == 0
    np.testing.assert_array_equal(json.loads(out)["per_class"]["given"]["accuracies"], probe(Z, labels, splits).accuracies)
    result = run("evaluate", path, "-l", file, "--split", "nowhere.json", "-q")
    assert_refused(result, "nowhere.json does not exist")


def test_shares(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    code, out, _ = run("evaluate", path, "-l", file, "--split", "10-10-80", "--splits", 3, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["split"] == "10-10-80"
    expected = probe(Z, labels, uniform_splits(labels, 0.1, 0.1, 3))
    assert told["per_class"]["10-10-80"]["accuracies"] == expected.accuracies.tolist()
    code, out, _ = run("evaluate", path, "-l", file, "--split", "33.3-33.3-33.4", "--splits", 1)  # no suffix of a file
    assert code == 0
    assert "split: 33.3-33.3-33.4" in out


def test_splits_of_a_dataset_follow_its_nodes_whatever_the_order_of_the_rows(run, tmp_path):
    graph = load_or_skip("cornell")
    Z = graph.features.toarray()[:, :300]
    order = np.random.default_rng(0).permutation(graph.n_nodes)
    write_embedding(tmp_path / "z.parquet", Z[order], graph.node_ids[order])
    code, out, _ = run("evaluate", tmp_path / "z.parquet", "-l", "cornell", "--split", "official", "--json")
    assert code == 0
    expected = evaluate(Z, graph.labels, split="official", dataset="cornell")
    assert len(expected.accuracies) == 10
    assert json.loads(out)["per_class"]["official"]["accuracies"] == pytest.approx(expected.accuracies)


def test_splits_that_are_not_there(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    official = run("evaluate", path, "-l", file, "--split", "official", "-q")
    assert_refused(official, "The official splits are those of a named graph", "--labels cora")
    assert_refused(run("evaluate", path, "-l", file, "--split", "halves", "-q"), "The splits must be random, cv, published")
    both = run("evaluate", path, "-l", file, "--split", "10-10-80", "--per-class", 5, "-q")
    assert_refused(both, "not made by labels per class. Leave --per-class out")
    write_embedding(tmp_path / "d.npy", np.eye(1797, 3))
    refused = run("evaluate", tmp_path / "d.npy", "-l", "digits", "--split", "official", "-q")
    assert_refused(refused, "The publishers of digits made no splits", "Use 10-10-80 or random instead")


def test_cluster_and_health(run, vectors, edges, tmp_path):
    path, Z, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    code, out, _ = run("evaluate", path, "-l", file, "--task", "cluster", "--graph", edges, "--runs", 3, "--json")
    assert code == 0
    figures = json.loads(out)["figures"]
    assert set(figures) == {"nmi", "ari", "accuracy", "silhouette", "modularity", "conductance"}
    # The graph's nodes are in another order than the embedding's; what is measured does not depend on it.
    assert 0 < figures["conductance"]["mean"] < 1
    code, out, _ = run("evaluate", path, "-l", file, "--task", "cluster", "--json")
    expected = evaluate_clusters(Z, labels, n_runs=5)
    assert json.loads(out)["figures"] == json.loads(json.dumps(expected.to_dict()))["figures"]
    code, out, _ = run("evaluate", path, "-l", file, "--task", "cluster", "--metrics", "ari,silhouette", "--json")
    assert list(json.loads(out)["figures"]) == ["ari", "silhouette"]

    code, out, _ = run("evaluate", path, "--task", "health", "--graph", edges)
    assert code == 0
    assert "effective rank" in out
    assert "Spread over about" in out
    code, out, _ = run("evaluate", path, "--task", "health", "--json")
    assert json.loads(out)["effective_rank"] == pytest.approx(measure_health(Z).effective_rank)

    write_embedding(tmp_path / "flat.parquet", np.ones_like(Z), ids)
    code, _, error = run("evaluate", path, "--task", "health", "--metrics", "accuracy")
    assert code == 2
    assert "health prints all of its figures. Leave --metrics out" in error
    code, out, _ = run("evaluate", tmp_path / "flat.parquet", "--task", "health")
    assert code == 0
    assert "Collapsed to a point" in out


def test_clusters_are_written_those_of_the_tightest_run(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    words = ("evaluate", path, "--task", "cluster", "-o", tmp_path / "clusters.csv")
    code, out, _ = run(*words, "-l", file)
    assert code == 0
    assert "4 clusters, the tightest of 5 runs → " in out
    table = pyarrow.csv.read_csv(tmp_path / "clusters.csv")
    assert table["id"].to_pylist() == ids.tolist()
    expected = evaluate_clusters(Z, labels, n_runs=5).assigned
    assert table["cluster"].to_pylist() == expected.tolist()

    assert_refused(run(*words, "-l", file, "-q"), "exists. Pass overwrite=True (--force)")
    code, out, _ = run(*words, "--clusters", 3, "--force", "--json")  # nothing to score them by
    assert code == 0
    assert (json.loads(out)["n_clusters"], list(json.loads(out)["figures"])) == (3, ["silhouette"])
    assert set(pyarrow.csv.read_csv(tmp_path / "clusters.csv")["cluster"].to_pylist()) == {0, 1, 2}
    code, out, _ = run(*words[:4], "--json")
    assert code == 0
    assert json.loads(out)["n_clusters"] >= 2  # chosen
    assert_refused(run("evaluate", path, "-l", file, "-o", tmp_path / "x.csv", "-q"), "The task classify has no output")


def test_quick_is_fewer_splits(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    told = json.loads(run("evaluate", path, "-l", file, "--quick", "--json")[1])["per_class"]
    assert {name: scores["n_splits"] for name, scores in told.items()} == {"20": 5}
    told = json.loads(run("evaluate", path, "-l", file, "--quick", "--splits", 2, "--per-class", 3, "--json")[1])
    assert told["per_class"]["3"]["accuracies"] == evaluate(Z, labels, per_class=3, n_splits=2).accuracies.tolist()


@pytest.mark.slow
def test_links_take_a_graph_and_a_method(run, vectors):
    code, out, _ = run("evaluate", "--task", "links", "--graph", "digits", "--method", "smoothed", "--runs", 1, "--json")
    assert code == 0
    result = json.loads(out)
    assert result["method"] == "smoothed"
    assert result["n_held_out"] == round(0.1 * datasets.load("digits").n_edges)
    assert result["metrics"]["roc_auc"]["distance"]["mean"] > 90
    assert result["metrics"]["roc_auc"]["links"]["mean"] > 90
    assert list(result["metrics"]) == ["roc_auc", "average_precision", "hit@10", "ndcg@10", "mrr"]
    words = ("evaluate", "--task", "links", "--graph", "digits", "--method", "smoothed", "--runs", 1)
    assert_refused(run(*words, "--metrics", "accuracy", "-q"), "hit@K, ndcg@K and mrr. Got 'accuracy'")
    refused = run("evaluate", vectors[0], "--task", "links", "--graph", "digits", "-q")
    assert_refused(refused, "has already seen every edge")
    assert_refused(run("evaluate", "--task", "links"), "Name it: --graph GRAPH")
    assert_refused(run("evaluate", "--task", "links", "--graph", "digits", "--method", "x", "-q"), "no method 'x'")


@pytest.mark.parametrize(
    ("task", "words", "named"),
    [
        ("classify", ("--clusters", 4, "--by", "time"), "The task classify does not use --by, --clusters. Leave that out"),
        ("cluster", ("--per-class", 5), "The task cluster does not use --per-class"),
        ("links", ("--probe", "tuned"), "The task links does not use --probe, --labels"),
        ("health", ("--runs", 3), "The task health does not use --labels, --runs"),
    ],
)
def test_options_of_another_task_are_refused(run, task, words, named):
    assert_refused(run("evaluate", "z.parquet", "--labels", "digits", "--task", task, *words), named)
