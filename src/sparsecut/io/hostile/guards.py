"""Guards between a file and the library that parses it: damage becomes one sentence, and a lie about size costs nothing.

A file may grow to 200 times its size when it is unpacked, and in any case to 256 MiB (text: 64 MiB); a matrix
may have ten million rows and columns, and beyond that a hundred for each entry it stores. Real files stay far below both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sparsecut.base.errors import InputError

FREE_BYTES = 256 * 2**20
FREE_TEXT_BYTES = 64 * 2**20
MAX_EXPANSION = 200
FREE_ROWS = 10_000_000
ROWS_PER_ENTRY = 100
NAME_ENCODING = (
    "Name its encoding: encoding='latin-1', 'cp1252', 'utf-16' or another (--encoding latin-1); or save it as UTF-8."
)


@contextmanager
def reading(path: str | Path, kind: str) -> Iterator[None]:
    """Whatever a parser raises on damaged bytes, as an `InputError` that names the file."""
    with telling(lambda error: f"The {kind} file {path} could not be read: {reason_of(error)}"):
        yield


@contextmanager
def telling(sentence: Callable[[Exception], str]) -> Iterator[None]:
    """Any error as an `InputError`: parsers of foreign formats raise all sorts of them on damaged bytes."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(sentence(error)) from error


def first_line(error: Exception) -> str:
    """The first line of what an error says, as a sentence."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return line if line.endswith(".") else f"{line}."


def check_expansion(n_bytes: int, path: str | Path, kind: str, free_bytes: int = FREE_BYTES) -> None:
    """Refuse a file that would unpack to far more than its size."""
    size, limit = Path(path).stat().st_size, max_expansion(path, free_bytes)
    if n_bytes > limit:
        raise InputError(
            f"The {kind} file {path} has {size:,} bytes and would unpack to more than {limit:,}. "
            "It is damaged or not what it claims to be."
        )


def max_expansion(path: str | Path, free_bytes: int = FREE_BYTES) -> int:
    """The bytes that a file may unpack to."""
    return max(free_bytes, MAX_EXPANSION * Path(path).stat().st_size)


def check_claim(n_rows: int, n_columns: int, n_entries: int, path: str | Path, kind: str) -> None:
    """Refuse a matrix whose size nothing in the file supports."""
    largest = max(n_rows, n_columns)
    if min(n_rows, n_columns) < 0 or largest > FREE_ROWS + ROWS_PER_ENTRY * n_entries:
        raise InputError(
            f"The {kind} file {path} claims {n_rows:,} rows and {n_columns:,} columns for {n_entries:,} entries. "
            "It is damaged or not what it claims to be."
        )


def reason_of(error: Exception) -> str:
    """What is wrong with a file, as the end of a sentence about it."""
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is."
    if isinstance(error, EOFError):
        return "it ends too early. Fetch or write it again."
    if isinstance(error, UnicodeDecodeError):
        return f"it is not {error.encoding.upper()} text at byte {error.start:,}. {NAME_ENCODING}"
    if "pickle" in str(error).lower():
        return "it holds Python objects, which are never loaded."
    return first_line(error)
