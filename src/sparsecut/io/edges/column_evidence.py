"""What the values of a column say about it: whether it may hold the ends of edges, or dates, fractions, ids of the rows.

A table is read in one piece or in many, in any order, and must give one answer. So nothing here depends on the order of
rows, and evidence of parts is added up: the distinct values of a column with their counts. Of a table of more than 2^16 rows
only the values are kept whose hash falls into one share of them, the same share for every column and every reader, so that
counts stay exact and values can be compared between columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features import spells_number
from sparsecut.io.edges.ids import as_array, plain_ids

BLOCK = 2**13  # rows at a time: what is computed on the way stays in the cache
ROWS = 1 << 16  # of a table whose values are all kept
N_TRIED = 64  # values that are looked at before the whole column
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: the upper bits of a product are spread evenly
INTEGER = r"^\s*(0|-?[1-9][0-9]{0,17})\s*$"
DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?)?\s?(Z|[+-]\d{2}:?\d{2})?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}( \d{1,2}:\d{2}(:\d{2})?)?"
)
EPOCHS = tuple((631_152_000 * unit, 4_102_444_800 * unit) for unit in (1, 10**3, 10**6, 10**9))  # 1990 to 2100


@dataclass(frozen=True)
class ColumnEvidence:
    """The values of a column that are kept, ascending, and how often each occurs; or why it holds no ids."""

    n_rows: int
    values: NDArray[Any]
    counts: NDArray[np.int64]
    reason: str = ""  # why it cannot hold ids: dates, fractions

    @property
    def is_integer(self) -> bool:
        return bool(self.values.dtype.kind == "i")

    @property
    def is_unique(self) -> bool:
        """Whether no value occurs twice, in three rows or more."""
        return self.n_rows > 2 and bool((self.counts == 1).all())

    @property
    def is_constant(self) -> bool:
        return self.n_rows > 2 and len(self.values) == 1 and int(self.counts[0]) == self.n_rows

    @property
    def is_epoch(self) -> bool:
        """Whether all values are integers that lie between 1990 and 2100 in seconds, or in thousandths of them, …"""
        if not self.is_integer or not len(self.values):
            return False
        return any(low <= self.values[0] and self.values[-1] <= high for low, high in EPOCHS)

    def shares_values(self, other: ColumnEvidence) -> bool:
        """Whether a value is in both columns. A few values are tried before all of them."""
        if self.is_integer != other.is_integer or not len(self.values) or not len(other.values):
            return False
        few = self.values[:: max(1, len(self.values) // N_TRIED)]
        places = np.minimum(np.searchsorted(other.values, few), len(other.values) - 1)
        return bool((other.values[places] == few).any()) or self.overlap(other) > 0

    def overlap(self, other: ColumnEvidence) -> float:
        """The share of the values of either column that are in both."""
        if self.is_integer != other.is_integer:
            return 0.0
        n_both = len(np.intersect1d(self.values, other.values, assume_unique=True))
        return n_both / max(len(self.values) + len(other.values) - n_both, 1)


def evidence_of(tables: Iterable[Any], n_rows: int, n_whole: int = ROWS) -> dict[str, ColumnEvidence]:
    """The evidence for every column of a table of so many rows, from the parts of it."""
    return combined((part_of(table, n_rows, n_whole) for table in tables), n_rows, n_whole)


def part_of(table: Any, n_rows: int, n_whole: int = ROWS) -> dict[str, ColumnEvidence]:
    """The evidence that a part holds of a table of so many rows."""
    return {name: _column(table.column(name), n_rows, n_whole) for name in table.column_names}


def combined(parts: Iterable[Mapping[str, ColumnEvidence]], n_rows: int, n_whole: int = ROWS) -> dict[str, ColumnEvidence]:
    """The evidence of all parts together."""
    listed = list(parts)
    return {name: _judged([part[name] for part in listed], n_rows, n_whole) for name in (listed[0] if listed else ())}


def is_date(word: str) -> bool:
    """Whether a word is a date, with a time of day or without: 2024-05-01, 2024-05-01T09:30:00Z, 1.5.2024."""
    return DATE.fullmatch(word.strip()) is not None


def _column(column: Any, n_rows: int, n_whole: int) -> ColumnEvidence:
    """The values of a part of a column; words stay words until all of them are known."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    reason = ""
    if pa.types.is_temporal(kind):
        reason = "dates"
    elif pa.types.is_boolean(kind):
        reason = "truth values"
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or _is_text(kind)):
        reason = f"values of type {kind}"
    column = column.drop_null() if not reason and column.null_count else column
    if not reason and pa.types.is_floating(kind):
        column = column.filter(pc.is_finite(column))
        if any(not pc.all(pc.equal(some, pc.round(some))).as_py() for some in (column[:N_TRIED], column)):
            reason = "fractions"
    nothing = np.empty(0, dtype=np.int64)
    if reason or not len(column):
        return ColumnEvidence(len(column), nothing, nothing, reason)
    try:
        plain = _spelt_integers(plain_ids(column))
    except InputError:
        return ColumnEvidence(len(column), nothing, nothing, "values that cannot be ids")
    n_bits = max(0, n_rows - 1).bit_length() - (n_whole - 1).bit_length()
    if pa.types.is_integer(plain.type):
        given = plain.to_numpy()
        if n_bits > 0:
            given = given[_is_kept(given.view(np.uint64), n_bits)]
        values, counts = np.unique(given, return_counts=True)
        return ColumnEvidence(len(column), values, counts)
    if n_bits > 0:
        chunks = plain.chunks if isinstance(plain, pa.ChunkedArray) else [plain]
        kept = [chunk.filter(pa.array(_is_kept(_digests(chunk), n_bits))) for chunk in chunks]
        plain = pa.chunked_array(kept, plain.type)
    counted = pc.value_counts(plain)
    words = as_array(counted.field("values")).astype(np.str_)
    counts = counted.field("counts").to_numpy().astype(np.int64)
    order = np.argsort(words)
    return ColumnEvidence(len(column), words[order], counts[order])


def _spelt_integers(column: Any) -> Any:
    """Words that are all spelt as integers, as integers: text and numbers are judged by the same share of values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(column.type):
        return column
    for words in (column[:N_TRIED], column):
        if not pc.all(pc.match_substring_regex(words, INTEGER)).as_py():
            return column
    return pc.cast(pc.utf8_trim_whitespace(column), pa.int64())


def _judged(parts: list[ColumnEvidence], n_rows: int, n_whole: int) -> ColumnEvidence:
    """Parts added up. Words that are all spelt as integers, fractions or dates count as what they are spelt as."""
    reason = next((part.reason for part in parts if part.reason), "")
    filled = [part for part in parts if len(part.values)]
    nothing = np.empty(0, dtype=np.int64)
    if reason or not filled:
        return ColumnEvidence(n_rows, nothing, nothing, reason or ("" if n_rows > n_whole else "nothing"))
    kinds = {part.values.dtype.kind for part in filled}
    columns = [part.values if len(kinds) == 1 else part.values.astype(np.str_) for part in filled]
    values, inverse = np.unique(np.concatenate(columns), return_inverse=True)
    counts = np.bincount(inverse, np.concatenate([part.counts for part in filled])).astype(np.int64)
    if values.dtype.kind == "U":
        words = [word.strip() for word in values.tolist()]
        if all(is_date(word) for word in words):
            return ColumnEvidence(n_rows, nothing, nothing, "dates")
        if all(re.fullmatch(INTEGER, word) for word in words):
            values, inverse = np.unique(np.array(words, dtype=np.int64), return_inverse=True)
            counts = np.bincount(inverse, counts).astype(np.int64)
        elif all(map(spells_number, words)) and any("." in word for word in words):
            return ColumnEvidence(n_rows, nothing, nothing, "fractions")
    return ColumnEvidence(n_rows, values, counts)


def _is_kept(numbers: NDArray[np.uint64], n_bits: int) -> NDArray[np.bool_]:
    """Whether values are among the kept share, one in 2^n_bits."""
    kept: NDArray[np.bool_] = numbers * SPREAD < np.uint64(1 << (64 - n_bits))
    return kept


def _digests(words: Any) -> NDArray[np.uint64]:
    """A number for each of an Arrow array of words, from its length and its first and last eight bytes.

    That is where ids differ, and it costs a fraction of hashing all of them.
    """
    is_large = str(words.type).startswith("large")
    _, offsets, content = words.buffers()
    ends = np.frombuffer(offsets, np.int64 if is_large else np.int32)[words.offset : words.offset + len(words) + 1]
    text = np.frombuffer(content, np.uint8) if content is not None else np.empty(0, np.uint8)
    padded = np.zeros(len(text) // 8 * 8 + 24, dtype=np.uint8)
    padded[8 : 8 + len(text)] = text
    by_eight = padded.view(np.uint64)
    digests = np.empty(len(words), dtype=np.uint64)
    for start in range(0, len(words), BLOCK):
        places = ends[start : start + BLOCK + 1].astype(np.int64)
        lengths = np.diff(places)
        first, last = _bytes_from(by_eight, places[:-1] + 8), _bytes_from(by_eight, places[1:])
        shorter = (8 * (8 - np.clip(lengths, 1, 8))).astype(np.uint64)  # a short word is read with its neighbours' bytes
        first, last = first << shorter >> shorter, last >> shorter
        first[lengths == 0] = last[lengths == 0] = 0
        digests[start : start + BLOCK] = (first * SPREAD ^ last) * SPREAD + lengths.astype(np.uint64)
    return digests


def _bytes_from(by_eight: NDArray[np.uint64], places: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The eight bytes from each place on, as one number."""
    whole, bits = places >> 3, ((places & 7) << 3).astype(np.uint64)
    found: NDArray[np.uint64] = by_eight.take(whole) >> bits
    found |= by_eight.take(whole + 1) << np.uint64(1) << (np.uint64(63) - bits)
    return found


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
