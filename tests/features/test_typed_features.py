"""Features of every type side by side: by hand, through save and read, and taken apart again."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from sparsecut import InputError
from sparsecut.features import FeatureMatrix, TypedFeatures, TypeEncoders, read_encoder, table_source
from sparsecut.features.fitting_again import fitted_again

AGES = table_source(pa.table({"age": [20.0, 40.0]}), "The ages", scale=False)
WORDS = table_source(pa.table({"words": [["a"], ["a", "b"]]}), "The words")
CODES = np.array([0, 1, 0, 1, 2, 1], dtype=np.int16)
ROWS = np.array([1, 0, 0, 1, -1, -1])


def both(second: object = FeatureMatrix(np.array([[1.0, 2], [3, 4]], dtype=np.float32))) -> TypedFeatures:
    return TypedFeatures(("author", "paper", "venue"), {"author": AGES, "paper": second}, CODES, ROWS)  # type: ignore[dict-item]


def test_a_node_has_the_columns_of_its_type() -> None:
    source = both()
    matrix, notes = source.matrix(source.encoder)
    assert matrix.tolist() == [[40, 0, 0], [0, 1, 2], [20, 0, 0], [0, 3, 4], [0, 0, 0], [0, 0, 0]]
    assert notes == ()
    assert source.encoder.names_in == source.encoder.names_out == ("author:age", "paper:0", "paper:1")
    assert source.encoder.column_types.tolist() == [0, 1, 1]
    assert source.take(np.array([3, 0])).matrix(source.encoder)[0].tolist() == [[0, 3, 4], [40, 0, 0]]


def test_one_sparse_type_makes_all_sparse() -> None:
    source = both(WORDS)
    matrix, _ = source.matrix(source.encoder)
    assert sp.issparse(matrix)
    assert matrix.toarray().tolist() == [[40, 0, 0], [0, 1, 0], [20, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 0]]


def test_an_encoder_is_read_back_and_encodes_another_graph() -> None:
    source = both(WORDS)
    read = read_encoder(source.encoder.to_header())
    assert read == source.encoder
    later = table_source(pa.table({"words": [["b", "new"]]}), "Later words")
    matrix, notes = TypedFeatures(("paper",), {"paper": later}, np.zeros(1, np.int16), np.zeros(1, np.int64)).matrix(read)
    assert matrix.toarray().tolist() == [[0, 0, 1]]  # no authors, whose column stays; the new word is left out
    assert "1 entries are of 1 words that were not fitted" in notes[0]


def test_what_does_not_fit_the_fitted_types_is_refused() -> None:
    encoder = both().encoder
    with pytest.raises(InputError, match=r"type 'author' have no features, and had some"):
        TypedFeatures(("author",), {}, np.zeros(1, np.int16), np.full(1, -1)).matrix(encoder)
    with pytest.raises(InputError, match=r"type 'venue' have features, and had none"):
        TypedFeatures(("venue",), {"venue": AGES}, np.zeros(2, np.int16), np.arange(2)).matrix(encoder)
    with pytest.raises(InputError, match=r"have 1 columns. The model was fitted with 2"):
        both(FeatureMatrix(np.ones((2, 1), dtype=np.float32))).matrix(encoder)
    with pytest.raises(InputError, match=r"one table for all nodes"):
        both().matrix(AGES.encoder)
    alike = table_source(pa.table({"note": ["one", "one"]}), "The notes")
    with pytest.raises(InputError, match=r"No type of nodes has a column that could be a feature"):
        _ = TypedFeatures(("a",), {"a": alike}, np.zeros(2, np.int16), np.arange(2)).encoder


@pytest.mark.parametrize("is_encoded", [False, True])
def test_what_is_left_is_encoded_as_if_the_others_had_never_been_there(is_encoded: bool) -> None:
    table = table_source(pa.table({"age": [20.0, 40.0, 90.0], "kind": ["x", "y", "z"]}), "The ages")
    few = table_source(pa.table({"age": [20.0, 40.0], "kind": ["x", "y"]}), "The ages")
    codes, rows = np.array([0, 0, 0, 1, 1], dtype=np.int16), np.array([0, 1, 2, 0, 1])
    source = TypedFeatures(("author", "paper"), {"author": table, "paper": WORDS}, codes, rows)
    if is_encoded:
        matrix, _ = source.matrix(source.encoder)
        source = TypedFeatures.of_matrix(matrix, source.encoder, codes)
    left = fitted_again(source, np.array([0, 1, 3]))
    alone = table_source(pa.table({"words": [["a"]]}), "The words")
    expected = TypedFeatures(("author", "paper"), {"author": few, "paper": alone}, codes[[0, 1, 3]], rows[[0, 1, 3]])
    assert isinstance(left.encoder, TypeEncoders)
    found, wanted = left.matrix(left.encoder)[0].toarray(), expected.matrix(expected.encoder)[0].toarray()
    np.testing.assert_allclose(found, wanted, atol=1e-6)
