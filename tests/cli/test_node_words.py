"""The ids of NODE… and of a file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sparsecut.base.errors import InputError
from sparsecut.cli.node_words import read_nodes


def test_ids_that_are_named_come_before_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "ids.txt"
    file.write_text("\ufeffcarl\n\n  dora \n", encoding="utf-8")
    assert read_nodes("c", ["anna", "ben"], file, None) == ["anna", "ben", "carl", "dora"]
    assert read_nodes("c", None, file, None) == ["carl", "dora"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("7\n8\n"))
    assert read_nodes("c", None, Path("-"), None) == ["7", "8"]


def test_no_id_at_all_says_where_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="c needs a node: name ids after the model, or a file of ids with --batch"):
        read_nodes("c", [], None, None, after="the model")
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    with pytest.raises(InputError, match=r"empty.txt has no ids: one per line"):
        read_nodes("c", None, empty, None)
