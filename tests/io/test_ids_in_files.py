"""One rule for the ids of all text files: spaces around them are not theirs, unless they are in quotes."""

import csv

import numpy as np
import pytest

import sparsecut as sc
from conftest import data_file


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_names_of_facebook_pages_with_spaces_at_their_ends(tmp_path):
    """ "Korean Air Japan " and one that ends in an ideographic space: the graph grew by two nodes."""
    with data_file("musae/facebook/target.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    taken, name_of = set(), {}
    for row in rows:  # pages of one name: the first is kept
        if row["page_name"].strip() not in taken:
            taken.add(row["page_name"].strip())
            name_of[row["id"]] = row["page_name"]
    spaced = [name for name in name_of.values() if name != name.strip()]
    assert "Korean Air Japan " in spaced
    assert len(spaced) >= 2
    with data_file("musae/facebook/edges.csv").open(newline="") as file:
        edges = [(row["id_1"], row["id_2"]) for row in csv.DictReader(file)]
    edges = [(name_of[a], name_of[b]) for a, b in edges if a in name_of and b in name_of]
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        for name, head, body in (
            ("edges", ("source", "target"), edges),
            ("features", ("id", "x"), [(name, row) for row, name in enumerate(name_of.values())]),
            ("labels", ("id", "label"), [(name, row % 3) for row, name in enumerate(name_of.values())]),
        ):
            with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, quoting=quoting).writerows([head, *body])
        graph = sc.read_graph(
            tmp_path / "edges.csv", features=tmp_path / "features.csv", labels=tmp_path / "labels.csv", missing="zero"
        )
        assert graph.n_nodes == len(name_of)
        kept = name_of.values() if quoting == csv.QUOTE_ALL else map(str.strip, name_of.values())
        assert graph.node_ids.tolist() == list(kept)
        assert graph.labels.tolist() == [row % 3 for row in range(len(name_of))]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_quoted_ids_are_kept_exactly_in_every_file(tmp_path, suffix):
    separator = {"csv": ",", "tsv": "\t"}[suffix]

    def text(*rows):
        return "\n".join(separator.join(row) for row in rows) + "\n"

    edges = write(tmp_path / f"e.{suffix}", text(("source", "target"), ('"a "', " b"), ("a ", '" b"'), ("b", '"c""x "')))
    assert sc.read_graph(edges).node_ids.tolist() == ["a ", "a", "b", " b", 'c"x ']
    rows = [('"a "', "1"), ("  a", "2"), (" b ", "3"), ('" b"', "4"), ('"c""x "', "5")]
    features = write(tmp_path / f"f.{suffix}", text(("id", "x"), *rows))
    labels = write(tmp_path / f"l.{suffix}", text(("id", "label"), *reversed(rows)))
    graph = sc.read_graph(edges, features=features, labels=labels)
    assert graph.node_ids.tolist() == ["a ", "a", "b", " b", 'c"x ']
    assert graph.labels.tolist() == [1, 2, 3, 4, 5]
    nodes = write(tmp_path / f"n.{suffix}", text(("id", "x", "label"), *((*row, row[1]) for row in rows)))
    assert sc.read_graph(edges, nodes=nodes).labels.tolist() == [1, 2, 3, 4, 5]


def test_quotes_hold_spaces_together_between_columns_of_spaces(tmp_path):
    path = write(tmp_path / "e.txt", '"x  y"   "b "\n"b " c\nb     c\n')
    assert sc.read_graph(path).node_ids.tolist() == ["x  y", "b ", "b", "c"]


def test_integers_with_spaces_are_integers(tmp_path):
    edges = write(tmp_path / "e.csv", "source,target\n1 , 2\n 2,3\n")
    features = write(tmp_path / "f.csv", "id,x\n 1,1\n2 ,2\n3,3\n")
    assert sc.read_graph(edges, features=features).node_ids.tolist() == [1, 2, 3]


def test_ids_that_become_one_are_told(tmp_path):
    edges = write(tmp_path / "e.csv", "source,target\na,b\n")
    with pytest.raises(sc.InputError, match="has more than one row for 'a'"):
        sc.read_graph(edges, features=write(tmp_path / "f.csv", "id,x\na,1\na ,2\nb,3\n"))
    with pytest.raises(sc.InputError, match=r"has an empty node id in row 2 of column 'source'"):
        sc.read_graph(write(tmp_path / "e.csv", "source,target\na,b\n  ,c\n"))


def test_messages_show_spaces(tmp_path):
    edges = write(tmp_path / "e.csv", 'source,target\n"a ",b\n')
    features = write(tmp_path / "f.csv", "id,x\na,1\nb,2\n")
    with pytest.raises(sc.InputError, match=r"does not: 'a '\. missing="):
        sc.read_graph(edges, features=features)


def test_splits_by_id_follow_the_rule(tmp_path):
    from sparsecut.evaluation import read_splits

    path = write(tmp_path / "s.csv", 'id,split\na ,train\n"b ",test\n')
    (split,) = read_splits(path, np.array(["b ", "a"]))
    assert (split.train.tolist(), split.test.tolist()) == ([1], [0])


@pytest.fixture
def edges(tmp_path):
    return write(tmp_path / "edges.csv", "source,target\nann,bob\nbob,cy\n")


def test_labels_whose_header_was_not_seen(edges, tmp_path):
    labels = write(tmp_path / "l.csv", "who,team\nann,x\nbob,y\ncy,x\n")
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(edges, labels=labels)
    assert str(caught.value) == (
        f"The labels file {labels} names nodes that the graph does not: 'who'. The first line, 'who,team', looks like a "
        "header: if it is, name a column of it (label_column=…, --label-column …), or the column of ids (id_column=…, "
        "--id-column …)."
    )
    assert sc.read_graph(edges, labels=labels, label_column="team").labels.tolist() == ["x", "y", "x"]
    assert sc.read_graph(edges, labels=labels, id_column="who").labels.tolist() == ["x", "y", "x"]
    labels = write(tmp_path / "l.csv", "zoe,x\nann,x\nbob,y\neve,x\n")  # two strangers are no header
    with pytest.raises(sc.InputError, match=r"does not: 'zoe', 'eve'\. missing='zero'"):
        sc.read_graph(edges, labels=labels)


def test_features_of_a_matrix_whose_header_was_not_seen(tmp_path):
    (tmp_path / "g.graph").write_text("2 1\n2\n1\n")
    features = write(tmp_path / "f.csv", "wer,ort\n1,Rom\n2,Ulm\n")  # words above numbers: a header
    assert sc.read_graph(tmp_path / "g.graph", features=features).n_features == 2
    (tmp_path / "g.json").write_text('{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}')
    write(features, "wer,ort\na,Rom\nb,Ulm\n")
    with pytest.raises(sc.InputError, match=r"'wer,ort', looks like a header: .*\(feature_columns=…, --feature-columns …\)"):
        sc.read_graph(tmp_path / "g.json", features=features)
    assert sc.read_graph(tmp_path / "g.json", features=features, feature_columns="ort").n_features == 2


def test_a_row_that_was_taken_for_a_header(edges, tmp_path):
    labels = write(tmp_path / "l.csv", "ann,y\nbob,3\ncy,4\n")
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(edges, labels=labels)
    assert str(caught.value) == (
        f"The labels file {labels} has no row for these nodes of the graph: 'ann'. Its first line, 'ann,y', was taken for a "
        "header. Give it one, if it has none."
    )


def test_columns_by_name(edges, tmp_path):
    table = write(tmp_path / "t.csv", "row,person,age,team,city\n7,ann,3,x,p\n8,cy,4,y,q\n9,bob,5,x,p\n")
    graph = sc.read_graph(
        edges,
        features=table,
        labels=table,
        id_column="person",
        feature_columns=["age", "row"],
        label_column="team",
        scale=False,
    )
    assert graph.node_ids.tolist() == ["ann", "cy", "bob"]
    assert graph.labels.tolist() == ["x", "y", "x"]
    assert graph.features.tolist() == [[3, 7], [4, 8], [5, 9]]
    assert sc.read_graph(edges, nodes=table, id_column="person", label_column="city").labels.tolist() == ["p", "q", "p"]
    bare = write(tmp_path / "bare.csv", "ann,3,x\nbob,4,y\ncy,5,x\n")
    assert sc.read_graph(edges, labels=bare, label_column="f2").labels.tolist() == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"labels": "t.csv", "label_column": "tea"},
         "The labels file {0}/t.csv has no column 'tea'. It has: 'age', 'team'."),
        ({"labels": "t.csv", "id_column": "who"},
         "The labels file {0}/t.csv has no column 'who' of ids. It has: 'id', 'age', 'team'."),
        ({"features": "t.csv", "feature_columns": ["age", "size"]},
         "The features file {0}/t.csv has no column 'size'. It has: 'age', 'team'."),
        ({"label_column": "team"},
         "'team' is neither a file nor a column at hand: there is no node table beside {0}/edges.csv (nodes.csv or the "
         "like). Name one: nodes=... (--nodes)."),
        ({"labels": "team", "label_column": "team", "nodes": "t.csv"},
         "label_column='team' is for a file, and 'team' names columns already. Leave one out."),
    ],
)  # fmt: skip
def test_columns_that_are_not_there(edges, tmp_path, options, expected):
    write(tmp_path / "t.csv", "id,age,team\nann,3,x\nbob,4,y\ncy,5,x\n")
    options = {name: tmp_path / value if value == "t.csv" else value for name, value in options.items()}
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(edges, **options)
    assert str(caught.value) == expected.format(tmp_path)
