"""Changes from CSV, Parquet and lines of JSON; bad ones say why; lines from a pipe come as they are written."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparsecut.base.errors import InputError
from sparsecut.updates.change_files import Change, change_of, follow_lines, line_of, read_changes

CHANGES = [
    Change("add", 1, 2, 0.5, time="t1"),
    Change("remove", 1, 2, time="t2"),
    Change("change", node=3, features=[1, 2.5]),
    Change("remove", node=4),
]
CSV = """op,source,target,weight,node,features,time
add,1,2,0.5,,,t1
remove,1,2,,,,t2
change,,,,3,"[1, 2.5]",
remove,,,,4,,
"""
TSV = CSV.replace(",", "\t").replace('"[1\t 2.5]"', "[1, 2.5]")
NDJSON = (
    '{"op": "add", "source": 1, "target": 2, "weight": 0.5, "time": "t1"}\n\n'
    '{"op": "remove", "source": 1, "target": 2, "time": "t2"}\n'
    '{"op": "change", "node": 3, "features": [1, 2.5]}\n{"op": "remove", "node": 4}'
)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".ndjson"])
def test_every_format_has_the_same_changes(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"changes{suffix}"
    if suffix == ".parquet":
        rows: list[dict[str, Any]] = [
            {"op": "add", "source": 1, "target": 2, "weight": 0.5, "time": "t1"},
            {"op": "remove", "source": 1, "target": 2, "time": "t2"},
            {"op": "change", "node": 3, "features": [1, 2.5]},
            {"op": "remove", "node": 4},
        ]
        names = ("op", "source", "target", "weight", "node", "features", "time")
        pq.write_table(pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows]), path)
    else:
        path.write_text({".csv": CSV, ".tsv": TSV, ".ndjson": NDJSON}[suffix])
    lines = list(read_changes(path))
    assert [line.parse(int) for line in lines] == CHANGES
    expected = {".csv": [2, 3, 4, 5], ".tsv": [2, 3, 4, 5], ".ndjson": [1, 3, 4, 5], ".parquet": [1, 2, 3, 4]}
    assert [line.number for line in lines] == expected[suffix]


def test_named_columns_are_features_and_words_stay_words(tmp_path: Path) -> None:
    path = tmp_path / "changes.csv"
    path.write_text("op,node,age,country\nadd,7,30.5,NL\n")
    assert next(read_changes(path)).parse(str) == Change("add", node="7", features={"age": "30.5", "country": "NL"})


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"op": "grow", "source": 1, "target": 2}, "one of add, remove, change"),
        ({"op": "add", "source": 1}, "source and target"),
        ({"op": "add", "source": 1, "target": 2, "node": 3}, "or node"),
        ({"op": "add"}, "or node"),
        ({"op": "add", "source": 1, "target": 2, "weight": "x"}, "must be a number"),
        ({"op": "change", "source": 1, "target": 2}, "new weight"),
        ({"op": "change", "node": 3}, "needs features"),
        ({"op": "remove", "node": 3, "features": [1]}, "no features"),
        ({"op": "add", "node": 3, "features": "[1,"}, "as JSON"),
        ({"op": "remove", "node": "x"}, "are integers"),
        ({"op": "remove", "node": "007"}, r"are integers\. Got '007'"),
        ({"op": "remove", "node": "1_0"}, r"are integers\. Got '1_0'"),
        ({"op": "remove", "node": 1.5}, r"are integers\. Got 1.5"),
        ({"op": "remove", "node": [7]}, "an integer or a word"),
        ({"op": "add", "source": {"id": 1}, "target": 2}, "an integer or a word"),
        ({"op": "add", "source": True, "target": 2}, "an integer or a word"),
        ({"op": "add", "source": 1, "target": 2, "weight": True}, "weight must be a number"),
        ({"op": "add", "source": 1, "target": 2, "amount": 50}, "nothing else is read. Got 'amount'"),
        ({"op": "change", "node": 3, "features": {"age": 4}, "city": "Bern"}, "either features or columns"),
    ],
)
def test_what_is_no_change_says_why(record: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        change_of(record, int)


def test_lines_that_are_no_objects_say_so(tmp_path: Path) -> None:
    for line, message in ((b"{", "not JSON"), (b"[1]", "must be an object")):
        with pytest.raises(InputError, match=message):
            line_of(1, line).parse(int)
    (tmp_path / "wide.csv").write_text("op,source,target\nadd,1,2,3\n")
    with pytest.raises(InputError, match="more cells"):
        next(read_changes(tmp_path / "wide.csv")).parse(int)
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n")
    with pytest.raises(InputError, match="must have the columns"):
        list(read_changes(tmp_path / "edges.csv"))
    (tmp_path / "x.txt").write_text("")
    with pytest.raises(InputError, match="must end in"):
        list(read_changes(tmp_path / "x.txt"))


def test_a_line_comes_when_it_is_written_and_many_come_in_batches() -> None:
    read, write = os.pipe()
    try:
        batches = follow_lines(read, 3)
        os.write(write, b'{"op": "remove", "node": 1}\n{"op": "remo')
        assert [line.number for line in next(batches)] == [1]  # not held back for the rest
        os.write(write, b've", "node": 2}\n' + b'{"op": "remove", "node": 3}\n' * 6)
        found = [next(batches) for _ in range(3)]
        assert [len(batch) for batch in found] == [3, 3, 1]
        assert found[0][0].parse(int) == Change("remove", node=2)
        os.write(write, b'{"op": "remove", "node": 9}')  # without an end of the line
        os.close(write)
        assert [line.parse(int).node for batch in batches for line in batch] == [9]
    finally:
        os.close(read)


def test_whoever_writes_waits_while_nothing_is_read() -> None:
    """Back-pressure: a pipe holds 64 KiB; more is not taken in while the reader works."""
    read, write = os.pipe()
    line, n_written = b'{"op": "remove", "node": 1}\n', [0]

    def feed() -> None:
        for _ in range(20_000):
            os.write(write, line)
            n_written[0] += 1
        os.close(write)

    thread = threading.Thread(target=feed)
    thread.start()
    batches = follow_lines(read, 10)
    n_read = len(next(batches))
    time.sleep(0.3)
    waiting = n_written[0]
    time.sleep(0.3)
    assert n_written[0] == waiting < 20_000
    assert n_read + sum(map(len, batches)) == 20_000
    thread.join()
    os.close(read)
