"""Big edge lists by compiled loops, against the plain reader: the same nodes, the same bits, the same errors."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.base.errors import InputError
from sparsecut.io import adjacency, blocks, edges, graphs, sorting

# Doubts about the header are compared by the notes.
pytestmark = pytest.mark.filterwarnings("ignore::sparsecut.base.errors.ReadingWarning")
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


@pytest.mark.slow
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
