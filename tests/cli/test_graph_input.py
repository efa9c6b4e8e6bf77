"""GRAPH and the options that say how to read it, in every command that has them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sparsecut as sc
from shell import sparsecut


def run(*arguments, folder):
    return sparsecut(*arguments, folder=folder, expect=None)


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
    assert len(sc.read_embedding(folder / "z.tsv").vectors) == 30

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
    assert sc.read_embedding(folder / "t.vec").vectors == pytest.approx(
        sc.read_embedding(folder / "z.tsv").vectors, abs=1e-5
    )
    assert "exists" in run(*transform, "-o", "t.vec", folder=folder).stderr
    assert run(*transform, "-o", "t.vec", "--force", folder=folder).returncode == 0
    other = run(*transform, "-o", "d.vec", "--directed", "out", folder=folder)
    assert other.returncode == 2
    assert "fitted on an undirected graph. Got a directed one" in " ".join(other.stderr.split())


def test_every_note_is_printed_once_and_is_in_the_json(tmp_path):
    rows = "".join(f"n{a},n{(7 * a + 1) % 23}\n" for a in range(23))
    (tmp_path / "edges.csv").write_text(f"wer,wen\n{rows}n3,n3\n")
    command = ("embed", "edges.csv", "--dimension", 3, "-o", "z.npy", "--force")
    done = run(*command, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    told = "The first line of the edge file edges.csv, 'wer,wen', was taken for a header: "
    assert " ".join(done.stderr.split()).count(told) == 1
    notes = json.loads(run(*command, "--json", folder=tmp_path).stdout)["notes"]
    assert [note.startswith(told) for note in notes].count(True) == 1
    assert any(note.startswith("Edges: edges.csv, separated by commas, with a header;") for note in notes)
    assert "2 self-loops were dropped: filters count each node in its own neighbourhood once." in notes
    assert len(set(notes)) == len(notes)
    settled = json.loads(run(*command, "--json", "--header", folder=tmp_path).stdout)
    assert (settled["n_nodes"], [note for note in settled["notes"] if "first line" in note]) == (23, [])
    assert json.loads(run(*command, "--json", "--no-header", folder=tmp_path).stdout)["n_nodes"] == 25
    assert run(*command, "-q", folder=tmp_path).stderr == ""


def test_a_directed_matrix_is_told_once(tmp_path):
    (tmp_path / "x.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n")
    done = run("embed", "x.mtx", "--dimension", 2, "-o", "z.npy", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("was made undirected") == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("edges.csv", *COLUMNS, "--features", "age,city"),
         "The edge file edges.csv names nodes that the features file nodes.csv does not: 'n29'. missing='zero' "
         "(--missing zero) gives them zeros. Its column 'id' was read as node ids. If another column holds them, name it: "
         "id_column=… (--id-column …)."),
        (("edges.csv", "--missing", "none"), "The --missing parameter of sparsecut must be one of 'error', 'zero'. "
                                             "Got 'none' instead."),
        (("edges.csv", "--directed", "up"), "The --directed parameter of sparsecut must be one of 'symmetrize', 'out', "
                                            "'in'. Got 'up' instead."),
        (("edges.csv", "--source", "who"), "The edge file edges.csv has no column 'who' for the source. It has: when, "
                                           "buyer, seller, price."),
        (("digits", "--features", "x.npy"), "The dataset digits has its own features. Leave --features out."),
        (("digits", "--weight", "w"), "The dataset digits has its own weight. Leave --weight out."),
        (("digits", "--label-column", "w"), "The dataset digits has its own label-column. Leave --label-column out."),
        (("edges.csv", "--separator", "::"), "The separator of a text file must be one character, or one of comma, tab, "
                                             "semicolon, space. Got '::' instead."),
    ],
)  # fmt: skip
def test_wrong_options_are_one_sentence(folder, arguments, expected):
    done = run("embed", *arguments, "-o", "never.parquet", folder=folder)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"Error: {expected}"
    assert "Traceback" not in done.stderr
    assert not (folder / "never.parquet").exists()


@pytest.fixture(scope="module")
def attributes(tmp_path_factory):
    """Node-link JSON with two groups of 15, their ages and the name of the group at the nodes."""
    folder = tmp_path_factory.mktemp("attributes")
    generator = np.random.default_rng(0)
    nodes = [{"id": f"n{i}", "team": "pq"[i % 2], "age": i % 7 + 20 * (i % 2), "size": i / 3} for i in range(30)]
    pairs = [(i, j) for i in range(30) for j in range(i) if generator.random() < (0.5 if i % 2 == j % 2 else 0.05)]
    links = [{"source": f"n{i}", "target": f"n{j}"} for i, j in pairs]
    (folder / "x.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    return folder


@pytest.mark.slow
def test_attributes_inside_the_graph_file_serve_every_command(attributes):
    embed = run("embed", "x.json", "-f", "age,size", "-l", "team", "-o", "z.tsv", "--save-model", "m.safetensors",
                folder=attributes)  # fmt: skip
    assert embed.returncode == 0, embed.stderr
    graph = sc.read_graph(attributes / "x.json", features=["age", "size"], labels="team")
    Z, ids = sc.read_embedding(attributes / "z.tsv")
    np.testing.assert_allclose(Z, sc.SCE().fit_transform(graph), atol=1e-5)
    assert ids.tolist() == graph.node_ids.tolist()
    rows = (attributes / "z.metadata.tsv").read_text().splitlines()[1:]
    assert [row.split("\t")[1] for row in rows] == graph.labels.tolist()
    again = run("transform", "m.safetensors", "x.json", "--features", "age,size", "-o", "t.npz", folder=attributes)
    assert again.returncode == 0, again.stderr
    np.testing.assert_allclose(sc.read_embedding(attributes / "t.npz").vectors, Z, atol=1e-5)
    scored = run("evaluate", "z.tsv", "--graph", "x.json", "-l", "team", "--per-class", 2, "--splits", 4, "--json",
                 folder=attributes)  # fmt: skip
    assert scored.returncode == 0, scored.stderr
    expected = sc.evaluate(Z, graph.labels, per_class=2, n_splits=4)
    assert json.loads(scored.stdout)["per_class"]["2"]["accuracy"] == pytest.approx(expected.mean)
    compared = run("compare", "x.json", "-f", "age,size", "-l", "team", "--methods", "raw", "--per-class", 2, "--splits", 4,
                   "--json", folder=attributes)  # fmt: skip
    assert compared.returncode == 0, compared.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("embed", "x.json", "-f", "height", "-o", "n.npz"), "'height' is neither a file nor in the graph file x.json. The "
                                                             "file has node attributes: 'age', 'size', 'team'."),
        (("compare", "x.json", "-l", "group", "--methods", "raw"), "'group' is neither a file nor in the graph file x.json. "
                                                                   "The file has node attributes: 'age', 'size', 'team'."),
        (("evaluate", "v.npz", "--graph", "x.json", "-l", "why"), "'why' is neither a file nor in the graph file x.json. "
                                                                  "The file has node attributes: 'age', 'size', 'team'."),
        (("evaluate", "v.npz", "-l", "team"), "'team' is neither a file nor a dataset. For an attribute in a graph's file, "
                                              "add --graph FILE."),
    ],
)  # fmt: skip
def test_a_name_that_the_file_has_not_is_one_sentence(attributes, arguments, expected):
    sc.write_embedding(attributes / "v.npz", np.eye(30), [f"n{i}" for i in range(30)], overwrite=True)
    done = run(*arguments, folder=attributes)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"Error: {expected}"


def test_the_scale_is_chosen_named_for_columns_or_none(folder):
    generator = np.random.default_rng(3)
    balances = generator.lognormal(5, 2.5, 400)
    rows = "".join(f"m{node},{balances[node]},{node % 50}\n" for node in range(400))
    (folder / "accounts.csv").write_text("id,balance,age\n" + rows)
    (folder / "paid.csv").write_text("source,target\n" + "".join(f"m{k},m{(k + 7) % 400}\n" for k in range(400)))
    expected = {
        (): ("log(balance)", "age"),
        ("--scale", "standard"): ("balance", "age"),
        ("--scale", "rank"): ("rank(balance)", "rank(age)"),
        ("--scale", "balance=none,age=log"): ("balance", "log(age)"),
    }
    for options, names in expected.items():
        command = ("embed", "paid.csv", "-f", "accounts.csv", *options, "--dimension", 2, "-o", "z.npz", "--force")
        done = run(*command, "--save-model", "scaled.safetensors", folder=folder)
        assert done.returncode == 0, done.stderr
        assert sc.load(folder / "scaled.safetensors").encoder_.names_out == names
    done = run("embed", "paid.csv", "-f", "accounts.csv", "--scale", "cube", "-o", "y.npz", folder=folder)
    assert done.returncode == 2
    assert "must be 'auto', 'standard', 'log', 'rank'" in " ".join(done.stderr.split())
    assert not (folder / "y.npz").exists()


def test_ids_are_found_by_their_values_or_named(tmp_path):
    """The same vectors whether the column is called id, anything else, or is one of two and named."""
    order = np.random.default_rng(1).permutation(30)
    edges = [(a, (a + step) % 30) for a in range(30) for step in (1, 7)]
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges))
    for name, header, more in (
        ("id", "id,age,height", False),
        ("konto", "age,height,konto", False),
        ("both", "age,height,konto,partner", True),
    ):
        rows = [
            f"{node},{node % 7},{node**2}\n"
            if name == "id"
            else f"{node % 7},{node**2},{node}{f',{29 - node}' if more else ''}\n"
            for node in order
        ]
        (tmp_path / f"{name}.csv").write_text(f"{header}\n" + "".join(rows))

    def vectors(name, *options):
        done = run("embed", "edges.csv", "--features", f"{name}.csv", "--dimension", 2, "-o", f"{name}.npz", *options,
                   folder=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        Z, ids = sc.read_embedding(tmp_path / f"{name}.npz")
        return Z[np.argsort(ids)]

    np.testing.assert_allclose(vectors("konto"), vectors("id"), atol=1e-5)
    refused = run("embed", "edges.csv", "--features", "both.csv", "-o", "x.npz", folder=tmp_path)
    assert refused.returncode == 2
    assert "id_column='konto' or id_column='partner'" in " ".join(refused.stderr.split())
    named = vectors("both", "--id-column", "konto", "--feature-columns", "age,height")
    np.testing.assert_allclose(named, vectors("id", "--force"), atol=1e-5)
