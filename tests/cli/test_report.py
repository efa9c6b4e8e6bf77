"""`sparsecut report`: what it reads, the command it repeats, what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from report_blocks import meta_of, section
from shell import sparsecut


@pytest.mark.slow
def test_report_reads_graph_labels_nodes_and_model(tmp_path: Path) -> None:
    options = ("--dimension", 8, "--solver", "adam", "--epochs", 4, "--save-model", "model.safetensors", "-o", "z.parquet")
    sparsecut("embed", "digits", *options, folder=tmp_path)
    (tmp_path / "nodes.csv").write_text("id,writer\n" + "\n".join(f"{number},w{number % 9}" for number in range(1797)))
    command = ("report", "z.parquet", "--graph", "digits", "--nodes", "nodes.csv", "--model", "model.safetensors")
    done = sparsecut(*command, "--layout", "pca", "-o", "r.html", folder=tmp_path)
    assert "r.html" in done.stdout
    meta = meta_of(tmp_path / "r.html")
    assert [column["name"] for column in meta["columns"]] == ["label", "degree", "length", "cluster", "writer"]
    assert {"choices", "separation", "degree"} <= {found["id"] for found in meta["sections"]}
    assert meta["title"] == "z.parquet"
    repeat = section(meta, "repeat")["code"]
    assert repeat == (
        "sparsecut report z.parquet --graph digits --nodes nodes.csv --model model.safetensors --layout pca --force "
        "-o r.html"
    )
    error = sparsecut(*command, "-o", "r.html", folder=tmp_path, expect=2).stderr
    assert "--force" in error
    sparsecut(*repeat.split()[1:], folder=tmp_path)  # the command in the page works as it stands


def test_an_earlier_embedding_and_recommendations_are_in_the_page_and_in_its_command(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    Z = generator.normal(size=(30, 4))
    ids = [f"p{number}" for number in range(30)]
    sc.write_embedding(tmp_path / "z.parquet", Z, ids)
    sc.write_embedding(tmp_path / "old.parquet", -Z[5:], ids[5:])
    pairs = [(one, other) for one in range(30) for other in (one + 1, one + 2) if other < 30]
    (tmp_path / "edges.csv").write_text("source,target\n" + "\n".join(f"p{one},p{other}" for one, other in pairs))
    command = ("report", "z.parquet", "--graph", "edges.csv", "--before", "old.parquet", "--layout", "pca", "--recommend")
    sparsecut(*command, "-o", "r.html", folder=tmp_path)
    meta = meta_of(tmp_path / "r.html")
    assert meta["recommended"] == {"k": 5}
    assert section(meta, "before")["sentences"][0] == "Nodes in both embeddings: 25. New: 5. Gone: 0."
    assert section(meta, "repeat")["code"] == (
        "sparsecut report z.parquet --graph edges.csv --before old.parquet --layout pca --recommend --force -o r.html"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z.parquet", "-o", "r.pdf"), "must end in .html"),
        (("z.parquet", "--layout", "magic"), "must be one of"),
        (("z.parquet", "--labels", "nothing.csv"), "does not exist"),
        (("z.parquet", "--nodes", "nothing.csv"), "does not exist"),
        (("z.parquet", "--graph", "digits"), "does not have these nodes of the embedding: 'p0'"),
        (("z.parquet", "--model", "z.parquet"), "no model could be read"),
        (("z.parquet", "--before", "nothing.parquet"), "does not exist"),
        (("z.parquet", "--recommend"), "--recommend needs the known links"),
    ],
)
def test_wrong_reports_are_one_sentence_and_no_file(thirty: Any, arguments: tuple[Any, ...], message: str) -> None:
    before = sorted(path.name for path in thirty[0].iterdir())
    done = sparsecut("report", "-q", *arguments, folder=thirty[0], expect=2)
    assert message in done.stderr
    assert sorted(path.name for path in thirty[0].iterdir()) == before
