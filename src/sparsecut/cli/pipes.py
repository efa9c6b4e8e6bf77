"""`-` in place of a file: standard input for edges and embeddings, standard output for what a command writes.

    cut -f1,2 links.tsv | sparsecut embed - -o - | duckdb -c "SELECT count(*) FROM read_csv('/dev/stdin')"

Standard input is kept in a temporary file, whose format is found from its first bytes: readers go back and forth in a file,
and a pipe cannot. Standard output gets CSV, once it is whole, and nothing else: all words go to standard error.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparsecut.base.errors import InputError

STANDARD = "-"
WORDS = "standard input"

# What a file begins with, and the suffix that names its format; text that begins with none of these is CSV.
_OF_TABLES = (
    (b"PAR1", ".parquet"),
    (b"PK", ".zip"),
    (b"\x1f\x8b", ".csv.gz"),
    (b"BZh", ".csv.bz2"),
    (b"\xfd7zXZ\0", ".csv.xz"),
    (b"\x28\xb5\x2f\xfd", ".csv.zst"),
)
_OF_EDGES = (
    *_OF_TABLES,
    (b"ARROW1", ".feather"),
    (b"%%MatrixMarket", ".mtx"),
    (b"{", ".json"),
    (b"<", ".graphml"),
    (b"graph [", ".gml"),
)
_OF_VECTORS = (*_OF_TABLES, (b"\x93NUMPY", ".npy"))
_WORD2VEC = re.compile(rb"\d+ \d+\r?\n")


def is_standard(name: object) -> bool:
    return str(name) == STANDARD


def shown(path: object) -> str:
    """Where something was written, in words."""
    return "standard output" if is_standard(path) else str(path)


@contextmanager
def edges_from(name: str) -> Iterator[str]:
    """The path of a graph's file; standard input, in a temporary one, for `-`."""
    if not is_standard(name):
        yield name
        return
    with _spooled(_OF_EDGES, "the edges") as path, _named(path):
        yield str(path)


@contextmanager
def vectors_from(path: Path) -> Iterator[Path]:
    """The path of an embedding; standard input, in a temporary file, for `-`."""
    if not is_standard(path):
        yield path
        return
    with _spooled(_OF_VECTORS, "the embedding") as spooled, _named(spooled):
        yield spooled


@contextmanager
def written_to(path: Path) -> Iterator[Path]:
    """Where to write: the path itself, or for `-` a CSV file that goes to standard output when it is whole."""
    if not is_standard(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="sparsecut-") as folder:
        file = Path(folder) / "stdout.csv"
        yield file
        with file.open("rb") as written:
            shutil.copyfileobj(written, sys.stdout.buffer)
        sys.stdout.buffer.flush()


@contextmanager
def _spooled(formats: tuple[tuple[bytes, str], ...], what: str) -> Iterator[Path]:
    if sys.stdin.isatty():
        print(f"Type {what}, and end with Ctrl-D.", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="sparsecut-") as folder:
        first = sys.stdin.buffer.read(64)
        if not first:
            raise InputError(f"Standard input has no data for {what}. It is read once: of two -, name one as a file.")
        suffix = next((suffix for start, suffix in formats if first.startswith(start)), ".csv")
        if formats is _OF_VECTORS and _WORD2VEC.match(first):
            suffix = ".w2v"
        path = Path(folder) / f"stdin{suffix}"
        with path.open("wb") as file:
            file.write(first)
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path.rename(path.with_suffix(".npz")) if _is_npz(path) else path


def _is_npz(path: Path) -> bool:
    """Whether a .zip holds numpy's arrays, and not one packed table."""
    if path.suffix != ".zip" or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return all(name.endswith(".npy") for name in archive.namelist())


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """An error about the temporary file as one about standard input."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(str(path), WORDS).replace(path.name, WORDS)) from error
