"""What labels are taken for, and that ids and gaps are respected in every form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from sparsecut import InputError
from sparsecut.base.errors import ReadingWarning
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


@pytest.mark.parametrize("form", ["matrix", "sparse", "lists", "frame", "column", "series", "cell", "polars", "dict"])
def test_several_labels_in_every_form(form):
    lists = [["p", "r"], ["q"], [], ["p", "q"]]
    given = {
        "matrix": TRUTH,
        "sparse": sp.csr_array(TRUTH),
        "lists": lists,
        "frame": pd.DataFrame(TRUTH[::-1], index=IDS[::-1], columns=["p", "q", "r"]),
        "column": pd.DataFrame({"p": TRUTH[::-1, 0], "q": TRUTH[::-1, 1], "r": TRUTH[::-1, 2], "id": IDS[::-1]}),
        "series": pd.Series({"b": lists[3], "d": lists[0], "a": lists[1]}),
        "cell": pd.DataFrame({"id": ["b", "d", "a"], "topics": [lists[3], lists[0], lists[1]]}),
        "polars": pl.DataFrame({"id": IDS, "p": TRUTH[:, 0], "q": TRUTH[:, 1], "r": TRUTH[:, 2]}),
        "dict": {"b": lists[3], "d": lists[0], "a": lists[1]},
    }[form]
    target = read_target(given, None if form in ("matrix", "sparse", "lists") else IDS, 4)
    assert target.kind == "several"
    assert target.classes.tolist() == ([0, 1, 2] if form in ("matrix", "sparse") else ["p", "q", "r"])
    np.testing.assert_array_equal(target.values, TRUTH.astype(bool))
    expected = [
        True,
        True,
        form in ("matrix", "sparse", "frame", "column", "polars"),
        True,
    ]  # a row of zeros is known to have no label
    assert target.is_known.tolist() == expected


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_few_labels_in_a_column_beside_the_ids(make):
    for values in (["no", "yes"], [0, 1]):
        target = read_target(make({"id": ["d", "b"], "fraud": values}), IDS, 4)
        assert target.kind == "classes"
        assert sorted(IDS[target.known]) == ["b", "d"]
        assert target.values[IDS == "b"] == 1


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


@pytest.mark.parametrize("mark", ["|", ";", "; ", ", "])
@pytest.mark.parametrize("form", ["array", "series", "dict"])
def test_labels_that_spell_lists_are_lists_where_several_are_requested(mark, form):
    spelt = [mark.join(["x", "z"]), "y", "", mark.join(["x", "y"])]
    labels = {"array": spelt, "series": pd.Series(spelt[::-1], index=IDS[::-1]), "dict": dict(zip(IDS, spelt, strict=True))}
    target = read_target(labels[form], IDS, 4, "several")
    assert target.classes.tolist() == ["x", "y", "z"]
    np.testing.assert_array_equal(target.values, TRUTH)
    assert target.is_known.tolist() == [True, True, False, True]


def test_classes_that_look_like_lists_are_named():
    with pytest.warns(ReadingWarning, match="spell lists, as 'x;y' does.*target='several'"):
        assert read_target(["x;y", "y", "", "x;y"], None, 4).classes.tolist() == ["x;y", "y"]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["x;y", "y", "", "x;y"], "classes"),
        (["Smith, John", "Smith, Jane", "", "Lee"], "auto"),
        (["a;b", "c;d", "a;b", "c;d"], "auto"),  # nothing is in two of them
    ],
)
def test_other_classes_are_silent(labels, kind, recwarn):
    assert read_target(labels, None, 4, kind).kind == "classes"
    assert not list(recwarn)
