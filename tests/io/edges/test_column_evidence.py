"""IdEvidence about columns: the same from one table and from parts of it in any order, and right about what columns hold."""

import numpy as np
import pyarrow as pa
import pytest

from sparsecut.io.edges.column_evidence import combined, evidence_of, is_date, part_of

GENERATOR = np.random.default_rng(0)
N_ROWS = 3_000
COLUMNS = {
    "unique": GENERATOR.permutation(N_ROWS),
    "ends": GENERATOR.integers(0, 200, N_ROWS),
    "others": GENERATOR.integers(100, 300, N_ROWS),
    "words": np.array([f"ä{number}" for number in GENERATOR.integers(0, 200, N_ROWS)]),
    "epoch": GENERATOR.integers(1_600_000_000, 1_700_000_000, N_ROWS),
    "fractions": GENERATOR.random(N_ROWS),
    "constant": np.full(N_ROWS, 7),
}


@pytest.mark.parametrize("n_kept", [1 << 18, 1 << 9])
@pytest.mark.parametrize("is_text", [False, True])
def test_parts_in_any_order_give_the_evidence_of_the_whole(n_kept, is_text):
    table = pa.table({name: values.astype(str) if is_text else values for name, values in COLUMNS.items()})
    whole = evidence_of([table], N_ROWS, n_kept)
    shuffled = table.take(np.random.default_rng(1).permutation(N_ROWS))
    parts = [shuffled.slice(start, 700) for start in (2100, 0, 1400, 700, 2800)]
    added = combined([part_of(part, N_ROWS, n_kept) for part in parts], N_ROWS, n_kept)
    for name in COLUMNS:
        assert added[name].reason == whole[name].reason, name
        np.testing.assert_array_equal(added[name].values, whole[name].values)
        np.testing.assert_array_equal(added[name].counts, whole[name].counts)
    for name, values in COLUMNS.items():  # against counting by hand
        if name == "fractions":
            assert whole[name].reason == "fractions"
            continue
        unique, counts = np.unique(values, return_counts=True)
        is_kept = np.isin(unique, whole[name].values)
        np.testing.assert_array_equal(whole[name].counts, counts[is_kept])
        assert is_kept.all() if n_kept > N_ROWS else name == "constant" or 0.02 < is_kept.mean() < 0.4
    if n_kept > N_ROWS:
        assert whole["unique"].is_unique
        assert not whole["ends"].is_unique
        assert whole["constant"].is_constant
        assert whole["ends"].overlap(whole["others"]) == pytest.approx(1 / 3, abs=0.02)
    assert whole["epoch"].is_epoch
    assert not whole["ends"].is_epoch
    assert whole["ends"].overlap(whole["words"]) == 0


def test_columns_that_hold_no_ids():
    table = pa.table(
        {
            "truth": [True, False, True],
            "dates": pa.array([1, 2, 3], pa.timestamp("s")),
            "spelt dates": ["2024-01-05", "2024-01-06T09:30:00Z", "2024-02-07"],
            "lists": [[1], [2], [3]],
            "spelt fractions": ["1.5", "2.0", "3.25"],
            "gaps": [1.0, None, 3.0],
            "codes": ["007", "008", "009"],
            "spaces": [" 7", "7", "8 "],
            "nothing": pa.nulls(3, pa.string()),
        }
    )
    found = evidence_of([table], 3)
    assert {name: column.reason for name, column in found.items()} == {
        "truth": "truth values",
        "dates": "dates",
        "spelt dates": "dates",
        "lists": "values of type list<item: int64>",
        "spelt fractions": "fractions",
        "gaps": "",
        "codes": "",
        "spaces": "",
        "nothing": "nothing",
    }
    assert found["gaps"].values.tolist() == [1, 3]
    assert found["codes"].values.tolist() == ["007", "008", "009"]
    assert (found["spaces"].values.tolist(), found["spaces"].counts.tolist()) == ([7, 8], [2, 1])


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("2024-05-01", True),
        ("2024-05-01 09:30", True),
        ("2024-05-01T09:30:00.123Z", True),
        ("01.05.2024", True),
        ("5/1/24", True),
        ("anna", False),
        ("2024", False),
        ("192.168.1.1", False),
        ("12-34-56-78", False),
    ],
)
def test_dates(word, expected):
    assert is_date(word) == expected


@pytest.mark.parametrize("n_shared", [0, 1, 500])
@pytest.mark.parametrize("kind", [np.int64, np.str_])
def test_a_value_in_two_columns_is_found_wherever_it_is(n_shared, kind):
    generator = np.random.default_rng(n_shared)
    values = generator.permutation(np.arange(10_000, 99_999))[: 4000 - n_shared]
    table = pa.table({"one": values[:2000].astype(kind), "two": values[2000 - n_shared :].astype(kind)})
    one, two = evidence_of([table], 2000).values()
    assert one.shares_values(two) == two.shares_values(one) == (n_shared > 0)
    assert one.shares_values(two) == (one.overlap(two) > 0)
