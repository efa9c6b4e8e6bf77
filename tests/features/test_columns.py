"""Columns of any type against hand-computed matrices, fitted once and applied to later tables."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.features import FeatureTable
from sparsecut.features.columns import MAX_CATEGORIES


def encode(*, scale=True, **columns):
    """(matrix, names of its columns, notes) of a table encoded by itself."""
    table = FeatureTable(pa.table(columns), "The table", scale=scale)
    return table.matrix(table.encoder)[0], table.encoder.names_out, table.encoder.notes


def apply(encoder, **columns):
    """(matrix, notes) of a later table."""
    return FeatureTable(pa.table(columns), "The table").matrix(encoder)


def fitted(**columns):
    return FeatureTable(pa.table(columns), "The table").encoder


def test_numbers_are_standardised_unless_they_are_not_to_be():
    matrix, names, notes = encode(age=[30, 40, 50], income=[20_000.0, 80_000.0, 50_000.0])
    spread = np.sqrt(200 / 3)
    assert matrix == pytest.approx(np.array([[-10, -10], [0, 10], [10, 0]]) / spread)
    assert names == ("age", "income")
    assert notes == ("Features: 2 columns of numbers standardised.",)
    matrix, _, notes = encode(scale=False, x=[1, 2, 300], y=[0.5, -1, 2])
    assert matrix.tolist() == [[1, 0.5], [2, -1], [300, 2]]
    assert notes == ("Features: 2 columns of numbers taken as they are.",)


def test_a_mixed_table():
    matrix, names, notes = encode(
        age=[10, 20, None, 30],
        city=["Rome", None, "Oslo", "Rome"],
        member=[True, False, True, None],
        same=["x", "x", "x", "x"],
        mark=[0, 1, 1, 0],
        gap_or_7=[7, None, 7, 7],
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
        "mark": [0, 1, 1, 0],
        "gap_or_7 is missing": [0, 1, 0, 0],
    }
    assert names == tuple(expected)
    assert matrix == pytest.approx(np.array(list(expected.values())).T)
    assert notes == (
        "Features: 1 column of numbers standardised; 3 columns of numbers taken as they are; 'age' became 2 features; "
        "'city' became 3 features; 'member' became 2 features; 'same' was left out: it holds one value throughout.",
    )


def test_a_later_table_is_encoded_as_the_fitted_one():
    encoder = fitted(age=[30, 40, 50], country=["DE", "FR", "US"])
    spread = np.sqrt(200 / 3)
    matrix, notes = apply(encoder, country=["DE", "JP", "KR"], age=[60, 70, 80])  # another order, too
    assert matrix == pytest.approx(np.array([[20 / spread, 1, 0, 0], [30 / spread, 0, 0, 0], [40 / spread, 0, 0, 0]]))
    assert notes == (
        "The table: 2 rows of 'country' hold categories that were not fitted ('JP', 'KR') and are in no category.",
    )
    matrix, notes = apply(encoder, age=[40, 40], country=["FR", "FR"])  # fewer categories and one value throughout
    assert matrix.tolist() == [[0, 0, 1, 0], [0, 0, 1, 0]]
    assert notes == ()


def test_gaps_that_the_fitted_table_had_not():
    encoder = fitted(age=[30, 40, 50], country=["DE", "FR", "US"])
    matrix, notes = apply(encoder, age=[None, 40, 40], country=[None, "", "DE"])
    assert matrix.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    assert notes == (
        "The table: 1 gaps in 'age', which had none when it was fitted, became its mean.",
        "The table: 2 gaps in 'country', which had none when it was fitted, are in no category.",
    )


def test_what_was_left_out_stays_out_whatever_it_holds():
    encoder = fitted(age=[1, 2, 4], same=["x", "x", "x"], nothing=pa.array([None] * 3, pa.float64()), one=[5, 5, 5])
    assert encoder.names_out == ("age",)
    matrix, notes = apply(encoder, age=[1, 2], same=["p", "q"], nothing=[1.0, 2.0], one=[1, 2])
    assert matrix.shape == (2, 1)
    assert notes == ()


def test_rare_categories_share_a_column_and_names_are_left_out():
    common = [f"c{number:03d}" for number in range(100)] * 3
    rare = [f"r{number}" for number in range(20)]
    matrix, names, notes = encode(kind=common + rare, name=[f"person {number}" for number in range(320)])
    assert names == (*(f"kind = c{number:03d}" for number in range(100)), "kind = other")
    assert matrix[:, -1].tolist() == [0] * 300 + [1] * 20
    assert (matrix.sum(axis=1) == 1).all()
    assert "'name' was left out: it has a value of its own nearly everywhere, as names have" in notes[0]
    encoder = fitted(kind=common + rare)
    later, notes = apply(encoder, kind=["c007", "unheard"])
    assert [row.nonzero()[0].tolist() for row in later] == [[7], [100]]
    assert notes == ("The table: 1 rows of 'kind' hold categories that were not fitted ('unheard') and are 'other'.",)


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
    vectors = [[1, 2], [3, 4], [5, 6]]  # a variance of 8/3 in both
    matrix, names, _ = encode(day=days, vector=vectors, word=pa.array(["p", "q", "p"]).dictionary_encode())
    assert names == ("day", "day is missing", "vector[0]", "vector[1]", "word = p", "word = q")
    r = np.sqrt(8 / 3)
    expected = [[-1, 0, 1 / r, 2 / r, 1, 0], [1, 0, 3 / r, 4 / r, 0, 1], [0, 1, 5 / r, 6 / r, 1, 0]]
    assert matrix == pytest.approx(np.array(expected))
    assert encode(vector=vectors)[0].tolist() == vectors  # a table that is one matrix is taken as it is


def test_times_of_any_unit_are_seconds():
    for kind in (pa.time32("ms"), pa.duration("us"), pa.duration("ns"), pa.timestamp("us"), pa.timestamp("s")):
        ticks = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
        times = pa.array([2 * ticks, 4 * ticks, 9 * ticks], kind)
        matrix, _, _ = encode(scale=False, t=times)
        assert matrix.ravel().tolist() == [2, 4, 9], kind
    encoder = fitted(t=pa.array([1, 3], pa.timestamp("s")))
    assert apply(encoder, t=pa.array([5000], pa.timestamp("ms")))[0].tolist() == [[3]]


def test_a_wide_table_of_counts_is_taken_as_it_is():
    """A zero means that the word is not there: standardising would make absence a number like any other."""
    counts = np.random.default_rng(0).poisson(0.2, size=(30, 40))
    counts[0] = 2  # no column is constant
    matrix, _, notes = encode(**{f"w{column}": counts[:, column] for column in range(40)})
    assert (matrix == counts).all()
    assert notes == ("Features: 40 columns of numbers taken as they are.",)
    few, _, _ = encode(**{f"w{column}": counts[:, column] for column in range(31)})  # too few to be words
    scaled = [column for column in range(31) if set(counts[:, column]) > {0, 1}]
    assert few[:, scaled].std(axis=0) == pytest.approx(1, rel=1e-5)


def test_numbers_as_large_as_they_come_do_not_overflow():
    matrix, _, _ = encode(x=[1e308, -1e308, None, 0.0])
    assert np.isfinite(matrix).all()


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"v": [[1.0], [1.0, 2.0]]}, "The table must hold lists of numbers, all of one length, in column 'v'."),
        ({"v": [[True], [True, False]]}, "The table must hold lists of numbers, all of one length, in column 'v'."),
        ({"v": [{"a": 1}, {"a": 2}]},
         "The table has values of type struct<a: int64> in column 'v', which cannot be features."),
        ({"v": [*map(str, range(10)), "1O"]},
         "The table holds words among the numbers of column 'v': '1O' in row 11. Correct it, or leave the cell empty."),
        ({"v": ["a", "a"]}, "The table has no column that could be a feature: 'v' was left out: it holds one value "
         "throughout."),
    ],
)  # fmt: skip
def test_errors(columns, expected):
    with pytest.raises(sc.InputError) as caught:
        encode(**columns)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"age": [1], "country": ["DE"]}, "it lacks 'vector'. Columns are matched by name."),
        ({"age": [1], "country": ["DE"], "vector": [[1.0, 2.0]], "x": [1], "y": [2]},
         "it has 'x', 'y', which the model does not know. Columns are matched by name."),
        ({"Age": [1], "country": ["DE"], "vector": [[1.0, 2.0]]},
         "it lacks 'age' and it has 'Age', which the model does not know. Columns are matched by name."),
        ({"age": ["old"], "country": ["DE"], "vector": [[1.0, 2.0]]},
         "The table holds values of type large_string in column 'age', which held numbers when the model was fitted. "
         "Give it the same kind of values."),
        ({"age": [1], "country": [[1]], "vector": [[1.0, 2.0]]},
         "The table holds values of type list<item: int64> in column 'country', which held text when the model was fitted. "
         "Give it the same kind of values."),
        ({"age": [1], "country": ["DE"], "vector": [[1.0]]},
         "The table must hold lists of 2 numbers in column 'vector', as the fitted ones. Got lists of 1."),
    ],
)  # fmt: skip
def test_a_later_table_of_other_columns(columns, expected):
    encoder = fitted(age=[30, 40, 50], country=["DE", "FR", "US"], vector=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with pytest.raises(sc.InputError) as caught:
        apply(encoder, **columns)
    assert str(caught.value).endswith(expected)


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


def test_a_gap_is_no_other_category():
    """Of a column with more categories than are kept, in the table it is fitted on and in a later one."""
    kept = [f"kept{number:03}" for number in range(MAX_CATEGORIES)]
    words = [*kept * 3, "rare", None, None]
    encoder = fitted(word=words)
    assert encoder.names_out[-2:] == ("word = other", "word is missing")
    matrix, notes = apply(encoder, word=["rare", None, "new", "kept001"])
    assert notes == ("The table: 2 rows of 'word' hold categories that were not fitted ('rare', 'new') and are 'other'.",)
    assert np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)[:, -2:].tolist() == [
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 0],
    ]
    whole = encode(word=words)[0]
    dense = np.asarray(whole.toarray() if hasattr(whole, "toarray") else whole)
    assert dense[-3:, -2:].tolist() == [[1, 0], [0, 1], [0, 1]]
    assert (dense.sum(axis=1) == 1).all()  # every row is in one category, is other, or is missing
    few = fitted(word=["a", "a", "b", "b", None])  # without a column for others
    matrix, notes = apply(few, word=["new", None])
    assert np.asarray(matrix).tolist() == [[0, 0, 0], [0, 0, 1]]
    assert notes == ("The table: 1 rows of 'word' hold categories that were not fitted ('new') and are in no category.",)
