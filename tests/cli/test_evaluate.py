"""`sparsecut evaluate`: which task is run on which input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_files import assert_refused
from shell import sparsecut


def test_embed_and_evaluate_a_dataset(tmp_path: Path) -> None:
    sparsecut("embed", "digits", "-o", "z.parquet", folder=tmp_path)
    done = sparsecut(
        "evaluate", "z.parquet", "--labels", "digits", "--per-class", 5, "--splits", 5, "--json", folder=tmp_path
    )
    scores = json.loads(done.stdout)
    assert scores["probe"] == "paper"
    assert 88 < scores["per_class"]["5"]["accuracy"] < 99


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Name its file"),
        (["missing.parquet"], "does not exist"),
        (["VECTORS"], "The task classify needs labels"),
        (["VECTORS", "-l", "digits", "--task", "x"], "--task parameter"),
        (["VECTORS", "-l", "missing.csv"], "missing.csv does not exist"),
    ],
)
def test_wrong_words_are_one_sentence(run, vectors, words, message):
    assert_refused(run("evaluate", *(vectors[0] if word == "VECTORS" else word for word in words)), message)
