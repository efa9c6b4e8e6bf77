"""Options of `from_tables` that are for all types of edges, or for each its own.

weight="stars"                     the column of that name, in the tables that have it
weight={"rates": "stars"}          of the relation "rates" alone; a type of edges is named as in `edges`, or by its relation
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparsecut.base.errors import InputError, did_you_mean, first_few
from sparsecut.graph.relations import EdgeType
from sparsecut.graph.times import as_moments
from sparsecut.io.typed.relation_tables import RelationTable, read_relation

CALLER = "from_tables"


@dataclass(frozen=True)
class RelationOptions:
    """Columns of the tables of edges by their roles, the times, and whether weights may be below zero."""

    columns: Mapping[str, Any]  # source, target, weight: a name, a mapping, or None
    time: Any = None  # a name, or a mapping to names or times
    signed: Any = False

    @property
    def is_signed(self) -> bool:
        """Whether any weights may be below zero."""
        return any(self.signed.values()) if isinstance(self.signed, Mapping) else bool(self.signed)

    def check_one_table(self) -> None:
        """Refuse options for some types of edges, where all are in one table."""
        for name, given in {**self.columns, "time": self.time, "signed": self.signed}.items():
            if isinstance(given, Mapping):
                raise InputError(
                    f"The {name} parameter of {CALLER} must be one for all edges of one table, whose types type_column= and "
                    f"relation_column= tell. Got {given!r}."
                )

    def of_each(self, keys: Sequence[EdgeType]) -> dict[EdgeType, AskedColumns]:
        """What is asked of the table of every type of edges."""
        own = {role: _of_each(role, given, keys) for role, given in {**self.columns, "time": self.time}.items()}
        signed = _of_each("signed", self.signed, keys)
        return {key: AskedColumns({role: value[key] for role, value in own.items()}, bool(signed[key])) for key in keys}

    def check(self, key: EdgeType, what: str, names: Sequence[str]) -> None:
        """Refuse a column that is named for a type of edges alone and that its table does not have."""
        for role, given in {**self.columns, "time": self.time}.items():
            if isinstance(given, Mapping):
                _check_has(names, what, role, _of_each(role, given, [key], may_lack=True)[key])

    def check_all(self, names: Sequence[Sequence[str]]) -> None:
        """Refuse a column that is named for all types of edges and that none of their tables has."""
        for role, given in {**self.columns, "time": self.time}.items():
            if isinstance(given, str) and not any(given in own for own in names):
                known = list(dict.fromkeys(name for own in names for name in own))
                raise InputError(
                    f"No table of edges has a column {given!r} for the {role}. They have: {first_few(known, 20)}."
                    f"{did_you_mean(given, known)}"
                )

    def read(self, keys: Mapping[EdgeType, Any], encoding: str | None) -> list[RelationTable]:
        """The tables of all types of edges."""
        tables = []
        for key, asked in self.of_each(list(keys)).items():
            times = asked.columns["time"]
            named = asked.columns if isinstance(times, str) else {**asked.columns, "time": None}
            table = read_relation(key, keys[key], named, encoding, is_signed=asked.is_signed)
            self.check(key, table.what, table.table.column_names)
            tables.append(table if times is None or isinstance(times, str) else _with_times(table, times))
        self.check_all([table.table.column_names for table in tables])
        return tables


@dataclass(frozen=True)
class AskedColumns:
    """What is asked of one table of edges."""

    columns: Mapping[str, Any]  # source, target, weight, time: a name or None; of the time also the times themselves
    is_signed: bool


def _of_each(name: str, given: Any, keys: Sequence[EdgeType], *, may_lack: bool = False) -> dict[EdgeType, Any]:
    """What is given for every type of edges: the same for all, or by a mapping, and None for those it leaves out."""
    if not isinstance(given, Mapping):
        if given is not None and not isinstance(given, str | bool):
            raise InputError(
                f"The {name} parameter of {CALLER} must be a word, or one for each type of edges: {{relation: …}}. "
                f"Got {type(given).__name__}."
            )
        return dict.fromkeys(keys, given)
    found: dict[EdgeType, Any] = dict.fromkeys(keys)
    for one, value in given.items():
        named = [key for key in keys if one in (key, key[1], ":".join(key))]
        if not named and not may_lack:
            known = [":".join(key) for key in keys]
            raise InputError(
                f"The {name} parameter of {CALLER} must name types of edges of the graph: {first_few(known, 10)}. "
                f"Got {one!r}."
            )
        found.update(dict.fromkeys(named, value))
    return found


def _check_has(names: Sequence[str], what: str, role: str, column: Any) -> None:
    if isinstance(column, str) and column not in names:
        raise InputError(
            f"{what} has no column {column!r} for the {role}. It has: {first_few(list(names), 20)}."
            f"{did_you_mean(column, list(names))}"
        )


def _with_times(table: RelationTable, times: Any) -> RelationTable:
    """The table with times that come beside it."""
    moments = as_moments(times, f"The times of {':'.join(table.key)}")
    if len(moments.values) != len(table.sources):
        raise InputError(
            f"The times of {':'.join(table.key)} must be one for each edge. Got {len(moments.values):,} times for "
            f"{len(table.sources):,} edges."
        )
    return replace(table, moments=moments)
