"""Tables of authors, papers and venues for tests: two groups, features of two types, ids that begin anew in every type."""

from __future__ import annotations

from pathlib import Path
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


def files_by_type(folder: Path, n_papers: int = 120, n_parts: int = 3) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Files of the tables' numbers, and folders of Parquet files: papers with a class, edges with days, hours and scores."""
    nodes, edges = tables(n_papers)
    generator = np.random.default_rng(1)
    authors = nodes["author"].drop(columns="country").sample(frac=1, random_state=0)
    authors.to_parquet(folder / "author.parquet", index=False)
    papers = nodes["paper"].assign(label=np.arange(n_papers) % 3)
    edges[WRITES] = edges[WRITES].assign(score=generator.choice([-2.0, -1.0, 1.0, 3.0], len(edges[WRITES])))
    frames = {"paper": papers}
    for (_, name, _), frame in edges.items():
        days = pd.to_timedelta(generator.integers(0, 400, len(frame)), unit="D")
        hours = generator.integers(0, 900, len(frame))
        frames[name] = frame.assign(day=pd.Timestamp("2025-01-01") + days, hour=hours)
    for name, frame in frames.items():
        (folder / name).mkdir()
        for part in range(n_parts):
            rows = slice(part * len(frame) // n_parts, (part + 1) * len(frame) // n_parts)
            frame.iloc[rows].to_parquet(folder / name / f"part-{part}.parquet", index=False)
    files = {"author": folder / "author.parquet", "paper": folder / "paper", "venue": None}
    return files, {WRITES: folder / "writes", IN: folder / "in"}


def graph_of_tables(n_papers: int = 120, seed: int = 0) -> sc.Graph:
    """The graph of the tables."""
    return sc.from_tables(*tables(n_papers, seed))
