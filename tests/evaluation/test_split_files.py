"""Splits in files: round trips in every format, and the published ones as they are."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sparsecut import InputError, datasets
from sparsecut.evaluation import Split, published_splits, read_splits, sample_splits, write_splits
from sparsecut.evaluation.splits import SmallClassWarning

HAS_SPLITS = any((root / "splits").is_dir() for root in datasets.roots())
needs_published = pytest.mark.skipif(not HAS_SPLITS, reason="the published splits are not under $SPARSECUT_DATA")

IDS = np.array(["a", "b", "c", "d", "e", "f"])
SPLITS = [
    Split(np.array([2, 0]), np.array([4]), np.array([1, 5])),
    Split(np.array([1]), np.array([], dtype=np.int64), np.array([0, 3])),
]


def assert_same(found: list[Split], expected: list[Split]) -> None:
    assert len(found) == len(expected)
    for one, two in zip(found, expected, strict=True):
        for part in ("train", "validation", "test"):
            assert sorted(getattr(one, part).tolist()) == sorted(getattr(two, part).tolist())


def test_json_round_trip_by_id(tmp_path):
    path = tmp_path / "splits.json"
    write_splits(path, SPLITS, IDS)
    assert json.loads(path.read_text())[0] == {"train": ["c", "a"], "validation": ["e"], "test": ["b", "f"]}
    assert_same(read_splits(path, IDS), SPLITS)
    # In another order of the nodes, the same nodes.
    moved = read_splits(path, IDS[::-1])
    assert IDS[::-1][moved[0].train].tolist() == ["c", "a"]


def test_graphsaint_roles_and_numbers(tmp_path):
    path = tmp_path / "role.json"
    path.write_text('{"tr": [10, 12], "va": [11], "te": [13]}')
    (split,) = read_splits(path, np.array([13, 12, 11, 10]))
    assert (split.train.tolist(), split.validation.tolist(), split.test.tolist()) == ([3, 1], [2], [0])


def test_a_table_with_a_column_a_split(tmp_path):
    path = tmp_path / "splits.csv"
    path.write_text("id,first,second\na,train,test\nb,test,train\nc,train,\nd,,test\ne,val,\nf,test,\n")
    assert_same(read_splits(path, IDS), SPLITS)


def test_masks(tmp_path):
    path = tmp_path / "masks.npz"
    train, val, test = (np.zeros((6, 2), dtype=bool) for _ in range(3))
    for number, split in enumerate(SPLITS):
        train[split.train, number] = val[split.validation, number] = test[split.test, number] = True
    np.savez(path, train_mask=train, val_mask=val, test_mask=test)
    assert_same(read_splits(path, IDS), SPLITS)
    np.savez(path, train_mask=train[:, 0], val_mask=val[:, 0], test_mask=test[:, 0])
    assert_same(read_splits(path, IDS), SPLITS[:1])
    np.savez(path, train_mask=train[:, 0])
    assert_same(read_splits(path, IDS), [Split(np.array([0, 2]), np.array([]), np.array([1, 3, 4, 5]))])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.json", "{", "is not JSON"),
        ("s.json", "[1, 2]", "must hold"),
        ("s.json", "[]", "must hold"),
        ("s.json", '{"test": ["a"]}', "names no training nodes: it has test"),
        ("s.json", '{"train": ["a"], "test": ["zz"]}', "names nodes that the graph does not: 'zz'"),
        ("s.json", '{"train": ["a"], "test": ["a"]}', "must be disjoint"),
        ("s.csv", "id,split\na,train\nb,exam\n", "must say train, validation, test or nothing. Got 'exam'"),
        ("s.csv", "id,split\na,train\na,test\n", "more than one row for 'a'"),
        ("s.npz", "not a zip", "damaged or holds Python objects"),
    ],
)
def test_files_that_hold_no_splits_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_splits(path, IDS)


def test_masks_of_another_graph_are_refused(tmp_path):
    path = tmp_path / "masks.npz"
    np.savez(path, train_mask=np.ones(4, dtype=bool))
    with pytest.raises(InputError, match=r"must all be \(n,\) or all \(n, splits\) for 6 nodes. Got \(4,\)"):
        read_splits(path, IDS)
    np.savez(path, train_mask=np.array([object()]))
    with pytest.raises(InputError, match="Python objects"):
        read_splits(path, IDS)


def test_published_files_read_as_the_paper_left_them(tmp_path):
    folder = tmp_path / "splits"
    folder.mkdir()
    (folder / "toy_1_train.txt").write_text("[3, 0]\n[1, 2]\n")
    (folder / "toy_1_val.txt").write_text("[4, 4]\n[5]\n")  # a node twice, as Cora Full's files have some
    first, second = published_splits("toy", 1, 7, root=tmp_path)
    assert (first.train.tolist(), first.validation.tolist(), first.test.tolist()) == ([3, 0], [4], [1, 2, 5, 6])
    assert second.test.tolist() == [0, 3, 4, 6]
    with pytest.raises(InputError, match=r"no published splits of toy with 5 labels per class. There are: toy_1"):
        published_splits("toy", 5, 7, root=tmp_path)
    with pytest.raises(InputError, match="positions from 0 to 3"):
        published_splits("toy", 1, 4, root=tmp_path)
    (folder / "toy_1_val.txt").write_text("[4, oops]\n[5]\n")
    with pytest.raises(InputError, match="one list of node numbers per line"):
        published_splits("toy", 1, 7, root=tmp_path)
    (folder / "toy_1_val.txt").write_text("[4]\n")
    with pytest.raises(InputError, match="do not match"):
        published_splits("toy", 1, 7, root=tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        published_splits("toy", 1, 7, root=tmp_path / "elsewhere")


@pytest.mark.slow
@needs_published
@pytest.mark.parametrize("per_class", [5, 20])
def test_our_rule_for_small_classes_is_the_published_one(per_class):
    root = next(root for root in datasets.roots() if (root / "splits").is_dir())
    path = root / "CitationFull" / "cora" / "raw" / "cora_full_labels.txt"
    if not path.exists():
        pytest.skip("Cora Full's labels are not under $SPARSECUT_DATA")
    nodes, classes = np.loadtxt(path, dtype=np.int64).T
    labels = np.empty(len(nodes), dtype=np.int64)
    labels[nodes] = classes
    with pytest.warns(SmallClassWarning):
        drawn = sample_splits(labels, per_class, 50)
    published = published_splits("cora_full", per_class, len(labels))
    assert len(published) == 50
    is_small = np.bincount(labels) <= 2 * per_class + 10
    assert is_small.any()
    for ours, theirs in zip(drawn, published, strict=True):
        np.testing.assert_array_equal(np.bincount(labels[ours.train]), np.bincount(labels[theirs.train]))
        ours_validation, theirs_validation = (
            np.bincount(labels[split.validation], minlength=70) for split in (ours, theirs)
        )
        assert (theirs_validation[is_small] == 0).all()
        # Where they differ, the published file lists extra nodes of one other class: what `published_splits` tells of.
        assert (ours_validation != theirs_validation).sum() <= 1


@pytest.mark.slow
@needs_published
@pytest.mark.parametrize(("name", "n_nodes", "n_classes"), [("cora", 2708, 7), ("citeseer", 3327, 6), ("pubmed", 19717, 3)])
def test_published_splits_are_whole(name, n_nodes, n_classes):
    for per_class in (5, 20):
        splits = published_splits(name, per_class, n_nodes)
        assert len(splits) == 50
        for split in splits:
            assert len(split.train) == len(split.validation) == per_class * n_classes
            assert len(np.unique(np.concatenate([split.train, split.validation, split.test]))) == n_nodes
