"""One graph with its table, told in every way that people hold such things: frames, pairs and files, in any order.

A `Telling` says how; `tell` gives the graph that the library makes of it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.base.errors import ReadingWarning
from table_world import World, series

ENDS = (("source", "target"), ("from", "to"), ("sender", "receiver"), ("payer", "payee"))
ID_NAMES = ("id", "node", "account_id", "customer_no", "paperId", "key", "konto")
HELD = ("pandas", "pandas index", "pandas shuffled", "pandas text", "polars", "arrow", "dict")
FILES = ("csv", "csv.gz", "parquet")
HOLDERS_OF_CHANGES = ("records", "pandas", "pandas index", "polars", "arrow")


@dataclass(frozen=True)
class Telling:
    """How a graph and its table are written down."""

    seed: int = 0  # of the orders of lines, rows, columns and ends
    table: str = "pandas"
    edges: str = "pandas"
    ends: tuple[str, str] = ENDS[0]
    id_name: str = "id"
    has_transactions: bool = False  # a column of numbers of the edges before their ends

    @property
    def is_file(self) -> bool:
        return self.table in FILES


@st.composite
def tellings(draw: st.DrawFn, where: Literal["anywhere", "files"] = "anywhere") -> Telling:
    is_file = where == "files" or draw(st.booleans())
    return Telling(
        seed=draw(st.integers(0, 2**16)),
        table=draw(st.sampled_from(FILES if is_file else HELD)),
        edges=draw(st.sampled_from(FILES if is_file else ("pairs", "pandas", "polars", "arrow"))),
        ends=draw(st.sampled_from(ENDS)),
        id_name=draw(st.sampled_from(ID_NAMES)),
        has_transactions=draw(st.booleans()),
    )


def tell(world: World, telling: Telling, folder: Path) -> sc.Graph:
    """The graph that the library makes of a world, told so."""
    if telling.is_file:
        edges, features = write(world, telling, folder)
        with warnings.catch_warnings():  # where nodes are words, so may a header be: it is found, and the doubt is told
            warnings.filterwarnings("ignore", "The first line of .* was taken for a header", ReadingWarning)
            return sc.read_graph(edges, features=features, directed=world.direction)
    generator = np.random.default_rng(telling.seed)
    edges = _held_edges(world, telling, generator)
    # An index that numbers the rows could be ids too: where the column's name does not decide, it has to be said.
    is_asked = telling.table == "pandas shuffled" and telling.id_name == "konto"
    return sc.from_edges(
        edges,
        features=_held_table(world, telling, generator),
        directed=world.direction,
        id_column=telling.id_name if is_asked else None,
    )


def write(world: World, telling: Telling, folder: Path) -> tuple[Path, Path]:
    """The files of edges and of features."""
    generator = np.random.default_rng(telling.seed)
    edges = folder / f"edges.{telling.edges}"
    _write(_edge_frame(world, telling, generator), edges)
    has_lists = "list" in world.kinds.values()  # which no CSV can hold
    features = folder / f"nodes.{'parquet' if has_lists else telling.table}"
    _write(_node_frame(world, telling, generator), features)
    return edges, features


def told_batch(batch: dict[str, Any], how: str, id_name: str) -> dict[str, Any]:
    """The arguments of `update` in frames, where its rows have the same columns."""
    if how == "records":
        return batch
    told = dict(batch)
    for name in ("edges_added", "edges_removed", "weights_changed"):
        columns = ("source", "target", "weight")[: 2 if name == "edges_removed" else 3]
        if batch[name]:
            told[name] = _held(pd.DataFrame(batch[name], columns=list(columns)), how.removesuffix(" index"))
    for name in ("nodes_added", "features_changed"):
        rows = batch[name]
        if len({frozenset(row) for row in rows.values()}) == 1:
            columns = {column: series([row[column] for row in rows.values()]) for column in next(iter(rows.values()))}
            frame = pd.DataFrame({**columns, id_name: list(rows)})
            told[name] = frame.set_index(id_name) if how == "pandas index" else _held(frame, how)
    return told


def _write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    else:
        frame.to_csv(path, index=False)


def _edge_frame(world: World, telling: Telling, generator: np.random.Generator) -> pd.DataFrame:
    """Lines in any order, an edge without a direction from either end, columns in any order."""
    source, target = telling.ends
    listed = [world.edges_as_told(ends, generator) for ends in world.edges]
    order = generator.permutation(len(listed))
    lines = [listed[number] for number in order]
    columns: dict[str, Any] = {source: [line[0] for line in lines], target: [line[1] for line in lines]}
    if world.is_weighted:
        columns["weight"] = [line[2] for line in lines]
    if telling.has_transactions:
        columns["transaction_id"] = [f"t{number}" for number in range(len(lines))]
    names = list(columns)
    return pd.DataFrame({names[place]: columns[names[place]] for place in generator.permutation(len(names))})


def _node_frame(world: World, telling: Telling, generator: np.random.Generator) -> pd.DataFrame:
    """Rows in any order, the column of ids among the others."""
    columns = {telling.id_name: list(world.nodes), **world.columns()}
    order, names = generator.permutation(len(world.nodes)), list(columns)
    places = generator.permutation(len(names))
    return pd.DataFrame({names[place]: series([columns[names[place]][row] for row in order]) for place in places})


def _held_edges(world: World, telling: Telling, generator: np.random.Generator) -> Any:
    if telling.edges == "pairs":
        lines = [world.edges_as_told(ends, generator) for ends in world.edges]
        return [lines[number][: 3 if world.is_weighted else 2] for number in generator.permutation(len(lines))]
    return _held(_edge_frame(world, telling, generator), telling.edges)


def _held_table(world: World, telling: Telling, generator: np.random.Generator) -> Any:
    frame, name = _node_frame(world, telling, generator), telling.id_name
    if telling.table == "dict":
        names = [str(column) for column in frame.columns if column != name]
        return {node: {column: world.nodes[node][column] for column in names} for node in frame[name].tolist()}
    if telling.table == "pandas index":
        return frame.set_index(name)
    if telling.table == "pandas shuffled":  # after `sample`: its index numbers the rows as they were
        return frame.sample(frac=1, random_state=telling.seed)
    if telling.table == "pandas text":
        return _as_text(frame, world)
    return _held(frame, telling.table)


def _held(frame: pd.DataFrame, library: str) -> Any:
    if library == "pandas":
        return frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return pl.from_arrow(table) if library == "polars" else table


def _as_text(frame: pd.DataFrame, world: World) -> pd.DataFrame:
    """Words as categories, and dates as they are printed."""
    for name, kind in world.kinds.items():
        if "word" in kind:
            frame[name] = frame[name].astype("category")
        if kind == "date":
            days = [None if pd.isna(day) else day.date().isoformat() for day in frame[name]]
            frame[name] = pd.Series(days, dtype=object)
    return frame
