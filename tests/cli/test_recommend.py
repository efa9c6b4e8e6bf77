"""`sparsecut recommend`: what the library recommends, kept links, wrong questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from shell import sparsecut


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ratings of 60 users and 40 movies in four groups, and vectors of both."""
    folder = tmp_path_factory.mktemp("shop")
    same = (np.arange(60) % 4)[:, None] == (np.arange(40) % 4)[None, :]
    users, movies = np.nonzero(np.random.default_rng(0).random((60, 40)) < np.where(same, 0.5, 0.05))
    lines = [f"{u},{v}" for u, v in zip(users, movies, strict=True)]
    (folder / "ratings.csv").write_text("user_id,movie_id\n" + "\n".join(lines) + "\n", "utf-8")
    graph = sc.read_graph(folder / "ratings.csv", bipartite=True)
    sc.write_embedding(folder / "z.parquet", sc.SCE().fit_transform(graph), graph.node_ids)
    return folder


def test_recommend_prints_what_the_library_finds_and_keeps_links(shop: Path) -> None:
    words: tuple[Any, ...] = (
        "recommend",
        "z.parquet",
        "user:3",
        "movie:5",
        "--graph",
        "ratings.csv",
        "--bipartite",
        "-k",
        4,
    )
    done = sparsecut(*words, "--json", "--links", "kept.safetensors", folder=shop)
    result = json.loads(done.stdout)["recommended"]
    graph = sc.read_graph(shop / "ratings.csv", bipartite=True)
    Z = sc.read_embedding(shop / "z.parquet")
    order = [list(Z.ids).index(node) for node in graph.node_ids]
    links = sc.Links(Z.vectors[order], graph)
    for row, found in zip(result, links.recommend(["user:3", "movie:5"], k=4), strict=True):
        assert row["ids"] == found.ids.tolist()
        np.testing.assert_allclose(row["probabilities"], found.probabilities, atol=1e-6)
    assert all(one.startswith("movie:") for one in result[0]["ids"])
    again = sparsecut(*words, "--json", "--links", "kept.safetensors", folder=shop)
    assert json.loads(again.stdout)["recommended"] == result
    table = sparsecut(*words, folder=shop).stdout
    assert "For user:3" in table
    assert "probability" in table


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("z.parquet", "user:3"), "Name the graph that was embedded: --graph GRAPH"),
        (("z.parquet", "--graph", "ratings.csv", "--bipartite"), "needs a node"),
        (("z.parquet", "user:999", "--graph", "ratings.csv", "--bipartite"), "user:999"),
        (("z.parquet", "user:3", "--graph", "ratings.csv", "--bipartite", "-k", 0), "-k parameter"),
        (("z.parquet", "user:3", "--graph", "none.csv"), "none.csv"),
        (("none.parquet", "user:3", "--graph", "ratings.csv", "--bipartite"), "none.parquet"),
        (("z.parquet", "user:3", "--graph", "ratings.csv", "--bipartite", "--links", "ratings.csv"), "safetensors"),
    ],
)
def test_wrong_words_are_one_sentence(shop: Path, words: tuple[Any, ...], message: str) -> None:
    done = sparsecut("recommend", *words, folder=shop, expect=2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
