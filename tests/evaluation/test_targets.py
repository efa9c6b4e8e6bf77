"""What labels are taken for, and that ids and gaps are respected in every form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sparsecut import InputError
from sparsecut.evaluation.targets import read_target

IDS = np.array(["d", "a", "c", "b"])
TRUTH = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]])


def test_kinds_by_type():
    assert read_target(["x", "y", "x", ""], None, 4).kind == "classes"
    assert read_target([1.0, 2.0, np.nan, 2.0], None, 4).kind == "classes"  # whole floats are classes with gaps
    assert read_target([1.5, 2.0, np.nan, 2.0], None, 4).kind == "numbers"
    assert read_target([1.5, 2.0, np.nan, 2.0], None, 4, "classes").kind == "classes"
    assert read_target([1, 2, 3, 4], None, 4, "numbers").kind == "numbers"
    assert read_target(TRUTH, None, 4).kind == "several"


@pytest.mark.parametrize("form", ["matrix", "sparse", "lists", "frame", "dict"])
def test_several_labels_in_every_form(form):
    lists = [["p", "r"], ["q"], [], ["p", "q"]]
    given = {
        "matrix": TRUTH,
        "sparse": sp.csr_array(TRUTH),
        "lists": lists,
        "frame": pd.DataFrame(TRUTH[::-1], index=IDS[::-1], columns=["p", "q", "r"]),
        "dict": {"b": lists[3], "d": lists[0], "a": lists[1]},
    }[form]
    target = read_target(given, IDS if form in ("frame", "dict") else None, 4)
    assert target.kind == "several"
    np.testing.assert_array_equal(target.values, TRUTH.astype(bool))
    expected = [True, True, form in ("matrix", "sparse", "frame"), True]  # a row of zeros is known to have no label
    assert target.is_known.tolist() == expected


def test_a_few_labels_by_series_and_dict():
    series = pd.Series([1, 0], index=["b", "d"])
    for given in (series, {"b": 1, "d": 0}):
        target = read_target(given, IDS, 4)
        assert target.values.tolist() == [0, -1, -1, 1]
        assert [str(label) for label in target.labels[[0, 3]]] == ["0", "1"]
    numbers = read_target({"b": 1.5, "d": -1.0}, IDS, 4)
    assert numbers.kind == "numbers"
    assert numbers.known.tolist() == [0, 3]  # −1 is a number, not a gap


def test_another_order_of_the_rows():
    target = read_target(["x", "y", "", "x"], None, 4).take(np.array([3, 2, 1, 0]))
    assert target.labels.tolist() == ["x", "", "y", "x"]


@pytest.mark.parametrize(
    ("labels", "kind", "message"),
    [
        ({"z": 1}, "auto", "name nodes that the embedding does not have: 'z'"),
        (TRUTH * 2, "auto", "zeros and ones"),
        (np.zeros((4, 3)), "auto", "at least two labels that nodes have"),
        (["a", "b", "a", "b"], "several", "Got one value per node: use target='classes'"),
        ([["a"], 3, None, ["b"]], "auto", r"a list for each node, None where there is none\. Got 3"),
        (["a", "b"], "auto", "Got 4 rows and 2 labels"),
        (["a"] * 4, "words", "must be one of 'auto', 'classes', 'several', 'numbers'"),
    ],
)
def test_what_is_no_target_is_refused(labels, kind, message):
    with pytest.raises(InputError, match=message):
        read_target(labels, IDS, 4, kind)
