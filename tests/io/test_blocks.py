"""Big edge lists by compiled loops, against the plain reader: the same nodes, the same bits, the same errors."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.errors import InputError
from sparsecut.io import acceleration, adjacency, blocks, edge_columns, edges, graphs, id_tables, sorting
from sparsecut.io.adjacency import build_adjacency

id_loops = pytest.importorskip("sparsecut.io.id_loops", reason="needs numba", exc_type=ImportError)

# Doubts about the header are compared by the notes.
pytestmark = pytest.mark.filterwarnings("ignore::sparsecut.errors.ReadingWarning")

# What an id may be made of: plain letters mostly, and then whatever a reader could trip over.
PLAIN = st.text("abcdefgh_0", min_size=1, max_size=20).filter(lambda word: not word.isdigit())
ODD = st.one_of(
    st.integers(-20, 20).map(str),
    st.text("ab é漢\u00a0", max_size=9),
    st.text('ab"#%\0;', max_size=5),
    st.text("xyz", min_size=60, max_size=70),
    st.sampled_from(['"a\nb"', '"quoted, once"', '"qu""oted"', "", " ", "007", "\ufeff", "source", "a,b"]),
)


@pytest.fixture
def ways(monkeypatch):
    """Two ways to call a function: by compiled loops with blocks of a few lines, and the plain way."""
    taken = []

    def spy(*arguments):
        taken.append(blocks.number_file(*arguments))
        return taken[-1]

    def by_loops(call):
        for module, name, value in (
            (graphs, "MIN_BYTES", 1), (adjacency, "MIN_EDGES", 1), (blocks, "BLOCK_BYTES", 40),
            (blocks, "MAX_LINE_BYTES", 200), (edges, "number_file", spy), (sorting, "ENTRIES_PER_BLOCK", 4),
        ):  # fmt: skip
            monkeypatch.setattr(module, name, value)
        taken.clear()
        try:
            return call(), [numbered is not None for numbered in taken] == [True]
        finally:
            monkeypatch.undo()

    return by_loops, lambda call: call()


def outcome(call):
    """All that a graph is, or the sentence of its error."""
    try:
        graph = call()
    except InputError as error:
        return str(error)
    A = graph.adjacency
    arrays = [graph.node_ids, A.data, A.indices, A.indptr]
    return [(array.dtype.str, array.tolist()) for array in arrays], A.shape, graph.notes


def check_both_ways(ways, path, **options):
    """Whether the loops were enough."""
    by_loops, plainly = ways
    result, was_enough = by_loops(lambda: outcome(lambda: sc.read_graph(path, **options)))
    assert result == plainly(lambda: outcome(lambda: sc.read_graph(path, **options)))
    return was_enough


function_scoped = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@function_scoped
@given(
    st.lists(st.tuples(PLAIN, PLAIN, st.integers(0, 9)), min_size=2, max_size=60),
    st.booleans(),
    st.sampled_from([",", "\t", ";"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["symmetrize", "out", "in"]),
)
def test_ordinary_files_are_read_as_plainly(ways, tmp_path, rows, is_weighted, separator, newline, ends, directed):
    lines = [["source", "target", "weight"], *([a, b, str(weight)] for a, b, weight in rows)]
    text = newline.join(separator.join(line if is_weighted else line[:2]) for line in lines)
    path = tmp_path / "edges.csv"
    path.write_bytes((text + newline * ends).encode())
    assert check_both_ways(ways, path, source="source", target="target", directed=directed)


@function_scoped
@given(
    st.lists(st.tuples(PLAIN | ODD, PLAIN | ODD), min_size=1, max_size=30),
    st.sampled_from(["", "source,target\n", "# made by hand\nsource,target\n", "\n", "\r"]),
    st.sampled_from(["\n", "\n\n", "\r", "\n# a,b\n"]),
)
@example([("a", "b"), ("007", "é"), ("c", "d" * 300)], "source,target\n", "\n")
@example([("a" * 300, "b"), ("c", "d")], "source,target\n", "\n")
@example([('"a\nb"', "x")] * 9, "source,target\n", "\n")
@example([("a", "b")] * 7 + [("c" * 65, "d")], "source,target\n", "\n")
@example([("a", "b\0"), ("a", "b")], "source,target\n", "\n")
@example([("1", "2")] * 5 + [("source", "target"), ("3", "4")], "", "\n")
def test_odd_files_end_as_plainly(ways, tmp_path, rows, head, newline):
    path = tmp_path / "edges.csv"
    path.write_bytes((head + newline.join(",".join(row) for row in rows)).encode())
    check_both_ways(ways, path)


@function_scoped
@given(st.binary(max_size=300))
def test_bytes_end_as_plainly(ways, tmp_path, content):
    path = tmp_path / "edges.csv"
    path.write_bytes(b"source,target\nab,c\n" + content)
    check_both_ways(ways, path)


@pytest.mark.parametrize(
    "rows",
    [
        ["café,thé"] * 3 + ["thé,漢字"],
        [f"node number {k},node number {k * k % 97}" for k in range(300)],  # the table grows
        [f"{'x' * (k % 64)}y,{'y' * (k % 60)}z" for k in range(200)],  # so do the ids
        ["a,a", "b,c", "c,b", "b,b", "b,c"],
        ['"a, with a comma",b', 'c,"d ""quoted"""'] * 4,
    ],
)
def test_these_need_no_plain_reader(ways, tmp_path, rows):
    path = tmp_path / "edges.csv"
    path.write_text("\n".join(["source,target", *rows]), encoding="utf-8")
    assert check_both_ways(ways, path)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_block_may_end_anywhere_in_a_line(ways, tmp_path, end):
    path = tmp_path / "edges.csv"
    for length in range(1, 65):  # blocks have 40 bytes
        path.write_text("source,target\nleft,right\n" + "x" * length + ",y" + end)
        assert check_both_ways(ways, path)


def test_features_and_remarks_go_with_it(ways, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("\n".join(f"n{k % 7},n{k % 5},likes" for k in range(60)))
    (tmp_path / "features.csv").write_text("\n".join(["id,x", *(f"n{k},{k}" for k in range(9))]))
    assert check_both_ways(ways, path)
    assert check_both_ways(ways, path, features=tmp_path / "features.csv")


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=120),
    st.sampled_from(["symmetrize", "out", "in"]),
    st.sampled_from([1, 3]),
    st.sampled_from([2**31 - 1, 10]),
    st.integers(0, 3),
)
def test_entries_are_sorted_as_scipy_sorts_them(pairs, directed, n_threads, max_32_bit, digit_bits):
    i, j = np.array(pairs, dtype=np.int32).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjacency, "MAX_32_BIT", max_32_bit)
        plain, n_plain = build_adjacency(i, j, None, 41, directed)
        patch.setattr(adjacency, "MIN_EDGES", 1)
        patch.setattr(sorting, "ENTRIES_PER_BLOCK", 4)
        patch.setattr(sorting, "MAX_DIGIT_BITS", 2 + digit_bits)
        patch.setattr(sorting, "n_threads", lambda: n_threads)
        patch.setattr(acceleration, "n_threads", lambda: n_threads)
        quick, n_quick = build_adjacency(i, j, None, 41, directed)
    assert n_quick == n_plain
    for name in ("data", "indices", "indptr"):
        expected, got = getattr(plain, name), getattr(quick, name)
        assert got.dtype == expected.dtype
        assert got.tolist() == expected.tolist()


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


@pytest.mark.parametrize("error", [ImportError, RuntimeError])
def test_without_numba_the_plain_way_is_taken(monkeypatch, error):
    """Not installed; or no folder to keep what it compiles."""
    import numba

    import sparsecut.io

    def refuse(**options):
        raise error("cannot cache function")

    monkeypatch.setattr(numba, "njit", refuse)
    for module in ("id_loops", "text_loops"):
        monkeypatch.delitem(sys.modules, f"sparsecut.io.{module}")
        monkeypatch.delattr(sparsecut.io, module, raising=False)
    assert acceleration._loops.__wrapped__("id_loops") is None
    assert acceleration.loops_for("id_loops", 10, 11) is None


def test_small_files_do_not_wait_for_numba(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\n")
    program = f"import sys, sparsecut; sparsecut.read_graph({str(path)!r}); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


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
