"""Lists spelt as text give what the same lists give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sparsecut as sc
from sparsecut.features.spelt_lists import spelt_lists

N = 40
EDGES = [(k, (k + 1) % N) for k in range(N)]
RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(N, 3)).round(3)
TAGS = [list(RNG.choice(["red", "it's", "big", "old"], size).tolist()) for size in RNG.integers(0, 4, N)]
CODES = [RNG.integers(0, 9, size).tolist() for size in RNG.integers(1, 4, N)]


def test_a_csv_file_of_a_frame_with_lists_gives_the_features_of_the_frame(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": range(N), "vector": list(VECTORS), "tags": TAGS, "genres": CODES, "x": RNG.normal(size=N)})
    frame.to_csv(tmp_path / "x.csv", index=False)  # numpy's vectors are printed without commas
    pd.DataFrame(EDGES, columns=["source", "target"]).to_csv(tmp_path / "e.csv", index=False)
    spelt = sc.read_graph(tmp_path / "e.csv", features=tmp_path / "x.csv")
    as_words = frame.assign(genres=[[str(code) for code in codes] for codes in CODES])
    given = sc.from_edges(EDGES, features=as_words)
    assert spelt.encoder.names_out == given.encoder.names_out
    assert np.abs((spelt.features - given.features).toarray()).max() < 1e-6
    model = sc.SCE(dimension=4).fit(spelt)
    assert model.transform(given) == pytest.approx(model.transform(spelt), abs=1e-5)


@pytest.mark.parametrize("column", ["vector", "tags"])
def test_a_list_that_is_the_only_column_is_the_matrix_that_it_is_elsewhere(column: str) -> None:
    values = {"vector": VECTORS.tolist(), "tags": TAGS}[column]
    spelt, given = (
        sc.from_edges(EDGES, features=pd.DataFrame({"id": range(N), column: cells})) for cells in (map(str, values), values)
    )
    assert spelt.encoder == given.encoder
    assert abs(spelt.features - given.features).max() == 0


@pytest.mark.parametrize(
    ("words", "lists"),
    [
        (["['a', 'b']", '["c"]', None, "[]"], [["a", "b"], ["c"], None, []]),
        (["(45.5, 7)", " (1, 2) "], [[45.5, 7], [1, 2]]),
        (["[0.5 1.\n 2.]", "[1. 2. 3.]"], [[0.5, 1, 2], [1, 2, 3]]),
        (["[28, 12]", "[7]"], [["28", "12"], ["7"]]),
        (["[0.5, 1.5]", "[2.5]"], None),  # neither vectors nor words
        (["[red, big]", "[old]"], None),
        (["['a', 1]", "['b']"], None),
        (["['a']", "a"], None),
        (["[0.1 0.2 ... 0.9]", "[0.1 0.2 ... 0.8]"], None),  # numpy's abbreviation
        (["[]", "[]"], None),
    ],
)
def test_what_is_a_list(words: list[str | None], lists: list[list[object] | None] | None) -> None:
    column = pa.chunked_array([pa.array(words, pa.large_string())])
    assert spelt_lists(column).to_pylist() == (words if lists is None else lists)
