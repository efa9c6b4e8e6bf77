"""Embeddings on disk, read back by the programs they are for."""

import duckdb
import numpy as np
import pandas
import polars
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.base.errors import ReadingWarning
from sparsecut.io.embeddings import EMBEDDING_SUFFIXES
from sparsecut.io.opening import PACKED_SUFFIXES

Z = np.array([[0.1, -2, 3e-20], [4, 5.5, 6], [7, 8, 9]], dtype=np.float32)
WORDS = ["é/1", "b", "#c"]


@pytest.mark.parametrize("suffix", EMBEDDING_SUFFIXES)
@pytest.mark.parametrize("ids", [WORDS, [30, -1, 7], ["007", "7", "70"]])
def test_round_trip(suffix, ids, tmp_path):
    path = tmp_path / f"z{suffix}"
    sc.write_embedding(path, Z, ids)
    vectors, read_ids = sc.read_embedding(path)
    assert read_ids.tolist() == ids
    assert vectors.dtype == np.float32
    assert (vectors == Z).all()
    assert not list(tmp_path.glob(".*"))  # no temporary names left


def test_what_is_read_can_be_written_as_it_comes(tmp_path):
    sc.write_embedding(tmp_path / "a.parquet", Z, WORDS)
    sc.write_embedding(tmp_path / "b.npz", *sc.read_embedding(tmp_path / "a.parquet"))
    assert (sc.read_embedding(tmp_path / "b.npz").vectors == Z).all()
    assert sc.read_embedding(tmp_path / "b.npz").ids.tolist() == WORDS


@pytest.mark.parametrize("name", ["ids", "node_ids", "id", "node_id"])
@pytest.mark.parametrize("is_first", [True, False])
def test_ids_of_an_archive_by_any_of_their_names(name, is_first, tmp_path):
    arrays = {"Z": Z, name: np.array(WORDS)}
    np.savez(tmp_path / "z.npz", **(dict(reversed(arrays.items())) if is_first else arrays))
    found = sc.read_embedding(tmp_path / "z.npz")
    assert found.ids.tolist() == WORDS
    assert (found.vectors == Z).all()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((WORDS, Z), "The vectors come first, then the ids: {0}. Got words of shape (3,) for the vectors and numbers of "
                     "shape (3, 3) for the ids, which looks like the other order."),
        (([5, 6, 7], Z), "The vectors come first, then the ids: {0}. Got integers of shape (3,) for the vectors and numbers "
                         "of shape (3, 3) for the ids, which looks like the other order."),
        ((Z, [[5], [6], [7]]), "The ids must be one for each of the 3 rows of the vectors: {0}. Got integers of shape "
                               "(3, 1)."),
        ((Z, [5, 6]), "The ids must be one for each of the 3 rows of the vectors: {0}. Got integers of shape (2,)."),
        (([5, 6, 7],), "The vectors must be two-dimensional, one row per node: {0}. Got shape (3,)."),
        ((WORDS,), "The vectors must be numbers, one row per node: {0}. Got words of shape (3,)."),
        ((Z, ["a", 0, "b"]), "The list of ids given to write_embedding mixes words and integers as node ids: 'a' and 0. "
                             "Make them one kind first."),
        ((Z, ["a", None, "b"]), "The list of ids given to write_embedding has None as a node id, in row 2. An id is an "
                                "integer or a word."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".parquet", ".npy"])
def test_swapped_or_misfitting_arguments(suffix, arguments, expected, tmp_path):
    with pytest.raises(sc.InputError) as caught:
        sc.write_embedding(tmp_path / f"z{suffix}", *arguments)
    assert str(caught.value) == expected.format("write_embedding(path, Z, ids)")
    assert list(tmp_path.iterdir()) == []


def test_the_path_comes_first(tmp_path):
    with pytest.raises(sc.InputError, match=r"takes the path first.* Got ndarray"):
        sc.write_embedding(Z, tmp_path / "z.parquet")


@pytest.mark.parametrize("suffix", EMBEDDING_SUFFIXES)
def test_an_existing_file_is_replaced_only_on_demand(suffix, tmp_path):
    path = tmp_path / f"z{suffix}"
    sc.write_embedding(path, Z, WORDS)
    with pytest.raises(sc.InputError) as caught:
        sc.write_embedding(path, Z[::-1], WORDS)
    assert str(caught.value) == f"The output {path} exists. Pass overwrite=True (--force) to replace it."
    assert (sc.read_embedding(path).vectors == Z).all()
    sc.write_embedding(path, Z[::-1], WORDS, overwrite=True)
    assert (sc.read_embedding(path).vectors == Z[::-1]).all()


@pytest.mark.parametrize(("suffix", "beside"), [(".npy", "z.ids.npy"), (".tsv", "z.metadata.tsv")])
def test_the_file_beside_is_not_replaced_either(suffix, beside, tmp_path):
    (tmp_path / beside).write_text("mine")
    with pytest.raises(sc.InputError, match=f"{beside} exists"):
        sc.write_embedding(tmp_path / f"z{suffix}", Z, WORDS)
    assert [path.name for path in tmp_path.iterdir()] == [beside]


def test_parquet_in_pandas_polars_and_duckdb(tmp_path):
    path = tmp_path / "z.parquet"
    sc.write_embedding(path, Z, WORDS)
    frame = pandas.read_parquet(path)
    assert frame["id"].tolist() == WORDS
    assert (np.stack(frame["embedding"]) == Z).all()
    table = polars.read_parquet(path)
    assert table["id"].to_list() == WORDS
    assert (table["embedding"].to_numpy() == Z).all()
    assert table["embedding"].dtype == polars.Array(polars.Float32, 3)
    rows = duckdb.sql(f"SELECT id, embedding[2] FROM '{path}' ORDER BY embedding[1]").fetchall()
    assert rows == [("é/1", -2.0), ("b", 5.5), ("#c", 8.0)]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("z.w2v", b"", "must begin with two numbers: how many rows and how many columns."),
        ("z.w2v", b"3 2\na 1 2\n", "claims 3 rows and has 1."),
        ("z.w2v", b"1 99999999999\na 1\n", "must begin with two numbers: how many rows and how many columns."),
        ("z.csv", b"id,z0\na,x\nb,y\n", "must hold numbers in all columns. 'z0' holds others."),
        ("z.csv", b"id,z0\na,1\nb,\n", "must hold numbers in all columns. 'z0' holds others."),
        ("z.npy", b"junk", "could not be read: EOF: reading magic string, expected 8 bytes got 4."),
        (
            *("z.txt", b"x"),
            "must end in .parquet, .npy, .npz, .csv, .w2v, .vec, .tsv, .feather, .arrow; text may be packed "
            f"({', '.join(PACKED_SUFFIXES)}).",
        ),
    ],
)
def test_broken_embeddings(name, content, expected, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(sc.InputError) as caught:
        sc.read_embedding(tmp_path / name)
    assert str(caught.value) == f"The embedding file {tmp_path / name} {expected}"


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    import pyarrow.parquet

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pyarrow.parquet.ParquetWriter, "write_table", fail)
    with pytest.raises(sc.InputError, match="could not be written: No space left on device"):
        sc.write_embedding(tmp_path / "z.parquet", Z)
    assert list(tmp_path.iterdir()) == []


def test_duckdb_compares_the_vectors_of_a_parquet_file(tmp_path):
    Z = np.random.default_rng(0).normal(size=(9, 5)).astype(np.float32)
    sc.write_embedding(tmp_path / "z.parquet", Z, [f"n{node}" for node in range(9)])
    vectors = pyarrow.parquet.read_table(tmp_path / "z.parquet")
    query = (
        "SELECT a.id, array_cosine_similarity(a.embedding, b.embedding) FROM {0} a, {0} b WHERE b.id = 'n3' ORDER BY a.id"
    )
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    with duckdb.connect() as database:
        database.sql(f"CREATE TABLE cast_ AS SELECT id, embedding::FLOAT[5] AS embedding FROM '{tmp_path}/z.parquet'")
        database.register("through_arrow", vectors)
        for table in ("cast_", "through_arrow"):
            found = database.sql(query.format(table)).fetchall()
            assert [name for name, _ in found] == [f"n{node}" for node in range(9)]
            np.testing.assert_allclose([value for _, value in found], unit @ unit[3], atol=1e-6)


def test_arrays_of_an_archive_that_are_not_read_are_named(tmp_path):
    np.savez(tmp_path / "z.npz", vectors=Z, names=np.array(WORDS))
    with pytest.warns(
        ReadingWarning, match="Left out: 'names'. An array of ids has to be called ids, node_ids, id or node_id"
    ):
        found = sc.read_embedding(tmp_path / "z.npz")
    assert found.ids.tolist() == [0, 1, 2]
    np.savez(tmp_path / "z.npz", vectors=Z, ids=np.array(WORDS), y=np.arange(3))
    with pytest.warns(ReadingWarning, match="'ids' as their ids. Left out: 'y'"):
        assert sc.read_embedding(tmp_path / "z.npz").ids.tolist() == WORDS
