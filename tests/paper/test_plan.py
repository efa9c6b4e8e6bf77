"""What a request asks for of a table's rows and columns."""

from __future__ import annotations

from sparsecut.paper.plan import Request


def test_all_rows_and_columns_or_those_asked_for_in_the_tables_order() -> None:
    assert Request().columns(("a", "b")) == ["a", "b"]
    assert Request().rows(("x", "y")) == ["x", "y"]
    request = Request(datasets=["b", "elsewhere", "a"], methods=["y"])
    assert request.columns(("a", "b", "c")) == ["a", "b"]
    assert request.rows(("x", "y")) == ["y"]
