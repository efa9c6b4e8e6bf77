"""A graph of people of whom one is to be forgotten, and what a file has of that one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from sparsecut import Graph, from_edges

SECRET = "Zaphod-4711"


def person_graph() -> Graph:
    """People with a table, of whom one has an id, a city, a word and an income that nobody else has."""
    generator, n_nodes = np.random.default_rng(0), 60
    names = [f"person-{number}" for number in range(n_nodes)]
    names[7] = SECRET
    cities = generator.choice(["Bern", "Doha"], n_nodes).astype(object)
    cities[7] = "Atlantis"
    tags = [["red", "new"][: number % 3] for number in range(n_nodes)]
    tags[7] = ["shibboleth"]
    incomes = generator.normal(50, 10, n_nodes)
    incomes[7] = 123456.5
    frame = pd.DataFrame({"city": cities, "tags": tags, "income": incomes}, index=names)
    edges = [
        (names[i], names[j])
        for i, j in {tuple(sorted(pair)) for pair in generator.integers(0, n_nodes, (200, 2)).tolist()}
        if i != j
    ]
    return from_edges(edges, features=frame, node_ids=names)


def traces(path: Path, row: np.ndarray) -> list[str]:
    """What a file has of the person: the id, the category, the word, any number of the vector or of the row."""
    content = path.read_bytes()
    marks = {word: word.encode() for word in (SECRET, "Atlantis", "shibboleth", "123456")}
    marks |= {f"number {number}": value.tobytes() for number, value in enumerate(row) if abs(value) > 1e-3}
    return [f"{path.name}: {name}" for name, mark in marks.items() if mark in content]
