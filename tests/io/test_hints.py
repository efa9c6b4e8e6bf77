"""What is said where the first line of a table was read as what it is not."""

import pytest

import sparsecut as sc


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


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


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("t.xlsx", r"Save the sheet as CSV .* pandas.read_excel\(…\)"),
        ("t.jsonl", r"pandas.read_json\('t.jsonl', lines=True\).to_parq"),
    ],
)
def test_a_format_that_is_not_read_has_a_way_out(edges, name, remedy, tmp_path):
    other = write(tmp_path / name, "{}")
    for read in (lambda: sc.read_graph(other), lambda: sc.read_graph(edges, features=other)):
        with pytest.raises(sc.InputError, match=rf"has no known suffix.*{remedy}"):
            read()
