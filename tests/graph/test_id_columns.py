"""Which column of a table of nodes holds the ids: found by values, decided by names, refused where it could be either."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest

import sparsecut as sc
from sparsecut.graph.id_columns import KnownIds, choose_of_parts, gather, likely_name, name_standing, positions

N = 24
RNG = np.random.default_rng(7)
ORDER = RNG.permutation(N)


def ids_of(kind: str) -> list[Any]:
    """Of nodes 0..n−1: dense, with gaps, or words."""
    return {
        "dense": list(range(N)),
        "from 1": list(range(1, N + 1)),
        "gaps": [int(x) for x in 1000 + 37 * np.arange(N)],
        "words": [f"acc {number:03d}" for number in range(N)],
        "zeros first": [f"{number:04d}" for number in range(N)],
    }[kind]


def edges_of(ids: list[Any]) -> pd.DataFrame:
    ends = [(ids[i], ids[(i + step) % N]) for i in range(N) for step in (1, 5)]
    return pd.DataFrame(ends, columns=["source", "target"])


def table_of(ids: list[Any], name: str = "account_id") -> pd.DataFrame:
    """Rows in a shuffled order: what a node has follows from its number."""
    return pd.DataFrame(
        {
            "age": 20.0 + 3 * ORDER,
            name: [ids[node] for node in ORDER],
            "city": [f"c{node % 3}" for node in ORDER],
            "visits": ORDER % 7,
        }
    )


def expected(ids: list[Any]) -> dict[str, float]:
    return {str(identity): 20.0 + 3 * node for node, identity in enumerate(ids)}


def ages(graph: sc.Graph) -> dict[str, float]:
    """The age that each id got, by hand from the standardised column."""
    column = np.asarray(graph.features)[:, graph.encoder.names_out.index("age")]
    every = 20.0 + 3 * np.arange(N)
    return {str(i): float(x) for i, x in zip(graph.node_ids, column * every.std() + every.mean(), strict=True)}


FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda table: table,
    "polars": pl.from_pandas,
    "lazy": lambda table: pl.from_pandas(table).lazy(),
    "arrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "duckdb": lambda table: duckdb.from_df(table),
    "columns turned": lambda table: table[table.columns[::-1]],
    "rows turned": lambda table: table[::-1],
    "sorted": lambda table: table.sort_values("age"),
    "sampled": lambda table: table.sample(frac=1, random_state=3),
    "categories": lambda table: table.astype({table.columns[1]: "category"}),
    "index": lambda table: table.set_index(table.columns[1]),
    "index kept": lambda table: table.set_index(table.columns[1], drop=False),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["dense", "from 1", "gaps", "words", "zeros first"])
@pytest.mark.parametrize("name", ["account_id", "customer_no", "paper_id", "key"])
def test_rows_of_a_frame_reach_their_nodes(form: str, kind: str, name: str) -> None:
    ids = ids_of(kind)
    graph = sc.from_edges(edges_of(ids), features=FORMS[form](table_of(ids, name)))
    assert set(graph.feature_names) == {"age", "city", "visits"}
    assert ages(graph) == pytest.approx(expected(ids), abs=1e-4)


@pytest.mark.parametrize("name", ["konto", "wer", "Vertragspartner", "user", "x", "rank"])
@pytest.mark.parametrize("kind", ["gaps", "words"])
def test_the_name_of_the_column_does_not_matter(name: str, kind: str) -> None:
    ids = ids_of(kind)
    graph = sc.from_edges(edges_of(ids), features=table_of(ids, name))
    assert ages(graph) == pytest.approx(expected(ids), abs=1e-4)
    assert f"rows matched by its column {name!r}" in " ".join(graph.notes)
    given = sc.Graph(graph.adjacency, features=table_of(ids, name), node_ids=graph.node_ids)
    assert ages(given) == pytest.approx(expected(ids), abs=1e-4)


@pytest.mark.parametrize("name", ["konto", "wer", "user"])
def test_consecutive_integers_under_any_name_but_a_count_s(name: str) -> None:
    ids = ids_of("dense")
    assert ages(sc.from_edges(edges_of(ids), features=table_of(ids, name))) == pytest.approx(expected(ids), abs=1e-4)


def write(table: pd.DataFrame, form: str, folder: Path) -> Path:
    path = folder / f"accounts.{form}"
    if form == "parquet":
        table.to_parquet(path, index=False)
    elif form in ("arrow", "feather"):
        pa.feather.write_feather(pa.Table.from_pandas(table, preserve_index=False), path)
    else:
        table.to_csv(path, index=False, sep="\t" if "tsv" in form else ",")
    return path


@pytest.mark.parametrize("form", ["csv", "csv.gz", "tsv", "parquet", "feather"])
@pytest.mark.parametrize("kind", ["dense", "gaps", "words", "zeros first"])
@pytest.mark.parametrize("name", ["account_id", "konto"])
def test_rows_of_a_file_reach_their_nodes(form: str, kind: str, name: str, tmp_path: Path) -> None:
    ids = ids_of(kind)
    edges_of(ids).to_csv(tmp_path / "edges.csv", index=False)
    graph = sc.read_graph(tmp_path / "edges.csv", features=write(table_of(ids, name), form, tmp_path))
    assert graph.feature_names == ("age", "city", "visits")
    assert ages(graph) == pytest.approx(expected(ids), abs=1e-4)
    frame = sc.from_edges(edges_of(ids), features=table_of(ids, name))
    assert graph.encoder == frame.encoder


@pytest.mark.parametrize("name", ["account_id", "konto"])
def test_vectors_per_id_are_the_same_however_rows_come(name: str, tmp_path: Path) -> None:
    ids = ids_of("words")
    edges, table = edges_of(ids), table_of(ids, name)

    def vectors(graph: sc.Graph) -> dict[str, Any]:
        return dict(zip(graph.node_ids.tolist(), sc.SCE(dimension=4).fit_transform(graph), strict=True))

    edges.to_csv(tmp_path / "edges.csv", index=False)
    first = vectors(sc.from_edges(edges, features=table))
    for other in (
        sc.from_edges(edges, features=table.sample(frac=1, random_state=1)),
        sc.from_edges(edges, features=pl.from_pandas(table[table.columns[::-1]]).sort("age")),
        sc.from_edges(edges, features=table.set_index(name)),
        sc.read_graph(tmp_path / "edges.csv", features=write(table, "csv.gz", tmp_path)),
        sc.read_graph(tmp_path / "edges.csv", features=write(table[::-1], "parquet", tmp_path)),
    ):
        again = vectors(other)
        lengths = {i: float(np.linalg.norm(z)) for i, z in first.items()}
        assert {i: float(np.linalg.norm(z)) for i, z in again.items()} == pytest.approx(lengths, rel=1e-3)


class TestSeveralOrNone:
    """The table of the rule, row by row."""

    ids = ids_of("dense")
    edges = edges_of(ids)

    def table(self, **more: Any) -> pd.DataFrame:
        return table_of(self.ids, "konto").assign(**more)

    def graph(self, table: Any, **options: Any) -> sc.Graph:
        return sc.from_edges(self.edges, features=table, **options)

    def test_two_that_fit(self) -> None:
        both = self.table(rank=RNG.permutation(N))
        with pytest.raises(sc.InputError) as caught:
            self.graph(both)
        assert str(caught.value) == (
            "The frame of features could be matched to the nodes by its column 'konto' and its column 'rank'. Say which "
            "holds the node ids: id_column='konto' or id_column='rank'."
        )
        assert ages(self.graph(both, id_column="konto")) == pytest.approx(expected(self.ids), abs=1e-4)
        named = both.rename(columns={"konto": "account_no"})
        assert ages(self.graph(named)) == pytest.approx(expected(self.ids), abs=1e-4)
        assert self.graph(named).feature_names == ("age", "city", "visits", "rank")
        with pytest.raises(sc.InputError, match="id_column='account_no' or id_column='customer_id'"):
            self.graph(named.rename(columns={"rank": "customer_id"}))

    def test_a_copy_of_the_ids_is_no_feature(self) -> None:
        table = self.table()
        graph = self.graph(table.assign(id=table["konto"]))
        assert graph.feature_names == ("age", "city", "visits")
        assert ages(graph) == pytest.approx(expected(self.ids), abs=1e-4)
        assert any("'konto' holds the ids once more" in note for note in graph.notes)

    def test_a_column_beside_an_index_that_could_be_ids(self) -> None:
        table = self.table().sort_values("visits", kind="stable")
        assert sorted(table.index) == self.ids
        with pytest.raises(sc.InputError, match=r"by its column 'konto' and its index. Say .* id_column='index'"):
            self.graph(table)
        named = table.rename(columns={"konto": "account_id"})
        assert ages(self.graph(named)) == pytest.approx(expected(self.ids), abs=1e-4)
        by_index = self.graph(table.drop(columns="konto"))
        assert ages(by_index) == pytest.approx(dict(zip(map(str, table.index), table["age"], strict=True)), abs=1e-4)
        purposely = self.table(rank=RNG.permutation(N)).set_index("konto")
        assert ages(self.graph(purposely)) == pytest.approx(expected(self.ids), abs=1e-4)

    def test_a_leftover_index_that_is_no_id(self) -> None:
        words = ids_of("words")
        table = table_of(words).sort_values("visits", kind="stable")
        assert ages(sc.from_edges(edges_of(words), features=table)) == pytest.approx(expected(words), abs=1e-4)
        kept = table.sort_index()[lambda t: t["age"] > 0]  # 0, 1, 2, … again, but no RangeIndex
        kept.index = pd.Index(list(range(N)))
        in_order = kept.drop(columns="account_id")
        graph = sc.from_edges(edges_of(words), features=in_order, node_ids=[words[node] for node in ORDER])
        assert ages(graph) == pytest.approx(expected(words), abs=1e-4)

    def test_a_count_that_is_by_chance_the_ids(self) -> None:
        table = self.table(rank=RNG.permutation(N)).drop(columns="konto")
        with pytest.raises(sc.InputError, match=r"its column 'rank' and the order of its rows. Say .* id_column='index'"):
            self.graph(table)
        in_order = self.graph(table, id_column="index")
        assert in_order.feature_names == ("age", "city", "visits", "rank")
        assert ages(in_order) == pytest.approx({str(i): a for i, a in enumerate(table["age"])}, abs=1e-4)
        numbered = self.graph(table.assign(rank=np.arange(N)))
        assert numbered.feature_names == ("age", "city", "visits", "rank")

    def test_none_that_fits(self) -> None:
        table = self.table().drop(columns="konto")
        in_order = self.graph(table)  # ids are 0..n−1
        assert ages(in_order) == pytest.approx({str(i): a for i, a in enumerate(table["age"])}, abs=1e-4)
        gaps = ids_of("gaps")
        with pytest.raises(sc.InputError, match=r"no column whose values are the node ids.* id_column=.* node_ids="):
            sc.from_edges(edges_of(gaps), features=table)
        given = sc.from_edges(edges_of(gaps), features=table, node_ids=gaps)
        assert ages(given) == pytest.approx({str(gaps[i]): a for i, a in enumerate(table["age"])}, abs=1e-4)
        with pytest.raises(sc.InputError, match=r"has no column 'who' of ids. It has: 'age'"):
            self.graph(table, id_column="who")

    def test_ids_that_are_shifted_are_not_taken_in_order(self) -> None:
        shifted = self.table().rename(columns={"konto": "account_id"})
        shifted["account_id"] += 1
        with pytest.raises(sc.InputError, match=r"matched by its column 'account_id', has no row for .*: 0"):
            self.graph(shifted)


def test_nodes_without_edges_are_added() -> None:
    """As `read_graph` adds them."""
    for ids, others in ((ids_of("words"), ["zoe", "yan"]), (ids_of("gaps"), [5, 7])):
        rows = table_of(ids)
        more = pd.concat([rows, pd.DataFrame({"age": [30.0, 40.0], "account_id": others, "city": "c0", "visits": 1})])
        graph = sc.from_edges(edges_of(ids), features=more, scale=False)
        assert sorted(graph.node_ids.tolist()) == sorted([*ids, *others])
        place = {identity: row for row, identity in enumerate(graph.node_ids.tolist())}
        column = graph.features[:, graph.encoder.names_out.index("age")]
        assert [column[place[other]] for other in others] == [30, 40]
        assert column[place[ids[5]]] == 35
        assert graph.degrees[[place[other] for other in others]].tolist() == [0, 0]
        assert graph.n_edges == 2 * N
        assert "The frame of features: 2 nodes have no edges." in graph.notes


def test_a_few_labelled_nodes(tmp_path: Path) -> None:
    ids = ids_of("words")
    few = {ids[3]: "x", ids[9]: "y"}
    wanted = [few.get(identity, "") for identity in ids]
    table = pd.DataFrame({"who": list(few), "label": list(few.values())})
    edges = edges_of(ids)
    for labels in (few, pd.Series(few), table, pl.from_pandas(table), table.set_index("who")):
        graph = sc.from_edges(edges, labels=labels)
        assert dict(zip(graph.node_ids.tolist(), graph.labels.tolist(), strict=True)) == dict(zip(ids, wanted, strict=True))
        assert sc.Graph(graph.adjacency, labels=labels, node_ids=graph.node_ids).labels.tolist() == graph.labels.tolist()
    edges.to_csv(tmp_path / "edges.csv", index=False)
    table.to_csv(tmp_path / "labels.csv", index=False)
    read = sc.read_graph(tmp_path / "edges.csv", labels=tmp_path / "labels.csv", label_column="label")
    assert dict(zip(read.node_ids.tolist(), read.labels.tolist(), strict=True)) == dict(zip(ids, wanted, strict=True))
    marks = sc.from_edges(edges, labels=pd.Series({ids[3]: True, ids[9]: False}))
    assert sorted(marks.labels.tolist()) == [-1] * (N - 2) + [0, 1]
    assert np.isnan(sc.from_edges(edges, labels=pd.Series({ids[3]: 0.5})).labels).sum() == N - 1
    with pytest.raises(sc.InputError, match=r"names nodes that the graph does not have: 'zoe'\. .*node_ids="):
        sc.from_edges(edges, labels={"zoe": 1})


def test_labels_that_are_a_column_of_the_features() -> None:
    ids = ids_of("words")
    table = table_of(ids)
    wanted = {identity: node % 7 for node, identity in enumerate(ids)}
    for frame in (table, table.sort_values("age"), pl.from_pandas(table)):
        features = frame[["account_id", "age"]]
        graph = sc.from_edges(edges_of(ids), features=features, labels=frame["visits"])
        assert dict(zip(graph.node_ids.tolist(), graph.labels.tolist(), strict=True)) == wanted
    dense = ids_of("dense")
    table = table_of(dense)
    with pytest.raises(sc.InputError, match="in the order of the nodes or in that of the frame of features"):
        sc.from_edges(edges_of(dense), features=table[["account_id", "age"]], labels=table["visits"])
    turned = table.sort_values("age", ascending=False)  # an index that could be ids, but is not those of the features
    graph = sc.from_edges(edges_of(dense), features=turned[["account_id", "age"]], labels=turned["visits"])
    assert graph.labels.tolist() == [node % 7 for node in range(N)]


def test_a_wrong_id_column_of_a_file(tmp_path: Path) -> None:
    ids = ids_of("words")
    edges_of(ids).to_csv(tmp_path / "edges.csv", index=False)
    table = table_of(ids, "member").assign(id=[f"row {row}" for row in range(N)])
    path = write(table.drop(columns="member"), "csv", tmp_path)
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(tmp_path / "edges.csv", features=path)
    assert str(caught.value).endswith(
        "Its column 'id' was read as node ids. If another column holds them, name it: id_column=… (--id-column …)."
    )
    assert "missing=" not in str(caught.value)
    with pytest.raises(sc.InputError, match=r"nodes that the features file .* Its column 'id' was read as node ids"):
        sc.read_graph(tmp_path / "edges.csv", features=path, missing="zero")
    graph = sc.read_graph(tmp_path / "edges.csv", features=write(table, "csv", tmp_path))  # 'member' has the ids
    assert ages(graph) == pytest.approx(expected(ids), abs=1e-4)
    few = write(table.drop(columns="id")[:-1], "csv", tmp_path)
    with pytest.raises(sc.InputError, match=r"missing='zero'.* column 'member' was read"):
        sc.read_graph(tmp_path / "edges.csv", features=few)
    partly = sc.read_graph(tmp_path / "edges.csv", features=few, missing="zero")
    assert (partly.features[-1] == 0).all()
    assert str(partly.node_ids[-1]) == table["member"].iloc[-1]


def test_real_users() -> None:
    """MovieLens: user_id is not called id, and stands anywhere; the ratings name users alone here."""
    source = Path(os.environ.get("SPARSECUT_DATA", "data")) / "kinds" / "movielens"
    if not source.exists():
        pytest.skip("the MovieLens files are not here")
    users = pd.read_csv(source / "users.csv.gz").drop(columns="zip_code")
    ratings = pd.read_csv(source / "ratings.csv.gz").query("item_id <= 30")
    pairs = ratings.merge(ratings, on="item_id").query("user_id_x < user_id_y")[["user_id_x", "user_id_y"]][:20_000]
    want = dict(zip(users["user_id"], users["age"], strict=True))
    turned = users.sample(frac=1, random_state=0)[["age", "occupation", "user_id", "gender"]]
    for features in (users, turned, turned.reset_index(drop=True), pl.from_pandas(turned), turned.set_index("user_id")):
        graph = sc.from_edges(pairs, source="user_id_x", target="user_id_y", features=features, scale=False)
        column = graph.features[:, graph.encoder.names_out.index("age")]
        assert dict(zip(graph.node_ids.tolist(), column.tolist(), strict=True)) == want


@pytest.mark.parametrize("n_parts", [1, 3])
def test_parts_of_a_table_are_decided_as_the_whole(n_parts: int) -> None:
    ids = ids_of("gaps")
    table = pa.Table.from_pandas(table_of(ids, "konto"), preserve_index=False)
    known = KnownIds(np.array(ids[::3]))
    bounds = np.linspace(0, N, n_parts + 1).astype(int)
    parts = [
        [gather(name, table.slice(a, b - a).column(name), known) for name in table.column_names] for a, b in pairwise(bounds)
    ]
    assert choose_of_parts(parts, "The table", "age") == "konto"


def test_names() -> None:
    standing = {"id": 3, "Node_ID": 3, "account_id": 2, "customerNo": 2, "userid": 2, "key": 2, "name": 2}
    standing |= {"konto": 1, "city": 1, "rank": 0, "f7": 0, "x": 0, "": 0}
    assert {name: name_standing(name) for name in standing} == standing
    assert name_standing(None) == 0
    assert likely_name(["age", "user_id", "id"]) == "id"
    assert likely_name(["age", "user_id", "city"]) == "user_id"
    assert likely_name(["who", "city"]) == "who"


def test_positions() -> None:
    assert positions(np.array([3, 1, 9]), np.array([1, 2, 3])).tolist() == [2, 0, -1]
    assert positions(np.array(["3", "x"]), np.array([1, 3])).tolist() == [1, -1]
    assert positions(np.array([1.0, 2.0]), np.array([2, 1])).tolist() == [1, 0]


def numbers(ids: list[Any], name: str) -> pd.DataFrame:
    """Numbers alone, which a file that is read in parts must have."""
    return table_of(ids, name).drop(columns="city")


@pytest.mark.parametrize("kind", ["dense", "gaps", "words"])
@pytest.mark.parametrize("name", ["account_id", "konto"])
def test_a_store_on_disk_follows_the_rule(kind: str, name: str, tmp_path: Path) -> None:
    ids = ids_of(kind)
    edges_of(ids).to_parquet(tmp_path / "edges.parquet", index=False)
    numbers(ids, name).to_parquet(tmp_path / "nodes.parquet", index=False)
    sc.build_store(tmp_path / "store", tmp_path / "edges.parquet", features=tmp_path / "nodes.parquet")
    graph = sc.open_store(tmp_path / "store")
    assert graph.encoder.names_in == ("age", "visits")
    assert ages(graph) == pytest.approx(expected(ids), abs=1e-4)


def test_a_store_whose_ids_are_not_known_is_refused(tmp_path: Path) -> None:
    ids = ids_of("dense")
    edges_of(ids).to_parquet(tmp_path / "edges.parquet", index=False)
    table = numbers(ids, "konto").assign(partner=RNG.permutation(N))
    table.to_parquet(tmp_path / "nodes.parquet", index=False)
    files = tmp_path / "edges.parquet", tmp_path / "nodes.parquet"
    with pytest.raises(sc.InputError, match="id_column='konto' or id_column='partner'"):
        sc.build_store(tmp_path / "store", files[0], features=files[1])
    sc.build_store(tmp_path / "store", files[0], features=files[1], id_column="konto")
    assert ages(sc.open_store(tmp_path / "store")) == pytest.approx(expected(ids), abs=1e-4)
    table.drop(columns=["konto", "partner"]).assign(id=np.arange(N) + 3).to_parquet(files[1], index=False)
    with pytest.raises(sc.InputError, match=r"Its column 'id' was read as node ids\. .*id_column="):
        sc.build_store(tmp_path / "other", files[0], features=files[1])


def test_objects_of_other_libraries_take_frames() -> None:
    ids = ids_of("words")
    graph = networkx.from_pandas_edgelist(edges_of(ids))
    for features in (table_of(ids, "konto"), table_of(ids, "konto").sort_values("age")):
        assert ages(sc.from_networkx(graph, features=features)) == pytest.approx(expected(ids), abs=1e-4)
    both = table_of(ids, "konto").assign(partner=[ids[node] for node in RNG.permutation(N)])
    with pytest.raises(sc.InputError, match="id_column='konto' or id_column='partner'"):
        sc.from_networkx(graph, features=both)
    assert ages(sc.from_networkx(graph, features=both, id_column="konto")) == pytest.approx(expected(ids), abs=1e-4)


def test_rows_that_are_updated_are_matched_by_the_same_column() -> None:
    """The leftover index of a sorted frame names other nodes: the column wins."""
    ids = ids_of("dense")
    graph = sc.from_edges(edges_of(ids), features=table_of(ids))
    model = sc.SCE(dimension=4).fit(graph)
    changed = table_of(ids).assign(age=lambda t: t["age"][::-1].to_numpy()).sort_values("age")[:6]
    assert set(changed.index) != set(changed["account_id"])
    model.update(features_changed=changed, tolerance=0)
    whole = table_of(ids).set_index("account_id")
    whole.loc[changed["account_id"], "age"] = changed["age"].to_numpy()
    again = sc.from_edges(edges_of(ids), features=whole)
    assert model.embedding_ == pytest.approx(model.transform(again), abs=1e-4)


def test_tables_whose_first_column_is_no_id(tmp_path: Path) -> None:
    """Values that repeat, gaps, and columns that were asked for: none of them is mistaken for the ids."""
    ids = ids_of("gaps")
    edges_of(ids).to_csv(tmp_path / "edges.csv", index=False)
    table = table_of(ids, "konto")[["visits", "age", "konto"]].assign(label=[node % 2 for node in ORDER])
    table.loc[0, "visits"] = None
    path = write(table, "csv", tmp_path)
    graph = sc.read_graph(
        tmp_path / "edges.csv", features=path, feature_columns=["visits", "age"], labels=path, label_column="label"
    )
    assert ages(graph) == pytest.approx(expected(ids), abs=1e-4)
    number = {identity: node for node, identity in enumerate(ids)}
    assert graph.labels.tolist() == [number[identity] % 2 for identity in graph.node_ids.tolist()]
    nodes = sc.read_graph(tmp_path / "edges.csv", nodes=path)
    assert nodes.feature_names == ("visits", "age")
    assert nodes.labels.tolist() == graph.labels.tolist()
    table[["label", "konto"]][:5].to_csv(tmp_path / "few.csv", index=False)
    few = sc.read_graph(tmp_path / "edges.csv", labels=tmp_path / "few.csv")
    wanted = {ids[node]: node % 2 for node in ORDER[:5]}
    assert few.labels.tolist() == [wanted.get(identity, -1) for identity in few.node_ids.tolist()]
