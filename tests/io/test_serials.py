"""Ids that are a prefix and a number, against the plain way to number them."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.io.numbering import number_words
from sparsecut.io.serials import as_serials


def column(words, n_chunks=2):
    parts = np.array_split(np.array(words, dtype=object), n_chunks)
    return pa.chunked_array([pa.array(list(part), pa.string()) for part in parts])


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 99_999_999), min_size=1, max_size=60),
    st.sampled_from(["u", "user_", "a longer prefix, with spaces é ", "x" * 40, "1-", "-"]),
)
def test_numbers_come_out_as_they_went_in(numbers, prefix):
    serials = as_serials(column([f"{prefix}{number}" for number in numbers]))
    assert serials.prefix == prefix
    assert serials.numbers.tolist() == numbers
    assert serials.spell(serials.numbers).to_pylist() == [f"{prefix}{number}" for number in numbers]


@pytest.mark.parametrize(
    "words",
    [
        ["u1", "v2"], ["u1", "u"], ["u1", "u1x"], ["u1", "u 1"], ["u1", "u-1"], ["u1", "u123456789"], ["u1", "u01"],
        ["u1", ""], ["1", "2"], ["u", "u1"], ["u1", "u/"], ["u1", "u:"], ["u1", "u\u00b2"], ["x" * 41 + "1"], ["u1", "u1\0"],
        ["u10", "u1\xb0"],
    ],
)  # fmt: skip
def test_any_other_column_is_left_alone(words):
    assert as_serials(column(words)) is None


def test_zeros_in_front_are_kept_where_all_have_one_length():
    words = ["n007", "n100", "n000", "n007"]
    (i, j), ids = number_words([column(words), column(words[::-1])])
    assert ids.to_pylist() == ["n000", "n007", "n100"]
    assert ids.take(pa.array(i)).to_pylist() == words
    assert ids.take(pa.array(j)).to_pylist() == words[::-1]


def test_two_prefixes_are_two_kinds_of_nodes(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\nuser_10,item_3\nuser_9,item_3\nuser_9,item_20\n")
    graph = sc.read_graph(tmp_path / "edges.csv")
    assert graph.node_ids.tolist() == ["user_9", "user_10", "item_3", "item_20"]
    assert graph.adjacency.toarray().tolist() == [[0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("words", [["u1", "u2", "u10", "u2"], ["u1", "u2", "w", "u1"], ["u00", "u1", "u0", "u00"]])
def test_ends_meet_whatever_they_look_like(words, tmp_path):
    edges = list(itertools.pairwise(words))
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges))
    graph = sc.read_graph(tmp_path / "edges.csv")
    position = {node: number for number, node in enumerate(graph.node_ids.tolist())}
    expected = {frozenset((position[a], position[b])) for a, b in edges}
    assert {frozenset(map(int, edge)) for edge in zip(*graph.adjacency.nonzero(), strict=True)} == expected
