"""Text tables: CSV, TSV and other separated text, plain or packed, with or without a header, parsed by pyarrow.

What such a file does not say is read off its first lines: the separator, whether there is a header, comments. Lines that
begin with # or % are comments wherever they stand; an id that does is written in quotes. Spaces around an id do not belong
to it, in edge lists and in tables, unless it is written in quotes: what is in quotes is kept exactly. The parser's
complaints are turned into sentences with a line number.

networkx writes its edge lists with a dictionary at the end of each line, {'weight': 4}: that is one cell, whatever is in it.
"""

from __future__ import annotations

import codecs
import csv as python_csv
import mmap
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.features import spells_number
from sparsecut.io.edges.column_evidence import is_date
from sparsecut.io.edges.edge_names import are_columns
from sparsecut.io.edges.headers import are_roles
from sparsecut.io.hostile.guards import NAME_ENCODING, reading
from sparsecut.io.opening import MAX_LINE_BYTES, check_utf8, is_packed, lines_of, long_line, open_bytes

SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", " ": "spaces"}
SPELLINGS = {"\\t": "\t", "comma": ",", "tab": "\t", "semicolon": ";", "space": " "}  # at a shell a tab is hard to type
COMMENTS = ("#", "%")
SAMPLE_BYTES = 2**16
MAX_COLUMNS = 2**16
DICTIONARY = re.compile(r"(?<=[ \t,;])\{[^\r\n]*\}[ \t]*$")


@dataclass(frozen=True)
class TextLayout:
    """How a text table is laid out."""

    separator: str
    n_skipped: int  # comments and blank lines at the top
    has_header: bool
    names: tuple[str, ...]
    is_uneven: bool  # runs of spaces, or spaces at the ends of lines
    first_line: str
    first_cells: tuple[str, ...] = ()
    second_cells: tuple[str, ...] = ()
    header_from: str = ""  # why it has a header or none: "said" by the caller, "named" on a list, "numbers" below, "roles"
    has_dictionaries: bool = False  # at the ends of its lines, as networkx writes them
    encoding: str | None = None  # other than UTF-8

    def __str__(self) -> str:
        header = "with a header" if self.has_header else f"no header, so the first line is data ({self.first_line[:60]!r})"
        return f"separated by {SEPARATORS.get(self.separator, repr(self.separator))}, {header}"


def read_text(
    path: Path,
    kind: str,
    layout: TextLayout,
    choose: Callable[[Sequence[str]], dict[str, Any]] | None,
    words: Callable[[Sequence[str]], Sequence[str]],
) -> Any:
    """A pyarrow table. `choose` picks columns and their types; those that `words` names keep their spelling."""
    types = choose(layout.names) if choose else None
    table = _parse(path, kind, layout, types, list(words(layout.names)))
    if table.num_rows == 0:
        raise InputError(f"The {kind} file {path} has no rows.")
    return table


def read_layout(
    path: Path,
    kind: str,
    header_names: frozenset[str],
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> TextLayout:
    """How a file is laid out: as the caller says, and for the rest as its first lines speak for."""
    separator = check_separator(separator)
    with reading(path, kind), open_bytes(path, kind, encoding) as file:
        lines, is_whole = _first_lines(file, f"The {kind} file {path}")
        return replace(sniff(lines, header_names, kind, path, is_whole, header, separator), encoding=encoding)


def check_separator(separator: str | None) -> str | None:
    """One character, or the name of one."""
    sign = SPELLINGS.get(separator, separator) if isinstance(separator, str) else separator
    is_fit = sign is None or (isinstance(sign, str) and len(sign) == 1 and sign.isascii() and sign not in '"\r\n\0#%')
    if not is_fit:
        raise InputError(
            f"The separator of a text file must be one character, or one of {', '.join(list(SPELLINGS)[1:])}. "
            f"Got {separator!r} instead."
        )
    return sign


def trim_ids(table: Any, names: Sequence[str], path: Path, kind: str, layout: TextLayout) -> Any:
    """The table without spaces around the ids of some columns; an id in quotes is kept exactly."""
    import pyarrow.compute as pc

    quoted = _quoted_cells(path, kind, layout, names)
    for name in names:
        column = pc.utf8_trim_whitespace(table.column(name))
        if quoted is not None:
            column = pc.if_else(quoted[name], table.column(name), column)
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def sniff(
    lines: list[str],
    header_names: frozenset[str],
    kind: str,
    path: Path,
    is_whole: bool = False,
    header: bool | None = None,
    separator: str | None = None,
) -> TextLayout:
    """The layout that the first lines of a text table speak for."""
    n_skipped = 0
    while n_skipped < len(lines) and not _is_content(lines[n_skipped]):
        n_skipped += 1
    content = list(filter(_is_content, lines[n_skipped:]))
    if not content:
        holds = "holds nothing but" if is_whole else f"begins with more than {MAX_LINE_BYTES // 2**20} MiB of"
        raise InputError(f"The {kind} file {path} {holds} comments and blank lines.")
    if not is_whole and len(content) > 1:
        content = content[:-1]  # the last line of the sample may be cut
    first_line = content[0].strip()
    has_dictionaries = kind == "edge" and header is not True and all(DICTIONARY.search(line) for line in content)
    if has_dictionaries:
        content = [DICTIONARY.sub("{}", line) for line in content]
    if separator is None:
        separator = max(
            SEPARATORS,
            key=lambda candidate: (min(line.strip().count(candidate) for line in content[:2]) > 0, candidate != " "),
        )
        said = "holds no comma, tab, semicolon or space"
    else:
        said = f"does not hold the separator {separator!r}"
    if separator not in content[0].strip():
        raise InputError(
            f"The {kind} file {path} has one column: {first_line[:60]!r} {said}. A table needs at least two columns."
        )
    is_uneven = separator == " " and any("  " in line or line != line.strip(" ") for line in content)
    first, second = (_cells(line, separator) for line in (content[0], content[1] if len(content) > 1 else ""))
    if len(first) > MAX_COLUMNS:
        raise InputError(
            f"The {kind} file {path} has {len(first):,} columns in its first line. At most {MAX_COLUMNS:,} fit."
        )
    header_from = "said" if header is not None else _header_from(first, second, content[1:], separator, header_names, kind)
    has_header = bool(header_from) if header is None else header
    names = tuple(cell.strip() for cell in first) if has_header else tuple(f"f{column}" for column in range(len(first)))
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise InputError(f"The {kind} file {path} has more than one column named {repeated[0]!r}. Rename one.")
    cells = tuple(cell.strip() for cell in first)
    return TextLayout(
        separator, n_skipped, has_header, names, is_uneven, first_line, cells, tuple(second), header_from, has_dictionaries
    )


def _header_from(
    first: list[str], second: list[str], others: list[str], separator: str, header_names: frozenset[str], kind: str
) -> str:
    """Why the cells of the first line are a header: see `headers`. "" where nothing says so."""
    if any(map(spells_number, first)):
        return ""
    names = [cell.strip() for cell in first]
    if any(name.lower() in header_names for name in names):
        return "named"
    if any(map(spells_number, second)):
        return "numbers"
    cells = [[cell.strip() for cell in _cells(line, separator)] for line in others]
    if kind != "edge":  # the second line may have gaps
        return "numbers" if all(names) and _has_numbers_below(names, cells) else ""
    if not others:
        return ""
    if any(map(is_date, second)):
        return "numbers"
    is_roles = are_roles(names[:2], (cell for row in cells for cell in row[:2]))
    return "roles" if is_roles or are_columns(names, (cell for row in cells for cell in row)) else ""


def _has_numbers_below(names: list[str], rows: list[list[str]]) -> bool:
    """Whether some column holds numbers or dates in all lines but the first, where it is not empty."""
    columns = ([row[place] for row in rows if len(row) == len(names) and row[place]] for place in range(len(names)))
    return any(column and all(spells_number(cell) or is_date(cell) for cell in column) for column in columns)


def _first_lines(file: Any, what: str) -> tuple[list[str], bool]:
    """Enough of a file to see two lines of content, and whether that is all of it."""
    sample = b""
    while block := file.read(max(SAMPLE_BYTES, len(sample))):
        sample += block
        if len(sample) > MAX_LINE_BYTES or _n_content_lines(sample) > 2:
            break
    is_whole = not block
    try:
        text = sample.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(sample) - error.start > 3 or is_whole:  # not just a character cut at the end of the sample
            is_utf_16 = sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            remedy = "It begins as UTF-16 does: encoding='utf-16' (--encoding utf-16)." if is_utf_16 else NAME_ENCODING
            raise InputError(f"{what} is not UTF-8 text at byte {error.start:,}. {remedy}") from error
        text = sample[: error.start].decode("utf-8-sig")
    lines = re.split(r"\r\n|\n|\r", text)
    n_before = next((number for number, line in enumerate(lines) if _is_content(line)), 0)
    lines = lines[: n_before + 200]
    too_long = next((number for number, line in enumerate(lines, 1) if len(line.encode()) >= MAX_LINE_BYTES), None)
    if too_long is not None:
        raise long_line(what, too_long)
    return lines, is_whole


def _n_content_lines(sample: bytes) -> int:
    return sum(map(_is_content, sample.decode("utf-8", "replace").splitlines()))


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(COMMENTS)


def _cells(line: str, separator: str) -> list[str]:
    if separator == " ":
        if '"' not in line:
            return line.split()
        return [cell for cell in next(python_csv.reader([line.strip()], delimiter=" ", skipinitialspace=True), []) if cell]
    return next(python_csv.reader([line], delimiter=separator), [])


def _parse(path: Path, kind: str, layout: TextLayout, types: dict[str, Any] | None, words: list[str], mark: str = "") -> Any:
    import pyarrow as pa
    from pyarrow import csv

    column_types = dict(types) if types is not None else dict.fromkeys(words, pa.string())
    read_options = {"skip_rows": layout.n_skipped + layout.has_header, "column_names": list(layout.names)}
    convert = csv.ConvertOptions(column_types=column_types, include_columns=list(types) if types is not None else [])

    parsing = csv.ParseOptions(delimiter=layout.separator, newlines_in_values=types is None or bool(mark))

    def parse(**options: Any) -> Any:
        with _source(path, kind, layout, mark) as source:
            return csv.read_csv(source, csv.ReadOptions(**read_options, **options), parsing, convert)

    with reading(path, kind):
        try:
            return parse()
        except pa.ArrowInvalid as error:
            if "conversion error" in str(error) and types is None:
                # Types are guessed from the first block; one block as large as the file sees every row.
                return parse(block_size=min(path.stat().st_size * 8 + 2**20, 2**30))
            if "straddling" in str(error):  # a row that is longer than two of the parser's blocks
                return parse(block_size=2 * _longest_line(path, kind, layout))
            if "invalid UTF8" in str(error):
                check_utf8(path, kind, layout.encoding)
            raise _ragged(str(error), path, kind, layout) or error from error


def _longest_line(path: Path, kind: str, layout: TextLayout) -> int:
    """Bytes of the longest line; longer ones than a table may have are refused."""
    with open_bytes(path, kind, layout.encoding) as file:
        return max(map(len, lines_of(file, f"The {kind} file {path}")))


def _ragged(message: str, path: Path, kind: str, layout: TextLayout) -> InputError | None:
    """What the parser says about a row of the wrong length, with its line."""
    said = re.search(r"Expected (\d+) columns, got (\d+): (.*)", message, re.DOTALL)
    if said is None:
        return None
    text = said.group(3).rstrip("\r\n")
    with open_bytes(path, kind, layout.encoding) as file:
        lines = _mended(file.read(), layout).split(b"\n")
    found = [number for number, line in enumerate(lines, 1) if line.rstrip(b"\r") == text.encode()]
    line = f"line {found[0]:,} " if found else "a line "
    others = [name for sign, name in SEPARATORS.items() if sign != layout.separator and sign in text]
    hint = f" It holds {others[0]}: are separators mixed?" if others and int(said.group(2)) < int(said.group(1)) else ""
    return InputError(
        f"The {kind} file {path} has rows of different lengths: {line}has {said.group(2)} columns, "
        f"{said.group(1)} are expected: {text[:60]!r}.{hint}"
    )


def _source(path: Path, kind: str, layout: TextLayout, mark: str = "") -> Any:
    """What pyarrow reads: the file itself where it can be, otherwise its bytes, unpacked and mended."""
    import pyarrow as pa

    is_plain = not (is_packed(path) or layout.encoding or layout.is_uneven or layout.has_dictionaries or mark)
    if is_plain:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if all(content.find(sign.encode()) < 0 for sign in COMMENTS):
                return pa.OSFile(str(path), mode="r")
    with open_bytes(path, kind, layout.encoding) as packed:
        mended = _mended(packed.read(), layout)
        return pa.BufferReader(_marked(mended, layout, mark) if mark else mended)


def _mended(content: bytes, layout: TextLayout) -> bytes:
    """The lines of a file with comments left blank and, if its columns are aligned by spaces, with one space each."""
    content = re.sub(rb"(?m)^[#%][^\r\n]*", b"", content)
    if layout.has_dictionaries:  # each is one cell, in quotes
        content = re.sub(
            rb"(?m)(?<=[ \t,;])(\{[^\r\n]*\})[ \t]*(?=\r?$)",
            lambda found: b'"' + found.group(1).replace(b'"', b'""') + b'"',
            content,
        )
    if not layout.is_uneven:
        return content
    if b'"' in content:  # what is in quotes keeps its spaces
        content = re.sub(rb'("(?:[^"\r\n]|"")*")|[ \t]+', lambda found: found.group(1) or b" ", content)
    else:
        content = re.sub(rb"[ \t]+", b" ", content)
    return re.sub(rb"(?m)^ | (?=\r?$)", b"", content)


def _quoted_cells(path: Path, kind: str, layout: TextLayout, names: Sequence[str]) -> dict[str, Any] | None:
    """Which cells of some columns are in quotes; None where none is.

    The parser does not tell, so it is given the file once more with a mark inside of each pair of quotes.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    with open_bytes(path, kind, layout.encoding) as file:
        content = file.read()
    if b'"' not in content:
        return None
    mark = next(sign for sign in map(chr, range(0xE000, 0xF8FF)) if sign.encode() not in content)
    marked = _parse(path, kind, layout, dict.fromkeys(names, pa.string()), [], mark)
    return {name: pc.starts_with(marked.column(name), mark) for name in names}


def _marked(content: bytes, layout: TextLayout, mark: str) -> bytes:
    """The lines of a file with a mark after each quote that opens a cell."""
    before = re.escape(layout.separator.encode()) + rb"\r\n"
    cell = rb"(?:(?<=[" + before + rb'])|\A(?:\xef\xbb\xbf)?)"((?:[^"]|"")*)"(?=[' + before + rb"]|\Z)"
    return re.sub(cell, lambda found: b'"' + mark.encode() + found.group(1) + b'"', content)
