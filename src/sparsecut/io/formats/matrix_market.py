"""Matrix Market files: coordinates or a whole matrix; general or symmetric; real, integer or pattern.

scipy's reader ends the process on some damaged files, so it runs in the sandbox, once the header was compared with the size
of the file. What it then complains about becomes a sentence about the entries.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.io.formats.graph_format import GraphFormat, GraphParts, GraphRequest
from sparsecut.io.hostile.guards import check_claim, reading
from sparsecut.io.hostile.sandbox import read_matrices
from sparsecut.io.opening import open_bytes

LAYOUTS = ("coordinate", "array")
FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")


@dataclass(frozen=True)
class MatrixHeader:
    """What a file says of its matrix before the entries."""

    layout: str
    symmetry: str
    shape: tuple[int, int]
    n_entries: int  # of the matrix
    n_lines: int  # that the file must have for them
    n_header_lines: int


def read_mtx(request: GraphRequest) -> Graph:
    """The graph whose adjacency is the matrix of a file."""
    parts = GraphParts(read_matrix_market(request.path), notes=(f"Adjacency: {request.path}, Matrix Market.",))
    return parts.graph(request.directed)


def read_matrix_market(path: Path) -> Any:
    """The matrix of a file, as a sparse or a dense array."""
    what = f"The graph file {path}"
    with reading(path, "graph"), open_bytes(path, "graph") as file:
        content = file.read()
    lines = io.BytesIO(content)
    header = _read_header(lines, what)
    check_claim(*header.shape, header.n_entries, path, "graph")
    if 2 * header.n_lines > len(content) - lines.tell() + 2:
        raise InputError(f"{what} could not be read: it claims {header.n_lines:,} entries and has {len(content):,} bytes.")
    if header.symmetry != "general" and header.shape[0] != header.shape[1]:
        raise InputError(f"{what} holds a {header.symmetry} matrix of shape {header.shape}, which is not square.")
    try:
        return read_matrices(path, "graph", "mtx", content)["matrix"]
    except InputError as error:
        raise _wrong_entries(content, header, str(error), what) or error from error


def _read_header(lines: io.BytesIO, what: str) -> MatrixHeader:
    """The banner and the line of sizes; `lines` then stand before the entries."""
    words = lines.readline(1024).decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[0] != "%%matrixmarket" or words[1] != "matrix":
        raise InputError(f"{what} must begin with %%MatrixMarket matrix and say what it holds.")
    for word, known in zip(words[2:], (LAYOUTS, FIELDS, SYMMETRIES), strict=True):
        if word not in known:
            raise InputError(f"{what} holds a matrix that is {word!r}. Known kinds: {', '.join(known)}.")
    layout, field, symmetry = words[2:]
    if (layout, field) == ("array", "pattern"):
        raise InputError(f"{what} holds a whole matrix without values.")
    n_header_lines, size = 1, b""
    for size in iter(lines.readline, b""):
        n_header_lines += 1
        if _is_entry(size):
            break
    n_numbers = 3 if layout == "coordinate" else 2
    if not re.fullmatch(rb"\s*(\d{1,18}\s+){%d}\d{1,18}\s*" % (n_numbers - 1), size):
        raise InputError(f"{what} has no line that says how large the matrix is.")
    n_rows, n_columns, *rest = (int(number) for number in size.split())
    n_entries = rest[0] if rest else n_rows * n_columns
    n_lines = n_entries if rest or symmetry == "general" else _n_lower(n_rows, symmetry)
    return MatrixHeader(layout, symmetry, (n_rows, n_columns), n_entries, n_lines, n_header_lines)


def _wrong_entries(content: bytes, header: MatrixHeader, complaint: str, what: str) -> InputError | None:
    """The sentence about entries that are too few, too many, or outside of the matrix."""
    entries = content.split(b"\n")[header.n_header_lines :]
    n_found = sum(map(_is_entry, entries))
    if n_found != header.n_lines:
        return InputError(f"{what} claims {header.n_lines:,} entries and has {n_found:,}.")
    outside = re.search(r"Line (\d+): (?:Row|Column) index out of bounds", complaint)
    if outside is None:
        return None
    number = sum(map(_is_entry, entries[: int(outside[1]) - header.n_header_lines]))
    return InputError(f"{what} has an entry {number:,} outside of the {header.shape[0]:,} × {header.shape[1]:,} matrix.")


def _is_entry(line: bytes) -> bool:
    return bool(line.strip()) and not line.startswith(b"%")


def _n_lower(n_rows: int, symmetry: str) -> int:
    return n_rows * (n_rows - 1) // 2 if symmetry == "skew-symmetric" else n_rows * (n_rows + 1) // 2


FORMATS = (GraphFormat((".mtx",), read_mtx, options=("adjacency",), is_text=True),)
