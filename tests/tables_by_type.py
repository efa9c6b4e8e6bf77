"""Tables of authors, papers and venues for tests: two groups, features of two types, ids that begin anew in every type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import sparsecut as sc

WRITES, IN = ("author", "writes", "paper"), ("paper", "in", "venue")


def tables(n_papers: int = 120, seed: int = 0) -> tuple[dict[str, Any], dict[Any, Any]]:
    """What `from_tables` takes: numbers and a category of authors, numbers of papers, venues without a table."""
    generator = np.random.default_rng(seed)
    side, group = np.arange(n_papers // 2) % 2, np.arange(n_papers) % 2
    authors = pd.DataFrame({"id": np.arange(len(side)), "age": side + generator.normal(size=len(side))})
    authors["h"] = generator.normal(2 * side)
    authors["country"] = np.where(generator.random(len(side)) < 0.8, side, 1 - side).astype(str)
    columns = {name: group + generator.normal(size=n_papers) for name in ("p", "q", "r")}
    papers = pd.DataFrame({"id": np.arange(n_papers), **columns})
    ends = [(a, p) for p in range(n_papers) for a in generator.choice(np.flatnonzero(side == group[p]), 3, replace=False)]
    writes = pd.DataFrame(ends, columns=["author", "paper"])
    where = pd.DataFrame({"paper": np.arange(n_papers), "venue": group + 2 * generator.integers(0, 2, n_papers)})
    return {"author": authors, "paper": papers, "venue": None}, {WRITES: writes, IN: where}


def graph_of_tables(n_papers: int = 120, seed: int = 0) -> sc.Graph:
    """The graph of the tables."""
    return sc.from_tables(*tables(n_papers, seed))
