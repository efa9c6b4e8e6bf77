"""Edge lists: which columns are meant, what their ids are, and the adjacency they make.

The nodes are the rows of the feature file, in its order, and an edge that names another node is an error. Without features
they are the ids of the edges: integers ascending, words as `numbering` says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import spells_number
from sparsecut.graph.times import EdgeTimes, as_moments
from sparsecut.io.edges.column_evidence import is_date
from sparsecut.io.edges.edge_columns import SOURCE_NAMES, TARGET_NAMES, EdgeColumns
from sparsecut.io.edges.edge_weights import edge_weights, values_in_dictionaries
from sparsecut.io.edges.headers import Beside, Verdict, review_first_edge, review_header
from sparsecut.io.edges.ids import (
    as_array,
    as_integers,
    check_present,
    has_outer_space,
    plain_ids,
    said_of_rounded,
    said_of_variants,
)
from sparsecut.io.edges.numbering import number_integers, number_words
from sparsecut.io.edges.sides import keep_apart, meet, side_doubts
from sparsecut.io.edges.text import TextLayout, trim_ids


@dataclass(frozen=True)
class Edges:
    """Edges between numbered nodes: the node at position i[e] and the one at j[e]."""

    i: NDArray[Any]
    j: NDArray[Any]
    weights: NDArray[np.float32] | None
    ids: NDArray[Any]
    columns: EdgeColumns  # as they were understood
    moments: EdgeTimes | None = None  # where edges have times
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # notes worth a warning


@dataclass(frozen=True)
class EdgeText:
    """A text file of edges: how it is laid out, and what the files beside it know."""

    path: Path
    layout: TextLayout
    beside: Callable[[], Beside] = Beside

    def review(self, i: NDArray[Any], j: NDArray[Any], words: Any, columns: EdgeColumns, what: str) -> Verdict:
        """Whether the first line is a header, now that all ids are known."""
        layout, ends = self.layout, (columns.source, columns.target)
        what, line = f"{what[0].lower()}{what[1:]}", layout.first_line[:60]
        if layout.header_from == "said" or layout.has_dictionaries:
            return Verdict(layout.has_header)
        if not layout.has_header:
            return review_first_edge(i, j, words, self.beside, what, line)
        below = dict(zip(layout.names, layout.second_cells, strict=False))
        is_above_number = any(spells_number(cell) or is_date(cell) for name, cell in below.items() if name not in ends)
        if columns.is_asked or is_above_number:
            return Verdict(True)
        is_listed = ends[0].lower() in SOURCE_NAMES and ends[1].lower() in TARGET_NAMES
        return review_header(ends, is_listed, layout.header_from == "roles", words, self.beside, what, line)


def edges_from_table(table: Any, columns: EdgeColumns, what: str) -> Edges:
    """Numbered edges of a table with at least one row, whose columns have types."""
    import pyarrow as pa

    ends = _ends(table, columns, what)
    if pa.types.is_integer(ends[0].type) != pa.types.is_integer(ends[1].type):
        if columns.sides is None:
            raise mixed_kinds([bool(pa.types.is_integer(end.type)) for end in ends], columns, what)
        ends = [end.cast(pa.large_string()) for end in ends]
    if pa.types.is_integer(ends[0].type):
        (i, j), ids = number_integers([end.to_numpy() for end in ends])
    else:
        (i, j), words = number_words(ends)
        _check_no_empty(words, ends, columns, what)
        columns = _with_doubts(columns, words, what)
        ids = as_array(words)
    return _checked(i, j, ids, table, columns, what)


def mixed_kinds(are_integers: list[bool], columns: EdgeColumns, what: str) -> InputError:
    """The error for integers in one column and words in the other, which may be two sides."""
    kinds = ["integers" if is_integer else "words" for is_integer in are_integers]
    sides = " Or keep the two sides apart: bipartite=True (--bipartite)." if columns.may_be_sides else ""
    return InputError(
        f"{what} mixes {kinds[0]} in column {columns.source!r} and {kinds[1]} in column {columns.target!r} as node ids. "
        f"Make them one kind first.{sides}"
    )


def edges_from_text(table: Any, columns: EdgeColumns, what: str, text: EdgeText) -> Edges | Verdict:
    """Numbered edges of a text file with at least one row, where ids that are all spelt like integers are integers.

    A `Verdict` alone where the file is to be read again: its first line is a header and was not read as one, or is none.
    """
    import pyarrow as pa

    ends = _both_integers(_ends(table, columns, what))
    if pa.types.is_integer(ends[0].type):
        (i, j), ids = number_integers([end.to_numpy() for end in ends])
        return _checked(i, j, ids, table, columns, what)
    (i, j), words = number_words(ends)
    if has_outer_space(words):
        ends = _ends(trim_ids(table, (columns.source, columns.target), text.path, "edge", text.layout), columns, what)
        ends = _both_integers(ends)
        if pa.types.is_integer(ends[0].type):
            (i, j), ids = number_integers([end.to_numpy() for end in ends])
            return _checked(i, j, ids, table, columns, what)
        (i, j), words = number_words(ends)
    _check_no_empty(words, ends, columns, what)
    return _reviewed(i, j, words, table, columns, what, text)


def share_no_id(edges: Edges) -> bool:
    """Whether no id is in both columns."""
    is_source = np.zeros(len(edges.ids), dtype=bool)
    is_source[edges.i] = True
    return not is_source[edges.j].any()


def _reviewed(
    i: NDArray[Any], j: NDArray[Any], words: Any, table: Any, columns: EdgeColumns, what: str, text: EdgeText
) -> Edges | Verdict:
    """Edges between words, with what is to be said about the header; or only that, if the file is to be read again."""
    verdict = text.review(i, j, words, columns, what)
    if verdict.has_header != text.layout.has_header:
        return verdict
    if text.layout.header_from != "said":
        _check_header(i, j, words, what)
    columns = _with_doubts(columns, words, what)
    edges = _checked(i, j, as_array(words), table, columns, what)
    return edges if verdict.doubt is None else replace(edges, doubts=(verdict.doubt, *edges.doubts))


def _ends(table: Any, columns: EdgeColumns, what: str) -> list[Any]:
    """The two columns of ids, in which none may be missing."""
    ends = [plain_ids(table.column(name), f"{what}, in column {name!r},") for name in (columns.source, columns.target)]
    for end, name in zip(ends, (columns.source, columns.target), strict=True):
        if end.null_count:
            check_present(end, what, f" of column {name!r}")
    return ends


def _with_doubts(columns: EdgeColumns, words: Any, what: str) -> EdgeColumns:
    """The columns with what is to be said of the ids in them, which are words."""
    notes, doubts = said_of_variants(words), said_of_rounded(words, what)
    return replace(columns, notes=(*columns.notes, *notes), doubts=(*columns.doubts, *doubts))


def _check_no_empty(words: Any, ends: list[Any], columns: EdgeColumns, what: str) -> None:
    import pyarrow.compute as pc

    if pc.index(words, "").as_py() >= 0:
        for end, name in zip(ends, (columns.source, columns.target), strict=True):
            check_present(end, what, f" of column {name!r}")


def _checked(i: NDArray[Any], j: NDArray[Any], ids: NDArray[Any], table: Any, columns: EdgeColumns, what: str) -> Edges:
    """Edges between numbered nodes with the weights, if any, that a table has for them."""
    if not columns.is_asked:
        _check_varied(i, j, ids, columns, what)
    weights = None
    notes: tuple[str, ...] = columns.notes
    doubts = columns.doubts
    if columns.may_be_sides:
        doubts = (*doubts, *side_doubts(columns, meet(i, j, len(ids)), ids.dtype.kind in "iu", what))
    if columns.sides is not None:
        i, j, ids = keep_apart(i, j, ids, columns.sides)
    if columns.weight is not None and columns.key is not None:
        key = columns.key
        values, said = values_in_dictionaries(table.column(columns.weight), key, columns.is_asked_key, what)
        notes = (*notes, *said)
        columns = columns if values is not None else replace(columns, weight=None)
        weights = None if values is None else edge_weights(values, key, what)
    elif columns.weight is not None and _is_remark(table, columns):
        notes = (*notes, f"Columns left out: {columns.weight!r}.")
        columns = replace(columns, weight=None)
    elif columns.weight is not None:
        weights = edge_weights(table.column(columns.weight), columns.weight, what)
    moments = (
        None if columns.time is None else as_moments(table.column(columns.time), f"{what}, in column {columns.time!r},")
    )
    return Edges(i, j, weights, ids, columns, moments, notes, doubts)


def _is_remark(table: Any, columns: EdgeColumns) -> bool:
    """Whether a third column without a name begins with a word: the kind of an edge, say, and no weight."""
    if not columns.is_third:
        return False
    try:
        float(table.column(columns.weight)[0].as_py())
    except (TypeError, ValueError):
        return True
    return False


def _both_integers(ends: list[Any]) -> list[Any]:
    import pyarrow as pa

    integers = [as_integers(end) for end in ends]
    return integers if all(pa.types.is_integer(end.type) for end in integers) else ends


def _check_header(i: NDArray[Any], j: NDArray[Any], words: Any, what: str) -> None:
    """Words in one row of numbers, and nowhere else, are a header that got among the data."""
    import pyarrow.compute as pc

    if not words[0].as_py().lstrip("-").isdigit():
        return
    is_word = ~pc.match_substring_regex(words, "^-?[0-9]+$").to_numpy(zero_copy_only=False)
    odd = np.flatnonzero(is_word[i] | is_word[j])
    if len(odd) == 1 and is_word[i[odd[0]]] and is_word[j[odd[0]]]:
        row = int(odd[0])
        raise InputError(
            f"{what} has a header among its data: row {row + 1:,} holds {words[i[row]].as_py()!r} and "
            f"{words[j[row]].as_py()!r}, and all others hold integers. Remove that line."
        )


def _check_varied(i: NDArray[Any], j: NDArray[Any], ids: NDArray[Any], columns: EdgeColumns, what: str) -> None:
    """One id throughout a guessed column is likelier the wrong column than a star."""
    for end, name in ((i, columns.source), (j, columns.target)):
        if len(end) > 2 and (end == end[0]).all():
            raise InputError(
                f"{what} holds the same id, {first_few(ids[end[:1]])}, in all {len(end):,} rows of column {name!r}. "
                "If that is meant, name the columns of both ends (source and target)."
            )
