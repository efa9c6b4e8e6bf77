"""Which columns of a table of one type of edges hold its ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparsecut import InputError
from sparsecut.io.typed.relation_tables import read_relation

WRITES = ("author", "writes", "paper")


def read(edges: object, key: tuple[str, str, str] = WRITES, **asked: str) -> tuple[list[object], list[object]]:
    table = read_relation(key, edges, asked)
    return table.sources.to_pylist(), table.targets.to_pylist()


@pytest.mark.parametrize(
    "columns",
    [
        {"paper_id": [1, 2], "authorId": [7, 8]},  # after their types, in the other order
        {"papers": [1, 2], "year": [1999, 2000], "Author": [7, 8]},
        {"source": [7, 8], "target": [1, 2]},
        {"author": [7, 8], "what": [1, 2]},
    ],
)
def test_columns_are_found_by_the_types(columns: dict[str, list[int]]) -> None:
    assert read(pa.table(columns)) == ([7, 8], [1, 2])


def test_columns_that_are_named_win(tmp_path: Path) -> None:
    table = pa.table({"author": [1, 1], "paper": [2, 2], "a": [7, 8], "b": [1, 2], "share": [0.5, 2.0]})
    assert read(table, source="a", target="b") == ([7, 8], [1, 2])
    weights = read_relation(WRITES, table, {"weight": "share"}).weights
    assert weights is not None
    assert weights.tolist() == [0.5, 2]


def test_ends_of_one_type_are_told_by_their_names() -> None:
    cites = ("paper", "cites", "paper")
    assert read(pa.table({"cited_paper": [1, 2], "citing_paper": [3, 4]}), cites) == ([3, 4], [1, 2])
    assert read([(3, 1), (4, 2)], cites) == ([3, 4], [1, 2])


def test_pairs_may_have_integers_at_one_end_and_words_at_the_other() -> None:
    assert read([(1, "KDD"), (2, "ICML")], ("paper", "in", "venue")) == ([1, 2], ["KDD", "ICML"])
    assert read_relation(("paper", "in", "venue"), [(1, "KDD", 0.5)], {}).weights == [0.5]
    with pytest.raises(InputError, match="mixes integers in column 'source' and words"):
        read([(1, "x")], ("paper", "cites", "paper"))
    with pytest.raises(InputError, match=r"Got .1. in row 1"):
        read(["1"])


def test_files_are_read_as_frames_are(tmp_path: Path) -> None:
    table = pa.table({"paper": [1, 2, 3], "author": [7, 8, 7], "weight": [1.0, 2.0, 3.0]})
    (tmp_path / "writes.csv").write_text("paper,author,weight\n1,7,1\n2,8,2\n3,7,3\n")
    (tmp_path / "words.csv").write_text("paper,author\n001,x\n2,y\n3,x\n")
    pq.write_table(table, tmp_path / "writes.parquet")
    (tmp_path / "parts").mkdir()
    for part in range(3):
        pq.write_table(table.slice(part, 1), tmp_path / f"parts/{part}.parquet")
    np.save(tmp_path / "writes.npy", np.array([[7, 1], [8, 2], [7, 3]]))
    for name in ("writes.csv", "writes.parquet", "parts", "writes.npy"):
        found = read_relation(WRITES, tmp_path / name, {})
        assert (found.sources.to_pylist(), found.targets.to_pylist()) == ([7, 8, 7], [1, 2, 3]), name
        assert name == "writes.npy" or (found.weights is not None and found.weights.tolist() == [1, 2, 3])
    assert read(tmp_path / "words.csv") == (["x", "y", "x"], ["001", "2", "3"])  # as they are spelt


def test_tables_without_edges_or_ids_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"author:writes:paper has no rows. Leave this type"):
        read(pa.table({"author": pa.array([], pa.int64()), "paper": pa.array([], pa.int64())}))
    with pytest.raises(InputError, match=r"empty node id in row 2 of column 'paper'"):
        read(pa.table({"author": [1, 2], "paper": [1, None]}))
    with pytest.raises(InputError, match=r"fractions in column 'author'"):
        read(pa.table({"author": [1.5, 2], "paper": [1, 2]}))
    with pytest.raises(InputError, match="zero or more"):
        read(pa.table({"author": [1, 2], "paper": [1, 2], "weight": [1.0, -1.0]}))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds no .parquet files"):
        read(tmp_path / "empty")
