"""`sparsecut evaluate` and `sparsecut compare`: what they print, and a clear sentence for labels that cannot be used."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from sparsecut import datasets, evaluate, write_embedding
from sparsecut.cli import main
from sparsecut.evaluation import evaluate_clusters, measure_health, probe, sample_splits, write_splits

N_NODES = 240


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command line; (exit code, standard output, standard error)."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sparsecut", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return call


@pytest.fixture
def vectors(tmp_path):
    """An embedding of nodes n0 … n239 in four classes, its path and its labels."""
    generator = np.random.default_rng(0)
    classes = generator.permutation(np.arange(N_NODES) % 4)
    Z = (generator.normal(size=(4, 12))[classes] + generator.normal(size=(N_NODES, 12))).astype(np.float32)
    ids = np.array([f"n{number}" for number in range(N_NODES)])
    path = tmp_path / "vectors.parquet"
    write_embedding(path, Z, ids)
    return path, Z, ids, np.array(["red", "green", "blue", "grey"])[classes]


def write_labels(path, ids, labels):
    path.write_text("id,label\n" + "".join(f"{name},{label}\n" for name, label in zip(ids, labels, strict=True)))
    return path


def assert_refused(result, *parts: str) -> None:
    code, out, error = result
    assert code == 2
    assert out == ""
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    for part in parts:
        assert part in error


def test_classify_prints_a_table_and_json(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    order = np.random.default_rng(1).permutation(N_NODES)  # labels in another order are matched by id
    file = write_labels(tmp_path / "labels.csv", ids[order], labels[order])
    code, out, _ = run("evaluate", path, "--labels", file, "--splits", 4)
    assert code == 0
    for word in ("probe: paper", "95 % interval", "macro-F1"):
        assert word in out
    code, out, _ = run("evaluate", path, "--labels", file, "--splits", 4, "--per-class", 7, "--probe", "tuned", "--json")
    result = json.loads(out)
    expected = evaluate(Z, labels, per_class=7, n_splits=4, probe="tuned")
    assert result["probe"] == "tuned"
    assert result["per_class"]["7"] == json.loads(json.dumps(expected.to_dict()))


def test_labels_missing_for_some_nodes(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    some = labels.copy()
    some[:60] = ""
    by_absence = write_labels(tmp_path / "some.csv", ids[60:], labels[60:])
    by_blank = write_labels(tmp_path / "blank.csv", ids, some)
    expected = evaluate(Z, some, per_class=5, n_splits=3)
    for file in (by_absence, by_blank):
        code, out, _ = run("evaluate", path, "-l", file, "--splits", 3, "--per-class", 5, "--json")
        assert code == 0
        assert json.loads(out)["per_class"]["5"]["accuracies"] == expected.accuracies.tolist()


def test_a_class_with_one_member(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    labels = np.where(ids == "n17", "lonely", labels)
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, labels), "-q")
    assert_refused(result, "A class needs at least two nodes", "These have one: 'lonely'", "Leave such labels out")


def test_more_labels_than_members(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    code, out, error = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, labels), "--per-class", 500)
    assert code == 0
    assert "500" in out
    assert "4 of 4 classes have at most 1010 nodes (2·500 + 10) and give half of them to training" in error


def test_one_class_only(run, vectors, tmp_path):
    path, _, ids, _ = vectors
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, ["red"] * N_NODES), "-q")
    assert_refused(result, "at least two classes. Got one class, red, for 240 nodes")
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", ids, [""] * N_NODES), "-q")
    assert_refused(result, "Got no label at all")


def test_ids_that_do_not_match(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    strangers = np.where(np.arange(N_NODES) < 2, np.char.add("x", ids), ids)
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", strangers, labels), "-q")
    assert_refused(result, "names nodes that", "'xn0', 'xn1'")
    np.save(tmp_path / "short.npy", np.arange(10))
    assert_refused(run("evaluate", path, "-l", tmp_path / "short.npy"), "one label for each of the 240 nodes")


@pytest.mark.parametrize("kind", [np.uint8, bool, np.float64])
def test_labels_without_ids_in_any_type(run, vectors, tmp_path, kind):
    path, Z, _, labels = vectors
    codes = (labels == "red").astype(kind)
    np.save(tmp_path / "labels.npy", codes)
    code, out, _ = run("evaluate", path, "-l", tmp_path / "labels.npy", "--per-class", 5, "--splits", 2, "--json")
    assert code == 0
    expected = evaluate(Z, codes.astype(int), per_class=5, n_splits=2)
    assert json.loads(out)["per_class"]["5"]["accuracy"] == expected.mean


def test_given_splits(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    splits = sample_splits(labels, 6, 2, random_state=9)
    write_splits(tmp_path / "splits.json", splits, ids)
    file = write_labels(tmp_path / "l.csv", ids, labels)
    code, out, _ = run("evaluate", path, "-l", file, "--splits-from", tmp_path / "splits.json", "--json")
    assert code == 0
    np.testing.assert_array_equal(json.loads(out)["per_class"]["given"]["accuracies"], probe(Z, labels, splits).accuracies)
    result = run("evaluate", path, "-l", file, "--splits-from", "nowhere.json", "-q")
    assert_refused(result, "nowhere.json does not exist")


@pytest.fixture
def edges(tmp_path, vectors):
    """A ring through the nodes of each class."""
    _, _, ids, labels = vectors
    lines = ["source,target"]
    for name in np.unique(labels):
        members = ids[labels == name]
        lines += [f"{a},{b}" for a, b in zip(members, np.roll(members, 1), strict=True)]
    path = tmp_path / "edges.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_cluster_and_health(run, vectors, edges, tmp_path):
    path, Z, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    code, out, _ = run("evaluate", path, "-l", file, "--task", "cluster", "--graph", edges, "--runs", 3, "--json")
    assert code == 0
    figures = json.loads(out)["figures"]
    assert set(figures) == {"nmi", "ari", "accuracy", "modularity", "conductance"}
    # The graph's nodes are in another order than the embedding's; what is measured does not depend on it.
    assert 0 < figures["conductance"]["mean"] < 1
    code, out, _ = run("evaluate", path, "-l", file, "--task", "cluster", "--json")
    expected = evaluate_clusters(Z, labels, n_runs=5)
    assert json.loads(out)["figures"] == json.loads(json.dumps(expected.to_dict()))["figures"]

    code, out, _ = run("evaluate", path, "--task", "health", "--graph", edges)
    assert code == 0
    assert "effective rank" in out
    assert "Spread over about" in out
    code, out, _ = run("evaluate", path, "--task", "health", "--json")
    assert json.loads(out)["effective_rank"] == pytest.approx(measure_health(Z).effective_rank)

    write_embedding(tmp_path / "flat.parquet", np.ones_like(Z), ids)
    code, out, _ = run("evaluate", tmp_path / "flat.parquet", "--task", "health")
    assert code == 0
    assert "Collapsed to a point" in out


def test_a_graph_of_other_nodes_is_refused(run, vectors, tmp_path):
    path = vectors[0]
    (tmp_path / "other.csv").write_text("source,target\nn1,zz\n")
    assert_refused(run("evaluate", path, "--task", "health", "--graph", tmp_path / "other.csv", "-q"), "zz")
    (tmp_path / "part.csv").write_text("source,target\nn1,n2\n")
    result = run("evaluate", path, "--task", "health", "--graph", tmp_path / "part.csv", "-q")
    assert_refused(result, "names nodes that the graph does not")


def test_links_take_a_graph_and_a_method(run, vectors):
    code, out, _ = run("evaluate", "--task", "links", "--graph", "digits", "--method", "smoothed", "--runs", 1, "--json")
    assert code == 0
    result = json.loads(out)
    assert result["method"] == "smoothed"
    assert result["n_held_out"] == round(0.1 * datasets.load("digits").n_edges)
    assert result["auc"]["distance"]["mean"] > 90
    refused = run("evaluate", vectors[0], "--task", "links", "--graph", "digits", "-q")
    assert_refused(refused, "has already seen every edge")
    assert_refused(run("evaluate", "--task", "links"), "Name it: --graph GRAPH")
    assert_refused(run("evaluate", "--task", "links", "--graph", "digits", "--method", "x", "-q"), "no method 'x'")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Name its file"),
        (["missing.parquet"], "does not exist"),
        (["VECTORS"], "The task classify needs labels"),
        (["VECTORS", "-l", "digits", "--task", "x"], "--task parameter"),
        (["VECTORS", "-l", "missing.csv"], "missing.csv does not exist"),
    ],
)
def test_wrong_words_are_one_sentence(run, vectors, words, message):
    assert_refused(run("evaluate", *(vectors[0] if word == "VECTORS" else word for word in words)), message)


def test_compare(run):
    code, out, _ = run("compare", "digits", "--methods", "smoothed,raw", "--splits", 3, "--per-class", 5)
    assert code == 0
    for word in ("smoothed", "raw", "seconds", "peak memory", "probe: paper", "less smoothed"):
        assert word in " ".join(out.split())
    assert_refused(run("compare", "digits", "--methods", "raw,x", "-q"), "no method 'x'")
    assert_refused(run("compare", "digits", "--methods", ",", "-q"), "at least one method")


def test_compare_fits_a_method_that_predicts_to_every_split(run):
    words = ("compare", "digits", "--methods", "raw,sgc", "--splits", 2, "--per-class", 5, "--paper", "cora", "--json")
    code, out, _ = run(*words)
    assert code == 0
    raw, sgc = json.loads(out)["methods"]
    assert [method["per_class"]["5"]["probe"] for method in (raw, sgc)] == ["paper", "none"]
    assert sgc["per_class"]["5"]["n_splits"] == 2
    assert sgc["per_class"]["5"]["accuracy"] > 60


def test_compare_exits_with_1_when_some_method_failed(run, edges, vectors, tmp_path):
    _, _, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    words = ("compare", edges, "-l", file, "--methods", "smoothed,sce", "--splits", 2, "--per-class", 5)
    code, out, error = run(*words)
    assert code == 1
    assert "failed" in out
    assert "sce" in out
    assert error.splitlines()[-1].startswith("Error: smoothed failed: ")
    code, out, error = run(*words, "--json")
    assert code == 1
    failed, fitted = json.loads(out)["methods"]
    assert failed["error"]
    assert fitted["per_class"]["5"]["n_splits"] == 2
    assert "Exit code: 0 if every method ran, 1 if some failed" in " ".join(run("compare", "--help")[1].split())


def test_compare_and_evaluate_take_the_reading_options(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    lines = [f"{a}|{b}|1" for name in np.unique(labels) for a, b in zip(
        ids[labels == name], np.roll(ids[labels == name], 1), strict=True)]  # fmt: skip
    (tmp_path / "e.txt").write_text("\n".join(["wer|wen|wie", *lines]))
    body = (f"{row},{ids[row]},{labels[row]}" for row in range(len(ids)))
    rows = "\n".join(["row,person,team", *body])
    (tmp_path / "t.csv").write_text(rows)
    table = ("-l", tmp_path / "t.csv", "--label-column", "team", "--id-column", "person")
    edges = ("--separator", "|", "--header", "--source", "wen", "--target", "wer")
    code, out, error = run(
        "compare", tmp_path / "e.txt", *edges, *table, "--methods", "sce", "--splits", 2, "--per-class", 5, "--json"
    )
    assert (code, error) == (0, "")
    assert json.loads(out)["notes"] == [
        f"Edges: {tmp_path}/e.txt, separated by '|', with a header; source in column 'wen', target in column 'wer', "
        "no weights.",
        f"Labels: {tmp_path}/t.csv, column 'team'.",
    ]
    code, out, error = run("evaluate", path, *table, "--graph", tmp_path / "e.txt", *edges, "--task", "cluster", "--json")
    assert (code, error) == (0, "")
    assert len(json.loads(out)["notes"]) == 2
    code, _, error = run("compare", tmp_path / "e.txt", *table, "--methods", "sce", "-q")
    assert code == 2
    assert "has one column: 'wer|wen|wie' holds no comma" in error
    (tmp_path / "few.csv").write_text("\n".join(rows.splitlines()[:-1]))
    few = ("-l", tmp_path / "few.csv", *table[2:], "--methods", "sce", "--splits", 2, "--per-class", 5, "-q")
    code, _, error = run("compare", tmp_path / "e.txt", *edges, *few)
    assert code == 2
    assert "missing='zero' (--missing zero) accepts that." in error
    assert run("compare", tmp_path / "e.txt", *edges, *few, "--missing", "zero")[0] == 0


def test_compare_says_why_nothing_could_be_fitted(run, edges, vectors, tmp_path):
    _, _, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    assert_refused(run("compare", edges, "--methods", "raw", "-q"), "brings no labels to compare by")
    result = run("compare", edges, "-l", file, "--methods", "raw", "--splits", 2, "-q")
    assert_refused(result, "raw failed: RawFeatures needs node features")
