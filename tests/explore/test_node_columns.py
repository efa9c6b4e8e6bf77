"""Columns of a node table: their kinds, their rows by id, their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsecut.base.errors import InputError
from sparsecut.explore.node_columns import make_column, read_columns, unique_names


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 1, 2, 3, 3], "class"),
        ([True, False, True, False, True, False], "class"),
        ([0.5, 1.5, 2.5, 0.5, 1.5, 2.5], "number"),
        ([1, 2, 3, 4, 5, 6], "number"),
        (["a", "b", "a", "b", "a", ""], "class"),
        (["a", "b", "c", "d", "e", "f"], "text"),
        ([None, None, None, None, None, None], "class"),
        ([np.nan, np.inf, 1.0, 2.5, 3.5, 4.5], "number"),
    ],
)
def test_what_a_column_is(values: list[Any], kind: str) -> None:
    assert make_column("c", values, 6).kind == kind


def test_node_tables_are_matched_by_id_and_gaps_stay_gaps(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("id,city,size\nb,Oslo,2.5\na,Lima,\n")
    city, size = read_columns(tmp_path / "nodes.csv", np.array(["a", "b", "c"]))
    shown = [("", *city.names)[code] for code in city.values] if city.kind == "class" else city.values
    assert list(shown) == ["Lima", "Oslo", ""]
    np.testing.assert_array_equal(size.values, np.array([np.nan, 2.5, np.nan], dtype=np.float32))
    with pytest.raises(InputError, match="names nodes that the embedding does not: 'b'"):
        read_columns(tmp_path / "nodes.csv", np.array(["a"]))
    import pandas as pd

    frame = pd.DataFrame({"node": [1, 0], "when": pd.to_datetime(["2020-01-02", "2021-03-04"])})
    (when,) = read_columns(frame, np.array([0, 1]))
    assert [name[:10] for name in when.names] == ["2020-01-02", "2021-03-04"]
    assert when.values.tolist() == [2, 1]


def test_names_of_columns_never_clash() -> None:
    columns = unique_names([make_column("degree", np.arange(4) * 1.5, 4) for _ in range(3)])
    assert [column.name for column in columns] == ["degree", "degree (2)", "degree (3)"]


def test_a_series_in_a_mapping_names_its_nodes() -> None:
    import pandas as pd

    size, few = read_columns(
        {"size": pd.Series([2.5, 1.5, 0.5], index=["b", "c", "a"]), "few": pd.Series([4.5], index=["c"])},
        np.array(["a", "b", "c"]),
    )
    assert size.values.tolist() == [0.5, 2.5, 1.5]
    np.testing.assert_array_equal(np.isnan(few.values.astype(float)), [True, True, False])
    with pytest.raises(InputError, match="The values of 'size' name nodes that the embedding does not have: 'd'"):
        read_columns({"size": pd.Series([1.0], index=["d"])}, np.array(["a"]))
