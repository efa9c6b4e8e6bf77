"""`sparsecut partition`: files, JSON and wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from scipy.cluster.hierarchy import is_valid_linkage

import sparsecut as sc
from report_blocks import meta_of
from shell import sparsecut


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    """Two cliques of five named nodes and an edge between them."""
    lines = ["source,target"]
    for names in ("abcde", "vwxyz"):
        lines += [f"{one},{other}" for position, one in enumerate(names) for other in names[position + 1 :]]
    path = tmp_path / "edges.csv"
    path.write_text("\n".join([*lines, "e,v"]) + "\n")
    return path


def test_the_sparsest_cut_as_a_table_and_as_json(edges: Path) -> None:
    done = sparsecut("partition", edges, "--cut", "--json", "-o", "sides.parquet", folder=edges.parent)
    about = json.loads(done.stdout)
    assert about["value"] == pytest.approx(10 / 25)
    assert 0 < about["lower_bound"] <= about["value"]
    assert (about["cut"], about["size"], about["share"], about["objective"]) == (1, 5, 0.5, "ratio")
    table = pyarrow.parquet.read_table(edges.parent / "sides.parquet").to_pydict()
    sides = dict(zip(table["id"], table["part"], strict=True))
    assert len({sides[name] for name in "abcde"}) == len({sides[name] for name in "vwxyz"}) == 1
    assert sides["a"] != sides["z"]


def test_conductance_and_a_picture(edges: Path) -> None:
    done = sparsecut(
        *("partition", edges, "--cut", "--objective", "conductance", "--draw", "cut.png", "-o", "sides.csv"),
        folder=edges.parent,
    )
    assert "conductance 0.04762" in done.stdout  # 1 of 21 edge ends
    assert (edges.parent / "cut.png").exists()
    assert sorted(pyarrow.csv.read_csv(edges.parent / "sides.csv").column("part").to_pylist()) == [0] * 5 + [1] * 5


def test_parts(edges: Path) -> None:
    done = sparsecut("partition", edges, "--parts", "3", "--imbalance", "0.5", "--json", "-o", "p.csv", folder=edges.parent)
    about = json.loads(done.stdout)
    assert sum(about["sizes"]) == about["n_nodes"] == 10
    assert len(about["sizes"]) == len(about["values"]) == 3
    assert set(pyarrow.csv.read_csv(edges.parent / "p.csv").column("part").to_pylist()) == {0, 1, 2}


def test_weights_fixed_nodes_and_a_picture(edges: Path) -> None:
    """e weighs as much as all others together, so it is alone with whatever is fixed to its part."""
    (edges.parent / "heavy.csv").write_text("id,weight\ne,9\n")
    (edges.parent / "held.csv").write_text("id,part\ne,1\nz,1\n")
    options = ("--parts", "2", "--imbalance", "0.15", "--node-weights", "heavy.csv", "--fixed", "held.csv")
    done = sparsecut("partition", edges, *options, "--draw", "p.png", "--json", "-o", "p.csv", folder=edges.parent)
    table = pyarrow.csv.read_csv(edges.parent / "p.csv").to_pydict()
    assert [name for name, part in zip(table["id"], table["part"], strict=True) if part == 1] == ["e", "z"]
    assert json.loads(done.stdout)["imbalance"] == pytest.approx(10 / 9 - 1)
    assert (edges.parent / "p.png").exists()


def test_the_tree_can_be_read_back_as_a_linkage_and_walked_in_a_page(edges: Path) -> None:
    options = ("--tree", "--json", "--report", "tree.html", "-o", "tree.parquet")
    done = sparsecut("partition", edges, *options, folder=edges.parent)
    assert meta_of(edges.parent / "tree.html")["tree"] == {"nSplits": 9}
    table = pyarrow.parquet.read_table(edges.parent / "tree.parquet").to_pydict()
    inner = [row for row, left in enumerate(table["left"]) if left is not None]
    linkage = np.array(
        [[table["left"][r], table["right"][r], table["size"][r], table["size"][r]] for r in inner], dtype=float
    )
    assert is_valid_linkage(linkage)
    assert sorted(name for name in table["id"] if name) == sorted("abcdevwxyz")
    assert table["parent"][-1] is None
    assert table["value"][-1] == pytest.approx(10 / 25)
    assert json.loads(done.stdout)["cost"] == pytest.approx(sc.hierarchy(sc.read_graph(edges)).cost)


@pytest.mark.slow
def test_a_named_dataset_with_both(tmp_path: Path) -> None:
    done = sparsecut("partition", "digits", "--parts", "10", "--use", "both", "--json", "-o", "p.parquet", folder=tmp_path)
    assert len(json.loads(done.stdout)["sizes"]) == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "p.csv"], "exactly one of --parts K, --tree and --cut"),
        (["--parts", 2, "--cut", "-o", "p.csv"], "exactly one of"),
        (["--parts", 2, "-o", "p.txt"], "must end in .parquet or .csv"),
        (["--parts", 20, "-o", "p.csv"], "at most the number of nodes"),
        (["--tree", "--balance", 0.2, "-o", "p.csv"], "--balance does not go with --tree"),
        (["--cut", "--use", "both", "-o", "p.csv"], "--use does not go with --cut"),
        (["--cut", "--imbalance", 0.1, "-o", "p.csv"], "--imbalance does not go with --cut"),
        (["--cut", "--objective", "modularity", "-o", "p.csv"], "one of 'ratio', 'conductance'"),
        (["--parts", 2, "--objective", "ratio", "-o", "p.csv"], "one of 'cut', 'conductance', 'modularity'"),
        (["--cut", "--balance", 0.7, "-o", "p.csv"], "at most 0.5"),
        (["--parts", 2, "--use", "both", "-o", "p.csv"], "no features"),
    ],
)
def test_wrong_input_is_one_sentence(edges: Path, options: list, message: str) -> None:
    done = sparsecut("partition", edges, *options, folder=edges.parent, expect=2)
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert not (edges.parent / "p.csv").exists()


def test_parts_that_are_no_numbers_are_named(edges: Path) -> None:
    (edges.parent / "held.csv").write_text("id,part\na,first\n")
    done = sparsecut("partition", edges, "--parts", 2, "--fixed", "held.csv", "-o", "p.csv", folder=edges.parent, expect=2)
    assert "held.csv must have a number for each node" in done.stderr


def test_an_existing_file_is_kept(edges: Path) -> None:
    (edges.parent / "p.csv").write_text("mine")
    done = sparsecut("partition", edges, "--cut", "-o", "p.csv", folder=edges.parent, expect=2)
    assert "--force" in done.stderr or "exists" in done.stderr
    assert (edges.parent / "p.csv").read_text() == "mine"
    sparsecut("partition", edges, "--cut", "-o", "p.csv", "--force", folder=edges.parent)
