"""What a request asks for of a table's rows and columns."""

from __future__ import annotations

from sparsecut.lab.paper.experiment_plan import Request


def test_all_rows_and_columns_or_those_asked_for_in_the_tables_order() -> None:
    assert Request().columns(("a", "b")) == ["a", "b"]
    assert Request().rows(("x", "y")) == ["x", "y"]
    request = Request(datasets=["b", "elsewhere", "a"], methods=["y"])
    assert request.columns(("a", "b", "c")) == ["a", "b"]
    assert request.rows(("x", "y")) == ["y"]


def test_seeds_from_the_first_on_and_no_more_than_there_are() -> None:
    assert list(Request().seeds(8)) == list(range(8))
    assert list(Request(seed=3, n_seeds=2).seeds(8)) == [3, 4]
    assert list(Request(n_seeds=9).seeds(1)) == [0]


def test_a_quick_request_keeps_what_was_asked_for() -> None:
    quick = Request().made_quick(("cora",), ("SCE",))
    assert (quick.columns(("cora", "pubmed")), quick.rows(("DGI", "SCE")), quick.n_splits) == (["cora"], ["SCE"], 2)
    assert list(quick.seeds(8)) == [0]
    asked = Request(["pubmed"], ["DGI"], 7, 3, 2)
    assert asked.made_quick(("cora",), ("SCE",)) == asked
