"""Splits from files: the 50 published with the paper, by name, and anyone's own.

`read_splits` takes

- `.json`: `{"train": [ids], "validation": [ids], "test": [ids]}`, or a list of such; GraphSAINT's `tr`, `va`, `te` too
- tables (CSV, Parquet, …): a column of node ids, and one column per split that says train, validation or test
- `.npz`: masks `train_mask`, `val_mask`, `test_mask`, (n,) or (n, splits), in the order of the nodes

Where no test nodes are named they are all the others.
"""

from __future__ import annotations

import ast
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.datasets import roots
from sparsecut.evaluation.splits import Split, role_split
from sparsecut.graph import Ids
from sparsecut.io import ID_NAMES, check_known, check_readable, positions_of, read_node_table, write_whole

ROLES = {
    "train": ("train", "training", "tr", "train_mask"),
    "validation": ("validation", "val", "valid", "va", "val_mask", "validation_mask"),
    "test": ("test", "te", "test_mask"),
}


def published_splits(dataset: str, per_class: int, n_nodes: int, root: str | Path | None = None) -> list[Split]:
    """The 50 random splits published with the paper's code; the test nodes of a split are all the others.

    In those of Cora Full, where a small class should have added nothing to validation, some nodes of another class were
    listed again. They are validation nodes once here.

    Parameters
    ----------
    dataset : str
        "cora", "citeseer", "pubmed" or "cora_full".
    per_class : int
        5 or 20.
    n_nodes : int
        How many nodes the graph has.
    root : path, optional
        The folder that holds `splits/`. [default: the data folders]

    Returns
    -------
    list of Split
    """
    folders = roots() if root is None else [Path(root)]
    folder = next((folder for folder in folders if (folder / "splits").is_dir()), folders[0]) / "splits"
    known = sorted(path.name.removesuffix("_train.txt") for path in folder.glob("*_train.txt"))
    if known and f"{dataset}_{per_class}" not in known:
        raise InputError(
            f"There are no published splits of {dataset} with {per_class} labels per class. There are: {', '.join(known)}."
        )
    train, validation = (_read_lists(folder / f"{dataset}_{per_class}_{part}.txt") for part in ("train", "val"))
    if len(train) != len(validation):
        raise InputError(f"The published splits of {dataset} in {folder} do not match: one line per split in both files.")
    return [role_split(nodes, np.unique(others), None, n_nodes) for nodes, others in zip(train, validation, strict=True)]


def read_splits(path: str | Path, node_ids: ArrayLike) -> list[Split]:
    """The splits in a file, as positions in `node_ids`.

    Parameters
    ----------
    path : path
        `.json`, `.npz` or a table; the module's documentation says what each holds.
    node_ids : array-like of shape (n,)
        The ids of the graph's nodes, in its order: `graph.node_ids`.

    Returns
    -------
    list of Split

    Raises
    ------
    InputError
        Where the file is damaged, names unknown nodes, or puts a node into two parts.
    """
    path = check_readable(path, "split")
    ids = np.asarray(node_ids)
    if path.suffix == ".json":
        named = _read_json(path)
    elif path.suffix == ".npz":
        return [role_split(train, validation, test, len(ids)) for train, validation, test in _read_masks(path, len(ids))]
    else:
        named = _read_roles(path)
    splits = []
    for parts in named:
        train, validation, test = (None if names is None else _find(names, ids, path) for names in parts)
        assert train is not None  # `_by_role` refuses a split without training nodes
        splits.append(role_split(train, validation, test, len(ids)))
    return splits


def write_splits(path: str | Path, splits: Sequence[Split], node_ids: ArrayLike, *, overwrite: bool = False) -> None:
    """Write splits as JSON, by node id, for `read_splits` and for other programs.

    Parameters
    ----------
    path : path
        The file to write, whole or not at all.
    splits : sequence of Split
        What to write.
    node_ids : array-like of shape (n,)
        The ids of the graph's nodes, in its order.
    overwrite : bool, default=False
        Whether to replace a file that exists.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sparsecut.evaluation import read_splits, sample_splits, write_splits
    >>> splits = sample_splits([0] * 30 + [1] * 30, per_class=5, n_splits=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_splits(pathlib.Path(folder) / "splits.json", splits, range(60))
    ...     again = read_splits(pathlib.Path(folder) / "splits.json", range(60))
    >>> bool((again[1].train == splits[1].train).all())
    True
    """
    ids = np.asarray(node_ids)
    rows = [{role: ids[getattr(split, role)].tolist() for role in ROLES} for split in splits]
    with write_whole(path, overwrite) as temporary:
        temporary.write_text(json.dumps(rows) + "\n", encoding="utf-8")


def _find(names: Any, ids: Ids, path: Path) -> NDArray[np.int64]:
    positions = positions_of(names, ids)
    check_known(positions, names, f"The split file {path}", "the graph")
    return positions


def _read_lists(path: Path) -> list[NDArray[np.int64]]:
    try:
        lines = check_readable(path, "split").read_text(encoding="utf-8").splitlines()
        return [np.array(ast.literal_eval(line), dtype=np.int64) for line in lines]
    except (SyntaxError, ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"The split file {path} must hold one list of node numbers per line. It does not.") from error


def _read_json(path: Path) -> list[list[Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"The split file {path} is not JSON: {error}.") from error
    splits = content if isinstance(content, list) else [content]
    if not splits or not all(
        isinstance(split, dict) and all(isinstance(v, list) for v in split.values()) for split in splits
    ):
        raise InputError(f'The split file {path} must hold {{"train": [ids], …}}, or a list of such. It does not.')
    return [_by_role(split, path) for split in splits]


def _read_roles(path: Path) -> list[list[Any]]:
    ids, table = read_node_table(path, "split", frozenset((*ID_NAMES, "split", "role")))
    splits = []
    for name in table.column_names:
        roles = np.array(["" if role is None else str(role).lower() for role in table.column(name).to_pylist()])
        unknown = sorted(set(roles.tolist()) - {"", *(word for words in ROLES.values() for word in words)})
        if unknown:
            raise InputError(
                f"Column {name!r} of the split file {path} must say train, validation, test or nothing. "
                f"Got {first_few(unknown)}."
            )
        parts = [ids[np.isin(roles, words)] for words in ROLES.values()]
        splits.append([*parts[:2], parts[2] if len(parts[2]) else None])
    if not splits:
        raise InputError(f"The split file {path} has only the id column. It needs a column that says train or test.")
    return splits


def _read_masks(path: Path, n_nodes: int) -> list[list[Any]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"The split file {path} could not be read: it is damaged or holds Python objects.") from error
    masks = _by_role(arrays, path)
    shapes = {mask.shape for mask in masks if mask is not None}
    if len(shapes) != 1 or any(len(shape) not in (1, 2) or shape[0] != n_nodes for shape in shapes):
        raise InputError(
            f"The masks of {path} must all be (n,) or all (n, splits) for {n_nodes:,} nodes. "
            f"Got {', '.join(map(str, sorted(shapes)))}."
        )
    n_splits = 1 if len(min(shapes)) == 1 else min(shapes)[1]
    by_split = [None if mask is None else mask.reshape(n_nodes, n_splits).astype(bool) for mask in masks]
    return [[None if mask is None else mask[:, number] for mask in by_split] for number in range(n_splits)]


def _by_role(parts: dict[str, Any], path: Path) -> list[Any]:
    """The training, validation and test parts by whichever name they go; None for one that is not there."""
    found = [next((parts[word] for word in words if word in parts), None) for words in ROLES.values()]
    if found[0] is None:
        raise InputError(f"The split file {path} names no training nodes: it has {', '.join(parts) or 'nothing'}.")
    return found
