"""Options for all types of edges, or for each its own: which tables they reach."""

from __future__ import annotations

import pandas as pd

from sparsecut.io.typed.relation_options import RelationOptions

RATES, KNOWS = ("user", "rates", "movie"), ("user", "knows", "user")
TABLES = {
    RATES: pd.DataFrame({"user": [1, 2], "movie": [1, 1], "n": [2.0, 3.0], "at": [5, 6]}),
    KNOWS: pd.DataFrame({"one": [1, 2], "other": [2, 3], "n": [4.0, -5.0]}),
}


def read(options: RelationOptions) -> list[tuple[object, object]]:
    found = options.read(TABLES, None)
    return [
        (None if table.weights is None else table.weights.tolist(), table.moments and table.moments.values.tolist())
        for table in found
    ]


def test_a_name_is_of_all_tables_that_have_it_and_a_dict_of_those_it_names() -> None:
    assert read(RelationOptions({"weight": "n"}, "at", True)) == [([2, 3], [5, 6]), ([4, -5], None)]
    assert read(RelationOptions({"weight": {"rates": "n"}}, None)) == [([2, 3], None), (None, None)]
    assert read(RelationOptions({"weight": {KNOWS: "n"}}, None, {"user:knows:user": True})) == [
        (None, None),
        ([4, -5], None),
    ]
    assert read(RelationOptions({}, {"knows": ["2026-01-01", "2026-01-02"]}))[1][1] == [1767225600.0, 1767312000.0]
    named = RelationOptions({"source": {"knows": "other"}, "target": {"knows": "one"}}).read(TABLES, None)[1]
    assert named.sources.to_pylist() == [2, 3]


def test_signs_of_any_type_make_a_signed_graph() -> None:
    given = (False, True, {"rates": False}, {"rates": False, "knows": True})
    assert [RelationOptions({}, signed=one).is_signed for one in given] == [False, True, False, True]
