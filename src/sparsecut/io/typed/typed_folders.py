"""A folder of one table per type, whose names say what they hold.

    author.csv, paper.parquet, venue/                  nodes: files, or folders of Parquet files
    author__writes__paper.csv, paper__in__venue/       edges: type, relation and type between double underscores
    author_paper.csv                                   edges of a relation without a name, where both types are there

Types that only edges name need no file. What is called otherwise is left out, with a note.
"""

from __future__ import annotations

import re
from pathlib import Path

from sparsecut.base.errors import InputError, first_few
from sparsecut.graph.relations import EdgeType
from sparsecut.io.edges.table_files import TABLE_SUFFIXES
from sparsecut.io.opening import table_suffix, without_packing

NODE_SUFFIXES = (*TABLE_SUFFIXES, ".npy", ".npz", ".json")
UNNAMED = "to"  # the relation of edges whose file names two types alone
EDGE_NAME = re.compile(r"(.+?)__(.+?)__(.+)")


def tables_in(folder: Path) -> tuple[dict[str, Path | None], dict[EdgeType, Path], tuple[str, ...]]:
    """(tables of nodes by type, tables of edges by (type, relation, type), notes) of a folder."""
    paths = {_stem(path): path for path in sorted(folder.iterdir()) if _is_table(path)}
    edges: dict[EdgeType, Path] = {}
    for stem, path in paths.items():
        if found := EDGE_NAME.fullmatch(stem):
            edges[found[1], found[2], found[3]] = path
    for stem, path in paths.items():
        cuts = [(stem[: at.start()], stem[at.end() :]) for at in re.finditer("_", stem)]
        known = [(first, last) for first, last in cuts if first in paths and last in paths]
        if known and "__" not in stem:
            edges[known[0][0], UNNAMED, known[0][1]] = path
    if not edges:
        raise InputError(
            f"The folder {folder} is neither a store made by build_store nor a folder of one table per type: it has no "
            "table of edges, called author__writes__paper.csv, say."
        )
    ends = list(dict.fromkeys(end for key in edges for end in (key[0], key[2])))
    names = [stem for stem in paths if stem in ends] + [end for end in ends if end not in paths]
    left = [path.name for stem, path in paths.items() if stem not in ends and path not in edges.values()]
    notes = (f"The folder {folder}: {first_few(left)} are called after no type and were left out.",) if left else ()
    return {name: paths.get(name) for name in names}, edges, notes


def _stem(path: Path) -> str:
    return path.name if path.is_dir() else without_packing(path.name).removesuffix(table_suffix(path))


def _is_table(path: Path) -> bool:
    if path.name.startswith((".", "_")):
        return False
    return any(path.glob("*.parquet")) if path.is_dir() else table_suffix(path) in NODE_SUFFIXES
