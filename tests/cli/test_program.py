"""The program `sparsecut`: help, version, and one sentence for wrong input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shell import sparsecut
from sparsecut.version import __version__


def test_a_real_process_ends_with_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sparsecut", "embed", "nothing.csv", "-o", "z.npy"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: The edge file nothing.csv does not exist.")
    assert len(done.stderr.splitlines()) == 1


def test_version_and_help(tmp_path: Path) -> None:
    assert sparsecut("--version", folder=tmp_path).stdout.strip() == f"sparsecut {__version__}"
    assert "embed" in sparsecut("--help", folder=tmp_path).stdout
    assert "--save-model" in sparsecut("embed", "--help", folder=tmp_path).stdout


def test_completion_is_offered(tmp_path: Path) -> None:
    assert "--install-completion" in sparsecut("--help", folder=tmp_path).stdout


WRONG = {
    "a missing file": (["embed", "nothing.csv", "-o", "z.npy"], "The edge file nothing.csv does not exist"),
    "neither file nor dataset": (["embed", "nothing", "-o", "z.npy"], "nothing is neither a file nor a dataset"),
    "a directory": (["embed", "folder.csv", "-o", "z.npy"], "The edge file folder.csv is a directory"),
    "missing features": (["embed", "edges.csv", "-f", "no.csv", "-o", "z.npy"], "The features file no.csv does not exist"),
    "an unknown suffix": (["embed", "edges.csv", "-f", "features.csv", "-o", "z.xls"], "must end in .parquet"),
    "an absent folder": (["embed", "edges.csv", "-f", "features.csv", "-o", "no/z.npy"], "no does not exist. Make it first"),
    "a folder as output": (["embed", "edges.csv", "-f", "features.csv", "-o", "folder.csv"], "folder.csv is a directory"),
    "dimension 0": (
        ["embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", "--dimension", "0"],
        "The dimension parameter of SCE must be an integer of at least 1. Got 0 instead.",
    ),
    "an unknown method": (
        ["embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", "--method", "svd"],
        "There is no method 'svd'. There are: sce, mosce",
    ),
    "a method that predicts": (
        ["embed", "digits", "-o", "z.npy", "--method", "gcn"],
        "The method gcn predicts labels from labels and does not embed: see its accuracy with sparsecut compare",
    ),
    "an unknown device": (["embed", "digits", "-o", "z.npy", "--device", "tpu"], "The device parameter of SCE must be"),
    "features of a dataset": (["embed", "digits", "-f", "features.csv", "-o", "z.npy"], "has its own features"),
    "no model": (["transform", "no.safetensors", "digits", "-o", "z.npy"], "The model file no.safetensors does not exist"),
    "not a model": (["transform", "edges.csv", "digits", "-o", "z.npy"], "no model could be read from it"),
    "no embedding": (["evaluate", "no.parquet", "--labels", "labels.csv"], "The embedding file no.parquet does not exist"),
    "an unknown experiment": (["reproduce", "table9"], "must be one of 'table1'"),
    "no such option": (["embed", "edges.csv", "--speed", "9"], "No such option"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence_and_exit_code_2(folder: Path, case: str) -> None:
    (folder / "folder.csv").mkdir()
    arguments, message = WRONG[case]
    before = sorted(folder.iterdir())
    done = sparsecut(*arguments, folder=folder, expect=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert sorted(folder.iterdir()) == before  # nothing half-written
