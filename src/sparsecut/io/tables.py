"""Tables from files: CSV, TSV and other separated text (gzip too), Parquet and Feather, read by pyarrow.

What a text file does not say is read off its first lines: comments at the top, the separator, whether there is a header.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsecut.errors import InputError
from sparsecut.io.files import check_readable

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".edges", ".edgelist")
SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", " ": "spaces"}
COMMENTS = ("#", "%")


@dataclass(frozen=True)
class TextLayout:
    """How a text table is laid out."""

    separator: str
    n_comments: int
    has_header: bool


def read_table(path: str | Path, kind: str, header_names: frozenset[str]) -> Any:
    """A pyarrow table. A first line that holds one of `header_names`, or words above numbers, is a header."""
    path = check_readable(path, kind)
    suffix = table_suffix(path)
    if path.stat().st_size == 0:
        raise InputError(f"The {kind} file {path} is empty.")
    import pyarrow as pa

    try:
        if suffix == ".parquet":
            import pyarrow.parquet

            table = pyarrow.parquet.read_table(path)
        elif suffix in (".feather", ".arrow"):
            import pyarrow.feather

            table = pyarrow.feather.read_table(path)
        elif suffix in TEXT_SUFFIXES:
            table = _read_text(path, kind, header_names)
        else:
            raise InputError(
                f"The {kind} file {path} has no known suffix. Known ones: "
                f"{', '.join(TEXT_SUFFIXES)} (with .gz or not), .parquet, .feather."
            )
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"The {kind} file {path} could not be read: {_first_line(error)}") from error
    if table.num_rows == 0:
        raise InputError(f"The {kind} file {path} has no rows.")
    return table


def table_suffix(path: Path) -> str:
    """The suffix that tells the format: that of x.csv.gz is .csv."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else (suffixes[-1] if suffixes else "")


def sniff(lines: list[str], header_names: frozenset[str], kind: str, path: Path) -> TextLayout:
    """The layout that the first lines of a text table speak for."""
    n_comments = 0
    while n_comments < len(lines) and (not lines[n_comments].strip() or lines[n_comments].startswith(COMMENTS)):
        n_comments += 1
    content = [line for line in lines[n_comments:] if line.strip()]
    if not content:
        raise InputError(f"The {kind} file {path} holds nothing but comments and blank lines.")
    separator = max(
        SEPARATORS, key=lambda candidate: (min(line.count(candidate) for line in content[:2]) > 0, candidate != " ")
    )
    if separator not in content[0]:
        raise InputError(
            f"The {kind} file {path} has one column: {content[0].strip()[:60]!r} holds no comma, tab, semicolon or space. "
            "A table needs at least two columns."
        )
    first, second = content[0].split(separator), (content[1].split(separator) if len(content) > 1 else [])
    is_named = any(cell.strip().strip('"').lower() in header_names for cell in first)
    is_words_above_numbers = not any(map(_is_number, first)) and any(map(_is_number, second))
    return TextLayout(separator, n_comments, is_named or is_words_above_numbers)


def _read_text(path: Path, kind: str, header_names: frozenset[str]) -> Any:
    from pyarrow import csv

    with gzip.open(path, "rt", encoding="utf-8-sig") if path.suffix == ".gz" else path.open(encoding="utf-8-sig") as file:
        layout = sniff([line for line, _ in zip(file, range(100), strict=False)], header_names, kind, path)
    return csv.read_csv(
        path,
        read_options=csv.ReadOptions(skip_rows=layout.n_comments, autogenerate_column_names=not layout.has_header),
        parse_options=csv.ParseOptions(delimiter=layout.separator),
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
