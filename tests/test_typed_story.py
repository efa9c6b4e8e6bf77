"""What people do with a graph of several types, step by step: each against a graph that is read anew, or dense matrices."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import prepared
import sparsecut as sc
from tables_by_type import IN, WRITES, graph_of_tables, tables


def close(found: np.ndarray, wanted: np.ndarray, share: float = 1e-4) -> bool:
    return found.shape == wanted.shape and bool(np.abs(found - wanted).max() < share * np.abs(wanted).max())


def test_vectors_are_what_dense_matrices_give() -> None:
    graph = graph_of_tables()
    model = sc.SCE(filter=sc.PageRank(restart=0.2), channels="smoothed", dimension=4)
    Z = model.fit_transform(graph).astype(np.float64)
    blocks = {"author": 0, "paper": 1}
    n, codes = graph.n_nodes, graph.type_codes
    # Every type of edges has the same total weight; rows of the weighted features have the same mean square by type.
    assert graph.relations is not None
    matrices = [matrix.toarray().astype(np.float64) for matrix in graph.relations.matrices]
    A = sum(matrix / matrix.sum() for matrix in matrices)
    A *= sum(matrix.sum() for matrix in matrices) / len(matrices) / (A.sum() / len(matrices))
    P = (A + np.eye(n)) / (A.sum(axis=1) + 1)[:, None]
    F = np.asarray(graph.features, dtype=np.float64)
    column_types = graph.encoder.column_types  # type: ignore[union-attr]
    for code in blocks.values():
        own = F[np.ix_(codes == code, column_types == code)]
        F[:, column_types == code] /= np.sqrt(((own - own.mean(axis=0)) ** 2).sum() / len(own))
    S, power = np.zeros_like(F), F
    for _ in range(200):
        S, power = S + 0.2 * power, 0.8 * P @ power
    for code in range(3):
        S[codes == code] -= S[codes == code].mean(axis=0)
    # The embedding is a linear map of these rows: what is left of it beside them is rounding and the polynomial's end.
    W = np.linalg.lstsq(S, Z, rcond=None)[0]
    assert np.abs(S @ W - Z).max() < 0.02 * np.abs(Z).max()
    directions = np.linalg.svd(S, full_matrices=False)[2][:4]
    assert np.linalg.svd(np.linalg.qr(W)[0].T @ directions.T)[1].min() > 0.999


def test_a_saved_model_embeds_next_months_tables_in_another_process(tmp_path: Path) -> None:
    first, later = graph_of_tables(), graph_of_tables(140, seed=1)
    model = sc.SCE(features="given").fit(first)
    model.save(tmp_path / "model.safetensors")
    nodes, edges = tables(140, seed=1)
    for name in ("author", "paper"):
        nodes[name].sample(frac=1, random_state=0).to_csv(tmp_path / f"{name}.csv", index=False)  # in another order
    for (_, name, _), table in edges.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    asked = ["--nodes", "author=author.csv", "--nodes", "paper=paper.csv", "--nodes", "venue"]
    asked += ["--edges", "author:writes:paper=writes.csv", "--edges", "paper:in:venue=in.csv"]
    command = [prepared.python(), "-m", "sparsecut", "transform", "model.safetensors", *asked, "-o", "later.parquet", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True)
    Z, ids = sc.read_embedding(tmp_path / "later.parquet")
    place = {one: row for row, one in enumerate(later.node_ids.tolist())}
    assert close(Z, model.transform(later)[[place[one] for one in ids.tolist()]])
    assert pd.read_parquet(tmp_path / "later.parquet")["type"].tolist() == [one.partition(":")[0] for one in ids.tolist()]


def test_a_new_type_of_edges_is_refused_and_a_missing_one_has_no_edges() -> None:
    nodes, edges = tables()
    model = sc.SCE(features="given").fit(sc.from_tables(nodes, edges))
    cites = {**edges, ("paper", "cites", "paper"): [(0, 1), (2, 3)]}
    with pytest.raises(sc.InputError, match=r"does not know how much others weigh. Got 'paper:cites:paper'"):
        model.transform(sc.from_tables(nodes, cites))
    fewer = sc.from_tables({**nodes, "venue": [0, 1, 2, 3]}, {WRITES: edges[WRITES]})
    Z = model.transform(fewer)
    venues = fewer.types == "venue"
    assert np.ptp(Z[venues], axis=0).max() == 0  # nothing is known of a venue without papers
    assert np.isfinite(Z).all()


def test_updates_are_a_graph_that_is_read_again() -> None:
    nodes, edges = tables()
    model = sc.SCE(features="given", filter=sc.Power(order=2)).fit(sc.from_tables(nodes, edges))
    author, paper = {"age": 1.5, "h": 3.0, "country": "1"}, {"p": 2.0, "q": 1.0, "r": 0.5}
    model.update(
        nodes_added={"author:900": author, "paper": {900: paper}},
        edges_added=[("author:900", "paper:900"), ("author:1", "paper:900"), ("paper:900", "venue:1")],
        tolerance=0,
    )
    changed = {**paper, "p": -1.0}
    model.update(features_changed={"paper:900": {"p": -1.0}}, tolerance=0)
    more = {
        "author": pd.concat([nodes["author"], pd.DataFrame([{"id": 900, **author}])]),
        "paper": pd.concat([nodes["paper"], pd.DataFrame([{"id": 900, **changed}])]),
        "venue": None,
    }
    told = {
        WRITES: pd.concat([edges[WRITES], pd.DataFrame({"author": [900, 1], "paper": [900, 900]})]),
        IN: pd.concat([edges[IN], pd.DataFrame({"paper": [900], "venue": [1]})]),
    }
    again = sc.from_tables(more, told)
    place = {one: row for row, one in enumerate(model.graph_.node_ids.tolist())}
    rows = [place[one] for one in again.node_ids.tolist()]
    assert close(model.embedding_[rows], model.transform(again))
    with pytest.raises(sc.InputError, match=r"must begin with a type, 'author', 'paper', 'venue', and a colon. Got '901'"):
        model.update(nodes_added={901: author})


def test_labels_of_new_nodes_are_no_features() -> None:
    """A column that was taken for labels when the graph was read may be there when nodes come later."""
    nodes, edges = tables()
    nodes["paper"] = nodes["paper"].assign(**{"class": np.arange(120) % 3})
    models = [sc.SCE(features="given").fit(sc.from_tables(nodes, edges)) for _ in range(2)]
    new = pd.DataFrame({"id": [900], "p": [1.0], "q": [2.0], "r": [3.0], "class": [1]})
    for model, given in zip(models, (new, new.drop(columns="class")), strict=True):
        model.update(nodes_added={"paper": given}, edges_added=[("paper:900", "venue:1")])
        model.update(features_changed={"paper:900": {"p": 4.0, **({"class": 2} if "class" in given else {})}})
    np.testing.assert_array_equal(models[0].embedding_, models[1].embedding_)
    with pytest.raises(sc.InputError, match="it has 'klass', which the model does not know"):
        models[0].update(nodes_added={"paper": new.rename(columns={"class": "klass"}).assign(id=901)})


def test_forgetting_is_a_fit_without_these_nodes(tmp_path: Path) -> None:
    nodes, edges = tables()
    gone = [3, 4, 5]
    few = {**nodes, "author": nodes["author"][~nodes["author"]["id"].isin(gone)]}
    left = {**edges, WRITES: edges[WRITES][~edges[WRITES]["author"].isin(gone)]}
    settings = {"features": "given", "filter": sc.Power(order=2), "channels": "smoothed", "dimension": 4}
    wanted = sc.SCE(**settings).fit(sc.from_tables(few, left))
    model = sc.SCE(**settings).fit(sc.from_tables(nodes, edges))
    model.save(tmp_path / "model.safetensors", with_state=True)
    for one in (model, sc.load(tmp_path / "model.safetensors")):
        one.forget([f"author:{node}" for node in gone], choices="again")
        assert one.graph_.node_ids.tolist() == wanted.graph_.node_ids.tolist()
        assert close(np.abs(one.embedding_), np.abs(wanted.embedding_), 1e-3)


def test_sides_are_a_graph_with_two_types_and_one_relation() -> None:
    ratings = pd.DataFrame({"user_id": [1, 1, 2, 3], "movie_id": [1, 2, 2, 3]})
    sides = sc.from_edges(ratings, bipartite=True)
    typed = sc.from_tables(edges={("user", "to", "movie"): ratings})
    assert sides.node_types == typed.node_types == ("user", "movie")
    assert sides.edge_types == typed.edge_types
    assert sides.node_ids.tolist() == typed.node_ids.tolist()
    np.testing.assert_array_equal(sides.adjacency.toarray(), typed.adjacency.toarray())
