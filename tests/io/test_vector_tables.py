"""CSV files of vectors as other programs write them: what is no coordinate does not become one without a word."""

import warnings

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.base.errors import ReadingWarning

pandas = pytest.importorskip("pandas")
Z = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
IDS = np.random.default_rng(1).permutation(1000)[:30]
FRAME = pandas.DataFrame(Z, columns=["d0", "d1", "d2", "d3"])


def test_row_numbers_that_pandas_leaves_are_no_coordinate(tmp_path):
    FRAME.assign(user_id=IDS).to_csv(tmp_path / "z.csv")  # with the default index as a column without a name
    with pytest.warns(ReadingWarning, match="A column without a name .* counts its rows, and was left out"):
        found = sc.read_embedding(tmp_path / "z.csv")
    assert found.ids.tolist() == IDS.tolist()
    assert np.allclose(found.vectors, Z, atol=1e-6)


@pytest.mark.parametrize("name", ["cell", None])
def test_an_index_is_the_ids_whatever_its_name(name, tmp_path):
    frame = FRAME.set_index(np.array([f"c{one}" for one in IDS]))
    frame.rename_axis(name).to_csv(tmp_path / "z.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sc.read_embedding(tmp_path / "z.csv")
    assert found.ids.tolist() == frame.index.tolist()
    assert np.allclose(found.vectors, Z, atol=1e-6)


@pytest.mark.parametrize("header", [True, False])
def test_numbers_without_ids_are_refused(header, tmp_path):
    pandas.DataFrame(Z).to_csv(tmp_path / "z.csv", index=False, header=header)
    with pytest.raises(sc.InputError, match="has no column of ids: its first column holds numbers with fractions"):
        sc.read_embedding(tmp_path / "z.csv")


def test_a_column_named_unlike_the_others_is_named(tmp_path):
    FRAME.assign(cluster=IDS % 3).set_index(IDS).to_csv(tmp_path / "z.csv")
    with pytest.warns(ReadingWarning, match="read as coordinates, too: 'cluster'"):
        found = sc.read_embedding(tmp_path / "z.csv")
    assert found.vectors[:, 4].tolist() == (IDS % 3).tolist()


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow"])
@pytest.mark.parametrize("form", ["columns", "lists", "large lists"])
@pytest.mark.parametrize("ids", ["id", "index"])
def test_tables_of_other_programs_are_read(suffix, form, ids, tmp_path):
    """What pandas, polars and DuckDB write: lists of no fixed size, or a column per coordinate; the index as it is."""
    frame = FRAME if form == "columns" else pandas.DataFrame({"embedding": list(Z)})
    frame = frame.set_index(np.array([f"c{one}" for one in IDS]))
    if ids == "id":
        frame = frame.rename_axis("id").reset_index()
    table = pyarrow.Table.from_pandas(frame)
    if form == "large lists":
        place = table.column_names.index("embedding")
        table = table.set_column(place, "embedding", table.column(place).cast(pyarrow.large_list(pyarrow.float64())))
    path = tmp_path / f"z{suffix}"
    pyarrow.parquet.write_table(table, path) if suffix == ".parquet" else pyarrow.feather.write_feather(table, path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sc.read_embedding(path)
    assert found.ids.tolist() == [f"c{one}" for one in IDS]
    np.testing.assert_array_equal(found.vectors, Z)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"embedding": [[1.0], [2.0]]}, "must have a column 'id'"),
        ({"id": [1, 2], "embedding": [[1.0, 2.0], [2.0]]}, "as many in each row"),
        ({"id": [1, 2], "embedding": [[1.0], None]}, "as many in each row"),
        ({"id": [1, 2], "embedding": [[1.0], [None]]}, "as many in each row"),
        ({"id": [1, 2], "embedding": [["a"], ["b"]]}, "as many in each row"),
        ({"id": [1, 2], "z0": [1.0, None]}, "must hold numbers in all columns"),
        ({"id": [1, None], "z0": [1.0, 2.0]}, "empty node id"),
    ],
)
def test_tables_that_hold_no_vectors_are_refused(columns, message, tmp_path):
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "z.parquet")
    with pytest.raises(sc.InputError, match=message):
        sc.read_embedding(tmp_path / "z.parquet")
