"""Rows are matched by node id, never by luck: where two lists of ids meet, they meet here.

Ids keep their type: integers stay integers, words stay words, and what is neither is refused (`graph.id_kinds`). In a text
file, where nothing has a type, ids are integers if every one of them is spelt as Python would print it: 7, but not 007 or
+7. Spaces around an id in a text file do not belong to it unless it is in quotes (`text`); a column with a type holds its
ids exactly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features.arrow_values import decoded
from sparsecut.graph.id_kinds import EXACT, id_error
from sparsecut.io.edges.numbering import position_type

ID_NAMES = ("id", "node", "node_id", "nodeid", "name")

N_FIRST = 200_000  # ids of edges that are compared with one another
ROUNDED = r"^[0-9]([.,][0-9]+)?E\+[0-9]{2,}$"


def turned_to_words(ids: NDArray[Any], edge_ids: NDArray[Any], what: str) -> tuple[str, ...]:
    """What to say where rows of nodes without edges, such as a total, make words of ids that are integers in all edges."""
    if ids.dtype.kind != "U" or edge_ids.dtype.kind not in "iu":
        return ()
    others = ids[positions_of(ids, edge_ids) < 0].tolist()
    words = [word for word in others if not re.fullmatch("0|-?[1-9][0-9]*", word)]
    rows = f"{len(words):,} row{'s' * (len(words) != 1)}"
    return (
        f"{what} has {rows} of nodes without edges whose ids are no integers, as all ids of the edges are: "
        f"{first_few(words)}. So every id became a word. Leave out rows that are no nodes, such as totals.",
    ) * bool(words)


def positions_of(ids: Any, among: Any) -> NDArray[np.int64]:
    """Where each id stands in another list; −1 where it does not. Numbers and the words that spell them are equal."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids, among = (_arrow(values) for values in (ids, among))
    if ids.type != among.type:
        ids, among = (pc.cast(values, pa.large_string()) for values in (ids, among))
    found = pc.index_in(ids, value_set=among)
    return np.asarray(pc.fill_null(found, -1)).astype(np.int64)


def renumbered(ends: Sequence[NDArray[Any]], positions: NDArray[np.int64], n_nodes: int) -> tuple[NDArray[Any], ...]:
    """Ends by their positions in another list of nodes, in four bytes where they suffice."""
    if len(positions) == n_nodes and (positions == np.arange(n_nodes)).all():
        return tuple(ends)
    short = positions.astype(position_type(n_nodes), copy=False)
    return tuple(short[end] for end in ends)


def check_known(positions: NDArray[np.int64], ids: Any, what: str, where: str, remedy: str = "") -> None:
    """Refuse ids that were not found, naming the first few."""
    unknown = np.flatnonzero(positions < 0)
    if len(unknown):
        names = list(dict.fromkeys(np.asarray(ids)[unknown].tolist()))
        raise InputError(f"{what} names nodes that {where} does not: {first_few(names)}.{remedy}")


def id_remedy(name: str | None) -> str:
    """Which column of a table was read as ids, and how another is named."""
    if name is None:
        return ""
    return f" Its column {name!r} was read as node ids. If another column holds them, name it: id_column=… (--id-column …)."


def check_unique(ids: NDArray[Any], what: str, remedy: str = "") -> None:
    import pyarrow.compute as pc

    if ids.dtype.kind == "U" and pc.count_distinct(_arrow(ids)).as_py() == len(ids):  # words are hashed faster than sorted
        return
    unique, counts = np.unique(ids, return_counts=True)
    if len(unique) < len(ids):
        raise InputError(f"{what} has more than one row for {first_few(unique[counts > 1])}.{remedy}")


def as_ids(column: Any, what: str, is_text: bool = False) -> NDArray[Any]:
    """A column of ids as numpy: integers as integers, all else as str."""
    check_present(column, what)
    column = _arrow(column, what)
    if is_text:
        column = as_integers(column)
    return as_array(column)


def check_present(column: Any, what: str, where: str = "") -> None:
    """Refuse a column of ids with an empty cell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_empty = pc.is_null(column, nan_is_null=True)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        is_empty = pc.or_kleene(is_empty, pc.equal(pc.binary_length(column), 0))
    if pc.any(is_empty).as_py():
        row = pc.index(is_empty, True).as_py()
        raise InputError(f"{what} has an empty node id in row {row + 1:,}{where}.")


def as_integers(column: Any) -> Any:
    """A column of words as integers where each is spelt as an integer is printed; otherwise the words themselves."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(column) or not str(column[0]).lstrip("-").isdigit():
        return column
    try:
        numbers = pc.cast(column, pa.int64())
    except pa.ArrowInvalid:
        return column
    # No spelling of a number is shorter than the printed one, so equal totals mean equal spellings.
    values = np.asarray(numbers)
    n_digits = np.ones(len(values), dtype=np.int64)
    magnitudes = np.abs(values).view(np.uint64)
    for power in range(1, 20):
        is_longer = magnitudes >= np.uint64(10**power)
        if not is_longer.any():
            break
        n_digits += is_longer
    n_printed = int(n_digits.sum()) + int(np.count_nonzero(values < 0))
    return numbers if n_printed == pc.sum(pc.binary_length(column)).as_py() else column


def has_outer_space(words: Any) -> bool:
    """Whether one of some words begins or ends with a space."""
    import pyarrow.compute as pc

    return not pc.all(pc.equal(words, pc.utf8_trim_whitespace(words))).as_py()


def said_of_rounded(words: Any, what: str) -> tuple[str, ...]:
    """A doubt where numbers are written as a spreadsheet writes long ones, "1.23E+11"."""
    import pyarrow.compute as pc

    words = words.slice(0, N_FIRST)
    found = words.filter(pc.match_substring_regex(words, ROUNDED)).slice(0, 4).to_pylist()
    if not found:
        return ()
    return (
        f"{what} has ids as a spreadsheet rounds long numbers, {first_few(found)}: different ids may have become one. Write "
        "the column of ids as text, and export it again.",
    )


def said_of_variants(words: Any) -> tuple[str, ...]:
    """A note where ids differ in capitals or outer spaces alone, "Anna" and "anna "."""
    import pyarrow.compute as pc

    words = words.slice(0, N_FIRST)
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(words))
    if pc.all(pc.equal(plain, words)).as_py():
        return ()
    places = np.asarray(plain.dictionary_encode().indices)
    is_alike = np.bincount(places) > 1
    if not is_alike.any():
        return ()
    pair = [words[int(place)].as_py() for place in np.flatnonzero(places == int(np.argmax(is_alike)))[:2]]
    n_alike = int(is_alike.sum())
    differ = "1 id has spellings that differ" if n_alike == 1 else f"{n_alike:,} ids have spellings that differ"
    return (f"{differ} in capitals or spaces alone, such as {first_few(pair)}: each spelling is a node of its own.",)


def as_array(column: Any) -> NDArray[Any]:
    """An Arrow array of integers or strings as numpy."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(column.type):
        return np.asarray(column)
    lengths = pc.binary_length(column)
    longest, total = (read(lengths).as_py() or 1 for read in (pc.max, pc.sum))
    # numpy gives every string the room of the longest: one long id must not cost gigabytes.
    if len(column) * longest * 4 > 2**26 + 16 * total:
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=object)
    padded = pc.ascii_rpad(column, longest, "\0").buffers()[2]
    content = np.frombuffer(padded, dtype=np.uint8, count=len(column) * longest)
    if content.max(initial=0) < 128 and np.count_nonzero(content) == total:  # plain characters, no zero bytes among them
        return content.astype(np.uint32).view(f"U{longest}")
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.str_)


def _arrow(values: Any, what: str = "A graph") -> Any:
    """An Arrow array of integers or of strings, without an index of its own or several pieces."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else _from_numpy(np.asarray(values))
    array = plain_ids(array, what)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
        if isinstance(array, pa.ChunkedArray):  # more text than one array of 32-bit offsets holds
            array = array.cast(pa.large_string()).combine_chunks()
    return pc.cast(array, pa.large_string()) if not pa.types.is_integer(array.type) else array


def plain_ids(column: Any, what: str = "A graph") -> Any:
    """A column of 64-bit integers or of strings: what any type of id becomes. Others are refused, for they would change."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = decoded(column)
    if pa.types.is_integer(column.type) or pa.types.is_decimal(column.type):
        try:
            return pc.cast(column, pa.int64())
        except pa.ArrowInvalid as error:
            raise id_error(what, "integers beyond 64 bits", pc.max(column).as_py()) from error
    if pa.types.is_floating(column.type):
        # Integers with gaps are floats in pandas; they are integers all the same, as far as floats count without gaps.
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        if not pc.all(pc.equal(column, pc.round(column))).as_py():
            return pc.cast(column, pa.string())
        largest = pc.max(pc.abs(column)).as_py()
        if largest is not None and largest >= EXACT:
            raise id_error(what, "floats of 2**53 and more", largest)
        return pc.cast(column, pa.int64())
    if pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
        return column
    if pa.types.is_string_view(column.type) or pa.types.is_null(column.type):
        return pc.cast(column, pa.large_string())
    is_bytes = pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
    first = next((value.as_py() for value in column.drop_null()), None)
    raise id_error(what, "bytes" if is_bytes else f"values of type {column.type}", first)


def _from_numpy(values: NDArray[Any]) -> Any:
    import pyarrow as pa

    if values.dtype == object:
        return pa.array([str(value) for value in values])
    return pa.array(values)
