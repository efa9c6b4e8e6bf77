"""Splits by a word: each is what its own function or its dataset's files say, and what cannot be is one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import load_or_skip
from raw_files import write_planetoid
from sparsecut import InputError, compare, datasets, evaluate
from sparsecut.evaluation import (
    Split,
    make_splits,
    probe,
    published_splits,
    sample_splits,
    uniform_splits,
)
from sparsecut.evaluation.split_choice import WITH_PUBLIC, is_word, shares_of
from sparsecut.io import read_planetoid_split
from sparsecut.io.formats.unpickling import unpickle_planetoid

LABELS = np.repeat([0, 1, 2], [60, 80, 60])


def same(one: list[Split], other: list[Split]) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(getattr(a, part), getattr(b, part))
        for a, b in zip(one, other, strict=True)
        for part in ("train", "validation", "test")
    )


def test_words_stand_for_functions() -> None:
    assert same(make_splits("random", LABELS, per_class=7, n_splits=3, random_state=2), sample_splits(LABELS, 7, 3, 2))
    assert same(make_splits("10-10-80", LABELS, n_splits=3, random_state=2), uniform_splits(LABELS, 0.1, 0.1, 3, 2))
    assert same(make_splits("60-0-40", LABELS, n_splits=2), uniform_splits(LABELS, 0.6, 0.0, 2))


@pytest.mark.slow
def test_the_public_split_is_the_one_of_the_raw_files() -> None:
    """20 nodes of each class; their features are the rows of `x`, those of the test nodes the rows of `tx`."""
    for name in WITH_PUBLIC:
        graph = load_or_skip(name)
        (split,) = make_splits("public", graph.labels, dataset=name)
        assert same(make_splits("official", graph.labels, dataset=name), [split])
        n_classes = len(np.unique(graph.labels))
        np.testing.assert_array_equal(np.bincount(graph.labels[split.train]), [20] * n_classes)
        assert (len(split.validation), len(split.test)) == (500, 1000)
        np.testing.assert_array_equal(split.validation, np.arange(20 * n_classes, 20 * n_classes + 500))
        about = datasets.find_dataset(name)
        folder = datasets.locate(about).folder
        x, tx = (unpickle_planetoid(folder / about.files[place]) for place in (0, 2))
        assert (graph.features[split.train] != x).nnz == 0
        listed = np.loadtxt(folder / about.files[7], dtype=int)
        assert (graph.features[listed] != tx).nnz == 0
        np.testing.assert_array_equal(split.test, np.sort(listed))


@pytest.mark.slow
def test_torch_geometric_has_the_same_public_split() -> None:
    io = pytest.importorskip("torch_geometric.io")
    graph = load_or_skip("citeseer")
    about = datasets.find_dataset("citeseer")
    data = io.read_planetoid_data(str((datasets.locate(about).folder / about.files[0]).parent), "citeseer")
    (split,) = make_splits("public", graph.labels, dataset="citeseer")
    for mask, nodes in ((data.train_mask, split.train), (data.val_mask, split.validation), (data.test_mask, split.test)):
        np.testing.assert_array_equal(np.flatnonzero(mask.numpy()), nodes)


def test_a_small_planetoid_folder(tmp_path: Path) -> None:
    parts = {"x": np.eye(2, 3), "y": np.eye(2), "tx": np.eye(2, 3), "ty": np.eye(2), "allx": np.ones((4, 3))}
    write_planetoid(tmp_path, "toy", parts, [5, 4])
    train, validation, test = read_planetoid_split(tmp_path, "toy")
    assert (train.tolist(), validation.tolist(), test.tolist()) == ([0, 1], [2, 3], [4, 5])


def test_official_and_published_splits_are_those_of_the_dataset() -> None:
    graph = load_or_skip("cornell")
    first, second, *others = datasets.load_splits("cornell")
    assert same(make_splits("official", graph.labels, dataset="cornell", n_splits=2), [Split(*first), Split(*second)])
    assert len(make_splits("official", graph.labels, dataset="cornell")) == 2 + len(others)
    cora = load_or_skip("cora")
    made = make_splits("published", cora.labels, dataset="cora", per_class=5, n_splits=3)
    assert same(made, published_splits("cora", 5, cora.n_nodes)[:3])


@pytest.mark.slow
def test_evaluate_and_compare_take_the_same_words() -> None:
    graph = load_or_skip("cornell")
    splits = make_splits("official", graph.labels, dataset="cornell")
    expected = probe(graph.features, graph.labels, splits)
    scores = evaluate(graph.features, graph.labels, split="official", dataset="cornell")
    np.testing.assert_array_equal(scores.accuracies, expected.accuracies)
    (raw,) = compare(graph, ["raw"], split="official", dataset="cornell")
    np.testing.assert_allclose(raw.scores["official"].accuracies, expected.accuracies)
    assert set(raw.to_dict()["per_class"]) == {"official"}


@pytest.mark.parametrize(
    ("split", "dataset", "message"),
    [
        (
            "halves",
            None,
            r"The splits must be random, cv, published, public, official, or three percentages .* Got 'halves'",
        ),
        ("10-10-90", None, r"must have the sum 100, the first and the last above 0\. Got 10-10-90"),
        ("0-20-80", None, "must have the sum 100, the first and the last above 0"),
        ("official", None, r"Name it: dataset='cora'"),
        ("official", "imdb", "There is no dataset 'imdb'"),
        ("official", "cora", "are of its 2,708 nodes, in its order. Got 200 labels"),
    ],
)
def test_what_cannot_be_is_one_sentence(split: str, dataset: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_splits(split, LABELS, dataset=dataset)


@pytest.mark.parametrize(
    ("split", "dataset", "message"),
    [
        ("public", "actor", r"There is no public split of actor: .* Use official, 10-10-80 or random instead"),
        ("official", "dblp", r"The publishers of dblp made no splits; those of cora, .*tolokers.* Use 10-10-80 or random"),
        ("published", "dblp", "no published splits of dblp"),
    ],
)
def test_splits_that_a_graph_does_not_have(split: str, dataset: str, message: str) -> None:
    n_nodes = datasets.find_dataset(dataset).n_nodes
    load_or_skip("cora")  # published splits are asked for where there are some
    with pytest.raises(InputError, match=message):
        make_splits(split, np.arange(n_nodes) % 2, dataset=dataset)


def test_which_words_are_words() -> None:
    assert all(map(is_word, ("random", "published", "public", "official", "10-10-80", "48-32-20", "33.3-33.3-33.4")))
    assert not any(map(is_word, ("splits.json", "halves", "10-10", "a-b-c")))
    assert shares_of("48-32-20") == (48, 32, 20)
