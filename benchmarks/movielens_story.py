"""MovieLens from its three files: similar movies, a user's movies, a new movie and a new user.

    python benchmarks/movielens_story.py

943 users with age, gender and occupation, 1,682 movies with year and genres and 100,000 ratings with times
(`kinds/movielens` under $SPARSECUT_DATA). How many genres similar movies share, against movies drawn at random; how many of
ten recommended movies are among the tenth of the ratings that is held out; a movie and a user that come with `update`.
"""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sparsecut as sc
from results_file import write_results

SHOWN = ("Toy Story", "Star Wars", "Alien")
N_NEAR = 10


def shared_genres(genres: pd.Series, first: np.ndarray, second: np.ndarray) -> float:
    """The mean of the share of genres that two movies have in common, of all that either has."""
    sets = {movie: set(str(words).split()) for movie, words in genres.items()}
    return float(
        np.mean([len(sets[a] & sets[b]) / max(len(sets[a] | sets[b]), 1) for a, b in zip(first, second, strict=True)])
    )


def main() -> None:
    warnings.simplefilter("ignore")
    folder = Path(os.environ["SPARSECUT_DATA"]) / "kinds" / "movielens"
    users, movies, ratings = (pd.read_csv(folder / f"{name}.csv.gz") for name in ("users", "movies", "ratings"))
    movies = movies.rename(columns={"class": "genres"})  # a column "class" would be labels
    movies["release_year"] = pd.to_numeric(movies["release_year"], errors="coerce")  # two are misspelt, which is an error
    titles, genres = (movies.set_index("item_id")[column] for column in ("movie_title", "genres"))
    generator = np.random.default_rng(0)
    is_held_out = generator.random(len(ratings)) < 0.1
    start = time.process_time()
    columns = {"user": users.drop(columns="zip_code"), "movie": movies.drop(columns="movie_title")}
    pairs = ratings[~is_held_out][["user_id", "item_id"]]
    graph = sc.from_tables(nodes=columns, edges={("user", "rates", "movie"): pairs})
    model = sc.SCE()
    Z = model.fit_transform(graph, progress=lambda *_: None)
    seconds = time.process_time() - start
    is_movie = graph.types == "movie"
    ids = graph.node_ids[is_movie]
    numbers = np.array([int(one.split(":")[1]) for one in ids])
    similar = sc.Neighbors(Z[is_movie], ids)
    near = similar.query(ids.tolist(), k=N_NEAR).ids
    of_near = np.array([[int(one.split(":")[1]) for one in row] for row in near])
    alike = shared_genres(genres, np.repeat(numbers, N_NEAR), of_near.ravel())
    chance = shared_genres(genres, np.repeat(numbers, N_NEAR), generator.choice(numbers, of_near.size))
    shown = []
    for name in SHOWN:
        (movie,) = titles.index[titles == name][:1]
        found = [titles[int(one.split(":")[1])] for one in similar.query(f"movie:{movie}", k=4).ids[0]]
        shown.append([name, "; ".join(map(str, found))])
    links = sc.Links(model, graph)
    later: dict[int, set[int]] = {}
    for user, movie in ratings[is_held_out][["user_id", "item_id"]].to_numpy():
        later.setdefault(int(user), set()).add(int(movie))
    people = sorted(user for user, own in later.items() if len(own) >= 5)[:200]
    hits, by_fame = [], []
    fame = pairs["item_id"].value_counts().index.to_numpy()
    known = pairs.groupby("user_id")["item_id"].agg(set)
    for user in people:
        best = {int(one.split(":")[1]) for one in links.recommend(f"user:{user}", k=10).ids}
        famous = {int(one) for one in fame[~np.isin(fame, list(known[user]))][:10]}
        hits.append(len(best & later[user]) / 10)
        by_fame.append(len(famous & later[user]) / 10)
    children = [int(one) for one in titles.index[titles.isin(["Toy Story", "Aladdin", "Lion King, The"])]]
    start = time.process_time()
    model.update(
        nodes_added={
            "movie:9001": {"release_year": 1997, "genres": "Animation Children's"},
            "user:9001": {"age": 30, "gender": "F", "occupation": "educator"},
        },
        edges_added=[("user:9001", f"movie:{one}") for one in children] + [("user:9001", "movie:9001")],
    )
    updating = time.process_time() - start
    rows = np.char.startswith(model.graph_.node_ids.astype(str), "movie:")
    after = sc.Neighbors(model.embedding_[rows], model.graph_.node_ids[rows])
    of_new = [int(one.split(":")[1]) for one in after.query("movie:9001", k=N_NEAR).ids[0]]
    shown.append(["a new animated movie for children", "; ".join(str(titles[one]) for one in of_new[:4])])
    later_links = links.transform(model.graph_, model)
    liked = [int(one.split(":")[1]) for one in later_links.recommend("user:9001", k=4).ids]
    shown.append(["a new user who saw three animated movies", "; ".join(str(titles[one]) for one in liked)])
    point: dict[str, Any] = {
        "shared genres": alike,
        "shared genres, at random": chance,
        "recommended and held out": float(np.mean(hits)),
        "most rated and held out": float(np.mean(by_fame)),
        "seconds": seconds,
        "seconds of the update": updating,
        "shown": shown,
    }
    print(point)
    write_results(
        "movielens_story",
        title="MovieLens, from its three files",
        about=__doc__.split("\n\n")[2].replace("\n", " "),
        command="python benchmarks/movielens_story.py",
        tables=[
            {
                "caption": "Figures",
                "columns": ["", "value"],
                "rows": [
                    ["genres shared with the ten nearest movies", f"{alike:.0%}"],
                    ["genres shared with ten movies at random", f"{chance:.0%}"],
                    [f"of ten recommended movies, among held-out ratings ({len(people)} users)", f"{np.mean(hits):.1%}"],
                    ["of the ten most rated that a user has not rated", f"{np.mean(by_fame):.1%}"],
                    ["processor seconds to read and fit", f"{seconds:.1f}"],
                    ["processor seconds of the update", f"{updating:.2f}"],
                ],
            },
            {"caption": "Nearest movies, and what is recommended", "columns": ["to", "movies"], "rows": shown},
        ],
        notes=[],
        points={"story": point},
    )


if __name__ == "__main__":
    main()
