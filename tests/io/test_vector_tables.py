"""CSV files of vectors as other programs write them: what is no coordinate does not become one without a word."""

import warnings

import numpy as np
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
