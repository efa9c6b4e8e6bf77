"""Completion as a shell asks for it, and the lists it answers from, held to the library's own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import prepared
from sparsecut.cli import completion


def complete(words: str, folder: Path) -> list[str]:
    """What bash is given for the last word of a command line."""
    asked = {"_SPARSECUT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "from sparsecut.cli import app; app(prog_name='sparsecut')"
    done = subprocess.run(
        [prepared.python(), "-c", code], capture_output=True, text=True, cwd=folder, env={**os.environ, **asked}, check=True
    )
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("sparsecut em", ["embed"]),
        ("sparsecut embed --method graphsage-m", ["graphsage-mean"]),
        ("sparsecut embed cora --device ", ["auto", "cpu", "cuda"]),
        ("sparsecut embed cora --filter p", ["pagerank", "paired", "power"]),
        ("sparsecut reproduce t", ["table1", "time"]),
        ("sparsecut reproduce time --method ", ["G2G", "DGI", "SCE"]),
        ("sparsecut compare cora --methods sce,mo", ["sce,mosce"]),
        ("sparsecut datasets am", ["amazon_photo", "amazon_computers"]),
        ("sparsecut embed ci", ["citeseer", "circles.csv"]),
        ("sparsecut embed sub/", []),  # left to the shell
    ],
)
def test_a_shell_is_told_what_fits(words: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "circles.csv").touch()
    (tmp_path / ".cities.csv").touch()
    assert complete(words, tmp_path) == expected


def test_a_word_that_is_there_is_not_offered_again() -> None:
    assert completion.completing_list(("own", "smoothed"))("own,") == ["own,smoothed"]
    assert completion.completing_list(("own", "smoothed"))("o") == ["own"]


def test_the_lists_are_the_librarys() -> None:

    from sparsecut import datasets
    from sparsecut.cuts.kway import EFFORTS, KWAY_OBJECTIVES
    from sparsecut.cuts.objective import OBJECTIVES
    from sparsecut.evaluation import PROTOCOLS
    from sparsecut.evaluation.split_choice import OF_A_DATASET, is_word
    from sparsecut.explore import METHODS, METRICS
    from sparsecut.graph import DIRECTIONS
    from sparsecut.io import MISSING
    from sparsecut.io.formats.graph_format import all_formats
    from sparsecut.model.channels import CHANNELS, FEATURES
    from sparsecut.model.published import paper_settings
    from sparsecut.model.sce import SCE

    assert completion.format_suffixes() == sorted(suffix for one in all_formats() for suffix in one.suffixes)
    assert datasets.names() == completion.dataset_names()
    assert completion.CHANNELS == CHANNELS
    assert completion.USES == FEATURES
    assert tuple(PROTOCOLS) == completion.PROBES
    assert set(OF_A_DATASET) < set(completion.SPLITS)
    assert all(is_word(word) for word in completion.SPLITS)
    assert completion.METRICS == METRICS
    assert ("auto", *METHODS) == completion.LAYOUTS
    assert completion.DIRECTIONS == DIRECTIONS
    assert completion.MISSING == MISSING
    assert completion.OBJECTIVES == OBJECTIVES
    assert completion.KWAY_OBJECTIVES == KWAY_OBJECTIVES
    assert completion.EFFORTS == EFFORTS
    assert all(paper_settings(SCE, name) for name in completion.PAPER_DATASETS)
