"""Vectors that changed, with the times of the changes where they have any: what a feature store takes in.

    .parquet    id, time, embedding (a fixed-size list of float32)       .csv    id, time, z0, z1, …
    .ndjson     {"id": …, "time": …, "embedding": […]} per vector, {"id": …, "removed": true} per node that went

Without times a node has one row, its last; with them, one for each time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsecut.io.files import write_whole

CHANGED_SUFFIXES = (".parquet", ".csv", ".ndjson")


class ChangedRows(Protocol):
    """What an update returns."""

    @property
    def ids(self) -> NDArray[Any]: ...
    @property
    def rows(self) -> NDArray[np.float32]: ...
    @property
    def removed(self) -> list[Any]: ...


def write_changed(path: str | Path, parts: Sequence[tuple[ChangedRows, Any]], *, overwrite: bool = False) -> None:
    """Write what several updates changed, each with its time or None."""
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
        columns: dict[str, Any] = {"id": pa.array(ids)}
        if has_times:
            columns["time"] = pa.array(times)
        if temporary.suffix == ".parquet":
            import pyarrow.parquet

            columns["embedding"] = pa.FixedSizeListArray.from_arrays(pa.array(Z.ravel()), width)
            pyarrow.parquet.write_table(pa.table(columns), temporary)
        else:
            import pyarrow.csv

            pyarrow.csv.write_csv(pa.table({**columns, **{f"z{k}": pa.array(Z[:, k]) for k in range(width)}}), temporary)


def _at(time: Any) -> dict[str, Any]:
    return {} if time is None else {"time": time if isinstance(time, int | float | str) else str(time)}
