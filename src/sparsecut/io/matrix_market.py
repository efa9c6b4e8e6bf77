"""Matrix Market files, read with pyarrow: coordinates or a whole matrix; general or symmetric; real, integer or pattern.

scipy's own reader ends the process on some damaged files. This one holds the header against the size of the file, and every
entry against the header, before a matrix is made; it costs less than running scipy's in a process of its own
(`benchmarks/matrix_files.py`).
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.guards import check_claim, reading
from sparsecut.io.opening import open_bytes

LAYOUTS = ("coordinate", "array")
FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")
UNEVEN = (b"  ", b"\t", b"%", b"\n ", b" \n", b" \r")  # runs of spaces, tabs, comments, spaces at the ends of lines


def read_matrix_market_file(path: Path) -> Any:
    """The matrix of a file, as a sparse or a dense array."""
    what = f"The graph file {path}"
    with reading(path, "graph"):
        with open_bytes(path, "graph") as file:
            content = file.read()
        lines = io.BytesIO(content)
        layout, field, symmetry = _banner(lines.readline(1024), what)
        size = next((line for line in iter(lines.readline, b"") if line.strip() and not line.startswith(b"%")), b"")
        n_numbers = 3 if layout == "coordinate" else 2
        if not re.fullmatch(rb"\s*(\d{1,18}\s+){%d}\d{1,18}\s*" % (n_numbers - 1), size):
            raise InputError(f"{what} has no line that says how large the matrix is.")
        n_rows, n_columns, *rest = (int(number) for number in size.split())
        body = content[lines.tell() :]
        n_entries = rest[0] if rest else n_rows * n_columns
        n_lines = n_entries if rest or symmetry == "general" else _n_lower(n_rows, symmetry)
        check_claim(n_rows, n_columns, n_entries, path, "graph")
        if 2 * n_lines > len(body) + 2:
            raise InputError(f"{what} could not be read: it claims {n_lines:,} entries and has {len(content):,} bytes.")
        if layout == "array":
            return _dense(body, (n_rows, n_columns), n_lines, symmetry, what)
        return _sparse(body, (n_rows, n_columns), n_lines, field, symmetry, what)


def _banner(line: bytes, what: str) -> tuple[str, str, str]:
    words = line.decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[0] != "%%matrixmarket" or words[1] != "matrix":
        raise InputError(f"{what} must begin with %%MatrixMarket matrix and say what it holds.")
    for word, known in zip(words[2:], (LAYOUTS, FIELDS, SYMMETRIES), strict=True):
        if word not in known:
            raise InputError(f"{what} holds a matrix that is {word!r}. Known kinds: {', '.join(known)}.")
    if words[2:4] == ["array", "pattern"]:
        raise InputError(f"{what} holds a whole matrix without values.")
    return words[2], words[3], words[4]


def _sparse(body: bytes, shape: tuple[int, int], n_lines: int, field: str, symmetry: str, what: str) -> sp.csr_array:
    import pyarrow as pa

    kinds = {"row": pa.int64(), "column": pa.int64()} | ({} if field == "pattern" else {"value": pa.float64()})
    table = _columns(body, kinds)
    if table.num_rows != n_lines:
        raise InputError(f"{what} claims {n_lines:,} entries and has {table.num_rows:,}.")
    i, j = (table.column(name).to_numpy() - 1 for name in ("row", "column"))
    for index, size in ((i, shape[0]), (j, shape[1])):
        wrong = np.flatnonzero((index < 0) | (index >= size))
        if len(wrong):
            raise InputError(f"{what} has an entry {wrong[0] + 1:,} outside of the {shape[0]:,} × {shape[1]:,} matrix.")
    values = np.ones(n_lines) if field == "pattern" else table.column("value").to_numpy()
    if symmetry != "general":
        if shape[0] != shape[1]:
            raise InputError(f"{what} holds a {symmetry} matrix of shape {shape}, which is not square.")
        below = i != j
        sign = -1 if symmetry == "skew-symmetric" else 1
        i, j, values = (
            np.concatenate([i, j[below]]),
            np.concatenate([j, i[below]]),
            np.concatenate([values, sign * values[below]]),
        )
    return sp.coo_array((values, (i, j)), shape=shape).tocsr()


def _dense(body: bytes, shape: tuple[int, int], n_lines: int, symmetry: str, what: str) -> NDArray[Any]:
    import pyarrow as pa

    values = _columns(body, {"value": pa.float64()}).column("value").to_numpy()
    if len(values) != n_lines:
        raise InputError(f"{what} claims {n_lines:,} entries and has {len(values):,}.")
    if symmetry == "general":
        return np.asarray(values.reshape(shape, order="F"))
    if shape[0] != shape[1]:
        raise InputError(f"{what} holds a {symmetry} matrix of shape {shape}, which is not square.")
    matrix = np.zeros(shape)
    offset = 1 if symmetry == "skew-symmetric" else 0
    columns, rows = np.triu_indices(shape[0], offset)  # the lower triangle, column by column
    matrix[rows, columns] = values
    matrix[columns, rows] = -values if offset else values
    return matrix


def _n_lower(n_rows: int, symmetry: str) -> int:
    return n_rows * (n_rows - 1) // 2 if symmetry == "skew-symmetric" else n_rows * (n_rows + 1) // 2


def _columns(body: bytes, kinds: dict[str, Any]) -> Any:
    """The lines of the body as a table; comments and blank lines left out, runs of spaces made one."""
    import pyarrow as pa
    from pyarrow import csv

    if any(sign in body for sign in UNEVEN) or body[:1] == b" " or body[-1:] == b" ":
        # Not for most files, whose writers put one space between two numbers: it takes ten times as long as parsing.
        body = re.sub(rb"(?m)^ | (?=\r?$)|^%[^\n]*", b"", re.sub(rb"[ \t]+", b" ", body))
    if not body.strip():
        return pa.table({name: pa.array([], kind) for name, kind in kinds.items()})
    return csv.read_csv(
        pa.BufferReader(body),
        csv.ReadOptions(column_names=list(kinds)),
        csv.ParseOptions(delimiter=" ", quote_char=False),
        csv.ConvertOptions(column_types=kinds, null_values=[]),
    )
