"""The probe against scikit-learn, split by split, and clear answers to labels and splits it cannot use."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix as counts_of
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from sparsecut import InputError, datasets, evaluate
from sparsecut.evaluation import Split, fraction_splits, probe, published_splits, sample_splits
from sparsecut.evaluation.linear_probe import GRID, confusion_matrix


def make_embedding(n_nodes: int = 240, dimension: int = 30, n_classes: int = 4, spread: float = 2.0, seed: int = 0):
    generator = np.random.default_rng(seed)
    labels = generator.permutation(np.arange(n_nodes) % n_classes)
    Z = generator.normal(size=(n_classes, dimension))[labels] + spread * generator.normal(size=(n_nodes, dimension))
    return (Z + 0.5).astype(np.float32), labels


def sklearn_predictions(Z, labels, split, C=1.0):
    classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear", C=C, tol=1e-10, max_iter=10_000))
    return classifier.fit(Z[split.train], labels[split.train]).predict(Z[split.test])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("per_class", [4, 15])
def test_scores_are_scikit_learns(n_classes, per_class):
    Z, labels = make_embedding(n_classes=n_classes)
    splits = sample_splits(labels, per_class, 6, random_state=1)
    scores = probe(Z, labels, splits)
    assert scores.probe == "paper"
    for number, split in enumerate(splits):
        expected = sklearn_predictions(Z, labels, split)
        assert scores.accuracies[number] == pytest.approx(100 * (expected == labels[split.test]).mean())
        assert scores.macro_f1s[number] == pytest.approx(100 * f1_score(labels[split.test], expected, average="macro"))
        assert scores.accuracies[number] == pytest.approx(100 * f1_score(labels[split.test], expected, average="micro"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed"])
def test_published_splits_score_as_with_liblinear(name):
    if not any(datasets.locate(datasets.find_dataset(name), root) for root in datasets.roots()):
        pytest.skip(f"{name} is not under $SPARSECUT_DATA")
    from sparsecut import SCE

    graph = datasets.load(name)
    labels = np.asarray(graph.labels)
    model = SCE() if name == "citeseer" else SCE.paper(name)  # 200 epochs on citeseer would tell no more about the probe
    Z = model.fit_transform(graph)
    for per_class in (5, 20):
        splits = published_splits(name, per_class, graph.n_nodes)[::3]
        expected = []
        for split in splits:
            classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear", C=1.0))
            classifier.fit(Z[split.train], labels[split.train])
            expected.append(100 * (classifier.predict(Z[split.test]) == labels[split.test]).mean())
        assert len(expected) == 17
        assert abs(probe(Z, labels, splits).mean - np.mean(expected)) < 0.1


@pytest.mark.slow
def test_the_tuned_choice_is_the_best_on_validation_nodes():
    Z, labels = make_embedding(spread=3.0)
    Z[:, 0] *= 100  # one loud column, so that standardising is worth choosing
    splits = sample_splits(labels, 15, 4, random_state=2)
    scores = probe(Z, labels, splits, protocol="tuned")
    assert scores.probe == "tuned"
    standardised = StandardScaler().fit_transform(Z.astype(np.float64))
    kinds = set()
    for number, split in enumerate(splits):
        found = []
        for is_standardised, X in ((False, Z), (True, standardised)):
            for C in GRID:
                on_validation = Split(split.train, split.test, split.validation)
                predicted = sklearn_predictions(X, labels, on_validation, C)
                accuracy = (predicted == labels[split.validation]).mean()
                found.append((accuracy, not is_standardised, -abs(np.log10(C)), C, X))
        accuracy, is_as_it_comes, _, C, X = max(found, key=lambda row: row[:3])
        choice = scores.choices[number]
        assert choice["C"] == pytest.approx(C)
        assert choice["is_standardised"] is not is_as_it_comes
        assert choice["validation"] == pytest.approx(100 * accuracy)
        predicted = sklearn_predictions(X, labels, split, C)
        assert scores.accuracies[number] == pytest.approx(100 * (predicted == labels[split.test]).mean())
        kinds.add(choice["is_standardised"])
    assert True in kinds


def test_the_paper_probe_does_not_look_at_validation_nodes():
    Z, labels = make_embedding()
    splits = sample_splits(labels, 5, 3)
    blind = [Split(split.train, split.validation[:0], split.test) for split in splits]
    np.testing.assert_array_equal(probe(Z, labels, splits).accuracies, probe(Z, labels, blind).accuracies)
    with pytest.raises(InputError, match="tuned probe chooses C on validation nodes, and split 0 has none"):
        probe(Z, labels, blind, protocol="tuned")


@pytest.mark.parametrize("protocol", ["paper", "tuned"])
def test_a_sparse_embedding_scores_as_a_dense_one(protocol):
    Z, labels = make_embedding()
    Z = np.where(np.abs(Z) > 1.5, Z, 0)
    splits = sample_splits(labels, 5, 3)
    dense = probe(Z, labels, splits, protocol=protocol)
    sparse = probe(sp.csr_matrix(Z), labels, splits, protocol=protocol)
    np.testing.assert_allclose(sparse.accuracies, dense.accuracies)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["paper", "tuned"])
def test_chunks_change_nothing(protocol, monkeypatch):
    Z, labels = make_embedding()
    # Training sets of two sizes, so that splits are grouped and put back in order.
    small, large = sample_splits(labels, 4, 3), fraction_splits(labels, 0.3, 0.2, 3)
    splits = [split for pair in zip(small, large, strict=True) for split in pair]
    whole = probe(Z, labels, splits, protocol=protocol)
    monkeypatch.setattr(sys.modules["sparsecut.evaluation.linear_probe"], "CHUNK", 5000)
    pieces = probe(Z, labels, splits, protocol=protocol)
    np.testing.assert_array_equal(whole.accuracies, pieces.accuracies)
    assert whole.choices == pieces.choices
    for number in range(6):
        assert probe(Z, labels, splits[number : number + 1], protocol=protocol).accuracies[0] == whole.accuracies[number]


def test_a_class_without_training_nodes_is_never_predicted():
    # At −(10, 10, 10) the classes 0, 1, 2 all say no, and a regression that has only seen "no" for class 3 says yes.
    Z = np.concatenate([10 * np.eye(3), np.full((3, 3), -10.0) + np.eye(3)])
    labels = np.array([0, 1, 2, 0, 1, 3])
    split = Split(np.array([0, 1, 2]), np.array([], dtype=int), np.array([3, 4]))
    assert sklearn_predictions(Z, labels, split).tolist() == [0, 1]
    scores = probe(Z, labels, [split])
    assert scores.accuracies[0] == 100
    assert scores.macro_f1s[0] == 100  # over the two classes that occur


def test_labels_of_any_kind_score_alike():
    Z, labels = make_embedding()
    reference = evaluate(Z, labels, per_class=5, n_splits=3)
    for kind in (np.array(list("abcd"))[labels], labels.astype(float), np.array(list("abcd"), dtype=object)[labels]):
        np.testing.assert_array_equal(evaluate(Z, kind, per_class=5, n_splits=3).accuracies, reference.accuracies)


def test_missing_labels_are_neither_trained_on_nor_scored():
    Z, labels = make_embedding()
    some = labels.copy()
    some[::3] = -1
    known = np.flatnonzero(some >= 0)
    # The same draw over the labelled nodes alone: other rows must not matter, whatever they hold.
    Z_other = Z.copy()
    Z_other[::3] = 1e3
    scores = evaluate(Z_other, some, per_class=5, n_splits=3)
    np.testing.assert_array_equal(scores.accuracies, evaluate(Z[known], some[known], per_class=5, n_splits=3).accuracies)


def test_scores_are_reproducible_and_tell_their_splits_apart():
    Z, labels = make_embedding()
    one, two, other = (evaluate(Z, labels, per_class=5, n_splits=3, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.accuracies, two.accuracies)
    assert one.splits == two.splits != other.splits


def test_progress_is_reported():
    Z, labels = make_embedding()
    seen: list[tuple[str, int, int]] = []
    evaluate(Z, labels, per_class=5, n_splits=3, progress=lambda *values: seen.append(values))
    assert seen[-1] == ("probe", 3, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.zeros(240)}, "at least two classes. Got one class, 0.0, for 240 nodes"),
        ({"labels": np.r_[np.arange(239) % 4, 9]}, "These have one: '9'"),
        ({"labels": np.arange(100) % 4}, "Got 240 rows and 100 labels"),
        ({"labels": np.zeros((240, 2))}, "at least two labels that nodes have"),
        ({"embedding": np.zeros(240)}, r"matrix of numbers, one row per node. Got float64, shape \(240,\)"),
        ({"embedding": np.full((240, 2), "x")}, "matrix of numbers"),
        ({"embedding": np.where(np.arange(240)[:, None] == 7, np.nan, np.ones((240, 3)))}, "finite. Row 7 is not"),
        ({"embedding": sp.csr_array(np.diag(np.where(np.arange(240) == 9, np.inf, 1.0)))}, "finite. Row 9 is not"),
        ({"probe": "best"}, "must be one of 'paper', 'tuned'. Got 'best'"),
        ({"per_class": 0}, "per_class parameter"),
        ({"n_splits": 0}, "n_splits parameter"),
    ],
)
def test_what_cannot_be_scored_is_refused(change, message):
    Z, labels = make_embedding()
    arguments = {"embedding": Z, "labels": labels, "per_class": 5, "n_splits": 2, **change}
    with pytest.raises(InputError, match=message):
        evaluate(arguments.pop("embedding"), arguments.pop("labels"), **arguments)


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (Split(np.array([0, 1, 2, 3, 4]), np.array([5]), np.array([240])), "test nodes beyond the 240"),
        (Split(np.array([0, 6]), np.array([], dtype=int), np.array([1])), "1 training nodes without a label: 6"),
        (Split(np.array([0, 1]), np.array([], dtype=int), np.array([6, 12])), "2 test nodes without a label: 6, 12"),
        (Split(np.array([0, 1, 2]), np.array([], dtype=int), np.array([], dtype=int)), "no test nodes"),
        (Split(np.array([0]), np.array([], dtype=int), np.array([1])), "must be of at least two classes"),
    ],
)
def test_splits_that_do_not_fit_are_refused(split, message):
    Z, labels = make_embedding()
    labels[[6, 12]] = -1
    with pytest.raises(InputError, match=message):
        probe(Z, labels, [split])
    with pytest.raises(InputError, match="at least one split"):
        probe(Z, labels, [])


def test_the_grid_of_c_goes_from_a_ten_thousandth_to_a_thousand():
    assert GRID == (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0)
    labels = np.concatenate([np.zeros(15), np.ones(5), np.arange(20) % 2, np.arange(20) % 2]).astype(int)
    Z = np.where(labels == 1, 0.02, -0.02)[:, None]  # so small that only a weak penalty lets it be seen …
    Z[-1] = 1e4  # … as it comes, and beside this node standardised too
    split = Split(np.arange(20), np.arange(20, 40), np.arange(40, 60))
    (chosen,) = probe(Z, labels, [split], protocol="tuned").choices
    assert chosen == {"C": 1000.0, "is_standardised": False, "validation": 100.0}


def test_counts_are_those_of_liblinear_over_all_splits() -> None:
    generator = np.random.default_rng(0)
    labels = np.array(["b", "a", "c"])[np.arange(150) % 3]
    Z = generator.normal(size=(150, 4)) + 0.8 * np.eye(3, 4)[np.arange(150) % 3]
    splits = sample_splits(labels, 10, 3)
    expected = np.zeros((3, 3), dtype=int)
    for split in splits:
        model = OneVsRestClassifier(LogisticRegression(solver="liblinear", tol=1e-10, max_iter=10_000))
        predicted = model.fit(Z[split.train], labels[split.train]).predict(Z[split.test])
        expected += counts_of(labels[split.test], predicted, labels=["a", "b", "c"])
    classes, counts = confusion_matrix(Z, labels, splits)
    assert classes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(counts, expected)
    assert 0 < np.trace(counts) < counts.sum() == 3 * 90
