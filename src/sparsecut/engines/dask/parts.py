"""An embedding as a folder of Parquet files, one per block of rows, ids included: what Spark, DuckDB and polars read.

The files are written beside the place they go to, in a hidden folder that is renamed once all are there: the output is whole
or absent. A part is whole or absent too, so a run that goes on writes the missing ones alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io import read_embedding
from sparsecut.io.stores.workfolder import WorkFolder


class Parts:
    """The files of an output that is being written."""

    def __init__(self, output: Path, name: str) -> None:
        self.output = output
        self.folder = output.parent / f"{name}-{output.name}"

    def path(self, block: int) -> Path:
        return self.folder / f"part-{block:05d}.parquet"

    def has(self, block: int) -> bool:
        return self.path(block).exists()

    def open(self) -> None:
        self.folder.mkdir(exist_ok=True)

    def finish(self) -> None:
        """The folder takes its place; a former output goes away."""
        former = self.folder.with_name(f"{self.folder.name}-former")
        if self.output.exists():
            self.output.replace(former)
        self.folder.replace(self.output)
        shutil.rmtree(former, ignore_errors=True)

    def keep_only(self, layout: list[Any], work: WorkFolder) -> None:
        """Drop what a killed run has left if its blocks were others: their number follows from the workers it had."""
        if work.remembered("layout", lambda: layout) != layout:
            self.discard()
            work.remove("layout")
            work.remembered("layout", lambda: layout)

    def discard(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def check_output(output: Path) -> Path:
    """The path of a folder that can be written: absent, empty, or a former output."""
    if output.suffix not in ("", ".parquet"):
        raise InputError(f"The output {output} must be a folder of Parquet files, without a suffix or with .parquet.")
    if not output.parent.is_dir():
        raise InputError(f"The output {output} cannot be written: the folder {output.parent} does not exist. Make it first.")
    if output.is_file():
        raise InputError(f"The output {output} is a file, and the embedding is a folder of files. Remove it first.")
    others = [path.name for path in output.iterdir() if not is_part(path)] if output.exists() else []
    if others:
        raise InputError(f"The output folder {output} holds other files ({others[0]}). Name one that is empty or new.")
    return output


def is_part(path: Path) -> bool:
    return path.name.startswith("part-") and path.suffix == ".parquet"


class PartedRows:
    """The rows of an embedding in a folder of parts, read a slice at a time. `np.asarray` reads them all."""

    ndim = 2
    dtype = np.dtype(np.float32)

    def __init__(
        self, folder: Path, starts: tuple[int, ...], dimension: int, place: NDArray[np.int64] | None = None
    ) -> None:
        self.folder, self.starts, self.place = folder, np.asarray(starts), place
        self.shape = (starts[-1], dimension)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> NDArray[np.float32]:
        nodes = np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else _positions(rows, len(self))
        places = nodes if self.place is None else self.place[nodes]
        blocks = np.searchsorted(self.starts, places, side="right") - 1
        found = np.empty((len(nodes), self.shape[1]), dtype=np.float32)
        for block in np.unique(blocks):
            here = blocks == block
            found[here] = read_embedding(self.folder / f"part-{block:05d}.parquet").vectors[
                places[here] - self.starts[block]
            ]
        return found if np.ndim(rows) or isinstance(rows, slice) else found[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:] if dtype is None else self[:].astype(dtype)

    def __repr__(self) -> str:
        return f"PartedRows({self.shape[0]:,} × {self.shape[1]} in {self.folder})"


def _positions(rows: Any, n_rows: int) -> NDArray[np.int64]:
    """The rows that a number, a list of numbers or a mask names."""
    chosen = np.atleast_1d(np.asarray(rows))
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen)
    if len(chosen) and (chosen.min() < -n_rows or chosen.max() >= n_rows):
        raise IndexError(f"The embedding has {n_rows:,} rows. Got {chosen[(chosen < -n_rows) | (chosen >= n_rows)][0]}.")
    return np.where(chosen < 0, chosen + n_rows, chosen).astype(np.int64)
