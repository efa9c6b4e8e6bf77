"""Node tables of any columns, against hand-computed matrices."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.io.encoding import encode_columns


def encode(**columns):
    table = pa.table(columns)
    return encode_columns(table, table.column_names, "The table")


def test_numbers_without_gaps_are_taken_as_they_are():
    matrix, names, notes = encode(x=[1, 2, 300], y=[0.5, -1, 2])
    assert matrix.tolist() == [[1, 0.5], [2, -1], [300, 2]]
    assert names == ("x", "y")
    assert notes == ()


def test_a_mixed_table():
    matrix, names, notes = encode(
        age=[10, 20, None, 30],
        city=["Rome", None, "Oslo", "Rome"],
        member=[True, False, True, None],
        same=["x", "x", "x", "x"],
    )
    spread = np.sqrt(200 / 3)  # of 10, 20, 30
    expected = {
        "age": [-10 / spread, 0, 0, 10 / spread],
        "age is missing": [0, 0, 1, 0],
        "city = Oslo": [0, 0, 1, 0],
        "city = Rome": [1, 0, 0, 1],
        "city is missing": [0, 1, 0, 0],
        "member": [1, 0, 1, 0],
        "member is missing": [0, 0, 0, 1],
    }
    assert names == tuple(expected)
    assert matrix == pytest.approx(np.array(list(expected.values())).T)
    assert notes == (
        "Features: 'age' became 2 features; 'city' became 3 features; 'member' became 2 features; 'same' was left out: one "
        "value throughout, or a different one nearly everywhere.",
    )


def test_rare_categories_share_a_column_and_names_are_left_out():
    common = [f"c{number:03d}" for number in range(100)] * 3
    rare = [f"r{number}" for number in range(20)]
    matrix, names, _ = encode(kind=common + rare, name=[f"person {number}" for number in range(320)])
    assert names == (*(f"kind = c{number:03d}" for number in range(100)), "kind = other")
    assert matrix[:, -1].tolist() == [0] * 300 + [1] * 20
    assert (matrix.sum(axis=1) == 1).all()


def test_the_order_of_rows_moves_rows_and_nothing_else():
    generator = np.random.default_rng(0)
    columns = {"kind": generator.choice(list("abcde"), 50).tolist(), "x": generator.normal(size=50).tolist()}
    matrix, names, _ = encode(**columns)
    order = generator.permutation(50)
    moved, moved_names, _ = encode(**{name: [values[row] for row in order] for name, values in columns.items()})
    assert names == moved_names
    assert moved == pytest.approx(matrix[order], abs=1e-6)


def test_dates_lists_and_dictionaries():
    days = [datetime.date(1970, 1, 1), datetime.date(1970, 1, 3), None]
    matrix, names, _ = encode(day=days, vector=[[1, 2], [3, 4], [5, 6]], word=pa.array(["p", "q", "p"]).dictionary_encode())
    assert names == ("day", "day is missing", "vector[0]", "vector[1]", "word = p", "word = q")
    assert matrix.tolist() == [[-1, 0, 1, 2, 1, 0], [1, 0, 3, 4, 0, 1], [0, 1, 5, 6, 1, 0]]


def test_numbers_as_large_as_they_come_do_not_overflow():
    matrix, _, _ = encode(x=[1e308, -1e308, None, 0.0])
    assert np.isfinite(matrix).all()


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"v": [[1.0], [1.0, 2.0]]}, "The table must hold lists of numbers, all of one length, in column 'v'."),
        ({"v": [["a"], ["b"]]}, "The table must hold lists of numbers, all of one length, in column 'v'."),
        ({"v": [{"a": 1}, {"a": 2}]},
         "The table has values of type struct<a: int64> in column 'v', which cannot be features."),
        ({"v": [*map(str, range(10)), "1O"]},
         "The table holds '1O' among the numbers of column 'v', in row 11. Mend it, or leave the cell empty."),
    ],
)  # fmt: skip
def test_errors(columns, expected):
    with pytest.raises(sc.InputError) as caught:
        encode(**columns)
    assert str(caught.value) == expected


def test_numbers_and_times_finer_than_a_float_round_instead_of_failing(tmp_path):
    times = pa.array([1_700_000_000_123_456_789, 1_700_000_001_123_456_789, None], pa.timestamp("ns"))
    large = pa.array([2**60 + 1, 3, 5])
    lists = pa.array([[2**60 + 1, 2], [3, 4], [5, 6]])
    table = pa.table({"id": ["a", "b", "c"], "when": times, "large": large, "lists": lists})
    pyarrow.parquet.write_table(table, tmp_path / "nodes.parquet")
    (tmp_path / "edges.csv").write_text(f"source,target,weight\na,b,{2**60 + 1}\nb,c,2\n")
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "nodes.parquet")
    assert graph.adjacency[[0]].data.tolist() == [2.0**60]
    assert np.isfinite(graph.features).all()
    assert graph.features[0, 0] < graph.features[1, 0]
