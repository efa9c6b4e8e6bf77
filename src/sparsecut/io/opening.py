"""Text files as UTF-8 bytes, however they are packed and whatever their encoding: .gz, .bz2, .xz, .zst, .zip.

Every reader of text opens its file here, so that a packed file is read as the plain one is, and no further than
`check_expansion` allows. A .zip holds one file; where its own name does not tell the format (edges.zip), that of the file in
it does (edges.csv).
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, AnyStr, BinaryIO

from sparsecut.base.errors import InputError, parameter_error
from sparsecut.io.hostile.guards import FREE_TEXT_BYTES, NAME_ENCODING, check_expansion, reading

BLOCK_BYTES = 2**16
MAX_LINE_BYTES = 2**24
SHEETS, JSON_LINES = (".xlsx", ".xls", ".xlsm", ".ods"), (".jsonl", ".ndjson")


def open_bytes(path: Path, kind: str, encoding: str | None = None) -> BinaryIO:
    """The bytes of a text file, unpacked if its suffix says so; in UTF-8 if it has another `encoding` (`check_encoding`)."""
    packed = io.BufferedReader(_Unpacked(path, kind), BLOCK_BYTES) if is_packed(path) else path.open("rb")
    if encoding is None:
        return packed
    return io.BufferedReader(_InUtf8(packed, f"The {kind} file {path}", encoding), BLOCK_BYTES)


def is_packed(path: str | Path) -> bool:
    return Path(path).suffix.lower() in _OPEN


def without_packing(name: str) -> str:
    """The name of a file without the suffix that says how it is packed."""
    return name[: -len(Path(name).suffix)] if is_packed(name) else name


def table_suffix(path: Path) -> str:
    """The suffix that tells the format: that of x.csv.gz is .csv."""
    suffix = Path(without_packing(path.name)).suffix.lower()
    if suffix or not is_packed(path):
        return suffix
    if path.suffix.lower() == ".zip" and zipfile.is_zipfile(path):
        return Path(_member(path).filename).suffix.lower()
    return path.suffix.lower()


def way_out(path: Path) -> str:
    """What to do with a file of a format that is not read, where there is a short way."""
    suffix = table_suffix(path)
    if suffix in SHEETS:
        return " Save the sheet as CSV (UTF-8), or read it by pandas and give the frame: pandas.read_excel(…)."
    if suffix in JSON_LINES:
        return f" Write it as Parquet: pandas.read_json({path.name!r}, lines=True).to_parquet('{path.stem}.parquet')."
    return ""


def check_encoding(caller: str, encoding: Any) -> str | None:
    """The name of an encoding of text that Python knows; None for UTF-8, which needs no work."""
    try:
        if encoding is None:
            return None
        "a".encode(encoding)  # Python has encodings that are none of text
        name = codecs.lookup(encoding).name
    except (LookupError, TypeError, UnicodeError, ValueError):
        rule = "the name of a text encoding such as 'utf-8', 'latin-1', 'cp1252', 'utf-16' or 'shift_jis'"
        raise parameter_error(caller, "encoding", rule, encoding) from None
    return None if name == "utf-8" else name


def check_utf8(path: Path, kind: str, encoding: str | None = None) -> None:
    """Read a file to its end; where it is not text in its encoding the error says at which byte."""
    with open_bytes(path, kind, encoding or "utf-8") as file:
        while file.read(BLOCK_BYTES):
            pass


def lines_of(file: IO[AnyStr], what: str) -> Iterator[AnyStr]:
    """The lines of a file with their ends; one that no table has (over 16 MiB) is refused before it fills the memory."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise long_line(what, number)
        yield line


def long_line(what: str, number: int) -> InputError:
    return InputError(
        f"{what} has a line of more than {MAX_LINE_BYTES // 2**20} MiB, line {number:,}, and no more is read as one line. "
        "Does it lack line ends? If its cells are that long, write the table as .parquet."
    )


def refuse_packed(path: Path, kind: str) -> None:
    """Say so where a file that is not text is packed: its format packs its data itself, or needs to be read at any place."""
    if is_packed(path):
        raise InputError(
            f"The {kind} file {path} is packed, and of packed files only text is read. Unpack it first, and name the "
            f"{table_suffix(path)} file."
        )


class _Unpacked(io.RawIOBase):
    """What a packed file holds, as far as its size makes it believable."""

    def __init__(self, path: Path, kind: str) -> None:
        self._path, self._kind, self._n_read = path, kind, 0
        with reading(path, kind):
            self._file = _OPEN[path.suffix.lower()](path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._file.read(len(buffer))
        self._n_read += len(block)
        check_expansion(self._n_read, self._path, self._kind, FREE_TEXT_BYTES)
        buffer[: len(block)] = block
        return len(block)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self.read(2**20) or b"", b""))

    def close(self) -> None:
        self._file.close()
        super().close()


class _InUtf8(io.RawIOBase):
    """A file of text in another encoding, as UTF-8."""

    def __init__(self, file: BinaryIO, what: str, encoding: str) -> None:
        self._file, self._what, self._encoding = file, what, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._n_read, self._waiting, self._is_done = 0, b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._waiting and not self._is_done:
            self._waiting = self._next()
        n_bytes = min(len(buffer), len(self._waiting))
        buffer[:n_bytes], self._waiting = self._waiting[:n_bytes], self._waiting[n_bytes:]
        return n_bytes

    def _next(self) -> bytes:
        block = self._file.read(BLOCK_BYTES)
        n_kept = len(self._decoder.getstate()[0])  # the first bytes of a character that the last block ended in
        self._is_done = not block
        try:
            text = self._decoder.decode(block, final=self._is_done).encode("utf-8")
        except UnicodeError as error:
            at = self._n_read - n_kept + (error.start if isinstance(error, UnicodeDecodeError) else 0)
            name = self._encoding.upper()
            raise InputError(f"{self._what} is not {name} text at byte {at:,}. {NAME_ENCODING}") from error
        self._n_read += len(block)
        return text

    def close(self) -> None:
        self._file.close()
        super().close()


def _member(path: Path) -> zipfile.ZipInfo:
    """The one file in a .zip; what macOS puts beside it does not count."""
    with zipfile.ZipFile(path) as archive:
        members = [
            member for member in archive.infolist() if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
    if len(members) != 1:
        held = ", ".join(member.filename for member in members[:3]) + ", …" * (len(members) > 3)
        raise InputError(
            f"The file {path} holds {len(members):,} files{f' ({held})' if members else ''}, and a .zip must hold one. "
            "Unpack it, and name the file that is meant."
        )
    return members[0]


def _open_zip(path: Path) -> Any:
    member = _member(path)
    return zipfile.ZipFile(path).open(member)


def _open_zst(path: Path) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")


_OPEN: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _open_zst,
    ".zip": _open_zip,
}
PACKED_SUFFIXES = tuple(_OPEN)
