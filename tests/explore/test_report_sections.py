"""What a model chose and how a page was made, as sections: nothing is said that is not known."""

from __future__ import annotations

from types import SimpleNamespace

from sparsecut.explore.report_sections import how_section, model_sections


def test_a_model_without_words_and_without_a_loss_has_no_section() -> None:
    assert model_sections(SimpleNamespace()) == []
    told = model_sections(SimpleNamespace(explain=lambda: "one\ntwo", history_=SimpleNamespace(loss=[3.0, 2.0])))
    assert [section["id"] for section in told] == ["choices", "curve"]
    assert told[0]["list"] == ["one", "two"]
    assert [section["id"] for section in model_sections(SimpleNamespace(history_=SimpleNamespace(loss=[1.0])))] == []


def test_what_is_not_in_the_page_is_said_once_and_the_command_last() -> None:
    section = how_section("pca", None, "sparsecut report z.parquet", 3, ["", "No edges."])
    assert section["sentences"][0].startswith("Layout: pca, seed 3.")
    assert section["sentences"][1:] == ["No edges."]
    assert section["code"] == "sparsecut report z.parquet"
    assert "code" not in how_section("pca", None, None, 3, [])
