"""What one column of a table becomes. Each kind is fitted on the first table and applied to every later one.

    number      (x − mean) / standard deviation of the fitted table; a gap becomes 0, the mean, and 1 in the column
                "… is missing", which exists where the fitted table had gaps
    mark        a column of true and false, or of 0 and 1 alone: 0 and 1; gaps as above
    category    text: one column of 0 and 1 per category, in alphabetical order, for the 100 commonest (ties: the first in
                the alphabet), and "… = other" for the rest; a gap has 0 in all of them and 1 in "… is missing"
    time        dates, times and durations: seconds since 1970, midnight or zero, then as a number
    vector      a list of numbers: one column per element, all divided by one number, so that their mean variance is 1
    left out    a column that tells nothing that carries over: one value throughout, only gaps, or text that is a name
                rather than a category (over 100 values, over half of the rows with a value of their own)

In a later table a category that was not fitted is "other", or 0 in all of the columns where there is no "other". A gap in a
column that had none becomes the mean. Notes count both. A column that was left out stays out, whatever it holds then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsecut.errors import InputError

MAX_CATEGORIES = 100


@dataclass(frozen=True)
class LeftOut:
    """A column that is no feature, and why."""

    kind: ClassVar[str] = "left out"
    name: str
    why: str

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    @property
    def note(self) -> str:
        return f"{self.name!r} was left out: {self.why}"

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        return [], ""


@dataclass(frozen=True)
class NumberColumn:
    """(x − mean) / deviation; mean 0 and deviation 1 leave the numbers as they are. A gap becomes `fill`."""

    kind: ClassVar[str] = "number"
    name: str
    mean: float = 0.0
    deviation: float = 1.0
    fill: float = 0.0
    with_value: bool = True  # one value or a gap: then the gap alone tells something
    with_missing: bool = False
    is_time: bool = False

    @classmethod
    def fit(cls, name: str, column: Any, *, is_scaled: bool) -> NumberColumn | LeftOut:
        is_time, (is_missing, values) = _is_time(column.type), _numbers(column)
        present, with_missing = values[~is_missing], bool(is_missing.any())
        if not len(present):
            return LeftOut(name, "it holds nothing but gaps")
        if (present == present[0]).all():
            if not with_missing:
                return LeftOut(name, "it holds one value throughout")
            return cls(name, with_value=False, with_missing=True, is_time=is_time)
        if is_mark(present):
            return cls(name, with_missing=with_missing, is_time=is_time)
        mean, deviation = _mean_and_deviation(present)
        if not is_scaled:
            return cls(name, fill=mean, with_missing=with_missing, is_time=is_time)
        return cls(name, mean, deviation, 0.0, True, with_missing, is_time)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,) * self.with_value + (f"{self.name} is missing",) * self.with_missing

    @property
    def note(self) -> str:
        return _became(self.name, self.names)

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        if not (_is_number(column.type) or (self.is_time and _is_time(column.type))):
            raise _other_type(self.name, column, what, "times" if self.is_time else "numbers")
        is_missing, values = _numbers(column)
        parts = []
        if self.with_value:
            # Divided before the mean is taken off: numbers near the largest there are do not overflow.
            parts.append(np.where(is_missing, self.fill, values / self.deviation - self.mean / self.deviation))
        if self.with_missing:
            parts.append(is_missing)
        n_new = 0 if self.with_missing else int(is_missing.sum())
        return parts, f"{n_new:,} gaps in {self.name!r}, which had none when it was fitted, became its mean" if n_new else ""


@dataclass(frozen=True)
class CategoryColumn:
    """One column of 0 and 1 per category."""

    kind: ClassVar[str] = "category"
    name: str
    categories: tuple[str, ...] = ()
    with_other: bool = False
    with_missing: bool = False

    @classmethod
    def fit(cls, name: str, column: Any, what: str) -> CategoryColumn | LeftOut:
        words, codes, is_missing = _words(column)
        _check_slips(name, words, codes, is_missing, what)
        counts = np.bincount(codes[~is_missing], minlength=len(words))
        found = [code for code in range(len(words)) if counts[code]]
        with_missing = bool(is_missing.any() and not is_missing.all())
        if not found:
            return LeftOut(name, "it holds nothing but gaps")
        if len(found) > MAX_CATEGORIES and 2 * len(found) > len(codes):
            if with_missing:
                return cls(name, with_missing=True)
            return LeftOut(name, "it has a value of its own nearly everywhere, as names have")
        if len(found) == 1 and not with_missing:
            return LeftOut(name, "it holds one value throughout")
        kept = sorted(found, key=lambda code: (-counts[code], words[code]))[:MAX_CATEGORIES]
        return cls(name, tuple(sorted(words[code] for code in kept)), len(found) > len(kept), with_missing)

    @property
    def names(self) -> tuple[str, ...]:
        return (
            *(f"{self.name} = {category}" for category in self.categories),
            *((f"{self.name} = other",) * self.with_other),
            *((f"{self.name} is missing",) * self.with_missing),
        )

    @property
    def note(self) -> str:
        return _became(self.name, self.names)

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        if not (_is_text(column.type) or _is_number(column.type)):  # numbers are categories spelt like numbers
            raise _other_type(self.name, column, what, "text")
        words, codes, is_missing = _words(column)
        place = {word: number for number, word in enumerate(words)}
        parts: list[NDArray[Any]] = [(codes == place.get(category, -1)) & ~is_missing for category in self.categories]
        is_known = np.isin(codes, [place[category] for category in self.categories if category in place]) | is_missing
        if self.with_other:
            parts.append(~is_known)
        if self.with_missing:
            parts.append(is_missing)
        unseen = list(dict.fromkeys(codes[~is_known].tolist())) if self.categories else []
        notes = []
        if unseen:
            shown = ", ".join(repr(words[code]) for code in unseen[:5]) + (", …" if len(unseen) > 5 else "")
            notes.append(
                f"{int((~is_known).sum()):,} rows of {self.name!r} hold categories that were not fitted ({shown}) and are "
                "'other'"
            )
        n_new = 0 if self.with_missing else int(is_missing.sum())
        if n_new:
            notes.append(f"{n_new:,} gaps in {self.name!r}, which had none when it was fitted, are in no category")
        return parts, "; ".join(notes)


@dataclass(frozen=True)
class VectorColumn:
    """Lists of numbers, all of one length, divided by one number."""

    kind: ClassVar[str] = "vector"
    name: str
    n_elements: int = 0
    deviation: float = 1.0

    @classmethod
    def fit(cls, name: str, column: Any, what: str, *, is_scaled: bool) -> VectorColumn | LeftOut:
        values = _vectors(name, column, what)
        deviation = float(np.sqrt(values.var(axis=0).mean())) if is_scaled else 1.0
        if is_scaled and not deviation > 0:
            return LeftOut(name, "it holds one value throughout")
        return cls(name, values.shape[1], deviation)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}[{position}]" for position in range(self.n_elements))

    @property
    def note(self) -> str:
        return _became(self.name, self.names)

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        if not _is_list(column.type):
            raise _other_type(self.name, column, what, "lists of numbers")
        values = _vectors(self.name, column, what)
        if values.shape[1] != self.n_elements:
            raise InputError(
                f"{what} must hold lists of {self.n_elements} numbers in column {self.name!r}, as the fitted ones. "
                f"Got lists of {values.shape[1]}."
            )
        return list((values / self.deviation).T), ""


Column: TypeAlias = "LeftOut | NumberColumn | CategoryColumn | VectorColumn"
KINDS: dict[str, Any] = {kind.kind: kind for kind in (LeftOut, NumberColumn, CategoryColumn, VectorColumn)}


def fit_column(name: str, column: Any, what: str, *, is_scaled: bool, is_alone: bool) -> Column:
    """What a column becomes, by its type. Vectors that are the whole table are a matrix, and taken as they are."""
    if _is_number(column.type) or _is_time(column.type):
        return NumberColumn.fit(name, column, is_scaled=is_scaled)
    if _is_list(column.type):
        return VectorColumn.fit(name, column, what, is_scaled=is_scaled and not is_alone)
    if _is_text(column.type):
        return CategoryColumn.fit(name, column, what)
    raise InputError(f"{what} has values of type {column.type} in column {name!r}, which cannot be features.")


def check_type(name: str, column: Any, what: str) -> None:
    """Refuse what can be no feature, before anything is fitted."""
    if not any(is_kind(column.type) for is_kind in (_is_number, _is_time, _is_list, _is_text)):
        raise InputError(f"{what} has values of type {column.type} in column {name!r}, which cannot be features.")


def plain(column: Any) -> Any:
    """A column in one type: dictionaries decoded, NaN a gap, decimals floats, the many kinds of text one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if pa.types.is_decimal(column.type):
        column = _as_float(column)
    if pa.types.is_null(column.type):
        column = pc.cast(column, pa.float64())
    if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
        column = pc.cast(column, pa.large_string())
    return column


def is_number(column: Any) -> bool:
    """Whether a plain column holds numbers without gaps."""
    return _is_number(column.type) and not column.null_count


def is_mark(values: NDArray[Any]) -> bool:
    """Whether numbers are 0 and 1 alone."""
    return bool(((values == 0) | (values == 1)).all())


def _mean_and_deviation(values: NDArray[np.float64]) -> tuple[float, float]:
    scale = float(np.abs(values).max())  # first to at most 1, so that squares do not overflow
    return float((values / scale).mean() * scale), float((values / scale).std() * scale)


def _numbers(column: Any) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(where the gaps are, the numbers), of numbers, truth values and times."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_boolean(column.type):
        column = pc.cast(column, pa.int8())
    elif _is_time(column.type):
        column = _seconds(column)
    return pc.is_null(column).to_numpy(), _as_float(column).to_numpy()


def _words(column: Any) -> tuple[list[str], NDArray[Any], NDArray[np.bool_]]:
    """(the distinct words, the number of each row's word, where the gaps are)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.cast(column, pa.large_string())
    is_missing = pc.or_kleene(pc.is_null(column), pc.equal(column, "")).to_numpy()
    encoded = pc.dictionary_encode(column).combine_chunks()
    return encoded.dictionary.to_pylist(), np.asarray(pc.fill_null(encoded.indices, 0)), is_missing


def _vectors(name: str, column: Any, what: str) -> NDArray[np.float64]:
    import pyarrow.compute as pc

    lengths = pc.unique(pc.list_value_length(column)).to_pylist()
    if len(lengths) != 1 or not lengths[0] or not _is_number(column.type.value_type):
        raise InputError(f"{what} must hold lists of numbers, all of one length, in column {name!r}.")
    flat: NDArray[np.float64] = _as_float(pc.list_flatten(column)).to_numpy().reshape(len(column), -1)
    if not np.isfinite(flat).all():
        raise InputError(f"{what} has an empty or infinite number in a list of column {name!r}.")
    return flat


def _as_float(column: Any) -> Any:
    """A column as float64. Integers beyond 2⁵³ round: features are float32 in the end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.cast(column, pa.float64(), safe=False)


def _seconds(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_time(column.type) or pa.types.is_duration(column.type):
        ticks = _as_float(pc.cast(column, pa.int64() if column.type.bit_width == 64 else pa.int32()))
        return pc.divide(ticks, {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit])
    return pc.divide(_as_float(pc.cast(pc.cast(column, pa.timestamp("ms"), safe=False), pa.int64())), 1000.0)


def _check_slips(name: str, words: list[str], codes: NDArray[Any], is_missing: NDArray[np.bool_], what: str) -> None:
    """A column nearly all of numbers is a column of numbers with a slip in it, not one of categories."""
    is_word = np.array([not spells_number(word) for word in words])
    wrong = np.flatnonzero(is_word[codes] & ~is_missing) if len(words) else np.empty(0, dtype=int)
    n_present = int((~is_missing).sum())
    if len(wrong) and 10 * len(wrong) <= n_present:
        row = int(wrong[0])
        raise InputError(
            f"{what} holds {words[codes[row]]!r} among the numbers of column {name!r}, in row {row + 1:,}. "
            "Mend it, or leave the cell empty."
        )


def spells_number(word: str) -> bool:
    """Whether a word is a number as Python reads one."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _other_type(name: str, column: Any, what: str, fitted: str) -> InputError:
    return InputError(
        f"{what} holds values of type {column.type} in column {name!r}, which held {fitted} when the model was fitted. "
        "Give it the same kind of values."
    )


def _became(name: str, names: tuple[str, ...]) -> str:
    return f"{name!r} became {len(names)} feature{'s' * (len(names) > 1)}"


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _is_time(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_temporal(kind))


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
