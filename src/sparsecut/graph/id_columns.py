"""Which column of a table of nodes holds their ids: one rule for features, labels and other columns.

**A column whose values are the node ids is the id column, whatever its name.** Its values differ from row to row, and they
are nodes: of features every node of the edges must have a row, of labels every row must be a node. The index of a pandas
frame counts as a column, unless it is the default one (0, 1, 2, …), which names nothing.

| what fits | what happens |
|---|---|
| `id_column=` is given | that column, or the index (its name, or "index") |
| one column, or the index alone | it holds the ids |
| a column and the index, the same in every row | the column |
| several, of which one has the best name | that one: id, node, node_id first; then account_id, customer_no, key, … |
| several, and no name decides | an error that names `id_column=` |
| a count such as rank or position that is by chance 0..n−1 | an error, unless it numbers the rows: then it is a feature |
| none, and the order of the nodes is known | one row per node, in the order of the nodes |
| none, and the order cannot be known | an error that names `id_column=` |

The order is known where `node_ids` were given, where the nodes are the rows of a matrix, and where ids are consecutive
integers. A table in a file always has an id column: where none fits, the error says which was read as ids.

What is found in a column is `IdEvidence`, gathered from a whole table or from its parts, so that a file read in parts
and a table on a cluster are decided by the same rule; there a sample of the edges' ids stands for all of them. Most columns
are refused by their type or by the first repeated value among their first thousand rows, which costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features.arrow_values import ArrowColumn, ArrowType, decoded

EXACT_NAMES = ("id", "node", "node_id", "nodeid")
_ID_WORDS = """
id ids uid uuid guid key pk no nr num number code node vertex name identifier ref login handle iban doi isbn sku
"""
_COUNT_WORDS = "rank ranking order position pos place ordinal sequence seq level score row age count degree size year value"
ID_WORDS, COUNT_WORDS = frozenset(_ID_WORDS.split()), frozenset(_COUNT_WORDS.split())
INDEX = "index"  # what `id_column=` calls an index without a name
MIN_ROWS = 5  # of a column 0..n−1 whose name is no one's, to be taken for ids
N_TRIED = 64  # ids that are looked for in a column before all are
N_FIRST = 1000  # rows in which a value is looked for twice before anything else is done

Fit = Literal["all", "cover", "part"]
# all: one row per node and no others · cover: a row for every node, perhaps for others · part: rows of nodes alone


class KnownIds:
    """The ids that columns are compared with, as Arrow arrays: numbers and the words that spell them are equal."""

    def __init__(self, ids: Any) -> None:
        own = comparable(ids)
        if own is None:
            raise InputError(f"Node ids must be integers or words. Got values of type {np.asarray(ids).dtype}.")
        self.own = own
        self.is_integer = str(own.type) == "int64"

    def __len__(self) -> int:
        return len(self.own)

    @cached_property
    def words(self) -> Any:
        return self.own if not self.is_integer else self.own.cast("large_string")

    @cached_property
    def bounds(self) -> tuple[int, int]:
        import pyarrow.compute as pc

        low, high = pc.min_max(self.own).values()
        return low.as_py(), high.as_py()

    @cached_property
    def are_consecutive(self) -> bool:
        """Whether the ids are integers without gaps: their order is then known."""
        return self.is_integer and len(self) > 0 and self.bounds[1] - self.bounds[0] + 1 == len(self)

    def alike(self, column: ArrowColumn) -> tuple[Any, Any]:
        """(the ids, a comparable column), both integers or both words."""
        if self.is_integer and str(column.type) == "int64":
            return self.own, column
        return self.words, column if str(column.type) != "int64" else column.cast("large_string")


@dataclass(frozen=True)
class IdEvidence:
    """What is known of a column, or an index, that may hold ids."""

    name: str | None  # None for an index without a name
    found: NDArray[np.bool_]  # which of the known ids are among its values
    n_rows: int
    is_unique: bool
    bounds: tuple[int, int] | None = None  # of integers
    is_index: bool = False
    is_decimal: bool = False  # whole numbers, but of a type for decimals
    rows: NDArray[np.int64] | None = None  # where each known id stands in a whole column, −1 where it does not

    @property
    def n_found(self) -> int:
        return int(np.count_nonzero(self.found))

    @property
    def is_numbering(self) -> bool:
        """Whether the values are integers without gaps, as of a count of rows."""
        return self.bounds is not None and self.bounds[1] - self.bounds[0] + 1 == self.n_rows

    @property
    def standing(self) -> int:
        """How much the name is one of ids: 3 id, node; 2 account_id, key; 1 others; 0 rank, f7, an index without a name.

        An index with a name was made one on purpose: 2 at least. Of 1, a numbering of very few rows, or one in decimals, is
        0: such columns are by chance what ids are.
        """
        standing = name_standing(self.name)
        if self.is_index and self.name is not None:
            return max(2, standing)
        is_chance = self.is_numbering and (self.is_decimal or self.n_rows < MIN_ROWS)
        return 0 if standing == 1 and is_chance else standing

    @property
    def may_count(self) -> bool:
        """Whether this may be a count of something that is by chance what the ids are."""
        return self.is_numbering and self.standing == 0 and not self.is_index

    def fits(self, fit: Fit) -> bool:
        if not self.is_unique or not self.n_rows:
            return False
        n_known = len(self.found)
        if fit == "part":
            return 0 < self.n_found == self.n_rows
        return self.n_found == n_known and (fit == "cover" or self.n_rows == n_known)

    @property
    def has_much(self) -> bool:
        """Whether half of its rows, or half of the nodes, are in both: a column of ids with some others."""
        return self.is_unique and 2 * self.n_found >= max(1, min(self.n_rows, len(self.found)))

    @property
    def spoken(self) -> str:
        if self.is_index:
            return "its index" if self.name is None else f"its index {self.name!r}"
        return f"its column {self.name!r}"

    @property
    def option(self) -> str:
        """How `id_column=` names it."""
        return INDEX if self.name is None else self.name

    def merge(self, other: IdEvidence) -> IdEvidence:
        """Of two parts of one column. That no value is in both is known only of whole columns."""
        bounds = None
        if self.bounds is not None and other.bounds is not None:
            bounds = min(self.bounds[0], other.bounds[0]), max(self.bounds[1], other.bounds[1])
        return replace(
            self,
            found=self.found | other.found,
            n_rows=self.n_rows + other.n_rows,
            is_unique=self.is_unique and other.is_unique,
            bounds=bounds,
            rows=None,
        )


def gather(name: str | None, values: Any, known: KnownIds, *, is_index: bool = False) -> IdEvidence:
    """What the values of a column say for its being the ids."""
    import pyarrow.compute as pc

    is_decimal = _is_decimal(values)
    nothing = IdEvidence(name, np.zeros(len(known), dtype=bool), len(values), False, None, is_index, is_decimal)
    first = comparable(values[:N_FIRST])
    if first is None or pc.count_distinct(first).as_py() < len(first):
        return nothing
    column = comparable(values)
    if column is None:
        return nothing
    bounds = None
    if str(column.type) == "int64" and len(column):
        low, high = (bound.as_py() for bound in pc.min_max(column).values())
        bounds = low, high
    nothing = replace(nothing, is_unique=True, bounds=bounds)  # as far as was looked
    if bounds is not None and known.is_integer and (bounds[1] < known.bounds[0] or bounds[0] > known.bounds[1]):
        return nothing
    ids, column = known.alike(column)
    if len(column) >= len(ids) > N_TRIED:  # one that has every node has these: a small table is looked up fast
        tried = ids.take(np.linspace(0, len(ids) - 1, N_TRIED).astype(np.int64))
        if not pc.any(pc.is_in(column, value_set=tried)).as_py():
            return nothing
    rows = np.asarray(pc.fill_null(pc.index_in(ids, value_set=column), -1)).astype(np.int64)
    found = rows >= 0
    # As many different ids as rows: no value is there twice.
    is_unique = np.count_nonzero(found) == len(column) or pc.count_distinct(column).as_py() == len(column)
    return replace(nothing, found=found, is_unique=is_unique, rows=rows)


def choose_ids(evidence: Sequence[IdEvidence], fit: Fit, what: str) -> IdEvidence | None:
    """The one that holds the ids, or None where none fits; where it could be several, an error that names `id_column=`."""
    fitting = [one for one in evidence if one.fits(fit)]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    best = max(one.standing for one in fitting)
    named = [one for one in fitting if one.standing == best]
    if len(named) > 1 or best < 2:
        raise ambiguous([one.spoken for one in fitting], [one.option for one in fitting], what)
    return named[0]


def choose_of_file(evidence: Sequence[IdEvidence], fit: Fit, what: str, likely: str) -> IdEvidence | None:
    """`choose_ids` for a table in a file, which always has an id column: `likely`, where names alone decide."""
    chosen = choose_ids(evidence, fit, what)
    if chosen is not None and chosen.may_count and chosen.name != likely:
        raise InputError(
            f"{what} may have no node ids: {chosen.spoken} holds just their values, but could count something else. If it "
            f"holds the ids, say so: id_column={chosen.option!r}."
        )
    return chosen


def choose_of_parts(parts: Sequence[Sequence[IdEvidence]], what: str, likely: str) -> str:
    """The id column of a table that was looked at in parts; `likely` where none fits."""
    whole = [reduce(IdEvidence.merge, same) for same in zip(*parts, strict=True)]
    chosen = choose_of_file(whole, "cover", what, likely)
    return likely if chosen is None else chosen.option


def ambiguous(spoken: Sequence[str], options: Sequence[str], what: str) -> InputError:
    """The error for a table whose rows meet the nodes in more than one way."""
    listed = " and ".join([", ".join(spoken[:-1]), spoken[-1]])
    choices = " or ".join(f"id_column={name!r}" for name in options)
    return InputError(f"{what} could be matched to the nodes by {listed}. Say which holds the node ids: {choices}.")


def name_standing(name: str | None) -> int:
    """How much a name is one of ids (see `IdEvidence.standing`)."""
    if name is None:
        return 0
    if name.lower() in EXACT_NAMES:
        return 3
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    if any(word in ID_WORDS for word in words) or (len(name) > 4 and name.lower().endswith(("id", "key"))):
        return 2
    return 0 if not words or any(word in COUNT_WORDS or len(word) == 1 for word in words) else 1


def likely_name(names: Sequence[str], asked: str | None = None, what: str = "The table") -> str:
    """The column that holds ids as far as names tell: the one asked for, the one with the best name, or the first."""
    if asked is not None:
        if asked not in names:
            raise InputError(f"{what} has no column {asked!r} of ids. It has: {first_few(list(names), 20)}.")
        return asked
    best = max(names, key=name_standing)  # the first of equals
    return str(best if name_standing(best) >= 2 else names[0])


def comparable(values: Any) -> Any:
    """A column as an Arrow array of 64-bit integers or of words; None where it cannot hold ids."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = values
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        given = np.asarray(values)
        try:
            array = pa.array(given.tolist() if given.dtype == object else given)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
            return None
    array = decoded(array)
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.cast(_wide(array.type)).combine_chunks()
    kind = array.type
    if array.null_count or pa.types.is_boolean(kind) or pa.types.is_nested(kind):
        return None
    if kind == pa.uint64() and len(array) and pc.max(array).as_py() > np.iinfo(np.int64).max:
        return pc.cast(array, pa.large_string())
    if pa.types.is_integer(kind):
        return pc.cast(array, pa.int64())
    if pa.types.is_floating(kind):  # integers with gaps are floats in pandas
        numbers = np.asarray(array)
        is_whole = bool((np.isfinite(numbers) & (np.abs(numbers) < 2.0**53) & (numbers == np.round(numbers))).all())
        return pa.array(numbers.astype(np.int64)) if is_whole else None
    try:
        return pc.cast(array, pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _is_decimal(values: Any) -> bool:
    import pyarrow as pa

    kind = getattr(values, "type", None)
    return pa.types.is_floating(kind) if kind is not None else np.asarray(values).dtype.kind == "f"


def _wide(kind: ArrowType) -> ArrowType:
    import pyarrow as pa

    is_text = pa.types.is_string(kind) or pa.types.is_string_view(kind)
    return pa.large_string() if is_text else kind


def positions(ids: Any, among: Any) -> NDArray[np.int64]:
    """Where each id stands among others; −1 where it does not. Numbers and the words that spell them are equal."""
    import pyarrow.compute as pc

    known = ids if isinstance(ids, KnownIds) else KnownIds(ids)
    column = among.own if isinstance(among, KnownIds) else comparable(among)
    if column is None:
        return np.full(len(known), -1, dtype=np.int64)
    wanted, values = known.alike(column)
    return np.asarray(pc.fill_null(pc.index_in(wanted, value_set=values), -1)).astype(np.int64)
