"""The separation of classes: the probe's own confusion matrix, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sparsecut as sc
from report_blocks import meta_of, section
from sparsecut.evaluation import probe, sample_splits
from sparsecut.evaluation.linear_probe import confusion_matrix


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
    noise = generator.normal(size=(100, 2))
    mixed = section(meta_of(sc.report(noise, tmp_path / "mixed.html", labels=labels)), "separation")
    assert "Most often confused" in " ".join(mixed["sentences"])
