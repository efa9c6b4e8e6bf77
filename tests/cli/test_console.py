"""What commands print: for people, for programs, or nothing."""

from __future__ import annotations

import json
import warnings

import pytest

from sparsecut.cli.console import Output, in_mebibytes, peak_memory


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


def test_peak_memory_is_in_bytes() -> None:
    assert peak_memory() > 20 * 2**20  # Python and numpy alone take more
    assert in_mebibytes(5 * 2**30) == "5,120 MiB"
