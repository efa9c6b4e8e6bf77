"""Splits: the paper's rule, stratification, reproducibility, and clear answers to labels that allow none."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from sparsecut import InputError
from sparsecut.evaluation import Split, fraction_splits, probe, role_split, sample_splits, uniform_splits
from sparsecut.evaluation.splits import SmallClassWarning
from sparsecut.graph.labels import encode_labels, labelled_nodes


def labels_of_sizes(*sizes: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))


def counts_by_class(labels: np.ndarray, split) -> list[tuple[int, int, int]]:
    parts = [np.bincount(labels[nodes], minlength=labels.max() + 1) for nodes in (split.train, split.validation, split.test)]
    return [tuple(int(part[position]) for part in parts) for position in range(labels.max() + 1)]


def test_small_classes_follow_the_papers_rule():
    labels = labels_of_sizes(15, 20, 21, 100)
    with pytest.warns(SmallClassWarning, match=r"2 of 4 classes have at most 20 nodes .* '0', '1'\.$"):
        (split,) = sample_splits(labels, 5, 1)
    assert counts_by_class(labels, split) == [(7, 0, 8), (10, 0, 10), (5, 5, 11), (5, 5, 90)]
    labels = labels_of_sizes(29, 50, 51)
    with pytest.warns(SmallClassWarning, match="2 of 3 classes have at most 50 nodes"):
        (split,) = sample_splits(labels, 20, 1)
    assert counts_by_class(labels, split) == [(14, 0, 15), (25, 0, 25), (20, 20, 11)]


def test_more_labels_than_members_give_half_and_say_so():
    labels = labels_of_sizes(30, 40)
    with pytest.warns(SmallClassWarning, match="2 of 2 classes have at most 2010 nodes .* give half of them to training"):
        (split,) = sample_splits(labels, 1000, 1)
    assert counts_by_class(labels, split) == [(15, 0, 15), (20, 0, 20)]


def test_large_classes_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sample_splits(labels_of_sizes(51, 60), 20, 2)


@pytest.mark.parametrize(
    "draw",
    [
        lambda y, s: sample_splits(y, 5, 4, s),
        lambda y, s: fraction_splits(y, 0.2, 0.2, 4, s),
        lambda y, s: uniform_splits(y, 0.2, 0.2, 4, 10 * s),
    ],
)
def test_splits_are_reproducible_and_whole(draw):
    labels = labels_of_sizes(40, 60, 80)
    labels[[3, 50, 99]] = -1
    first, again, other = draw(labels, 7), draw(labels, 7), draw(labels, 8)
    for one, two, three in zip(first, again, other, strict=True):
        for part in ("train", "validation", "test"):
            np.testing.assert_array_equal(getattr(one, part), getattr(two, part))
        assert set(one.train.tolist()) != set(three.train.tolist())
        nodes = np.concatenate([one.train, one.validation, one.test])
        np.testing.assert_array_equal(np.sort(nodes), np.flatnonzero(labels >= 0))
    assert len({tuple(sorted(split.train.tolist())) for split in first}) == 4


def test_every_member_of_a_class_is_equally_likely():
    labels = labels_of_sizes(40, 60)
    splits = sample_splits(labels, 5, 2000)
    for part in ("train", "validation"):
        drawn = np.bincount(np.concatenate([getattr(split, part) for split in splits]), minlength=100)
        for position, size in enumerate((40, 60)):
            share = 5 / size
            deviation = np.sqrt(2000 * share * (1 - share))
            assert np.abs(drawn[labels == position] - 2000 * share).max() < 5 * deviation


def test_fractions_are_of_each_class():
    labels = labels_of_sizes(100, 50, 10, 2)
    (split,) = fraction_splits(labels, 0.1, 0.3, 1)
    assert counts_by_class(labels, split) == [(10, 30, 60), (5, 15, 30), (1, 3, 6), (1, 0, 1)]


@pytest.mark.parametrize(("train", "validation"), [(0.7, 0.3), (0.0, 0.1), (1.5, 0.0), (0.5, -0.1), (float("nan"), 0.1)])
def test_fractions_must_leave_a_test_part(train, validation):
    with pytest.raises(InputError, match=r"train|validation"):
        fraction_splits(labels_of_sizes(10, 10), train, validation, 1)


def test_nodes_without_a_label_are_in_no_split():
    for labels in (
        np.array([0, 1, -1] * 40),
        np.array([0.0, 1.0, np.nan] * 40),
        np.array(["a", "b", ""] * 40),
        np.array(["a", "b", None] * 40, dtype=object),
    ):
        known = labelled_nodes(labels)
        assert len(known) == 80
        for split in sample_splits(labels, 5, 3):
            np.testing.assert_array_equal(np.sort(np.concatenate([split.train, split.validation, split.test])), known)


def test_labels_are_encoded_in_order():
    classes, codes = encode_labels(np.array(["b", "", "a", "b"]))
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, -1, 0, 1]
    assert encode_labels(np.array([2, None, "x", 2], dtype=object))[1].tolist() == [0, -1, 1, 0]
    with pytest.raises(InputError, match="one value a node"):
        encode_labels(np.eye(3))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 1, 1, -1], "at least two classes. Got one class, 1, for 4 nodes"),
        ([-1, -1], "Got no label at all, for 2 nodes"),
        (["a"] * 30 + ["b"] * 30 + ["c"], "These have one: 'c'. Leave such labels out"),
    ],
)
@pytest.mark.parametrize(
    "draw", [lambda labels: sample_splits(labels, 5, 1), lambda labels: fraction_splits(labels, 0.1, 0.1, 1)]
)
def test_labels_that_allow_no_split_are_refused(labels, message, draw):
    with pytest.raises(InputError, match=message):
        draw(np.array(labels))


@pytest.mark.parametrize(("per_class", "n_splits", "seed"), [(0, 1, 0), (2.5, 1, 0), (5, 0, 0), (5, 1, -1), (5, 1, None)])
def test_counts_are_checked(per_class, n_splits, seed):
    with pytest.raises(InputError, match=r"sample_splits must be an integer"):
        sample_splits(labels_of_sizes(40, 40), per_class, n_splits, seed)


def test_roles_by_position_and_by_mask():
    split = role_split([0, 2], [1], [4, 3], 6)
    assert (split.train.tolist(), split.validation.tolist(), split.test.tolist()) == ([0, 2], [1], [4, 3])
    mask = np.arange(6)
    masked = role_split(mask < 2, mask == 2, mask > 2, 6)
    assert (masked.train.tolist(), masked.validation.tolist(), masked.test.tolist()) == ([0, 1], [2], [3, 4, 5])
    rest = role_split([5], None, None, 6)
    assert (rest.validation.tolist(), rest.test.tolist()) == ([], [0, 1, 2, 3, 4])


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (([0, 1], [1], [2]), "disjoint, each node in at most one and once. These occur more often: 1"),
        (([0, 0], [], [2]), "These occur more often: 0"),
        (([0], [], [6]), "The test nodes must be positions from 0 to 5. Got some from 6 to 6"),
        (([-1], [], [2]), "The training nodes must be positions"),
        (([], [], [2]), "needs training nodes. Got none"),
        (([0], [], []), "needs test nodes. Got none"),
        (([0.5], [], [1]), "a list of positions or a mask"),
        (([True, False], [], [1]), "The training mask must have one value for each of the 6 nodes"),
    ],
)
def test_roles_are_checked(roles, message):
    with pytest.raises(InputError, match=message):
        role_split(*roles, n_nodes=6)


def test_uniform_splits_have_their_own_seeds_and_the_sizes_of_their_shares():
    labels = labels_of_sizes(190, 9, 5)
    labels[:4] = -1
    splits = uniform_splits(labels, 0.29, 0.1, 5, random_state=3)
    for seed, split in enumerate(splits, start=3):
        expected = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))
        np.testing.assert_array_equal(np.concatenate([split.train, split.validation, split.test]), expected)
        assert (len(split.train), len(split.validation), len(split.test)) == (58, 20, 122)  # 0.29 · 200 is 58 in floats, too
    # Not stratified: a class that sends a tenth of its nodes on average sends none at times.
    shares = [np.mean(labels[split.train] == 1) for split in uniform_splits(labels, 0.1, 0.1, 200)]
    assert min(shares) == 0
    assert np.mean(shares) == pytest.approx(np.mean(labels[labels >= 0] == 1), abs=0.01)


def test_uniform_splits_need_nodes():
    with pytest.raises(InputError, match=r"A fraction of 0\.1 of 9 labelled nodes is less than one node to train on"):
        uniform_splits([0, 1, 0, 1, 0, 1, 0, 1, 0], 0.1, 0.1, 1)
    with pytest.raises(InputError, match="their sum must be below 1"):
        uniform_splits([0, 1] * 10, 0.5, 0.5, 1)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (([0, 1, 2, 3], [], [3, 2, 4]), "2 nodes are in train and in test: 2, 3."),
        (([0, 1], [1], [2, 3]), "1 nodes are in train and in validation: 1."),
        (([0, 1], [2, 3], [3]), "1 nodes are in validation and in test: 3."),
        ((range(100), [], range(100)), "100 nodes are in train and in test: 0, 1, 2, 3, 4 and 95 more."),
    ],
)
def test_a_node_in_two_parts_is_refused(parts: tuple, said: str) -> None:
    """A probe that was tested on what it was trained on would score 100 %."""
    train, validation, test = (np.array(part, dtype=np.int64) for part in parts)
    with pytest.raises(InputError, match=re.escape(f"The parts of a split must be disjoint. {said}")):
        Split(train, validation, test)
    with pytest.raises(InputError, match="must be disjoint"):
        role_split(train, validation, test, n_nodes=100)


def test_no_function_scores_nodes_that_it_learned_from() -> None:
    """Each takes a `Split`, and none can be made that overlaps; a part is not changed by `replace` either."""
    labels = np.arange(40) % 2
    split = role_split(np.arange(10), None, np.arange(10, 40), n_nodes=40)
    noise = np.random.default_rng(0).normal(size=(40, 30))
    assert probe(noise, labels, [split]).mean < 90
    with pytest.raises(InputError, match="10 nodes are in train and in test"):
        replace(split, test=np.arange(40))
