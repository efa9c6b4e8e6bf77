"""Two sides with the same integers: told, and kept apart where asked, by every way in, through save, load and parts."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from conftest import data_file
from shell import sparsecut
from sparsecut.base.errors import InputError, ReadingWarning
from sparsecut.io.edges.sides import keep_apart, meet, meeting_of, sum_of

N_USERS, N_MOVIES = 50, 80


def ratings(users="userId", movies="movieId", n_rows=600, seed=0):
    generator = np.random.default_rng(seed)
    i = np.concatenate([np.arange(N_USERS), generator.integers(0, N_USERS, n_rows)]) + 1
    j = np.concatenate([generator.integers(0, N_MOVIES, n_rows), np.arange(N_USERS)]) + 1
    return pd.DataFrame({users: i, movies: j, "rating": generator.integers(1, 6, len(i))})


def read(make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = make()
    assert all(warning.category is ReadingWarning for warning in caught)
    return graph, [str(warning.message) for warning in caught]


def by_hand(frame):
    """Nodes and edges of a table of ratings, written without the library."""
    users, movies = frame.columns[:2]
    edges = {(f"user:{a}", f"movie:{b}") for a, b in zip(frame[users], frame[movies], strict=True)}
    return {node for edge in edges for node in edge}, {frozenset(edge) for edge in edges}


def assert_apart(graph, frame):
    nodes, edges = by_hand(frame)
    assert set(graph.node_ids.tolist()) == nodes
    rows, columns = graph.adjacency.nonzero()
    ids = graph.node_ids
    assert {frozenset((str(ids[i]), str(ids[j]))) for i, j in zip(rows, columns, strict=True)} == edges
    assert graph.node_types == ("user", "movie")
    assert graph.types.tolist() == [str(node).split(":")[0] for node in ids]


def write(frame, folder):
    frame.to_csv(folder / "r.csv", index=False)
    frame.to_csv(folder / "r.csv.gz", index=False)
    frame.to_csv(folder / "r.tsv", index=False, sep="\t")
    frame.to_parquet(folder / "r.parquet", index=False)
    frame.to_feather(folder / "r.feather")
    return [folder / name for name in ("r.csv", "r.csv.gz", "r.tsv", "r.parquet", "r.feather")]


@pytest.mark.parametrize("names", [("userId", "movieId"), ("user_id", "movie_id"), ("UserID", "MovieID"), ("user", "movie")])
def test_both_sides_from_one_are_told_and_kept_apart(tmp_path, names):
    frame = ratings(*names)
    ways = [lambda **options: sc.from_edges(frame, **options), lambda **options: sc.from_edges(dict(frame), **options)]
    ways += [lambda path=path, **options: sc.read_graph(path, **options) for path in write(frame, tmp_path)]
    for way in ways:
        graph, told = read(way)
        assert len(told) == 1
        assert f"has {min(N_USERS, N_MOVIES)} ids in both columns {names[0]!r} and {names[1]!r}" in told[0]
        assert "bipartite=True (--bipartite)" in told[0]
        assert "'user:…' and 'movie:…'" in told[0]
        assert told[0] in graph.notes
        assert (graph.n_nodes, graph.types) == (max(N_USERS, N_MOVIES), None)
        apart, told = read(lambda way=way: way(bipartite=True))
        assert told == []
        assert_apart(apart, frame)
        together, told = read(lambda way=way: way(bipartite=False))
        assert (together.n_nodes, told) == (graph.n_nodes, [])


def test_named_columns_are_two_sides_all_the_same():
    _, told = read(lambda: sc.from_edges(ratings(), source="userId", target="movieId", weight="rating"))
    assert len(told) == 1


@pytest.mark.parametrize(
    "names",
    [
        *(("userId", "followerId"), ("source", "target"), ("user1", "user2"), ("from_account", "to_account"), ("u", "v")),
        *(("payer", "payee"), ("buyer", "seller"), ("employee_id", "manager_id"), ("paper", "cites"), ("id_1", "id_2")),
    ],
)
def test_one_kind_is_not_suspected(tmp_path, names):
    frame = ratings(*names)
    for make in (lambda: sc.from_edges(frame), *(lambda path=path: sc.read_graph(path) for path in write(frame, tmp_path))):
        assert read(make)[1] == []


def test_names_that_say_nothing_are_judged_by_self_loops():
    frame = ratings("wer", "wen")
    assert len(read(lambda: sc.from_edges(frame))[1]) == 1  # as many coincidences as by chance
    assert read(lambda: sc.from_edges(frame[frame["wer"] != frame["wen"]]))[1] == []  # none: nodes of one kind
    words = frame[["wer", "wen"]].map("k{}".format)
    assert read(lambda: sc.from_edges(words))[1] == []


def test_sides_that_share_no_id_need_no_option():
    frame = ratings()
    words = pd.DataFrame({"user": "u" + frame["userId"].astype(str), "movie": "m" + frame["movieId"].astype(str)})
    graph, told = read(lambda: sc.from_edges(words))
    assert (graph.n_nodes, told) == (N_USERS + N_MOVIES, [])
    apart = pd.DataFrame({"user": frame["userId"], "movie": frame["movieId"] + 1000})
    assert read(lambda: sc.from_edges(apart))[1] == []


def test_integers_beside_words_are_two_sides(tmp_path):
    frame = ratings().assign(movieId=lambda table: "m" + table["movieId"].astype(str))
    with pytest.raises(InputError, match="Or keep the two sides apart: bipartite=True"):
        sc.from_edges(frame)
    frame.to_parquet(tmp_path / "r.parquet")
    for graph in (sc.from_edges(frame, bipartite=True), sc.read_graph(tmp_path / "r.parquet", bipartite=True)):
        assert_apart(graph, frame)


def test_sides_without_names_are_source_and_target():
    pairs = [(1, 1), (1, 2), (2, 2)]
    graph = sc.from_edges(pairs, bipartite=True)
    assert graph.node_ids.tolist() == ["source:1", "source:2", "target:1", "target:2"]
    assert graph.n_edges == 3
    weighted = sc.from_edges([(1, 1, 2.0), (1, 2, 3.0)], bipartite=True)
    assert weighted.adjacency.toarray().tolist() == [[0, 2, 3], [2, 0, 0], [3, 0, 0]]


def test_real_tables():
    movielens, told = read(lambda: sc.read_graph(data_file("kinds/movielens/ratings.csv.gz")))
    assert (movielens.n_nodes, len(told)) == (1682, 1)
    apart, told = read(lambda: sc.read_graph(data_file("kinds/movielens/ratings.csv.gz"), bipartite=True))
    assert (apart.n_nodes, apart.n_edges, told) == (943 + 1682, 100_000, [])
    assert np.unique(apart.types, return_counts=True)[1].tolist() == [1682, 943]
    for name, n_nodes in (("bitcoin_otc/ratings", 5881), ("dblp_typed/author_paper", 4057 + 14328)):
        graph, told = read(lambda name=name: sc.read_graph(data_file(f"kinds/{name}.csv.gz")))
        assert (graph.n_nodes, told) == (n_nodes, [])


def test_the_answer_is_that_of_ids_that_were_words_from_the_start():
    frame = ratings()
    words = pd.DataFrame(
        {"source": "user:" + frame["userId"].astype(str), "target": "movie:" + frame["movieId"].astype(str)}
    )
    one, other = sc.from_edges(frame, bipartite=True), sc.from_edges(words)
    Z = pd.DataFrame(sc.SCE(dimension=8).fit_transform(one), index=one.node_ids)
    expected = pd.DataFrame(sc.SCE(dimension=8).fit_transform(other), index=other.node_ids).loc[Z.index]
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=2e-3 * np.abs(expected @ expected.T).max().max())


def node_table():
    """One row per node of both sides, with the columns of both, in an order of its own."""
    generator = np.random.default_rng(3)
    ids = [f"user:{number + 1}" for number in range(N_USERS)] + [f"movie:{number + 1}" for number in range(N_MOVIES)]
    table = pd.DataFrame({"id": ids, "x": generator.normal(size=130), "y": generator.normal(size=130)})
    table["is_user"] = [float(name.startswith("user")) for name in ids]
    return table.sample(frac=1, random_state=1)


def test_sides_are_kept_by_everything_that_makes_a_graph_of_a_graph(tmp_path):
    frame = ratings()
    graph = sc.from_edges(frame, bipartite=True, features=node_table().set_index("id"))
    assert graph.features[graph.types == "user"].tolist() != []
    column = graph.features[:, 2]  # standardised: one value per side
    assert len(set(column[graph.types == "user"].tolist())) == len(set(column[graph.types == "movie"].tolist())) == 1
    assert_apart(graph.replace(labels=np.zeros(130)), frame)
    assert_apart(pickle.loads(pickle.dumps(graph)), frame)  # noqa: S301
    part = graph.subgraph(["movie:3", "user:3", "user:1"])
    assert part.types.tolist() == ["movie", "user", "user"]
    named = sc.from_edges(frame, bipartite=True, node_ids=[*graph.node_ids.tolist(), "user:99"])
    assert (named.n_nodes, named.types[-1]) == (131, "user")

    model = sc.SCE(dimension=4).fit(graph)
    model.save(tmp_path / "m.safetensors", with_state=True)
    again = sc.load(tmp_path / "m.safetensors")
    again.update(edges_added=[("user:1", "movie:99")], nodes_added=pd.DataFrame(
        {"x": [0.0], "y": [0.0], "is_user": [0.0]}, index=["movie:99"]))  # fmt: skip
    assert again.graph_.node_types == ("user", "movie")
    assert again.graph_.types[again.graph_.node_ids.tolist().index("movie:99")] == "movie"


def test_a_store_keeps_the_sides_and_tells_the_doubt(tmp_path):
    frame = ratings()
    frame.to_parquet(tmp_path / "r.parquet", index=False, row_group_size=100)
    node_table().to_parquet(tmp_path / "n.parquet", index=False)
    files = {"edges": tmp_path / "r.parquet", "features": tmp_path / "n.parquet"}
    sc.build_store(tmp_path / "apart", files["edges"], features=files["features"], bipartite=True)
    store = sc.open_store(tmp_path / "apart")
    assert_apart(store, frame)
    held = sc.read_graph(files["edges"], features=files["features"], bipartite=True)
    assert store.node_ids.tolist() == held.node_ids.tolist()
    assert (store.adjacency != held.adjacency).nnz == 0

    numbered = pa.table({"id": np.arange(1, 81), "x": np.arange(80.0)})
    pa.parquet.write_table(numbered, tmp_path / "one.parquet")
    with pytest.warns(ReadingWarning, match="has 50 ids in both columns 'userId' and 'movieId'") as told:
        sc.build_store(tmp_path / "one", files["edges"], features=tmp_path / "one.parquet")
    assert str(told[0].message) in sc.open_store(tmp_path / "one").notes
    assert told[0].filename == __file__
    np.save(tmp_path / "rows.npy", np.eye(80))
    with pytest.raises(InputError, match="bipartite=True needs ids that say their side: 'user:1', 'movie:1'"):
        sc.build_store(tmp_path / "rows", files["edges"], features=tmp_path / "rows.npy", bipartite=True)
    np.save(tmp_path / "pairs.npy", np.array([[0, 1]]))
    with pytest.raises(InputError, match="has no use for bipartite=True: it has two columns without names"):
        sc.build_store(tmp_path / "pairs", tmp_path / "pairs.npy", features=tmp_path / "rows.npy", bipartite=True)
    assert not any((tmp_path / name).exists() for name in ("rows", "pairs"))
    with pytest.raises(InputError, match="has no use for bipartite=True"):
        sc.read_graph(tmp_path / "one", bipartite=True)


def test_at_the_shell(tmp_path):
    frame = ratings()
    frame.to_csv(tmp_path / "r.csv", index=False)
    frame.to_parquet(tmp_path / "r.parquet", index=False)
    node_table().to_parquet(tmp_path / "n.parquet", index=False)
    told = sparsecut("embed", "r.csv", "--dimension", "4", "-o", "one.parquet", folder=tmp_path).stderr
    assert " ".join(told.split()).count("bipartite=True (--bipartite) keeps them apart") == 1
    given = ("-f", "n.parquet", "--dimension", "3", "--bipartite")
    sparsecut("embed", "r.csv", *given, "-o", "memory.parquet", folder=tmp_path)
    sparsecut("embed", "r.parquet", *given, "--engine", "disk", "-o", "disk.parquet", folder=tmp_path)
    Z, ids = sc.read_embedding(tmp_path / "memory.parquet")
    on_disk, disk_ids = sc.read_embedding(tmp_path / "disk.parquet")
    assert ids.tolist() == disk_ids.tolist()
    assert set(ids.tolist()) == by_hand(frame)[0]
    np.testing.assert_allclose(Z @ Z.T, on_disk @ on_disk.T, atol=1e-4 * np.abs(Z @ Z.T).max())


def test_meetings_of_parts_add_up_to_the_whole():
    generator = np.random.default_rng(0)
    i, j = generator.integers(0, 60, 500), generator.integers(20, 100, 500)
    whole = meet(i, j, 100)
    both = sorted(set(i.tolist()) & set(j.tolist()))
    assert whole.n_shared == len(both)
    assert whole.n_loops == sum(a == b for a, b in zip(i, j, strict=True))
    assert whole.n_expected == pytest.approx(sum((i == node).sum() * (j == node).sum() for node in both) / 500)
    counted = [np.bincount(end, minlength=100) for end in (i, j)]
    loops = np.bincount(i[i == j], minlength=100)
    parts = [meeting_of(counted[0][cut], counted[1][cut], int(loops[cut].sum())) for cut in (slice(0, 33), slice(33, 100))]
    assert sum_of(parts) == whole


def test_keeping_apart_numbers_each_side_in_the_order_of_its_ids():
    i, j, ids = keep_apart(np.array([0, 2, 0]), np.array([2, 1, 0]), np.array([5, 7, 9]), ("a", "b"))
    assert ids.tolist() == ["a:5", "a:9", "b:5", "b:7", "b:9"]
    assert (ids[i].tolist(), ids[j].tolist()) == (["a:5", "a:9", "a:5"], ["b:9", "b:7", "b:5"])
