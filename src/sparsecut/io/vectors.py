"""Embeddings as plain text for other programs: word2vec's format, and TensorBoard's projector."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.edges.ids import as_array, as_integers
from sparsecut.io.files import check_readable
from sparsecut.io.hostile.guards import reading
from sparsecut.io.opening import check_utf8, lines_of, open_bytes, table_suffix, without_packing

MAX_DIMENSION = 2**20
BYTES_PER_NUMBER = 32  # at most, of a number written as text


def ids_beside(path: Path) -> Path:
    """Where the projector's metadata lies: beside the vectors, and packed as they are."""
    name = without_packing(path.name)
    return path.with_name(Path(name).with_suffix(".metadata.tsv").name + path.name[len(name) :])


def write_vectors(path: Path, files: list[Path], Z: NDArray[np.float32], ids: NDArray[Any], labels: Any) -> None:
    """Write to `files`, the temporary names of `path` and of what lies beside it."""
    words = [str(value) for value in ids.tolist()]
    if path.suffix == ".tsv":
        _write_rows(files[0], Z, None, "\t", b"")
        _check_words(words, "\t\r\n", path)
        if labels is None:
            lines = words  # a single column has no header there
        else:
            marks = [str(label) for label in labels.tolist()]
            _check_words([mark for mark in marks if mark], "\t\r\n", path)
            lines = ["id\tlabel", *(f"{word}\t{mark}" for word, mark in zip(words, marks, strict=True))]
        files[1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        _check_words(words, ' \t\r\n"', path)
        _write_rows(files[0], Z, words, " ", f"{len(Z)} {Z.shape[1]}\n".encode())


def read_vectors(path: Path, encoding: str | None = None) -> tuple[NDArray[Any] | None, NDArray[np.float32]]:
    """(ids or None, vectors) of such a file."""
    import pyarrow as pa

    is_projector = table_suffix(path) == ".tsv"
    with reading(path, "embedding"):
        with open_bytes(path, "embedding", encoding) as file:
            first = next(lines_of(file, f"The embedding file {path}"), b"").decode("utf-8").rstrip("\r\n")
        n_columns = _n_columns(path, first, is_projector)
        names = [str(column) for column in range(n_columns)]
        types = dict.fromkeys(names, pa.float32())
        if not is_projector:
            types["0"] = pa.string()
        with open_bytes(path, "embedding", encoding) as file:
            try:
                table = _read_rows(file, "\t" if is_projector else " ", names, types, skip=0 if is_projector else 1)
            except pa.ArrowInvalid:
                check_utf8(path, "embedding", encoding)
                raise
    if any(table.column(name).null_count for name in names):
        raise InputError(f"The embedding file {path} has an empty cell.")
    Z = np.column_stack([table.column(name).to_numpy() for name in names[0 if is_projector else 1 :]])
    if is_projector:
        return _read_metadata(ids_beside(path), len(Z), encoding), Z
    words = table.column("0").combine_chunks()
    if str(len(Z)) != first.split()[0]:
        raise InputError(f"The embedding file {path} claims {first.split()[0]} rows and has {len(Z):,}.")
    return as_array(as_integers(words)), Z


def _write_rows(path: Path, Z: NDArray[np.float32], words: list[str] | None, separator: str, first: bytes) -> None:
    import pyarrow as pa
    from pyarrow import csv

    columns = {} if words is None else {"id": pa.array(words)}
    table = pa.table({**columns, **{str(column): pa.array(Z[:, column]) for column in range(Z.shape[1])}})
    with path.open("wb") as file:
        file.write(first)
        csv.write_csv(table, file, csv.WriteOptions(include_header=False, delimiter=separator, quoting_style="none"))


def _check_words(words: list[str], forbidden: str, path: Path) -> None:
    """Ids that would break the format: it has no quotes."""
    wrong = next((word for word in words if not word or any(sign in word for sign in forbidden)), None)
    if wrong is not None:
        raise InputError(
            f"{path} cannot hold the id or label {wrong!r}: its format has no room for empty ones, spaces, tabs, line ends "
            "or quotes. Write .parquet instead."
        )


def _n_columns(path: Path, first: str, is_projector: bool) -> int:
    parts = first.split("\t" if is_projector else None)
    if is_projector:
        return len(parts)
    if len(parts) != 2 or not all(part.isdigit() for part in parts) or not 0 < int(parts[1]) <= MAX_DIMENSION:
        raise InputError(f"The embedding file {path} must begin with two numbers: how many rows and how many columns.")
    return int(parts[1]) + 1


def _read_rows(file: BinaryIO, separator: str, names: list[str], types: dict[str, Any], skip: int) -> Any:
    from pyarrow import csv

    return csv.read_csv(
        file,
        # The parser takes no row that is longer than its block.
        csv.ReadOptions(column_names=names, skip_rows=skip, block_size=max(2**20, BYTES_PER_NUMBER * len(names))),
        csv.ParseOptions(delimiter=separator, quote_char=False),
        csv.ConvertOptions(column_types=types, strings_can_be_null=False),
    )


def _read_metadata(path: Path, n_rows: int, encoding: str | None) -> NDArray[Any] | None:
    import pyarrow as pa

    if not path.exists():
        return None
    with reading(check_readable(path, "metadata"), "metadata"), open_bytes(path, "metadata", encoding) as file:
        lines = file.read().decode("utf-8").splitlines()
    if len(lines) == n_rows + 1:
        lines = lines[1:]
    if len(lines) != n_rows:
        raise InputError(f"The metadata file {path} has {len(lines):,} rows for {n_rows:,} vectors.")
    return as_array(as_integers(pa.array([line.split("\t")[0] for line in lines], pa.large_string())))
