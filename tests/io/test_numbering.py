"""Numbering against Python's dictionaries and sorting, whose order is the one promised."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsecut.io import numbering
from sparsecut.io.numbering import number_integers, number_words, position_type


def in_order_of_appearance(words):
    return list(dict.fromkeys(words))


def check_words(source, target, n_chunks=3):
    columns = []
    for column in (source, target):
        parts = np.array_split(np.array(column, dtype=object), n_chunks)
        columns.append(pa.chunked_array([pa.array(part, pa.string()) for part in parts]))
    (i, j), ids = number_words(columns)
    expected = in_order_of_appearance([*source, *target])
    assert ids.to_pylist() == expected
    assert [expected[position] for position in i] == list(source)
    assert [expected[position] for position in j] == list(target)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40)), min_size=1, max_size=200))
def test_words_are_numbered_in_the_order_they_appear(edges):
    check_words(*zip(*edges, strict=True))


@pytest.mark.parametrize("length", [3, 8, 9, 16, 17, 40, 64, 65, 300])
def test_words_of_any_length(length):
    generator = np.random.default_rng(length)
    words = ["".join(generator.choice(list("abcdé"), length)) for _ in range(50)]
    check_words(generator.choice(words, 500).tolist(), generator.choice(words, 500).tolist())


def test_words_that_differ_in_a_zero_byte_at_the_end():
    check_words(["a", "a\0", "a\0\0", "b"], ["a\0", "a", "b", "b\0"])


@pytest.mark.parametrize("limit", [0, 2**31 - 1])
def test_columns_of_two_kinds_of_text_and_more_text_than_32_bits_count(monkeypatch, limit):
    monkeypatch.setattr(numbering, "MAX_TEXT", limit)
    columns = [pa.chunked_array([["b", "a"], ["b"]], pa.string()), pa.chunked_array([["c", "a", "b"]], pa.large_string())]
    (i, j), ids = number_words(columns)
    assert (i.tolist(), j.tolist(), ids.to_pylist()) == ([0, 1, 0], [2, 1, 0], ["b", "a", "c"])
    assert ids.type == pa.large_string()


@settings(deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=100), st.integers(-50, 50))
def test_integers_are_numbered_ascending(values, offset):
    for column in (np.array(values, dtype=np.int64), np.arange(len(values)) % 7 + offset):
        (i, j), ids = number_integers([column, column[::-1]])
        assert ids.tolist() == sorted(set(column.tolist()))
        assert ids[i].tolist() == column.tolist()
        assert ids[j].tolist() == column[::-1].tolist()


def test_positions_need_eight_bytes_beyond_two_to_the_31():
    assert position_type(2**31 - 1) is np.int32
    assert position_type(2**31) is np.int64
