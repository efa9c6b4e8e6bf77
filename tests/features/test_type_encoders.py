"""Columns of types side by side, counted by hand, and read back from the header of a file."""

from __future__ import annotations

import json

from sparsecut.features import NamedColumns, TypeEncoders, Vocabulary, read_encoder
from sparsecut.features.type_encoders import TypeColumnsOf

PARTS = (
    TypeColumnsOf("paper", 2, Vocabulary(("cut", "graph"))),
    TypeColumnsOf("person", 1, NamedColumns(("age",))),
    TypeColumnsOf("venue", 3, None),  # an array
)
ENCODERS = TypeEncoders(("author", "paper", "person", "venue"), PARTS)  # authors have no columns


def test_the_columns_of_all_types_stand_side_by_side() -> None:
    assert ENCODERS.n_columns == 6
    assert ENCODERS.starts == {"paper": 0, "person": 2, "venue": 3}
    assert ENCODERS.column_types.tolist() == [1, 1, 2, 3, 3, 3]  # places among the types
    expected = ("paper:cut", "paper:graph", "person:age", "venue:0", "venue:1", "venue:2")
    assert ENCODERS.names_in == ENCODERS.names_out == expected


def test_they_come_back_from_their_header_each_as_it_was() -> None:
    assert read_encoder(json.loads(json.dumps(ENCODERS.to_header()))) == ENCODERS
