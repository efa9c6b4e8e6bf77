"""One rule for the ids of all text files: spaces around them are not theirs, unless they are in quotes."""

import csv

import numpy as np
import pytest

import sparsecut as sc
from conftest import data_file


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
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
