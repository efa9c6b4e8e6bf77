"""Every figure against scikit-learn's function of that name, or counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as theirs

from sparsecut import InputError
from sparsecut.evaluation.metrics import Answers, check_metrics, figure_of, figure_of_numbers, needs_ranking

GENERATOR = np.random.default_rng(0)
TRUE = GENERATOR.choice(4, 200, p=[0.6, 0.2, 0.15, 0.05])
DECISIONS = GENERATOR.normal(size=(200, 4)) + 1.5 * np.eye(4)[TRUE]
ONE = Answers(TRUE, DECISIONS.argmax(axis=1), 4, DECISIONS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", theirs.accuracy_score(TRUE, ONE.predicted)),
        ("balanced_accuracy", theirs.balanced_accuracy_score(TRUE, ONE.predicted)),
        ("micro_f1", theirs.f1_score(TRUE, ONE.predicted, average="micro")),
        ("macro_f1", theirs.f1_score(TRUE, ONE.predicted, average="macro")),
        ("roc_auc", np.mean([theirs.roc_auc_score(code == TRUE, DECISIONS[:, code]) for code in range(4)])),
        ("average_precision", theirs.average_precision_score(np.eye(4)[TRUE], DECISIONS, average="macro")),
    ],
)
def test_figures_of_classes_are_scikit_learns(name, expected):
    assert figure_of(name, ONE) == pytest.approx(100 * expected)


@pytest.mark.parametrize("absent", ["predicted alone", "neither", "true alone"])
def test_macro_f1_counts_the_classes_that_are_there_or_predicted(absent: str) -> None:
    """As scikit-learn: a class that no node has and that was predicted has an F1 of 0; one that is neither has none."""
    true = np.array([0, 0, 1, 1, 3, 3] if absent != "true alone" else [0, 0, 1, 1, 3, 2])
    predicted = np.array([0, 2, 1, 1, 3, 3] if absent == "predicted alone" else [0, 1, 1, 1, 3, 3])
    answers = Answers(true, predicted, 4)
    assert figure_of("accuracy", answers) == pytest.approx(100 * (true == predicted).mean())
    expected = theirs.f1_score(true, predicted, average="macro", zero_division=0)
    assert figure_of("macro_f1", answers) == pytest.approx(100 * expected)


def test_of_two_classes_ranking_figures_are_those_of_the_positive_one():
    is_rare = TRUE == 3
    answers = Answers(is_rare.astype(int), is_rare.astype(int), 2, DECISIONS[:, [0, 3]], positive=1)
    expected = theirs.average_precision_score(is_rare, DECISIONS[:, 3])
    assert figure_of("average_precision", answers) == pytest.approx(100 * expected)


def test_recall_at_a_share_by_hand():
    true = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    scores = np.array([9.0, 4.0, 1.0, 8.0, 7.0, 4.0, 3.0, 2.0, 0.0, 0.0])
    answers = Answers(true, true, 2, np.column_stack([-scores, scores]), positive=1)
    assert figure_of("recall@10%", answers) == pytest.approx(100 / 3)  # the first is right
    assert figure_of("recall@30%", answers) == pytest.approx(100 / 3)
    # Place four is shared by a node of the class and another: half of the place each.
    assert figure_of("recall@40%", answers) == pytest.approx(100 * 1.5 / 3)
    assert figure_of("recall@100%", answers) == pytest.approx(100)


def test_several_labels_are_scikit_learns():
    true = GENERATOR.random((60, 5)) < 0.4
    predicted = GENERATOR.random((60, 5)) < 0.4
    answers = Answers(true, predicted, 5, GENERATOR.normal(size=(60, 5)))
    assert figure_of("micro_f1", answers) == pytest.approx(100 * theirs.f1_score(true, predicted, average="micro"))
    assert figure_of("macro_f1", answers) == pytest.approx(100 * theirs.f1_score(true, predicted, average="macro"))
    assert figure_of("accuracy", answers) == pytest.approx(100 * theirs.accuracy_score(true, predicted))
    expected = theirs.roc_auc_score(true, answers.decisions, average="macro")
    assert figure_of("roc_auc", answers) == pytest.approx(100 * expected)


def test_numbers_are_scikit_learns():
    true, predicted = GENERATOR.normal(size=(2, 50))
    assert figure_of_numbers("r2", true, predicted) == pytest.approx(theirs.r2_score(true, predicted))
    assert figure_of_numbers("mae", true, predicted) == pytest.approx(theirs.mean_absolute_error(true, predicted))
    assert figure_of_numbers("rmse", true, predicted) == pytest.approx(theirs.root_mean_squared_error(true, predicted))


def test_metrics_are_names_lists_and_scorers():
    assert check_metrics("evaluate", None, "classes") == {"accuracy": None, "macro_f1": None}
    assert check_metrics("evaluate", "accuracy, recall@5%", "classes") == {"accuracy": None, "recall@5%": None}
    scorer = theirs.make_scorer(theirs.matthews_corrcoef)
    assert check_metrics("evaluate", ["accuracy", scorer], "classes") == {"accuracy": None, "matthews_corrcoef": scorer}
    assert check_metrics("evaluate", {"mine": scorer}, "classes") == {"mine": scorer}
    assert callable(check_metrics("evaluate", "f1_weighted", "classes")["f1_weighted"])
    assert needs_ranking(["accuracy", "recall@5%"])
    assert not needs_ranking(["accuracy", "macro_f1"])


def test_wrong_metrics_are_refused_with_the_right_ones():
    with pytest.raises(InputError, match="Did you mean 'macro_f1'"):
        check_metrics("evaluate", "macrof1", "classes")
    with pytest.raises(InputError, match=r"'accuracy' is not one of numbers\. For these there are: r2, mae, rmse"):
        check_metrics("evaluate", "accuracy", "numbers")
    for name in ("recall@0%", "recall@150%"):
        with pytest.raises(InputError, match=f"Got '{name}'"):
            check_metrics("evaluate", name, "classes")
    assert check_metrics("evaluate", "recall@100%,recall@0.5%", "classes") == {"recall@100%": None, "recall@0.5%": None}
    with pytest.raises(InputError, match="at least one metric"):
        check_metrics("evaluate", [], "classes")
    with pytest.raises(InputError, match="takes accuracy"):
        check_metrics("evaluate", [3], "classes")
