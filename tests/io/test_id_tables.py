"""Tables of ids filled by compiled loops, against Python's dictionaries and splitting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsecut.io import acceleration, blocks, edge_columns, graphs, id_tables

id_loops = pytest.importorskip("sparsecut.io.id_loops", reason="needs numba", exc_type=ImportError)
# Doubts about the header are compared by the notes.
pytestmark = pytest.mark.filterwarnings("ignore::sparsecut.base.errors.ReadingWarning")
# What an id may be made of: plain letters mostly, and then whatever a reader could trip over.
PLAIN = st.text("abcdefgh_0", min_size=1, max_size=20).filter(lambda word: not word.isdigit())


@pytest.mark.parametrize("width", [2, 5])
def test_ids_that_share_a_place_stay_apart_until_there_are_too_many(width):
    """Shifted by 63 bits, every hash is one of two places."""
    names = [f"{number}{'!' * (number % (8 * width - 4))}" for number in range(200)]
    text, ends = np.frombuffer("".join(names).encode(), dtype=np.uint8), np.cumsum([0, *map(len, names)], dtype=np.int32)
    table, words = np.zeros((512, width), dtype=np.uint64), np.empty((16, width), dtype=np.uint64)
    places, again = np.empty((2, 200), dtype=np.int32)

    def look_up(n_held, found):
        return id_loops.look_up(ends, text, table, np.uint64(63), n_held, found, words, np.empty((3, 16), dtype=np.int64))

    assert look_up(0, places[:60]) == 60
    assert len(set(places[:60].tolist())) == 60
    assert [table[place].tobytes().rstrip(b"\0").decode() for place in places[:60]] == names[:60]
    assert look_up(60, again[:60]) == 60
    assert again[:60].tolist() == places[:60].tolist()
    assert look_up(60, places) == -1  # by then 64 places off on the average


def test_a_table_grown_too_large_gives_up(monkeypatch, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\nab,cd\nef,gh\n")
    monkeypatch.setattr(id_tables, "ROWS", 2)
    monkeypatch.setattr(id_tables, "MAX_TABLE_BITS", 5)
    layout = graphs.read_layout(path, "edge", edge_columns.HEADER_NAMES)
    assert blocks.number_file(id_loops, path, layout, ("source", "target"), []) is not None
    monkeypatch.setattr(id_tables, "MAX_LOAD", 0.001)
    assert blocks.number_file(id_loops, path, layout, ("source", "target"), []) is None


def test_no_byte_beyond_the_text_is_read():
    """The last ids of a buffer that ends with them: longer loads would take in what follows in memory."""
    memory = np.frombuffer(b"abcdefghijk" + b"\xff" * 30, dtype=np.uint8)
    ends, places = np.array([0, 10, 11], dtype=np.int32), np.empty((2, 2), dtype=np.int32)
    tables = np.zeros((2, 16, 3), dtype=np.uint64)
    for table, found, text in zip(tables, places, (memory[:11], memory), strict=True):
        words, room = np.empty((5, 3), dtype=np.uint64), np.empty((3, 5), dtype=np.int64)
        assert id_loops.look_up(ends, text, table, np.uint64(60), 0, found, words, room) == 2
    assert (tables[0] == tables[1]).all()
    assert (places[0] == places[1]).all()
    assert [tables[0][place].view("S24")[0] for place in places[0]] == [b"abcdefghij", b"k"]


@pytest.fixture
def table(monkeypatch):
    """Of a few rows at a time, so that a file of some lines needs all it can do."""
    monkeypatch.setattr(id_tables, "ROWS", 4)
    return id_tables.IdTable(id_loops, 10)


def lines_of(content, *, columns=(44, 2, (0, 1))):
    text = np.frombuffer(bytearray(content + b"\n" * 128), dtype=np.uint8)
    return id_tables.Lines(text, 0, len(content), *columns)


def held(table, side, block):
    places = table.places[side][table.blocks[block]]
    return [table.ids[place].tobytes().rstrip(b"\0").decode() for place in places]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.text("abé_", min_size=1, max_size=30), min_size=2, max_size=2), min_size=1, max_size=40),
    st.booleans(),
    st.integers(0, 2),
)
def test_lines_are_split_as_python_splits_them(rows, ends, n_more):
    """Ids of any length up to 64 bytes, a column of something else anywhere, the last newline there or not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_tables, "ROWS", 4)
        table = id_tables.IdTable(id_loops, 10)
    cells = [[*["", "more than eight bytes"][:n_more], target, source] for source, target in rows]
    content = "\n".join(";".join(row) for row in cells) + "\n" * ends
    columns = ord(";"), n_more + 2, (n_more + 1, n_more)
    for block in (7, 8):
        assert table.add_lines(block, lines_of(content.encode(), columns=columns))
        for side in range(2):
            assert held(table, side, block) == [row[side] for row in rows]
    assert table.n_held == len({word for row in rows for word in row})


@pytest.mark.parametrize("content", [b"a,b\nc\n", b"a,b\n\nc,d\n", b"a,b,c\n", b",b\n", b"a,\n", b"a,b\nc,d,e", b"\na,b"])
def test_lines_that_are_odd_are_left_alone(table, content):
    assert table.add_lines(0, lines_of(b"x,y\n"))
    assert not table.add_lines(1, lines_of(content))
    assert (table.n_rows, list(table.blocks)) == (1, [0])
    assert held(table, 1, 0) == ["y"]


def test_an_id_of_more_than_eight_words_is_unusual(table):
    assert table.add_lines(0, lines_of(b"x" * 64 + b",y\n"))
    assert held(table, 0, 0) == ["x" * 64]
    with pytest.raises(id_tables.UnusualError):
        table.add_lines(1, lines_of(b"x" * 65 + b",y\n"))


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=8)), min_size=1))
def test_tables_of_several_threads_number_as_one_list(blocks_by_owner):
    """Whoever read a block, and however full a table was when another was taken in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_tables, "ROWS", 4)
        patch.setattr(acceleration, "n_threads", lambda: 4)
        tables = [id_tables.IdTable(id_loops, 10) for _ in range(4)]
        for block, (owner, rows) in enumerate(blocks_by_owner):
            content = "".join(f"{source},{target}\n" for source, target in rows)
            assert tables[owner].add_lines(block, lines_of(content.encode()))
        i, j, words = id_tables.unite(id_loops, tables)
    sources, targets = zip(*(row for _, rows in blocks_by_owner for row in rows), strict=True)
    assert words.to_pylist() == list(dict.fromkeys([*sources, *targets]))
    assert [words[k].as_py() for k in i.tolist()] == list(sources)
    assert [words[k].as_py() for k in j.tolist()] == list(targets)


@pytest.mark.parametrize("words", [["a", "ab" * 4, "abc" * 3, "x" * 16], ["a", "y" * 17, "z" * 64]])
def test_ids_have_one_place_however_they_come(table, words):
    """Parsed or from lines, in two columns or more, before and after longer ids."""
    ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
    column = id_tables.IdColumn(ends, np.frombuffer("".join(words).encode(), dtype=np.uint8), -(-len(words[-1]) // 8))
    plain = "".join(f"{word},{word}\n" for word in words).encode()
    more = "".join(f"{word},,{word}\n" for word in words).encode()
    for block in (0, 3, 6):
        assert table.add_lines(block, lines_of(plain))
        assert table.add_lines(block + 1, lines_of(more, columns=(44, 3, (2, 0))))
        table.add_columns(block + 2, [column, column])
    assert table.n_held == len(words)
    for block in range(9):
        assert held(table, 0, block) == held(table, 1, block) == words
