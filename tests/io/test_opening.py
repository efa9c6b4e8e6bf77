"""A packed file, or one in another encoding, is read as the plain one is; one that is damaged is told in a sentence."""

from __future__ import annotations

import bz2
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from packing import pack
from sparsecut.io import opening
from sparsecut.io.opening import PACKED_SUFFIXES, check_encoding, open_bytes, table_suffix
from sparsecut.updates.change_files import read_changes

NAMES = ["Ærø", "Zoë", "Noël", "Łódź", "δ"]
LINKS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)]
EDGES = "".join(f"{NAMES[i]},{NAMES[j]}\n" for i, j in LINKS)

GRAPHS = {
    "edges.csv": "source,target\n" + EDGES,
    "edges.tsv": "source\ttarget\n" + EDGES.replace(",", "\t"),
    "edges.txt": "# a comment\n" + EDGES.replace(",", "  "),
    "edges.edgelist": EDGES.replace(",", " "),
    "graph.json": json.dumps(
        {
            "nodes": [{"id": name} for name in NAMES],
            "links": [{"source": NAMES[i], "target": NAMES[j]} for i, j in LINKS],
        },
        ensure_ascii=False,
    ),
    "graph.graphml": '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    + "".join(f'<node id="{name}"/>' for name in NAMES)
    + "".join(f'<edge source="{NAMES[i]}" target="{NAMES[j]}"/>' for i, j in LINKS)
    + "</graph></graphml>",
    "graph.gml": "graph [\n"
    + "".join(f'  node [\n    id {place}\n    label "{name}"\n  ]\n' for place, name in enumerate(NAMES))
    + "".join(f"  edge [\n    source {i}\n    target {j}\n  ]\n" for i, j in LINKS)
    + "]\n",
    "matrix.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 6\n"
    + "".join(f"{max(i, j) + 1} {min(i, j) + 1}\n" for i, j in LINKS),
    "nodes.graph": "5 6\n2 3 5\n1 3\n1 2 4\n3 5\n1 4\n",
}


def links_of(graph: sc.Graph) -> set[frozenset[Any]]:
    i, j = graph.adjacency.nonzero()
    return {frozenset((graph.node_ids[a], graph.node_ids[b])) for a, b in zip(i, j, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_packed_graph_is_the_plain_one(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(GRAPHS[name], "utf-8")
    plain, packed = sc.read_graph(path), sc.read_graph(pack(path, suffix))
    named = NAMES if not name.startswith(("matrix", "nodes")) else plain.node_ids.tolist()
    assert links_of(plain) == {frozenset((named[i], named[j])) for i, j in LINKS}
    assert packed.node_ids.tolist() == plain.node_ids.tolist()
    assert (packed.adjacency != plain.adjacency).nnz == 0


TABLES = {
    "table.csv": "id,age,city\n" + "".join(f"{name},{place * 1.5},{'xy'[place % 2]}\n" for place, name in enumerate(NAMES)),
    "table.tsv": "id\tage\tcity\n"
    + "".join(f"{name}\t{place * 1.5}\t{'xy'[place % 2]}\n" for place, name in enumerate(NAMES)),
    "table.json": json.dumps(
        {name: ["a", "b", "c"][: place % 3 + 1] for place, name in enumerate(NAMES)}, ensure_ascii=False
    ),
}


@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
@pytest.mark.parametrize("name", TABLES)
def test_packed_features_and_labels_are_the_plain_ones(name: str, suffix: str, tmp_path: Path) -> None:
    edges, table, labels = tmp_path / "links.csv", tmp_path / name, tmp_path / "labels.csv"
    edges.write_text(GRAPHS["edges.csv"], "utf-8")
    table.write_text(TABLES[name], "utf-8")
    labels.write_text("id,label\n" + "".join(f"{name},{name[0]}\n" for name in NAMES), "utf-8")
    plain = sc.read_graph(edges, features=table, labels=labels)
    packed = sc.read_graph(edges, features=pack(table, suffix), labels=pack(labels, suffix))
    assert packed.labels.tolist() == plain.labels.tolist()
    assert [label[0] for label in plain.node_ids] == plain.labels.tolist()
    assert packed.node_ids.tolist() == plain.node_ids.tolist()
    assert np.array_equal(*(sc.SCE(dimension=2).fit_transform(graph) for graph in (plain, packed)))


@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
def test_the_node_table_beside_packed_edges_is_found(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(GRAPHS["edges.csv"], "utf-8")
    (tmp_path / "nodes.csv").write_text(TABLES["table.csv"], "utf-8")
    plain = sc.read_graph(tmp_path / "edges.csv", features="age")
    edges, _ = pack(tmp_path / "edges.csv", suffix), pack(tmp_path / "nodes.csv", suffix)
    (tmp_path / "nodes.csv").unlink()
    assert sc.read_graph(edges, features="age").node_ids.tolist() == plain.node_ids.tolist() == NAMES


@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
@pytest.mark.parametrize("name", ["vectors.csv", "vectors.w2v", "vectors.vec", "vectors.tsv"])
def test_a_packed_embedding_is_the_plain_one(name: str, suffix: str, tmp_path: Path) -> None:
    Z = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    sc.write_embedding(tmp_path / name, Z, NAMES)
    packed = pack(tmp_path / name, suffix)
    (tmp_path / name).unlink()
    if name.endswith(".tsv"):
        pack(tmp_path / "vectors.metadata.tsv", suffix)
        (tmp_path / "vectors.metadata.tsv").unlink()
    vectors, ids = sc.read_embedding(packed)
    assert ids.tolist() == NAMES
    assert np.allclose(vectors, Z, atol=1e-6)


CHANGES = {
    "changes.csv": "op,source,target\nadd,Ærø,Łódź\nremove,Ærø,Zoë\n",
    "changes.tsv": "op\tsource\ttarget\nadd\tÆrø\tŁódź\nremove\tÆrø\tZoë\n",
    "changes.ndjson": '{"op": "add", "source": "Ærø", "target": "Łódź"}\n'
    '{"op": "remove", "source": "Ærø", "target": "Zoë"}\n',
}


@pytest.mark.parametrize("suffix", ["", *PACKED_SUFFIXES])
@pytest.mark.parametrize("encoding", [None, "utf-16", "gb18030"])
@pytest.mark.parametrize("name", CHANGES)
def test_changes_packed_and_in_any_encoding(name: str, encoding: str | None, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(CHANGES[name].encode(encoding or "utf-8"))
    path = pack(path, suffix) if suffix else path
    read = [line.parse(str) for line in read_changes(path, encoding)]
    assert [(change.op, change.source, change.target) for change in read] == [
        ("add", "Ærø", "Łódź"),
        ("remove", "Ærø", "Zoë"),
    ]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zip"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "gb18030"])
@pytest.mark.parametrize("name", [name for name in GRAPHS if not name.startswith(("matrix", "nodes"))])
def test_a_graph_in_another_encoding_is_the_one_in_utf8(name: str, encoding: str, suffix: str, tmp_path: Path) -> None:
    def written(text: str, file: str) -> Path:
        (tmp_path / file).write_bytes(text.encode(encoding))
        return pack(tmp_path / file, suffix) if suffix else tmp_path / file

    labels = written("id,label\n" + "".join(f"{node},{node[0]}\n" for node in NAMES), "labels.csv")
    read = sc.read_graph(written(GRAPHS[name], name), labels=labels, encoding=encoding)
    assert links_of(read) == {frozenset((NAMES[i], NAMES[j])) for i, j in LINKS}
    assert read.labels.tolist() == [str(node)[0] for node in read.node_ids]


def test_an_embedding_in_another_encoding(tmp_path: Path) -> None:
    for name in ("vectors.csv", "vectors.w2v"):
        sc.write_embedding(tmp_path / name, np.eye(2), ["Zoë", "Noël"])
        (tmp_path / name).write_bytes((tmp_path / name).read_text("utf-8").encode("latin-1"))
        assert sc.read_embedding(tmp_path / name, encoding="latin-1").ids.tolist() == ["Zoë", "Noël"]
        with pytest.raises(sc.InputError, match=r"--encoding"):
            sc.read_embedding(tmp_path / name)


def message(call: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    with pytest.raises(sc.InputError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def test_a_wrong_encoding_is_told_with_the_option_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    many = "source,target\n" + "".join(f"n{n},n{n + 1}\n" for n in range(200_000))
    for before in ("source,target\n", many):  # at the beginning, and behind all that is looked at to guess the layout
        path.write_bytes((before + "Zoë,n1\n").encode("latin-1"))
        said = message(sc.read_graph, path)
        assert said.startswith(f"The edge file {path} is not UTF-8 text at byte {len(before) + 2:,}.")
        assert "encoding='latin-1'" in said
        assert "--encoding latin-1" in said
        assert "Zoë" in sc.read_graph(path, encoding="latin-1").node_ids
    said = message(sc.read_graph, path, encoding="ascii")
    assert said.startswith(f"The edge file {path} is not ASCII text at byte {len(many) + 2:,}.")
    assert "--encoding" in said
    for name in ("graph.json", "graph.gml", "graph.graphml"):
        (tmp_path / name).write_bytes(GRAPHS[name].replace("Łódź", "x").replace("δ", "y").encode("latin-1"))
        assert "--encoding" in message(sc.read_graph, tmp_path / name)
    (tmp_path / "changes.csv").write_bytes("op,source,target\nadd,Zoë,b\n".encode("latin-1"))
    said = message(list, read_changes(tmp_path / "changes.csv"))
    assert "is not UTF-8 text at byte 23." in said
    assert "--encoding" in said
    table = tmp_path / "features.csv"
    table.write_bytes("id,city\n0,Zürich\n1,Genève\n2,Bern\n".encode("latin-1"))
    path.write_text("source,target\n0,1\n1,2\n")
    assert "--encoding" in message(sc.read_graph, path, features=table)


def test_what_is_no_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(GRAPHS["edges.csv"], "utf-8")
    for wrong in ("utf-99", "base64", 8, ""):
        said = message(sc.read_graph, path, encoding=wrong)
        assert said.startswith("The encoding parameter of read_graph must be the name of a text encoding such as 'utf-8'"), (
            said
        )
    assert [check_encoding("x", name) for name in (None, "UTF8", "utf_8", "Latin1")] == [None, None, None, "iso8859-1"]


def test_a_zip_holds_one_file(tmp_path: Path) -> None:
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/", "")
        archive.writestr("data/edges.csv", GRAPHS["edges.csv"])
        archive.writestr("__MACOSX/data/._edges.csv", "what macOS adds")
    assert table_suffix(path) == ".csv"
    assert sorted(sc.read_graph(path).node_ids) == sorted(NAMES)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("data/nodes.csv", "id\n")
    said = message(sc.read_graph, path)
    assert said == (
        f"The file {path} holds 2 files (data/edges.csv, data/nodes.csv), and a .zip must hold one. Unpack it, and name the "
        "file that is meant."
    )
    with zipfile.ZipFile(tmp_path / "empty.csv.zip", "w"):
        pass
    assert "holds 0 files, and a .zip must hold one" in message(sc.read_graph, tmp_path / "empty.csv.zip")


@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
def test_a_packed_file_that_is_cut_or_is_none(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(GRAPHS["edges.csv"] * 100, "utf-8")
    packed = pack(path, suffix)
    packed.write_bytes(packed.read_bytes()[:-20])
    assert message(sc.read_graph, packed).startswith(f"The edge file {packed} could not be read: ")
    packed.write_bytes(b"source,target\na,b\n")
    assert message(sc.read_graph, packed).startswith(f"The edge file {packed} could not be read: ")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
def test_a_packed_file_that_would_fill_the_memory_is_not_unpacked(suffix: str, tmp_path: Path) -> None:
    if suffix == ".bz2":  # of streams that follow one another: to pack 80 MiB of one line takes bzip2 ten seconds
        bomb = tmp_path / "edges.csv.bz2"
        bomb.write_bytes(bz2.compress(b"source,target\n") + 16 * bz2.compress(b"0,1\n" * (5 << 18)))
    else:
        bomb = pack(tmp_path / "edges.csv", suffix, b"source,target\n" + b"0,1\n" * (20 << 20))
    if bomb.stat().st_size * 200 > 80 << 20:
        pytest.skip(f"{suffix} packs a line that repeats to no less than a real file")
    said = message(sc.read_graph, bomb)
    assert "would unpack to more than 67,108,864. It is damaged or not what it claims to be." in said


@pytest.mark.parametrize("name", ["x.npy.gz", "x.npz.zst", "x.parquet.gz"])
def test_of_packed_files_only_text_is_read(name: str, tmp_path: Path) -> None:
    edges, path = tmp_path / "edges.csv", tmp_path / name
    edges.write_text(GRAPHS["edges.csv"], "utf-8")
    path.write_bytes(b"\x1f\x8b")
    for said in (message(sc.read_graph, edges, features=path), message(sc.read_embedding, path)):
        assert f"file {path} is packed, and of packed files only text is read. Unpack it first" in said


@pytest.mark.slow
def test_a_line_that_no_table_has(tmp_path: Path) -> None:
    path, embedding, changes = tmp_path / "edges.csv", tmp_path / "vectors.w2v", tmp_path / "changes.ndjson"
    for before in ("", "source,target\na,b\n", "source,target\n" + "a,b\nb,c\n" * 100_000):
        path.write_text(before + "x" * 20_000_000 + ",d\nd,e\n")
        said = message(sc.read_graph, path)
        number = before.count("\n") + 1
        assert said.startswith(f"The edge file {path} has a line of more than 16 MiB, line {number:,}, "), said
        assert "line ends" in said
        assert said == message(sc.read_graph, pack(path, ".gz")).replace(".csv.gz", ".csv")
    embedding.write_text("x" * 20_000_000)
    assert "has a line of more than 16 MiB, line 1," in message(sc.read_embedding, embedding)
    changes.write_text('{"op": "add"}\n' + "x" * 20_000_000)
    assert "has a line of more than 16 MiB, line 2," in message(list, read_changes(changes))


def test_a_line_of_some_mebibytes_is_read(tmp_path: Path) -> None:
    """Longer than the parser's own block: a wide table, or long cells."""
    edges, table = tmp_path / "edges.csv", tmp_path / "features.csv"
    edges.write_text("source,target\n0,1\n1,2\n2,3\n")
    rows = np.random.default_rng(0).normal(size=(4, 100)).round(3)
    lines = [f"{node}," + ",".join(f"{value:.3f}" + "0" * 40_000 for value in row) for node, row in enumerate(rows)]
    assert len(lines[0]) > 3 << 20
    table.write_text("id," + ",".join(f"column{column}" for column in range(100)) + "\n" + "\n".join(lines) + "\n")
    graph = sc.read_graph(edges, features=table, scale=False)
    assert np.allclose(np.asarray(graph.features), rows)


def test_comments_before_the_first_line_may_be_many(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("# more\n" * 5000 + "a,b\nb,c\n")
    assert sc.read_graph(path).node_ids.tolist() == ["a", "b", "c"]


def test_what_is_opened_is_closed(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("ä\n".encode("latin-1"))
    for suffix in PACKED_SUFFIXES:
        file = open_bytes(pack(tmp_path / "x.csv", suffix), "edge", "latin-1")
        assert file.read() == "ä\n".encode()
        file.close()
        assert file.closed
    assert set(opening.PACKED_SUFFIXES) == {".gz", ".bz2", ".xz", ".zst", ".zip"}
