"""Is the first line a header? Decided from names and data, the same by the compiled loop, and any doubt is told."""

import random
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparsecut as sc
from conftest import data_file
from sparsecut.base.errors import ReadingWarning
from sparsecut.io.edges import numbering
from sparsecut.io.edges.headers import Beside, review_first_edge

PAIRS = ("follower,followee", "buyer,seller", "gene1,gene2", "paper,cites", "protein_a,protein_b")
PEOPLE = "anna ben carl dora emil fritz gerd hans ida jan karl lena mia nora otto paul".split()  # noqa: SIM905
IDS = {
    "integers": [str(number) for number in range(30)],
    "codes": [f"ENSG{number:05d}" for number in range(30)],
    "names": PEOPLE,
    "names with capitals": [name.title() for name in PEOPLE],
    "symbols": ["TP53", "BRCA1", "EGFR", "MYC", "KRAS", "PTEN", "AKT1", "RB1", "VHL", "CDK4", "ATM", "MDM2"],
    "like a role": [f"user{number}" for number in range(30)],
}


def rows_of(ids, n_rows, seed=0):
    generator = random.Random(seed)
    return [",".join(generator.sample(ids, 2)) for _ in range(n_rows)]


def read(path, text, **options):
    """(graph, what was warned of)."""
    path.write_text(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = sc.read_graph(path, **options)
    assert all(warning.category is ReadingWarning for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)
    return graph, [str(warning.message) for warning in caught]


@pytest.fixture(params=["plain", "by the compiled loop"])
def path(request, tmp_path, monkeypatch):
    if request.param != "plain":
        pytest.importorskip("numba")
        monkeypatch.setattr(numbering, "MIN_LOOP_ROWS", 1)
        monkeypatch.setattr(numbering, "TABLE_ROWS", 8)
    return tmp_path / "edges.csv"


@pytest.mark.parametrize("first", PAIRS)
@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("n_rows", [2, 40])
def test_headers_of_the_world(path, first, kind, n_rows):
    body = "\n".join(rows_of(IDS[kind], n_rows))
    graph, warned = read(path, f"{first}\n{body}\n")
    expected, _ = read(path, f"{body}\n", header=False)
    assert graph.node_ids.tolist() == expected.node_ids.tolist()
    assert (graph.adjacency != expected.adjacency).nnz == 0
    if kind == "integers":  # nothing else it could be
        assert warned == []
    else:
        assert warned == [
            f"The first line of the edge file {path}, {first!r}, was taken for a header: its names occur in no other line. "
            "Say which it is: header=True or header=False (--header, --no-header)."
        ]
    assert set(warned) <= set(graph.notes)
    source = first.split(",")[0]
    assert f"with a header; source in column {source!r}" in graph.notes[0]


@pytest.mark.parametrize(
    "rows",
    [
        ["alice,bob", "bob,carol", "carol,alice"],
        ["alice,bob", "carol,dave", "erin,frank"],  # pairs that nothing else joins
        ["user1,user2", "user3,user4"],
        ["gene1,gene2", *rows_of([f"gene{number}" for number in range(3, 30)], 40)],
        ["user1,user2", "user2,user3", "user3,user1"],
        ["New York,Los Angeles", "Paris,London", "London,New York"],
        ["buyer,seller", "seller,shop", "shop,buyer"],
        ["x1,x2", "x3,x4", "x1,x9"],
        ["Q1,Q2", *rows_of([f"Q{number}" for number in range(3, 40)], 40)],
    ],
    ids=lambda rows: rows[0],
)
def test_first_edges_are_kept_without_a_word(path, rows):
    graph, warned = read(path, "\n".join(rows))
    assert warned == []
    assert set(rows[0].split(",")) <= set(graph.node_ids.tolist())
    assert graph.n_edges == len({frozenset(row.split(",")) for row in rows})


@pytest.mark.parametrize(
    ("rows", "is_header", "reason"),
    [
        # evidence
        (["wer,wen", *rows_of(IDS["codes"], 40)], True,
         "its two names occur nowhere else, and nearly all other ids have digits and these have none"),
        (["wer,wen", *rows_of(IDS["symbols"], 40)], True,
         "its two names occur nowhere else, and nearly all other ids have no small letters and these have no large ones"),
        (["knoten_1,knoten_2", *rows_of(PEOPLE, 40)], True,
         "its two names occur nowhere else, and differ only at their ends"),
        # could be either: stays an edge
        (["wer,wen", *rows_of(IDS["codes"], 2)], False,
         "its two names occur nowhere else, and nearly all other ids have digits and these have none"),
        (["alice,bob", *rows_of(PEOPLE, 40)], False, "its two names occur nowhere else, and no other line is like that"),
        (["author,quelle", "anna,ben", "ben,carl"], False,
         "its two names occur nowhere else, and one is a usual name of a column"),
    ],
)  # fmt: skip
def test_doubts_are_told(path, rows, is_header, reason):
    graph, warned = read(path, "\n".join(rows))
    joint = ": " if is_header else ", but "
    assert warned == [
        f"The first line of the edge file {path}, {rows[0]!r}, was taken for {'a header' if is_header else 'an edge'}{joint}"
        f"{reason}. Say which it is: header=True or header=False (--header, --no-header)."
    ]
    assert warned[0] in graph.notes
    assert (rows[0].split(",")[0] not in graph.node_ids.tolist()) == is_header
    for header in (True, False):
        said, warned = read(path, "\n".join(rows), header=header)
        assert warned == []
        assert (rows[0].split(",")[0] in said.node_ids.tolist()) != header


@pytest.mark.parametrize(
    ("text", "nodes", "told"),
    [
        ("u,v\nv,w\nw,x\n", ["u", "v", "w", "x"], "was taken for an edge, because 'v' is also in other lines"),
        ("from,to\nto,from\nto,be\n", ["from", "to", "be"], "was taken for an edge, because 'from' and 'to' are also"),
        ("source,target\nsource,a\na,sink\n", ["source", "a", "sink"], "was taken for a header, although 'source' is also"),
        ("alice,bob\n3,alice\n", ["alice", "3", "bob"], "was taken for an edge, because 'alice' is also in other lines"),
        ("source,target\na,b\n", ["a", "b"], None),
        ("source,target,weight\nsource,target,2\n", ["source", "target"], None),  # a word above a number settles it
    ],
)
def test_names_of_a_header_that_are_nodes_too(path, text, nodes, told):
    graph, warned = read(path, text)
    assert graph.node_ids.tolist() == nodes
    assert len(warned) == (told is not None)
    assert told is None or told in warned[0]


def test_files_beside_it_tell_a_header(path):
    text = "wer,wen\nanna,ben\nben,carl\n"
    features = path.with_name("features.csv")
    features.write_text("id,x\nanna,1\nben,2\ncarl,3\n")
    graph, warned = read(path, text, features=features)
    assert graph.node_ids.tolist() == ["anna", "ben", "carl"]
    assert "the features have rows for the others but not for them" in warned[0]
    features.write_text("wer,x\nanna,1\nben,2\ncarl,3\ndora,4\nwen,5\n")  # one of the names is a node there
    graph, warned = read(path, text, features=features)
    assert graph.node_ids.tolist() == ["anna", "ben", "carl", "dora", "wen"]
    assert "a file beside it has a column of ids with such a name" in warned[0]


def test_roles_that_have_features_are_nodes(path):
    features = path.with_name("features.csv")
    features.write_text("id,x\ndoctor,1\npatient,2\nnurse,3\n")
    graph, warned = read(path, "doctor,patient\nnurse,nurse\n", features=features)
    assert (graph.node_ids.tolist(), graph.n_edges) == (["doctor", "patient", "nurse"], 1)
    assert "was taken for an edge, because the features have rows for its nodes." in warned[0]
    features.write_text("id,x\nwer,1\nwen,2\nE1,3\nE2,4\n")
    graph, warned = read(path, "wer,wen\nE1,E2\n", features=features)
    assert (graph.n_edges, warned) == (2, [])


def test_a_header_of_features_that_became_a_node_is_told(path):
    features = path.with_name("features.csv")
    features.write_text("wer,ort\nanna,Rom\nben,Ulm\ncarl,Rom\n")
    graph, warned = read(path, "source,target\nanna,ben\nben,carl\n", features=features)
    assert graph.n_nodes == 4
    assert warned == [
        f"The first line of the features file {features}, 'wer,ort', was taken for a node, but no edge has it. "
        "If it is a header, name a column of it: feature_columns=… (--feature-columns …)."
    ]
    graph, warned = read(path, "source,target\nanna,ben\nben,carl\n", features=features, feature_columns=["ort"])
    assert (graph.node_ids.tolist(), graph.n_features, warned) == (["anna", "ben", "carl"], 2, [])


WORDS = st.text("abcdefg", min_size=1, max_size=3)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=40), st.sampled_from(PAIRS))
def test_any_words_below_a_header(tmp_path, rows, first):
    body = "".join(f"{a},{b}\n" for a, b in rows)
    options = {"source": None, "target": None}
    if min(len({end[side] for end in rows}) for side in (0, 1)) == 1:  # one id throughout must be asked for
        names = first.split(",")
        options = {"source": names[0], "target": names[1]}
    graph, _ = read(tmp_path / "x.csv", f"{first}\n{body}", **options)
    asked = {"source": "f0", "target": "f1"} if options["source"] else {}
    expected, warned = read(tmp_path / "x.csv", body, header=False, **asked)
    assert warned == []
    assert graph.node_ids.tolist() == expected.node_ids.tolist()
    assert (graph.adjacency != expected.adjacency).nnz == 0


@pytest.mark.parametrize("name", ["DE", "ENGB", "ES", "facebook"])
def test_real_edge_lists_without_their_header_keep_all_edges(name, tmp_path):
    """And with names in place of numbers too."""
    path = data_file(f"musae/{name}/edges.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = sc.read_graph(path)
        lines = path.read_text().splitlines()[1:]
        for prefix in ("", "page ", "n"):
            spelt = [",".join(prefix + cell for cell in line.split(",")) for line in lines]
            (tmp_path / "x.csv").write_text("\n".join(spelt))
            bare = sc.read_graph(tmp_path / "x.csv")
            assert (bare.n_nodes, bare.n_edges) == (whole.n_nodes, whole.n_edges)


def test_header_and_separator_are_for_text(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("a|b|2\nb|c|3\n")
    graph = sc.read_graph(path, separator="|")
    assert graph.adjacency.toarray().tolist() == [[0, 2, 0], [2, 0, 3], [0, 3, 0]]
    assert "separated by '|'" in graph.notes[0]
    path.write_text("a, b\tc\nc\td\n")  # a comma in an id
    assert sc.read_graph(path, separator="tab").node_ids.tolist() == ["a, b", "c", "d"]
    assert sc.read_graph(path, separator="\\t").node_ids.tolist() == ["a, b", "c", "d"]
    for wrong in ("||", "", "\n", "é", '"', 3):
        with pytest.raises(sc.InputError, match=r"The separator of a text file must be one character, or one of comma, tab"):
            sc.read_graph(path, separator=wrong)
    with pytest.raises(sc.InputError, match=r"'a, b\\tc' does not hold the separator ';'"):
        sc.read_graph(path, separator=";")
    (tmp_path / "x.graph").write_text("2 1\n2\n1\n")
    with pytest.raises(sc.InputError, match="has no use for header=True"):
        sc.read_graph(tmp_path / "x.graph", header=True)


@pytest.mark.parametrize(("n_known", "is_header"), [(40, True), (37, True), (36, False), (20, False), (5, False)])
def test_features_that_know_nearly_all_other_ids_tell_a_header(n_known: int, is_header: bool) -> None:
    """More than nine of ten: a node table that has half of the nodes says nothing of the two that it has not."""
    names = [f"{first}{second}" for first in "bcdfghjk" for second in "aeiou"]
    words = pa.array(["Kappa", "Ypsilon", *names])
    i = np.concatenate([[0], np.arange(2, 42)])
    j = np.concatenate([[1], np.roll(np.arange(2, 42), 1)])
    beside = Beside(frozenset(), np.array(names[:n_known]))
    assert review_first_edge(i, j, words, lambda: beside, "x", "Kappa,Ypsilon").has_header is is_header


@pytest.mark.parametrize(("n_codes", "is_header"), [(40, True), (37, True), (36, False), (20, False), (5, False)])
def test_words_above_codes_are_a_header_where_nearly_all_are_codes(n_codes: int, is_header: bool) -> None:
    names = [f"{first}{second}" for first in "bcdfghjk" for second in "aeiou"]
    codes = [f"{name}7" if number < n_codes else name for number, name in enumerate(names)]
    words = pa.array(["kappa", "ypsilon", *codes])
    i = np.concatenate([[0], np.arange(2, 42)])
    j = np.concatenate([[1], np.roll(np.arange(2, 42), 1)])
    assert review_first_edge(i, j, words, Beside, "x", "kappa,ypsilon").has_header is is_header
