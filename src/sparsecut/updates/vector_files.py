"""Vectors that changed, with the times of the changes where they have any: what a feature store takes in.

    .parquet    id, type, time, embedding (a fixed-size list of float32)       .csv    id, type, time, z0, z1, …
    .ndjson     {"id": …, "time": …, "embedding": […]} per vector, {"id": …, "removed": true} per node that went

Without times a node has one row, its last; with them, one for each time. `type` is that of a node in a graph with types.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, ReadingWarning
from sparsecut.graph.node_types import codes_of
from sparsecut.io.embeddings import ARROW_SUFFIXES, ids_path, read_embedding, read_types, write_embedding
from sparsecut.io.files import check_readable, write_whole

CHANGED_SUFFIXES = (".parquet", ".csv", ".ndjson")
WHOLE_SUFFIXES = (".npy", ".npz", ".w2v", ".vec")  # read and written as one
CLEANED_SUFFIXES = (*CHANGED_SUFFIXES, *ARROW_SUFFIXES, *WHOLE_SUFFIXES)
ID_NAMES = ("id", "node", "node_id")


class ChangedRows(Protocol):
    """What an update returns."""

    @property
    def ids(self) -> NDArray[Any]: ...
    @property
    def rows(self) -> NDArray[np.float32]: ...
    @property
    def removed(self) -> list[Any]: ...


def write_changed(
    path: str | Path,
    parts: Sequence[tuple[ChangedRows, Any]],
    *,
    node_types: Sequence[str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write what several updates changed, each with its time or None, and the types of nodes where there are any."""
    import pyarrow as pa

    rows: dict[Any, tuple[Any, Any, NDArray[np.float32]]] = {}
    removed: dict[Any, Any] = {}
    has_times = any(time is not None for _, time in parts)
    for number, (part, time) in enumerate(parts):
        for identity in part.removed:
            rows.pop(identity, None)
            removed[identity] = time
        for identity, row in zip(part.ids.tolist(), part.rows, strict=True):
            removed.pop(identity, None)
            rows[(identity, number) if has_times else identity] = (identity, time, row)
    ids, times = [row[0] for row in rows.values()], [row[1] for row in rows.values()]
    width = parts[0][0].rows.shape[1]
    Z = np.array([row[2] for row in rows.values()], dtype=np.float32).reshape(len(ids), width)
    with write_whole(path, overwrite, CHANGED_SUFFIXES) as temporary:
        if temporary.suffix == ".ndjson":
            lines = [{"id": identity, **_at(time), "removed": True} for identity, time in removed.items()]
            lines += [
                {"id": identity, **_at(time), "embedding": row.tolist()}
                for identity, time, row in zip(ids, times, Z, strict=True)
            ]
            temporary.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
            return
        kind = pa.int64() if parts[0][0].ids.dtype.kind in "iu" else pa.string()
        columns: dict[str, Any] = {"id": pa.array(ids, kind)}
        if node_types is not None:
            names = np.array([*node_types, ""], dtype=np.str_)
            columns["type"] = pa.array(names[codes_of(np.array(ids, dtype=np.str_), node_types)])
        if has_times:
            columns["time"] = pa.array(times)
        if temporary.suffix == ".parquet":
            import pyarrow.parquet

            columns["embedding"] = pa.FixedSizeListArray.from_arrays(pa.array(Z.ravel()), width)
            pyarrow.parquet.write_table(pa.table(columns), temporary)
        else:
            import pyarrow.csv

            pyarrow.csv.write_csv(pa.table({**columns, **{f"z{k}": pa.array(Z[:, k]) for k in range(width)}}), temporary)


def remove_vectors(path: str | Path, ids: Sequence[Any]) -> int:
    """Write a file of vectors again without the rows of some nodes; returns how many rows went.

    All formats of `embed`, `transform` and `update` but .tsv, whose ids and labels lie in another file.
    An id is compared as it is spelt, for text files do not say whether 7 is a number.
    """
    path = check_readable(path, "vectors")
    spelt = {str(identity) for identity in ids}
    if path.suffix == ".ndjson":
        lines = path.read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if str(_id_in(line)) not in spelt]
        if len(kept) < len(lines):
            with write_whole(path, True, CHANGED_SUFFIXES) as temporary:
                temporary.write_text("".join(kept), "utf-8")
        return len(lines) - len(kept)
    if path.suffix in WHOLE_SUFFIXES:
        return _remove_from_whole(path, spelt)
    if path.suffix not in CLEANED_SUFFIXES:
        kinds = ", ".join(CLEANED_SUFFIXES)
        raise InputError(f"Nodes are taken out of files of vectors in {kinds}. {path} is another: write it again.")
    table = _read_table(path)
    index = (table.schema.pandas_metadata or {}).get("index_columns", ())
    names = [name for name in table.column_names if name.lower() in ID_NAMES or name in index]
    if not names:
        raise InputError(f"The vectors of {path} have no column of ids (id) by which to remove some. Write the file again.")
    is_kept = np.array([str(value) not in spelt for value in table.column(names[0]).to_pylist()], dtype=bool)
    if not is_kept.all():
        with write_whole(path, True, CLEANED_SUFFIXES) as temporary:
            _write_table(table.take(np.flatnonzero(is_kept)), temporary)
    return int((~is_kept).sum())


def _remove_from_whole(path: Path, spelt: set[str]) -> int:
    """Write vectors of a format that is read and written as a whole without the rows of some nodes; how many went."""
    if path.suffix == ".npy" and not ids_path(path).exists():
        raise InputError(
            f"The vectors of {path} have no ids beside them ({ids_path(path).name}) by which to remove some. Write the file "
            "again."
        )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ReadingWarning)
        (Z, ids), types = read_embedding(path), read_types(path)
    if said:  # arrays that are not read would be lost
        raise InputError(f"{said[0].message} Nodes are taken out of files that hold nothing else: write this one again.")
    is_kept = np.array([str(value) not in spelt for value in ids.tolist()], dtype=bool)
    if not is_kept.all():
        left = None if types is None else types[is_kept]
        write_embedding(path, Z[is_kept], ids[is_kept], types=left, overwrite=True)
    return int((~is_kept).sum())


def _id_in(line: str) -> Any:
    """The id of a line of JSON; None where it is no vector."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return None
    return record.get("id") if isinstance(record, dict) else None


def _read_table(path: Path) -> Any:
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path)
    if path.suffix in ARROW_SUFFIXES:
        import pyarrow.feather

        return pyarrow.feather.read_table(path, memory_map=False)
    import pyarrow as pa
    import pyarrow.csv

    with path.open("rb") as file:
        names = file.readline().decode("utf-8").rstrip("\r\n").split(",")
    as_text = {name.strip('"'): pa.string() for name in names}  # what is not removed stays letter by letter
    return pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(column_types=as_text))


def _write_table(table: Any, path: Path) -> None:
    if path.suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path)
        return
    if path.suffix in ARROW_SUFFIXES:
        import pyarrow.feather

        pyarrow.feather.write_feather(table, path)
        return
    import pyarrow.csv

    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="needed"))


def _at(time: Any) -> dict[str, Any]:
    return {} if time is None else {"time": time if isinstance(time, int | float | str) else str(time)}
