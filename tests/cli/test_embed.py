"""`sparsecut embed`: what it writes, prints and refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from cli_files import WORDS
from report_blocks import meta_of
from shell import sparsecut
from sparsecut import SCE, read_embedding
from sparsecut.io.embeddings import read_positions


@pytest.mark.parametrize("suffix", ["parquet", "npy", "npz", "csv"])
def test_embed_writes_what_python_computes_with_the_ids(folder: Path, suffix: str) -> None:
    sparsecut("embed", "edges.csv", "-f", "features.csv", "--no-scale", "-o", f"z.{suffix}", "--seed", "3", folder=folder)
    Z, ids = read_embedding(folder / f"z.{suffix}")
    assert list(ids) == WORDS
    rows = [line.split(",") for line in (folder / "features.csv").read_text().splitlines()[1:]]
    features = np.array([row[1:] for row in rows], dtype=np.float32)
    adjacency = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    assert np.allclose(Z, SCE(random_state=3).fit(adjacency, features=features).embedding_, atol=1e-5)


def test_json_is_one_object_and_quiet_is_quiet(folder: Path) -> None:
    arguments = ("embed", "edges.csv", "-f", "features.csv", "-o")
    done = sparsecut(*arguments, "z.npz", "--json", "--method", "mosce", "--solver", "adam", "--epochs", 3, folder=folder)
    result = json.loads(done.stdout)
    assert (result["n_nodes"], result["dimension"], len(result["history"]["loss"])) == (6, 4, 3)
    assert done.stderr == ""
    done = sparsecut(*arguments, "y.npz", "--quiet", folder=folder)
    assert (done.stdout, done.stderr) == ("", "")


def test_embed_says_how_it_read_the_edges(folder: Path) -> None:
    done = sparsecut("embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", folder=folder)
    assert "source in column 'source', target in column 'target'" in done.stderr
    assert "6 nodes × 13 dimensions" in done.stdout


def test_paper_settings_from_the_command_line(folder: Path) -> None:
    arguments = ("embed", "edges.csv", "-f", "features.csv", "-o", "z.npz", "--force", "--json", "--dimension", 3, "--paper")
    assert len(json.loads(sparsecut(*arguments, "cora", folder=folder).stdout)["history"]["loss"]) == 20
    done = sparsecut(*arguments, "imdb", folder=folder, expect=2)
    assert "The paper has no settings for 'imdb'" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_output(folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o555)
    done = sparsecut("embed", "edges.csv", "-f", "features.csv", "-o", "closed/z.npy", folder=folder, expect=2)
    assert "cannot be written: Permission denied" in done.stderr


def test_an_output_the_system_refuses(folder: Path) -> None:
    done = sparsecut("embed", "edges.csv", "-f", "features.csv", "-o", "/proc/z.npy", folder=folder, expect=2)
    assert "The output /proc/z.npy" in done.stderr


def test_embed_writes_positions_that_others_and_the_report_find(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from sparsecut import layout

    (tmp_path / "ring.csv").write_text("a,b\n" + "".join(f"{node},{(node + 1) % 60}\n" for node in range(60)))
    embed = ("embed", "ring.csv", "--dimension", 8)
    sparsecut(*embed, "--xy", "-o", "z.parquet", folder=tmp_path)
    table = pq.read_table(tmp_path / "z.parquet")
    assert table.column_names == ["id", "x", "y", "embedding"]
    Z, ids = read_embedding(tmp_path / "z.parquet")
    xy = read_positions(tmp_path / "z.parquet")
    np.testing.assert_array_equal(xy, layout(Z))
    assert len(ids) == 60
    sparsecut("report", "z.parquet", folder=tmp_path)
    assert "given beside the vectors" in str(meta_of(tmp_path / "report.html")["sections"][-1])
    sparsecut(*embed, "-o", "plain.parquet", folder=tmp_path)
    assert read_positions(tmp_path / "plain.parquet") is None
    error = sparsecut(*embed, "--xy", "-o", "z.npy", folder=tmp_path, expect=2).stderr
    assert "--xy writes the columns x and y of a .parquet file" in error


def test_a_wrong_word_is_told_before_the_graph_is_read(folder: Path) -> None:
    done = sparsecut("embed", "nothing.csv", "--filter", "wide", "-o", "z.npy", folder=folder, expect=2)
    assert "The filter parameter of SCE must be one of 'auto', 'average'" in done.stderr
