"""`evaluate` over kinds of targets and of splits, against scikit-learn where it has the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from sparsecut import InputError
from sparsecut.evaluation import evaluate, fold_splits, probe

GENERATOR = np.random.default_rng(3)
N = 200
TRUTH = GENERATOR.random((N, 4)) < [0.5, 0.4, 0.3, 0.2]
TRUTH[TRUTH.sum(axis=1) == 0, 0] = True
Z = GENERATOR.normal(size=(N, 8)) + 2 * TRUTH @ np.eye(4, 8)


def test_several_labels_are_given_as_many_as_a_node_has():
    """DeepWalk's protocol: one-vs-rest, and of every node the top labels, as many as it truly has."""
    (split,) = fold_splits(np.zeros(N, dtype=int), 1)
    scores = probe(Z, TRUTH, [split])
    model = LogisticRegression(C=1.0, solver="liblinear", tol=1e-10, max_iter=10_000)
    columns = [model.fit(Z[split.train], TRUTH[split.train, code]).decision_function(Z[split.test]) for code in range(4)]
    true = TRUTH[split.test]
    predicted = np.zeros_like(true)
    for row, order in enumerate(np.argsort(-np.column_stack(columns), axis=1)):
        predicted[row, order[: true[row].sum()]] = True
    assert scores.figures["micro_f1"][0] == pytest.approx(100 * f1_score(true, predicted, average="micro"))
    assert scores.figures["macro_f1"][0] == pytest.approx(100 * f1_score(true, predicted, average="macro"))
    assert np.isnan(scores.majority)


def test_several_labels_are_cross_validated_by_default_and_tuned():
    paper, tuned = evaluate(Z, TRUTH, n_splits=10), evaluate(Z, TRUTH, n_splits=10, probe="tuned")
    assert list(paper.figures) == ["micro_f1", "macro_f1"]
    assert paper.mean > 60
    assert len(tuned.choices) == 10
    with pytest.raises(InputError, match="several labels have no classes to draw random splits"):
        evaluate(Z, TRUTH, split="random")


def test_cross_validation_tests_every_labelled_node_once_per_round():
    labels = np.where(np.arange(N) % 5 == 0, -1, np.arange(N) % 3)
    splits = fold_splits(labels, 20)
    known = np.flatnonzero(labels >= 0)
    for half in (splits[:10], splits[10:]):
        np.testing.assert_array_equal(np.sort(np.concatenate([split.test for split in half])), known)
        sizes = np.array([np.bincount(labels[split.test], minlength=3) for split in half])
        assert (sizes.max(axis=0) - sizes.min(axis=0) <= 1).all()  # the same mix of classes
    assert not np.array_equal(splits[0].test, splits[10].test)
    assert all(len(split.train) + len(split.validation) + len(split.test) == len(known) for split in splits)


def test_numbers_of_a_few_nodes_have_two_in_every_test_part():
    Z = np.random.default_rng(0).normal(size=(40, 2))
    target = np.full(40, np.nan)
    target[:9] = 3 * Z[:9, 0] + 0.01
    scores = evaluate(Z, target, n_splits=4)
    assert np.isfinite(scores.figures["r2"]).all()


def test_a_class_too_small_for_per_class_is_refused_with_what_works():
    labels = np.array(["big"] * 150 + ["mid"] * 45 + ["tiny"] * 5)
    with pytest.raises(InputError, match=r"20 training nodes per class .* tiny \(5\)\. Use per_class=2 .* split='cv'"):
        evaluate(Z, labels)
    assert evaluate(Z, labels, split="cv", n_splits=10).majority == pytest.approx(75)


def test_ranking_of_two_classes_is_of_the_rarer_one():
    is_rare = np.arange(N) >= 170
    rows = Z + 3 * is_rare[:, None]
    named = "average_precision,recall@15%"
    ours = evaluate(rows, np.where(is_rare, "rare", "usual"), split="cv", n_splits=10, metrics=named)
    flipped = evaluate(rows, np.where(is_rare, 1, 0), split="cv", n_splits=10, metrics=named)
    np.testing.assert_allclose(
        ours.figures["average_precision"].mean(), flipped.figures["average_precision"].mean(), atol=10
    )
    assert ours.mean > 80


def test_labels_per_class_are_refused_where_splits_are_made_otherwise() -> None:
    generator = np.random.default_rng(0)
    Z, y = generator.normal(size=(120, 3)), np.arange(120) % 2
    for split, labels in (("cv", y), ("48-32-20", y), ("auto", generator.normal(size=120))):
        with pytest.raises(InputError, match=r"are not made by labels per class\. Leave per_class=5 out"):
            evaluate(Z, labels, split=split, per_class=5, n_splits=2)
        evaluate(Z, labels, split=split, n_splits=2)
    assert evaluate(Z, y, n_splits=2).accuracies.tolist() == evaluate(Z, y, per_class=20, n_splits=2).accuracies.tolist()
