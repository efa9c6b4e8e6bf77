"""The program `sparsecut`: help, version, and one sentence for wrong input."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shell import sparsecut
from sparsecut.base.package_version import __version__


@pytest.mark.slow
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


def test_what_is_there_at_the_end_is_not_looked_through(tmp_path: Path) -> None:
    code = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        "from sparsecut.cli import main; sys.argv = ['sparsecut', '--version']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.splitlines() == [f"sparsecut {__version__}", "True"], done.stderr


def test_a_defect_of_the_program_is_told_as_such(run, monkeypatch: pytest.MonkeyPatch) -> None:
    from sparsecut import datasets

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(datasets, "load", broken)
    code, out, error = run("embed", "digits", "-o", "z.npy")
    assert (code, out) == (70, "")
    assert error.startswith("Error: This is a defect of sparsecut: RuntimeError: two. --verbose shows where")
    assert len(error.splitlines()) == 1
    code, _, error = run("embed", "digits", "-o", "z.npy", "--verbose")
    assert code == 70
    assert error.startswith("Traceback (most recent call last):")
    monkeypatch.setattr(datasets, "load", lambda *_, **__: [][0:1] + [None] * sys.maxsize)
    code, _, error = run("embed", "digits", "-o", "z.npy", "-q")
    assert (code, error.count("\n")) == (1, 1)
    assert "not enough memory" in error


def test_verbose_shows_where_wrong_input_was_found(run) -> None:
    code, _, error = run("embed", "nothing.csv", "-o", "z.npy", "-v")
    assert code == 2
    assert "Traceback" in error
    assert error.splitlines()[-1].startswith("Error: The edge file nothing.csv does not exist.")


@pytest.mark.slow
def test_an_interrupted_command_ends_with_130_and_leaves_nothing(tmp_path: Path) -> None:
    # A shell's background jobs ignore the interrupt, and so does what they start: here it is heard wherever the tests run.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from sparsecut.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "embed", "-", "-o", "z.npy"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(b"a,b\n" * 32)
        process.stdin.flush()  # it waits for more
        wait_for(lambda: Path(f"/proc/{process.pid}/wchan").exists() and is_reading(process.pid))
        process.send_signal(signal.SIGINT)
        error = process.stderr.read().decode()
        process.wait(60)
    assert process.returncode == 130
    assert "Traceback" not in error
    assert not [*tmp_path.iterdir()]


def is_reading(pid: int) -> bool:
    """Whether a process has spooled some of its standard input."""
    return any(Path(f"/proc/{pid}/fd").iterdir()) and any(
        "stdin.csv" in str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink()
    )


def wait_for(is_so, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_completion_is_offered(tmp_path: Path) -> None:
    assert "--install-completion" in sparsecut("--help", folder=tmp_path).stdout


WRONG = {
    "a missing file": (["embed", "nothing.csv", "-o", "z.npy"], "The edge file nothing.csv does not exist"),
    "neither file nor dataset": (["embed", "nothing", "-o", "z.npy"], "nothing is neither a file nor a dataset"),
    "a directory": (
        ["embed", "folder.csv", "-o", "z.npy"],
        "The folder folder.csv is neither a store made by build_store nor a folder of one table per type",
    ),
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


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence_and_exit_code_2(folder: Path, case: str) -> None:
    (folder / "folder.csv").mkdir()
    arguments, message = WRONG[case]
    before = sorted(folder.iterdir())
    done = sparsecut(*arguments, folder=folder, expect=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert sorted(folder.iterdir()) == before  # nothing half-written
