"""Ids come out as they went in, or are refused with the way to make words of them."""

from __future__ import annotations

import datetime
import subprocess
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import prepared
import sparsecut as sc

RING = np.ones((3, 3)) - np.eye(3)
REFUSED: dict[str, tuple[Any, str]] = {
    "uuid": ([uuid.UUID(int=k) for k in range(3)], "Pass them as words: [str(value) for value in ids]"),
    "uint64": (np.array([1, 2**63, 2**64 - 1], dtype=np.uint64), "Pass them as words: [str(value) for value in ids]"),
    "beyond": ([2**63, -1, 5], "Pass them as words: [str(value) for value in ids]"),
    "bytes": ([b"a", b"b", b"\xff"], "Decode them: [value.decode() for value in ids]"),
    "numpy bytes": (np.array([b"a", b"b", b"c"]), "Decode them: [value.decode() for value in ids]"),
    "datetime64": (np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="datetime64[ns]"), "Pass them as words"),
    "dates": ([datetime.date(2024, 1, day) for day in (1, 2, 3)], "Pass them as words"),
    "rounded": (np.array([2.0**53, 1.0, 2.0]), "Such floats round to neighbouring integers."),
}


def _parquet(ids: Any, folder: Path) -> Any:
    pyarrow.parquet.write_table(pa.table({"source": pa.array(ids)[:2], "target": pa.array(ids)[1:]}), folder / "e.parquet")
    return sc.read_graph(folder / "e.parquet")


def _features_file(ids: Any, folder: Path) -> Any:
    (folder / "edges.csv").write_text("source,target\na,b\nb,c\n")
    pyarrow.parquet.write_table(pa.table({"id": pa.array(ids), "x": [1, 2, 4]}), folder / "x.parquet")
    return sc.read_graph(folder / "edges.csv", features=folder / "x.parquet")


DOORS: dict[str, Callable[[Any, Path], Any]] = {
    "Graph": lambda ids, folder: sc.Graph(RING, node_ids=ids),
    "series": lambda ids, folder: sc.Graph(RING, node_ids=pd.Series(ids)),
    "pairs": lambda ids, folder: sc.from_edges([(ids[0], ids[1]), (ids[1], ids[2])]),
    "frame": lambda ids, folder: sc.from_edges(pd.DataFrame({"source": ids[:2], "target": ids[1:]})),
    "columns": lambda ids, folder: sc.from_edges({"source": ids[:2], "target": ids[1:]}),
    "node_ids": lambda ids, folder: sc.from_edges([("a", "b")], node_ids=ids),
    "networkx": lambda ids, folder: sc.from_networkx(networkx.Graph([(ids[0], ids[1]), (ids[1], ids[2])])),
    "index": lambda ids, folder: sc.Graph(RING, features=pd.DataFrame({"x": [1, 2, 4]}, index=pd.Index(ids))),
    "dict": lambda ids, folder: sc.Graph(RING, features={identity: [1.0] for identity in ids}),
    "parquet": _parquet,
    "features file": _features_file,
    "write_embedding": lambda ids, folder: sc.write_embedding(folder / "z.parquet", np.eye(3), ids),
    "neighbors": lambda ids, folder: sc.Neighbors(np.eye(3), ids),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_would_change_is_refused_at_every_door(kind: str, door: str, tmp_path: Path) -> None:
    ids, remedy = REFUSED[kind]
    if kind == "beyond" and door in ("parquet", "features file"):
        pytest.skip("Arrow has no such column")
    with pytest.raises(sc.InputError) as caught:
        DOORS[door](ids, tmp_path)
    said = str(caught.value)
    assert "must have integers or words as node ids. Got " in said
    assert remedy in said or (door == "networkx" and "networkx.relabel_nodes(G, str) makes words of all" in said)
    assert not list(tmp_path.glob("z.*"))


KEPT: dict[str, list[Any]] = {
    "integers": [2**63 - 1, 2**53 + 1, -(2**63)],
    "text of uuids": [str(uuid.UUID(int=k)) for k in range(3)],
    "text of integers beyond 64 bits": ["18446744073709551615", "18446744073709551614", "9223372036854775808"],
    "text of dates": ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002", "2024-01-01"],
}


@pytest.mark.parametrize("suffix", ["parquet", "npz", "npy", "csv", "w2v"])
@pytest.mark.parametrize("kind", KEPT)
def test_ids_come_back_exactly(kind: str, suffix: str, tmp_path: Path) -> None:
    ids = KEPT[kind]
    if suffix == "w2v" and any(" " in str(identity) for identity in ids):
        pytest.skip("word2vec's format separates by spaces")
    path = tmp_path / f"z.{suffix}"
    sc.write_embedding(path, np.arange(6).reshape(3, 2), ids)
    Z, read = sc.read_embedding(path)
    assert dict(zip(read.tolist(), Z.tolist(), strict=True)) == dict(zip(ids, [[0, 1], [2, 3], [4, 5]], strict=True))
    graph = sc.from_edges([(ids[0], ids[1]), (ids[1], ids[2])])
    assert set(graph.node_ids.tolist()) == set(ids)
    assert graph.subgraph([ids[2]]).node_ids.tolist() == [ids[2]]


@pytest.mark.slow
def test_ids_come_back_exactly_from_a_model_in_another_process(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    for ids in (2**62 + np.arange(40), [f"{2**64 - k}" for k in range(40)]):
        ends = [(ids[k], ids[(k + step) % 40]) for k in range(40) for step in (1, 2)]
        graph = sc.from_edges(ends, node_ids=ids, features=generator.normal(size=(40, 5)))
        model = sc.SCE(dimension=3, features="given").fit(graph)
        model.save(tmp_path / "m.safetensors", with_state=True, overwrite=True)
        code = "import sys, sparsecut as sc; print([*map(repr, sc.load(sys.argv[1]).graph_.node_ids.tolist())])"
        done = subprocess.run(
            [prepared.python(), "-c", code, str(tmp_path / "m.safetensors")], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == str([*map(repr, graph.node_ids.tolist())])


def test_whole_numbers_of_other_types_are_the_integers_they_are() -> None:
    assert sc.Graph(RING, node_ids=np.array([1.0, 2.0, 3.0])).node_ids.tolist() == [1, 2, 3]
    assert sc.Graph(RING, node_ids=pd.Series([1, 2, 3], dtype="Int64")).node_ids.dtype == np.int64
    decimals = pa.table({"source": pa.array([Decimal(7), Decimal(8)]), "target": pa.array([8, 9])})
    assert sc.from_edges(decimals).node_ids.tolist() == [7, 8, 9]


def test_a_float_is_not_found_where_it_may_stand_for_several_integers() -> None:
    graph = sc.Graph(RING, node_ids=[2**53, 2**53 + 1, 5])
    assert graph.subgraph([5.0]).node_ids.tolist() == [5]
    with pytest.raises(sc.InputError, match="names nodes that the graph does not have"):
        graph.subgraph([float(2**53 + 1)])
    with pytest.raises(sc.InputError, match=r"does not have: 9223372036854775808"):
        graph.subgraph([2**63, 5, -1])
