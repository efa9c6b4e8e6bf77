"""Which columns are the ends of edges: real headers, one choice whatever the format, the order of columns or of lines."""

import gzip
import itertools
import random
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.base.errors import InputError, ReadingWarning
from sparsecut.engines.dask.cluster_building import evidence_of_piece
from sparsecut.engines.dask.feature_sources import open_source, open_sources
from sparsecut.io.edges.column_evidence import ROWS, combined
from sparsecut.io.edges.edge_columns import plan_columns
from sparsecut.io.stores.edge_batches import EdgeFile

NOTHING_ASKED = {"source": None, "target": None, "weight": None}
N_ROWS = 80
PEOPLE = [f"p{number}" for number in range(30)]


def values_of(kind):
    """A column of some kind; the ends a and b of edges share their values, other kinds do not."""
    generator = random.Random(kind)
    rows = range(N_ROWS)
    makers = {
        "rows": lambda: list(rows),
        "unique": lambda: generator.sample([f"t{number:05d}" for number in range(10_000)], N_ROWS),
        "epoch": lambda: [1_700_000_000 + generator.randrange(10**6) for _ in rows],
        "date": lambda: [f"2024-{generator.randint(1, 12):02d}-{generator.randint(1, 28):02d}" for _ in rows],
        "money": lambda: [generator.randrange(10_000) / 100 + 0.005 for _ in rows],
        "stars": lambda: [generator.randint(1, 5) for _ in rows],
        "kind": lambda: [generator.choice(["card", "cash", "wire"]) for _ in rows],
        "bank": lambda: [generator.choice(["b1", "b2", "b3"]) for _ in rows],
        "thing": lambda: [f"m{generator.randrange(40)}" for _ in rows],
        "shop": lambda: [f"s{generator.randrange(20)}" for _ in rows],
        "user": lambda: [generator.randrange(1, 30) for _ in rows],
        "film": lambda: [generator.randrange(1000, 1040) for _ in rows],
    }
    return makers.get(kind.rstrip("12"), lambda: [generator.choice(PEOPLE) for _ in rows])()


# header, kinds of its columns, source, target, weight, whether another choice was possible
HEADERS = [
    ("transaction_id,sender,receiver,value", "unique a b money", "sender", "receiver", None, False),
    ("timestamp,payer,payee", "epoch a b", "payer", "payee", None, False),
    (",source,target", "rows a b", "source", "target", None, False),
    ("Unnamed: 0,a,b", "rows a b", "a", "b", None, False),
    ("index,left,right", "rows a b", "left", "right", None, False),
    ("id,source,target", "rows a b", "source", "target", None, False),
    ("date,from,to,amount", "date a b money", "from", "to", None, False),
    ("Source,Target,Type,Weight", "a b kind money", "Source", "Target", "Weight", False),
    ("u,v", "a b", "u", "v", None, False),
    ("i,j,w", "a b stars", "i", "j", "w", False),
    ("row,col,value", "a b money", "row", "col", None, False),
    ("node1,node2", "a b", "node1", "node2", None, False),
    ("userId,movieId,rating,timestamp", "user film stars epoch", "userId", "movieId", None, False),
    ("timestamp,user_id,item_id", "epoch user film", "user_id", "item_id", None, False),
    ("payer,payee,ts", "a b epoch", "payer", "payee", None, False),
    ("edge_id,head,tail", "rows a b", "head", "tail", None, False),
    ("subject,predicate,object", "a kind b", "subject", "object", None, False),
    ("from_account,to_account,currency", "a b kind", "from_account", "to_account", None, False),
    ("step,type,amount,nameOrig,nameDest,isFraud", "stars kind money a b stars2", "nameOrig", "nameDest", None, False),
    ("ride_id,started_at,ended_at,start_station_id,end_station_id", "unique date date2 a b",
     "start_station_id", "end_station_id", None, False),
    ("order_id,customer_id,product_id,quantity", "unique user film stars", "customer_id", "product_id", None, False),
    ("caller,callee,duration", "a b money", "caller", "callee", None, False),
    ("citing,cited,year", "a b stars", "citing", "cited", None, False),
    ("gene_a,gene_b,combined_score", "a b stars", "gene_a", "gene_b", None, False),
    ("srcip,dstip,bytes", "a b stars", "srcip", "dstip", None, False),
    ("id,employee,manager", "unique a b", "employee", "manager", None, False),
    ("User ID,Friend ID,since", "a b date", "User ID", "Friend ID", None, False),
    ("source_id,target_id,source_name,target_name", "a b thing thing2", "source_id", "target_id", None, False),
    ("sender_country,sender,receiver,receiver_country", "kind a b kind2", "sender", "receiver", None, False),
    ("invoice_no,buyer,seller,price", "unique a b money", "buyer", "seller", None, False),
    # names that say nothing: the values decide
    ("buchung,wer,wen,betrag", "unique a b money", "wer", "wen", None, False),
    ("wann,wer,wen", "epoch a b", "wer", "wen", None, False),
    ("tag,wer,wen", "date a b", "wer", "wen", None, False),
    ("konto,gegenkonto,betrag", "a b money", "konto", "gegenkonto", None, False),
    # another choice is possible
    ("Timestamp,From Bank,Account,To Bank,Account.1,Amount", "epoch bank a bank2 b money",
     "Account", "Account.1", None, True),
    ("from_bank,from_account,to_bank,to_account", "bank a bank2 b", "from_account", "to_account", None, True),
    ("wer,wen,wo", "a b shop", "wer", "wen", None, True),
]  # fmt: skip


def as_columns(header, kinds):
    return dict(zip(header.split(","), map(values_of, kinds.split()), strict=True))


def chosen(read):
    """(source, target and weight as the notes name them, whether a choice was doubtful)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = read()
    assert all(warning.category is ReadingWarning for warning in caught)
    doubts = [str(warning.message) for warning in caught]
    assert set(doubts) <= set(graph.notes)
    is_doubtful = any("does not say which columns hold the ends" in doubt for doubt in doubts)
    assert all("source=…, target=… (--source, --target)" in doubt for doubt in doubts if "hold the ends" in doubt)
    return graph.notes[0].partition("; ")[2] or graph.notes[0].removeprefix("Edges: "), is_doubtful


def write_text(path, columns, separator=","):
    lines = [separator.join(columns), *(separator.join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    content = "\n".join(lines) + "\n"
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return path


@pytest.mark.parametrize(
    ("header", "kinds", "source", "target", "weight", "is_doubtful"), HEADERS, ids=[case[0] for case in HEADERS]
)
def test_headers_of_the_world(tmp_path, header, kinds, source, target, weight, is_doubtful):
    columns = as_columns(header, kinds)
    ends = f"source in column {source!r}, target in column {target!r}, "
    expected = ends + (f"weight in column {weight!r}." if weight else "no weights."), is_doubtful
    frame = pd.DataFrame(columns)
    assert chosen(lambda: sc.from_edges(frame)) == expected
    assert chosen(lambda: sc.from_edges(columns)) == expected
    for name, separator in (("e.csv", ","), ("e.tsv", "\t"), ("e.csv.gz", ";")):
        path = write_text(tmp_path / name, columns, separator)
        assert chosen(lambda path=path: sc.read_graph(path)) == expected, name
    frame.to_parquet(tmp_path / "e.parquet", row_group_size=17)
    assert chosen(lambda: sc.read_graph(tmp_path / "e.parquet")) == expected

    streamed = EdgeFile(tmp_path / "e.parquet", NOTHING_ASKED).columns
    assert (f"{streamed}.", bool(streamed.doubts)) == expected
    (tmp_path / "folder").mkdir()
    for part in range(3):
        frame[part::3].to_parquet(tmp_path / "folder" / f"{part}.parquet", index=False)
    edges = open_source(tmp_path / "folder", "edge")
    plan = plan_columns(edges.names, NOTHING_ASKED, edges.what)
    parts = [evidence_of_piece(piece, plan.unclear, edges.n_rows, edges.what) for piece in edges.pieces]
    clustered = plan.decide(combined(parts, edges.n_rows) if plan.unclear else None)
    assert (f"{clustered}.", bool(clustered.doubts)) == expected


@pytest.mark.parametrize(
    ("header", "kinds", "source", "target", "weight", "is_doubtful"), HEADERS, ids=[case[0] for case in HEADERS]
)
def test_the_order_of_columns_and_lines_changes_nothing(header, kinds, source, target, weight, is_doubtful):
    frame = pd.DataFrame(as_columns(header, kinds))
    orders = list(itertools.permutations(frame.columns))
    random.Random(0).shuffle(orders)
    for number, order in enumerate(orders[:12]):
        shuffled = frame[list(order)].sample(frac=1, random_state=number)
        said, is_warned = chosen(lambda shuffled=shuffled: sc.from_edges(shuffled))
        # names that say nothing of a direction are taken in the order of the columns
        ends = said.split("'")[1::2][:2]
        is_directed = source not in ("wer", "konto", "userId", "user_id", "customer_id")
        assert (ends if is_directed else sorted(ends, key=[source, target].index)) == [source, target]
        assert is_warned == is_doubtful


def test_what_is_left_out_is_said_and_weights_are_proposed(tmp_path):
    columns = as_columns("transaction_id,sender,receiver,value", "unique a b money")
    notes = sc.read_graph(write_text(tmp_path / "e.csv", columns)).notes
    assert notes[1:3] == (
        "Columns left out: 'transaction_id', 'value'.",
        "'value' may hold weights, and is used where it is named: weight='value' (--weight value).",
    )
    weighted = sc.read_graph(tmp_path / "e.csv", weight="value")
    assert weighted.is_weighted
    assert not any("may hold weights" in note for note in weighted.notes)
    reasons = sc.from_edges(as_columns("buchung,wann,wer,wen,betrag", "unique epoch a b money")).notes[1]
    assert reasons == ("Columns left out: 'buchung' (different in every row), 'wann' (a time), 'betrag' (fractions).")


def test_the_graph_is_the_one_of_the_two_columns_alone(tmp_path):
    columns = as_columns("transaction_id,sender,receiver,value", "unique a b money")
    alone = sc.from_edges({"source": columns["sender"], "target": columns["receiver"]})
    for graph in (sc.from_edges(columns), sc.read_graph(write_text(tmp_path / "e.csv", columns))):
        assert graph.node_ids.tolist() == alone.node_ids.tolist()
        assert (graph.adjacency != alone.adjacency).nnz == 0


def test_named_columns_are_taken_and_complete_a_pair():
    columns = as_columns("transaction_id,sender,receiver,value", "unique a b money")
    assert chosen(lambda: sc.from_edges(columns, source="receiver", target="sender"))[0].startswith(
        "source in column 'receiver', target in column 'sender'"
    )
    assert chosen(lambda: sc.from_edges(columns, source="sender"))[0].startswith(
        "source in column 'sender', target in column 'receiver'"
    )
    with pytest.raises(InputError, match="has no column 'who' for the source"):
        sc.from_edges(columns, source="who")


@pytest.mark.parametrize(
    ("kinds", "ends"),
    [
        ("a b", ("f0", "f1")),
        ("a b money", ("f0", "f1")),
        ("a b epoch stars", ("f0", "f1")),
        ("user film stars epoch", ("f0", "f1")),
        ("a shop kind", ("f0", "f1")),
        ("unique a b money", ("f1", "f2")),
        ("epoch a b", ("f1", "f2")),
        ("unique date a b", ("f2", "f3")),
        ("a kind b", ("f0", "f2")),  # triples of a knowledge graph
        ("user stars film", ("f0", "f1")),  # numbers that a user and a film share say nothing
    ],
)
def test_files_without_a_header(tmp_path, kinds, ends):
    columns = {f"c{number}": values_of(kind) for number, kind in enumerate(kinds.split())}
    rows = list(zip(*columns.values(), strict=True))
    for seed in range(2):
        random.Random(seed).shuffle(rows)
        (tmp_path / "e.txt").write_text("\n".join("\t".join(map(str, row)) for row in rows))
        said, is_doubtful = chosen(lambda: sc.read_graph(tmp_path / "e.txt", header=False))
        assert said.startswith(f"source in column {ends[0]!r}, target in column {ends[1]!r}")
        assert is_doubtful == (ends != ("f0", "f1"))
    numbered = pd.DataFrame(rows)  # as pandas reads a file without a header
    said, is_doubtful = chosen(lambda: sc.from_edges(numbered))
    assert said.startswith(f"source in column {ends[0][1]!r}, target in column {ends[1][1]!r}")
    assert is_doubtful == (ends != ("f0", "f1"))


@pytest.mark.parametrize("header", ["timestamp,payer,payee", "payer,payee,when", "sender,receiver,currency"])
def test_a_header_above_words_is_seen_with_three_columns(tmp_path, header):
    kinds = {"timestamp": "date", "when": "date", "currency": "kind"}
    columns = {name: values_of(kinds.get(name, name)) for name in header.split(",")}
    graph = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)  # about the header itself, above words
        graph = sc.read_graph(write_text(tmp_path / "e.csv", columns))
    assert set(graph.node_ids.tolist()) <= set(PEOPLE)


def test_beyond_the_rows_that_are_kept_the_choice_is_the_same_in_memory_and_in_parts(tmp_path):
    generator = np.random.default_rng(0)
    n_rows = 2 * ROWS + 5_000  # one value in four is kept
    ends = generator.integers(0, 900, (2, n_rows))
    frame = pd.DataFrame(
        {
            "nr1x": generator.permutation(n_rows) + 10**6,
            "wer": ends[0],
            "wen": ends[1],
            "wo": generator.integers(0, 7, n_rows),
        }
    )
    frame.to_parquet(tmp_path / "e.parquet", row_group_size=20_000)
    expected = chosen(lambda: sc.from_edges(frame, bipartite=False))
    assert expected[0].startswith("source in column 'wer', target in column 'wen'")
    assert chosen(lambda: sc.read_graph(tmp_path / "e.parquet", bipartite=False)) == expected
    streamed = EdgeFile(tmp_path / "e.parquet", NOTHING_ASKED, False).columns
    assert (f"{streamed}.", bool(streamed.doubts)) == expected


def test_stores_of_unclear_tables_hold_the_graph_of_memory(tmp_path):
    columns = as_columns("buchung,wer,wen,betrag", "unique a b money")
    pa.parquet.write_table(pa.table(columns), tmp_path / "e.parquet")
    features = pa.table({"id": PEOPLE, "x": np.arange(30.0), "y": np.arange(30.0) % 7})
    pa.parquet.write_table(features, tmp_path / "f.parquet")
    sc.build_store(tmp_path / "store", tmp_path / "e.parquet", features=tmp_path / "f.parquet")
    store, held = sc.open_store(tmp_path / "store"), sc.read_graph(tmp_path / "e.parquet", features=tmp_path / "f.parquet")
    assert store.node_ids.tolist() == held.node_ids.tolist()
    assert (store.adjacency != held.adjacency).nnz == 0
    assert store.notes[1] == held.notes[1] == "Columns left out: 'buchung' (different in every row), 'betrag' (fractions)."


def test_a_cluster_refuses_unknown_columns_before_it_starts(tmp_path):
    (tmp_path / "edges").mkdir()
    pa.parquet.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "edges" / "0.parquet")
    np.save(tmp_path / "f.npy", np.eye(3))
    with pytest.raises(InputError, match="has no column 'who'"):
        open_sources(tmp_path / "edges", tmp_path / "f.npy", {**NOTHING_ASKED, "source": "who"})
