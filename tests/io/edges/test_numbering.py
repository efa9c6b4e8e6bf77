"""Numbering against Python's dictionaries and sorting, whose order is the one promised."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsecut.io.edges import numbering
from sparsecut.io.edges.numbering import number_integers, number_words, position_type


@pytest.fixture(params=["Arrow", "loop"], autouse=True)
def way(request, monkeypatch):
    """Both ways to number words; the loop with blocks of one row and a table that grows early."""
    if request.param == "loop":
        pytest.importorskip("numba")
        monkeypatch.setattr(numbering, "MIN_LOOP_ROWS", 1)
        monkeypatch.setattr(numbering, "TABLE_ROWS", 8)
    return request.param


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


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_words_chosen_to_collide_are_left_to_arrow(way, monkeypatch):
    """With one place for all of them the loop gives up, and the numbers stay what they are."""
    if way == "Arrow":
        pytest.skip("about the loop")
    word_loop = numbering._word_loop()
    monkeypatch.setattr(numbering, "TABLE_ROWS", 2**13)
    words = [f"user_{number}" for number in range(1000)]
    chunks = [pa.array(words)]
    assert numbering._number_by_loop(word_loop, chunks) is not None

    def crowded(offsets, text, start, table, numbers, n_known, block, positions, firsts):
        return start, -1

    assert numbering._number_by_loop(SimpleNamespace(number_rows=crowded), chunks) is None
    check_words(words, words)


def test_no_byte_beyond_the_text_is_read(way):
    """The last words of a buffer that ends with them: longer loads would take in what follows in memory."""
    if way == "Arrow":
        pytest.skip("about the loop")
    loop = numbering._word_loop()
    memory = np.frombuffer(b"abcdefghijk" + b"\xff" * 30, dtype=np.uint8)
    offsets, tables = np.array([0, 10, 11]), []
    for text in (memory[:11], memory):
        table, numbers, block = np.zeros((16, 2), np.uint64), np.empty(16, np.int32), np.empty((2, 2), np.uint64)
        positions, firsts = np.empty(2, np.int32), np.empty(2, np.int64)
        assert loop.number_rows(offsets, text, 0, table, numbers, 0, block, positions, firsts) == (2, 2)
        assert (positions.tolist(), firsts.tolist()) == ([0, 1], [0, 1])
        tables.append(table)
    assert (tables[0] == tables[1]).all()


@pytest.mark.parametrize("error", [ImportError, RuntimeError])
def test_without_numba_words_are_numbered_by_arrow(error, monkeypatch):
    """Not installed; or no folder to keep what it compiles."""
    numba = pytest.importorskip("numba")

    def refuse(**options):
        raise error("cannot cache function")

    import sparsecut.io.edges

    monkeypatch.setattr(numba, "njit", refuse)
    monkeypatch.delitem(sys.modules, "sparsecut.io.edges.word_loop", raising=False)
    monkeypatch.delattr(sparsecut.io.edges, "word_loop", raising=False)
    assert numbering._word_loop.__wrapped__() is None


def test_small_files_do_not_wait_for_numba(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\n")
    program = f"import sys, sparsecut; sparsecut.read_graph({str(path)!r}); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
