"""`sparsecut why`: what the library says, wrong questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from shell import sparsecut


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty people in three groups, with the words of each, and a model of them."""
    folder = tmp_path_factory.mktemp("people")
    generator = np.random.default_rng(0)
    group = np.arange(60) % 3
    A = np.triu(generator.random((60, 60)) < np.where(group[:, None] == group, 0.3, 0.02), 1)
    lines = [f"p{u},p{v}" for u, v in np.argwhere(A)]
    (folder / "edges.csv").write_text("source,target\n" + "\n".join(lines) + "\n", "utf-8")
    words = [("kernel", "margin"), ("gene", "cell"), ("court", "law")]
    rows = [f'p{node},"{" ".join(words[group[node]])} word{node % 7}",{20 + node}' for node in range(60)]
    (folder / "people.csv").write_text("id,words,age\n" + "\n".join(rows) + "\n", "utf-8")
    sparsecut(
        *("embed", "edges.csv", "--features", "people.csv", "-o", "z.parquet", "--save-model", "m.safetensors"),
        folder=folder,
    )
    return folder


WORDS: tuple[Any, ...] = ("--graph", "edges.csv", "--features", "people.csv", "--model", "m.safetensors")


def test_why_says_what_the_library_says(people: Path) -> None:
    done = sparsecut("why", "z.parquet", "p0", "p3", *WORDS, "--json", folder=people)
    (result,) = json.loads(done.stdout)["reasons"]
    graph = sc.read_graph(people / "edges.csv", features=people / "people.csv")
    found = sc.Nearness(sc.load(people / "m.safetensors"), graph).why("p0", "p3")
    assert result["nodes"] == ["p0", "p3"]
    assert result["score"] == pytest.approx(found.score, rel=1e-4)
    assert [one["name"] for one in result["features"]] == found.features.names[:12].tolist()
    shown = sparsecut("why", "z.parquet", "p0", "p3", *WORDS, folder=people).stdout
    assert "p0 and p3: cosine" in shown
    assert "age" in " ".join(found.features.names)
    nearest = json.loads(sparsecut("why", "z.parquet", "p0", "-k", 4, *WORDS, "--json", folder=people).stdout)
    assert len(nearest["reasons"]) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("p0", "p3", "--graph", "edges.csv"), "needs the model"),
        (("p0", "p3", "--model", "m.safetensors"), "needs the graph"),
        (("p0", "p3", "-k", 2, *WORDS), "takes one node with -k"),
        (("p0", "nobody", *WORDS), "nobody"),
    ],
)
def test_wrong_questions_are_refused(people: Path, words: tuple[Any, ...], message: str) -> None:
    done = sparsecut("why", "z.parquet", *words, folder=people, expect=2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
