"""What commands print: for people, for programs, or nothing."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from rich.cells import cell_len

from sparsecut.cli.console import Output, in_mebibytes


def test_a_note_is_printed_once_on_standard_error_and_is_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(as_json=False, quiet=False)
    for _ in range(2):
        output.note("one remark")
    output.say("the result")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("the result\n", "one remark\n")
    output.as_json = True
    output.result({"value": 3})
    assert json.loads(capsys.readouterr().out) == {"value": 3, "notes": ["one remark"]}


@pytest.mark.parametrize(("as_json", "quiet"), [(True, False), (False, True)])
def test_json_and_quiet_print_nothing_for_people(as_json: bool, quiet: bool, capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(as_json, quiet)
    output.say("words")
    output.note("a remark")
    output.aside("another")
    output.table("A table", ["one"], [["row"]])
    output.result({}, with_notes=False)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("{}\n" if as_json else "", "")


def test_warnings_become_notes(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(as_json=False, quiet=False)
    with output.warnings_as_notes():
        warnings.warn("look here", UserWarning, stacklevel=1)
        warnings.warn("look here", UserWarning, stacklevel=1)
    assert output.notes == ["look here"]
    assert capsys.readouterr().err == "look here\n"


def test_markup_in_a_message_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=False, quiet=False).say("pip install 'sparsecut[search]' [red]")
    assert capsys.readouterr().out == "pip install 'sparsecut[search]' [red]\n"


def test_memory_in_mebibytes_or_not_known() -> None:
    assert [in_mebibytes(n_bytes) for n_bytes in (3 << 30, None)] == ["3,072 MiB", "not known"]
    assert in_mebibytes(5 * 2**30) == "5,120 MiB"


def test_a_table_too_wide_is_printed_in_parts_that_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    columns = ["method", *(f"column {place}" for place in range(8))]
    rows = [["one", *(f"[red]{place}" for place in range(8))], ["two", "5", *[""] * 7]]
    Output(as_json=False, quiet=False).table("A title that is longer than the first part of the table", columns, rows)
    shown = capsys.readouterr().out
    assert max(map(cell_len, shown.splitlines())) <= 60
    assert shown.startswith("A title that is longer than the first part of the table\n")
    for place in range(8):
        assert f"column {place}" in shown
        assert f"[red]{place}" in shown  # text, not a colour
    assert shown.count("│ one") == 2
    assert shown.count("│ two") == 1  # a row with nothing in a part is not in it


def test_details_are_told_with_verbose_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for is_verbose in (False, True):
        output = Output(as_json=True, quiet=False, verbose=is_verbose)
        output.detail("a stage")
        with output.progress() as bar:
            bar("training", 2, 2)
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.splitlines() == (["a stage", "training: 2 of 2 epochs, 0.0 s"] if is_verbose else [])


def test_words_go_to_standard_error_where_data_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(as_json=False, quiet=False, path=Path("-"))
    output.say("done")
    output.table("A table", ["one"], [["row"]])
    output.facts([("name", "value")])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("done\nA table\n")
    assert "name  value" in captured.err
