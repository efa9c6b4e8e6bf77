"""The options of embed and transform that say how to read and write, run as a user runs them."""

import subprocess
import sys

import numpy as np
import pytest

import sparsecut as sc


def run(*arguments, folder):
    return subprocess.run(
        [sys.executable, "-c", "from sparsecut.cli import main; main()", *map(str, arguments)],
        capture_output=True, text=True, cwd=folder, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    generator = np.random.default_rng(0)
    edges = generator.integers(0, 30, (120, 2))
    (folder / "edges.csv").write_text("when,buyer,seller,price\n" + "".join(f"1,n{a},n{b},{a % 5 + 1}\n" for a, b in edges))
    rows = [f"n{node},{node % 7},{'xyz'[node % 3]},{'pq'[node % 2]}\n" for node in range(29)]
    (folder / "nodes.csv").write_text("id,age,city,team\n" + "".join(rows))
    return folder


COLUMNS = ("--source", "buyer", "--target", "seller", "--weight", "price")


def test_embed_with_named_columns_and_a_sibling_table(folder):
    command = ("embed", "edges.csv", *COLUMNS, "--features", "age,city", "-l", "team", "--missing", "zero", "-o", "z.tsv")
    done = run(*command, "--dimension", 3, "--save-model", "m.safetensors", folder=folder)
    assert done.returncode == 0, done.stderr
    notes = " ".join(done.stderr.split())
    assert "source in column 'buyer', target in column 'seller', weight in column 'price'" in notes
    assert "1 column of numbers standardised; 'city' became 3 features" in notes
    lines = (folder / "z.metadata.tsv").read_text().splitlines()
    assert lines[:2] == ["id\tlabel", "n0\tp"]
    assert len(sc.read_embedding(folder / "z.tsv")[1]) == 30

    again = run(*command, "--dimension", 3, folder=folder)
    assert again.returncode == 2
    assert "The output z.tsv exists. Pass overwrite=True (--force) to replace it." in " ".join(again.stderr.split())
    assert run(*command, "--dimension", 3, "--force", folder=folder).returncode == 0
    model = run(*command[:-1], "y.npy", "--save-model", "m.safetensors", folder=folder)
    assert model.returncode == 2
    assert "The output m.safetensors exists" in model.stderr
    assert not (folder / "y.npy").exists()

    transform = ("transform", "m.safetensors", "edges.csv", *COLUMNS, "--features", "age,city", "--missing", "zero")
    assert run(*transform, "-o", "t.vec", folder=folder).returncode == 0
    assert sc.read_embedding(folder / "t.vec")[1] == pytest.approx(sc.read_embedding(folder / "z.tsv")[1], abs=1e-5)
    assert "exists" in run(*transform, "-o", "t.vec", folder=folder).stderr
    assert run(*transform, "-o", "t.vec", "--force", "--directed", "out", folder=folder).returncode == 0
    assert not np.allclose(sc.read_embedding(folder / "t.vec")[1], sc.read_embedding(folder / "z.tsv")[1])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("edges.csv", *COLUMNS, "--features", "age,city"),
         "The edge file edges.csv names nodes that the features file nodes.csv does not: n29. missing='zero' "
         "(--missing zero) gives them zeros."),
        (("edges.csv", "--missing", "none"), "The --missing parameter of sparsecut must be one of 'error', 'zero'. "
                                             "Got 'none' instead."),
        (("edges.csv", "--directed", "up"), "The --directed parameter of sparsecut must be one of 'symmetrize', 'out', "
                                            "'in'. Got 'up' instead."),
        (("edges.csv", "--source", "who"), "The edge file edges.csv has no column 'who' for the source. It has: when, "
                                           "buyer, seller, price."),
        (("digits", "--features", "x.npy"), "The dataset digits has its own features. Leave --features out."),
        (("digits", "--weight", "w"), "The dataset digits has its own weight. Leave --weight out."),
    ],
)  # fmt: skip
def test_wrong_options_are_one_sentence(folder, arguments, expected):
    done = run("embed", *arguments, "-o", "never.parquet", folder=folder)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"Error: {expected}"
    assert "Traceback" not in done.stderr
    assert not (folder / "never.parquet").exists()
