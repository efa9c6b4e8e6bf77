"""Embeddings on disk, each row with its node's id.

- `.parquet`: columns `id` and `embedding`, a fixed-size list of float32
- `.npz`: arrays `ids` and `embedding`
- `.npy`: the matrix, and the ids beside it in `NAME.ids.npy`
- `.csv`: `id`, `z0`, `z1`, …
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.errors import InputError
from sparsecut.io.attributes import read_features
from sparsecut.io.files import check_readable, check_writable, write_whole
from sparsecut.io.ids import as_ids

EMBEDDING_SUFFIXES = (".parquet", ".npy", ".npz", ".csv")


def check_embedding_path(path: str | Path) -> Path:
    """The path of an embedding that could be written, found out before it is computed."""
    path = check_writable(path)
    if path.suffix not in EMBEDDING_SUFFIXES:
        raise InputError(f"The output {path} must end in {', '.join(EMBEDDING_SUFFIXES)}: the suffix is the format.")
    return path


def write_embedding(path: str | Path, embedding: ArrayLike, node_ids: ArrayLike | None = None) -> None:
    """Write one vector a node; the suffix of the path is the format."""
    path = check_embedding_path(path)
    Z = np.ascontiguousarray(embedding, dtype=np.float32)  # (n, d)
    ids = np.arange(len(Z)) if node_ids is None else np.asarray(node_ids)
    if Z.ndim != 2 or ids.shape != (len(Z),):
        raise InputError(f"An embedding needs one row a node id. Got shape {Z.shape} and {len(ids):,} ids.")
    if ids.dtype == object:
        ids = ids.astype(np.str_)
    with write_whole(path) as temporary:
        if path.suffix == ".npy":
            np.save(temporary, Z)
        elif path.suffix == ".npz":
            np.savez(temporary, ids=ids, embedding=Z)
        else:
            _write_table(temporary, Z, ids)
        if path.suffix == ".npy":
            with write_whole(ids_path(path)) as temporary_ids:
                np.save(temporary_ids, ids)


def read_embedding(path: str | Path) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """(node ids, embedding) from any file `write_embedding` writes."""
    path = check_readable(path, "embedding")
    if path.suffix not in EMBEDDING_SUFFIXES:
        raise InputError(f"The embedding file {path} must end in {', '.join(EMBEDDING_SUFFIXES)}.")
    ids, Z = _read_parquet(path) if path.suffix == ".parquet" else read_features(path)
    if ids is None:
        has_ids = ids_path(path).exists()
        with _as_input_error(path):
            ids = np.load(ids_path(path), allow_pickle=False) if has_ids else np.arange(len(Z))
    Z = np.asarray(Z, dtype=np.float32)
    if Z.ndim != 2 or len(ids) != len(Z):
        raise InputError(f"The embedding file {path} must hold one row a node. Got shape {Z.shape} and {len(ids):,} ids.")
    return ids, Z


def ids_path(path: Path) -> Path:
    """Where the ids of an `.npy` embedding lie."""
    return path.with_suffix(".ids.npy")


def _write_table(path: Path, Z: NDArray[np.float32], ids: NDArray[Any]) -> None:
    import pyarrow as pa

    if path.suffix == ".parquet":
        import pyarrow.parquet

        vectors = pa.FixedSizeListArray.from_arrays(pa.array(Z.ravel()), Z.shape[1])
        pyarrow.parquet.write_table(pa.table({"id": pa.array(ids), "embedding": vectors}), path)
    else:
        import pyarrow.csv

        columns = {f"z{column}": pa.array(Z[:, column]) for column in range(Z.shape[1])}
        pyarrow.csv.write_csv(pa.table({"id": pa.array(ids), **columns}), path)


def _read_parquet(path: Path) -> tuple[NDArray[Any], NDArray[np.float32]]:
    import pyarrow as pa
    import pyarrow.parquet

    with _as_input_error(path):
        table = pyarrow.parquet.read_table(path)
    if not {"id", "embedding"} <= set(table.column_names) or not pa.types.is_fixed_size_list(
        table.schema.field("embedding").type
    ):
        raise InputError(
            f"The embedding file {path} must have a column 'id' and a column 'embedding' of fixed-size lists. "
            f"It has: {', '.join(table.column_names)}."
        )
    vectors = table.column("embedding").combine_chunks()
    Z = np.asarray(vectors.flatten(), dtype=np.float32).reshape(len(vectors), -1)
    return as_ids(table.column("id"), f"The embedding file {path}"), Z


@contextmanager
def _as_input_error(path: Path) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowInvalid, OSError, ValueError, EOFError) as error:
        raise InputError(f"The embedding file {path} could not be read: {error}") from error
