"""Separated text in its many shapes: the same graph comes out of each."""

import gzip

import pytest

import sparsecut as sc

SHAPES = {
    "commas": b"source,target,weight\na,b,2\nb,c,3\n",
    "no header": b"a,b,2\nb,c,3\n",
    "tabs": b"source\ttarget\tweight\na\tb\t2\nb\tc\t3\n",
    "semicolons": b"source;target;weight\na;b;2\nb;c;3\n",
    "spaces": b"source target weight\na b 2\nb c 3\n",
    "columns of spaces": b"  source   target  weight \na    b     2\n b    c     3 \n",
    "comments": b"# one\n% two\n\nsource,target,weight\na,b,2\n# three, has, four, cells\nb,c,3\n#x,y,9\n",
    "other names": b"src,dst,w\na,b,2\nb,c,3\n",
    "other order and more columns": b"when,weight,kind,to,from\n1,2,x,b,a\n2,3,y,c,b\n",
    "quotes": b'"source","target","weight"\n"a","b","2"\n"b","c",3\n',
    "spaces around ids": b"source,target,weight\na , b,2\n b,c ,3\n",
    "Windows": b"\xef\xbb\xbfsource,target,weight\r\na,b,2\r\nb,c,3\r\n",
    "blank lines": b"\nsource,target,weight\n\na,b,2\n\n\nb,c,3\n\n",
    "no line end": b"source,target,weight\na,b,2\nb,c,3",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_packed", [False, True])
def test_shapes_of_one_graph(shape, is_packed, tmp_path):
    path = tmp_path / ("edges.txt.gz" if is_packed else "edges.txt")
    path.write_bytes(gzip.compress(SHAPES[shape]) if is_packed else SHAPES[shape])
    graph = sc.read_graph(path)
    assert sorted(graph.node_ids.tolist()) == ["a", "b", "c"]
    position = {node: number for number, node in enumerate(graph.node_ids.tolist())}
    A = graph.adjacency.toarray()
    assert A[position["a"], position["b"]] == A[position["b"], position["a"]] == 2
    assert A[position["b"], position["c"]] == 3
    assert A.sum() == 10


def test_an_id_that_begins_like_a_comment_is_written_in_quotes(tmp_path):
    (tmp_path / "edges.csv").write_bytes(b'source,target\n"#a","%b"\n# no,edge\n%b,c\nc,#a\n')
    graph = sc.read_graph(tmp_path / "edges.csv")
    assert graph.node_ids.tolist() == ["#a", "c", "%b"]
    assert graph.n_edges == 2


def test_the_guess_is_said(tmp_path):
    (tmp_path / "edges.csv").write_bytes(b"when,weight,kind,to,from\n1,2,x,b,a\n")
    assert sc.read_graph(tmp_path / "edges.csv").notes == (
        f"Edges: {tmp_path}/edges.csv, separated by commas, with a header; source in column 'from', target in column 'to', "
        "weight in column 'weight'.",
        "Columns left out: 'when' (a time), 'kind'.",
    )
    (tmp_path / "edges.csv").write_bytes(b"ann,bob\nbob,cy\n")
    assert sc.read_graph(tmp_path / "edges.csv").notes == (
        f"Edges: {tmp_path}/edges.csv, separated by commas, no header, so the first line is data ('ann,bob'); source "
        "in column 'f0', target in column 'f1', no weights.",
    )


def test_columns_that_are_named_tell_the_header(tmp_path):
    (tmp_path / "edges.csv").write_bytes(b"buyer,seller,price\nann,bob,x\nbob,cy,y\n")
    graph = sc.read_graph(tmp_path / "edges.csv", source="buyer", target="seller")
    assert graph.node_ids.tolist() == ["ann", "bob", "cy"]


def test_a_third_column_of_words_is_no_weight(tmp_path):
    (tmp_path / "edges.csv").write_bytes(b"ann,bob,likes\nbob,cy,knows\n")
    graph = sc.read_graph(tmp_path / "edges.csv")
    assert not graph.is_weighted
    assert graph.notes[0].endswith("no weights.")


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ("7,8\n8,-9\n", [-9, 7, 8]),
        ("007,8\n8,7\n", ["007", "8", "7"]),
        ("+7,8\n8,7\n", ["+7", "8", "7"]),
        ("7.0,8\n8,7\n", ["7.0", "8", "7"]),
        ("1,2\n2,x\n", ["1", "2", "x"]),
        ("99999999999999999999,1\n1,2\n", ["99999999999999999999", "1", "2"]),
        ("2020-01-01 00:00:00,true\ntrue,NA\n", ["2020-01-01 00:00:00", "true", "NA"]),
        ("-9223372036854775808,9223372036854775807\n", [-(2**63), 2**63 - 1]),
        ("0,-0\n-0,1\n", ["0", "-0", "1"]),
    ],
)
def test_ids_keep_their_spelling(ids, expected, tmp_path):
    (tmp_path / "edges.csv").write_text(f"source,target\n{ids}")
    assert sc.read_graph(tmp_path / "edges.csv").node_ids.tolist() == expected


def test_one_long_id_does_not_make_all_ids_long(tmp_path):
    rows = "".join(f"n{number},n{number + 1}\n" for number in range(20_000))
    (tmp_path / "edges.csv").write_text(f"source,target\n{rows}{'x' * 1_000_000},n0\n")
    graph = sc.read_graph(tmp_path / "edges.csv")
    assert graph.node_ids.dtype == object
    assert len(graph.node_ids[20_000]) == 1_000_000
    sc.write_embedding(tmp_path / "z.parquet", [[0.0]] * graph.n_nodes, graph.node_ids)
    assert sc.read_embedding(tmp_path / "z.parquet").ids.tolist() == graph.node_ids.tolist()
    with pytest.raises(sc.InputError, match="one has 1,000,000 characters"):
        sc.write_embedding(tmp_path / "z.npz", [[0.0]] * graph.n_nodes, graph.node_ids)
    assert not (tmp_path / "z.npz").exists()


@pytest.mark.parametrize("column", [["", "3", "4.5"], ["", "2024-01-02", "2024-01-05"]])
def test_a_header_of_features_above_a_line_with_gaps(tmp_path, column):
    """Whether there is a header is seen in all of the first lines: the second had no number to show."""
    (tmp_path / "edges.csv").write_text("source,target\nann,bob\nbob,cid\n")
    lines = [f"{name},{value},rome" for name, value in zip(["ann", "bob", "cid"], column, strict=True)]
    (tmp_path / "people.csv").write_text("konto,age,stadt\n" + "\n".join(lines))
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "people.csv")
    assert graph.feature_names == ("age", "stadt")
    assert graph.node_ids.tolist() == ["ann", "bob", "cid"]
