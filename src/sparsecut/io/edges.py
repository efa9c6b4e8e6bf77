"""Edge lists: which columns are meant, what their ids are, and the adjacency they make.

The nodes are the rows of the feature file, in its order, and an edge that names another node is an error. Without features
they are the ids of the edges: integers ascending, words as `numbering` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.errors import InputError
from sparsecut.io.blocks import number_file
from sparsecut.io.ids import as_array, as_integers, check_present, plain_ids
from sparsecut.io.numbering import number_integers, number_words
from sparsecut.io.text import TextLayout
from sparsecut.magnitude import REMEDIES

SOURCE_NAMES = ("source", "src", "from", "u", "id_1", "node_1", "node1", "head")
TARGET_NAMES = ("target", "dst", "to", "v", "id_2", "node_2", "node2", "tail")
WEIGHT_NAMES = ("weight", "weights", "w")
HEADER_NAMES = frozenset((*SOURCE_NAMES, *TARGET_NAMES, *WEIGHT_NAMES))


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of an edge table by their roles."""

    source: str
    target: str
    weight: str | None
    is_asked: bool = False  # whether source and target were named, not guessed
    is_third: bool = False  # whether the weight is just the third of three columns without names

    def __str__(self) -> str:
        roles = {"source": self.source, "target": self.target, "weight": self.weight}
        named = ", ".join(f"{role} in column {name!r}" for role, name in roles.items() if name is not None)
        return named if self.weight is not None else f"{named}, no weights"


@dataclass(frozen=True)
class Edges:
    """Edges between numbered nodes: the node at position i[e] and the one at j[e]."""

    i: NDArray[Any]
    j: NDArray[Any]
    weights: NDArray[np.float32] | None
    ids: NDArray[Any]
    columns: EdgeColumns  # as they were understood


def choose_columns(names: Sequence[str], asked: dict[str, str | None], what: str) -> EdgeColumns:
    """The columns asked for, and for the rest those with a usual name, or the first ones."""
    if len(names) < 2:
        raise InputError(f"{what} has one column, {names[0]!r}. An edge list needs a source and a target.")
    chosen: dict[str, str] = {}
    for role in ("source", "target", "weight"):
        if asked[role] is not None:
            if asked[role] not in names:
                raise InputError(f"{what} has no column {asked[role]!r} for the {role}. It has: {', '.join(names)}.")
            if asked[role] in chosen.values():
                raise InputError(f"{what} cannot have column {asked[role]!r} as its {role} and as another end too.")
            chosen[role] = str(asked[role])
    for role, known in (("source", SOURCE_NAMES), ("target", TARGET_NAMES), ("weight", WEIGHT_NAMES)):
        named = [name for name in names if name.lower() in known and name not in chosen.values()]
        if role not in chosen and named:
            chosen[role] = named[0]
    free = [name for name in names if name not in chosen.values()]
    for role in ("source", "target"):
        if role not in chosen:
            if not free:
                raise InputError(f"{what} has no column left for the {role}. It has: {', '.join(names)}.")
            chosen[role] = free.pop(0)
    is_unnamed = list(names) == [f"f{position}" for position in range(len(names))]
    is_third = "weight" not in chosen and is_unnamed and len(names) == 3 and bool(free)
    if is_third:
        chosen["weight"] = free[0]
    is_asked = asked["source"] is not None and asked["target"] is not None
    return EdgeColumns(chosen["source"], chosen["target"], chosen.get("weight"), is_asked, is_third)


def edges_from_table(table: Any, columns: EdgeColumns, what: str, is_text: bool = False) -> Edges:
    """Numbered edges of a table with at least one row. In a text file ids that are all spelt like integers are integers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = [plain_ids(table.column(name)) for name in (columns.source, columns.target)]
    for end, name in zip(ends, (columns.source, columns.target), strict=True):
        if end.null_count:
            check_present(end, what, f" of column {name!r}")
    if is_text:
        ends = _both_integers(ends)
    elif pa.types.is_integer(ends[0].type) != pa.types.is_integer(ends[1].type):
        ends = [end.cast(pa.string()) for end in ends]

    if pa.types.is_integer(ends[0].type):
        (i, j), ids = number_integers([end.to_numpy() for end in ends])
    else:
        (i, j), words = number_words(ends)
        trimmed = _trimmed(table, columns, words) if is_text else None
        if trimmed is not None:
            return edges_from_table(trimmed, columns, what, is_text)
        if pc.index(words, "").as_py() >= 0:
            for end, name in zip(ends, (columns.source, columns.target), strict=True):
                check_present(end, what, f" of column {name!r}")
        ids = as_array(words)
        if is_text:
            _check_header(i, j, words, what)
    return _checked(i, j, ids, table, columns, what)


def edges_from_big_file(loops: Any, path: Path, layout: TextLayout, columns: EdgeColumns, what: str) -> Edges | None:
    """The same edges by compiled loops; None where the file is not as plain as they need it."""
    weight = [columns.weight] if columns.weight is not None else []
    numbered = number_file(loops, path, layout, (columns.source, columns.target), weight)
    if numbered is None:
        return None
    i, j, words = numbered.i, numbered.j, numbered.words
    _check_header(i, j, words, what)
    return _checked(i, j, as_array(words), numbered.rest, columns, what)


def _checked(i: NDArray[Any], j: NDArray[Any], ids: NDArray[Any], table: Any, columns: EdgeColumns, what: str) -> Edges:
    """Edges between numbered nodes with the weights, if any, that a table has for them."""
    if not columns.is_asked:
        _check_varied(i, j, ids, columns, what)
    weights = None
    if columns.weight is not None and _is_remark(table, columns):
        columns = replace(columns, weight=None)
    if columns.weight is not None:
        weights = edge_weights(table.column(columns.weight), columns.weight, what)
    return Edges(i, j, weights, ids, columns)


def _is_remark(table: Any, columns: EdgeColumns) -> bool:
    """Whether a third column without a name begins with a word: the kind of an edge, say, and no weight."""
    if not columns.is_third:
        return False
    try:
        float(table.column(columns.weight)[0].as_py())
    except (TypeError, ValueError):
        return True
    return False


def edge_weights(values: Any, column: str, what: str) -> NDArray[np.float32]:
    """Finite weights of zero or more."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = _numbers_of(values, column, what)
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_boolean(values.type)):
        raise InputError(f"{what} must hold numbers in its weight column {column!r}. Got {values.type} values.")
    with np.errstate(over="ignore"):  # beyond float32: infinite, and refused below
        weights = np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy()).astype(
            np.float32
        )  # an empty cell becomes NaN
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if len(bad):
        got = values[int(bad[0])].as_py()
        if got is not None and np.isfinite(float(got)) and float(got) > 0:
            raise InputError(
                f"{what} has an edge weight that is too large for float32 in column {column!r}. Got {float(got):g} in row "
                f"{bad[0] + 1:,}. {REMEDIES['edge weight']}"
            )
        raise InputError(
            f"{what} must hold finite weights of zero or more in column {column!r}. "
            f"Got {'an empty cell' if got is None else got} in row {bad[0] + 1:,}."
        )
    return weights


def _numbers_of(words: Any, column: str, what: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.if_else(pc.equal(words, ""), pa.scalar(None, words.type), words)
    try:
        return pc.cast(words, pa.float64())
    except pa.ArrowInvalid:
        words = pc.utf8_trim_whitespace(words)
    is_number = pc.match_substring_regex(words, r"^[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:nan|inf|infinity))$")
    row = pc.index(is_number, False).as_py()
    if row >= 0:
        raise InputError(
            f"{what} must hold numbers in its weight column {column!r}. Got {words[row].as_py()!r} in row {row + 1:,}."
        )
    return pc.cast(words, pa.float64())


def _both_integers(ends: list[Any]) -> list[Any]:
    import pyarrow as pa

    integers = [as_integers(end) for end in ends]
    return integers if all(pa.types.is_integer(end.type) for end in integers) else ends


def _trimmed(table: Any, columns: EdgeColumns, words: Any) -> Any:
    """The table without spaces around its ids; None where the distinct ids show none."""
    import pyarrow.compute as pc

    if pc.all(pc.equal(words, pc.utf8_trim_whitespace(words))).as_py():
        return None
    for name in (columns.source, columns.target):
        column = pc.utf8_trim_whitespace(table.column(name))
        table = table.set_column(table.column_names.index(name), name, column)
    return table


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
                f"{what} holds the same id, {ids[end[0]]!s}, in all {len(end):,} rows of column {name!r}. "
                "If that is meant, name the columns of both ends (source and target)."
            )
