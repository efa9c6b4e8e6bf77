"""Fitted encoders: saved, read back, and applied to words they do not know."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.features import FeatureTable, NamedColumns, Vocabulary, WordLists, read_encoder


def test_every_encoder_comes_back_from_its_header() -> None:
    table = FeatureTable(
        pa.table(
            {
                "age": [10.0, None, 30.5, 40.0],
                "when": pa.array([1, 2, 3, 9], pa.timestamp("s")),
                "city": ["Rome", "Oslo", None, "Bonn"],
                "same": [1, 1, 1, 1],
                "vector": [[1.0, 2.0], [3.0, 4.0], [0.0, 1.0], [2.0, 2.5]],
            }
        ),
        "The table",
    )
    for encoder in (table.encoder, Vocabulary(("big", "red")), Vocabulary(7), NamedColumns(("a", "b"))):
        assert read_encoder(encoder.to_header()) == encoder
    assert read_encoder(None) is None


def test_words_that_were_not_fitted_are_left_out_and_counted() -> None:
    lists = WordLists(sp.csr_array([[1, 0, 1], [0, 1, 0]], dtype=np.float32), ("big", "new", "red"), "The file")
    matrix, notes = lists.matrix(Vocabulary(("big", "old", "red")))
    assert matrix.toarray().tolist() == [[1, 0, 1], [0, 0, 0]]
    assert notes == ("The file: 1 entries are of 1 words that were not fitted, and were left out.",)
    numbered = WordLists(sp.csr_array([[1, 0, 1], [0, 1, 0]], dtype=np.float32), 3, "The file")
    assert numbered.matrix(Vocabulary(5))[0].toarray().tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 0, 0]]
    assert numbered.matrix(Vocabulary(5))[1] == ()  # a feature that no node has here is absent, not unknown
    fewer, notes = numbered.matrix(Vocabulary(2))
    assert fewer.toarray().tolist() == [[1, 0], [0, 1]]
    assert len(notes) == 1
    with pytest.raises(sc.InputError, match="lists of feature numbers, and the model was fitted with lists of words"):
        numbered.matrix(Vocabulary(("a",)))
