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
from sparsecut.io.relation_tables import RelationTable, read_relation

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

    def read(self, keys: Mapping[EdgeType, Any], encoding: str | None) -> list[RelationTable]:
        """The tables of all types of edges."""
        own = {role: _of_each(role, given, list(keys)) for role, given in {**self.columns, "time": self.time}.items()}
        signed = _of_each("signed", self.signed, list(keys))
        tables = []
        for key, given in keys.items():
            asked = {role: value[key] for role, value in own.items()}
            times = None if isinstance(asked["time"], str) else asked["time"]
            asked["time"] = asked["time"] if times is None else None
            table = read_relation(key, given, asked, encoding, is_signed=bool(signed[key]))
            for role, given_for in {**self.columns, "time": self.time}.items():
                if isinstance(given_for, Mapping):
                    _check_has(table, role, asked[role])
            tables.append(table if times is None else _with_times(table, times))
        for role, given_for in {**self.columns, "time": self.time}.items():
            if isinstance(given_for, str) and not any(given_for in table.table.column_names for table in tables):
                known = list(dict.fromkeys(name for table in tables for name in table.table.column_names))
                raise InputError(
                    f"No table of edges has a column {given_for!r} for the {role}. They have: {first_few(known, 20)}."
                    f"{did_you_mean(given_for, known)}"
                )
        return tables


def _of_each(name: str, given: Any, keys: Sequence[EdgeType]) -> dict[EdgeType, Any]:
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
        if not named:
            known = [":".join(key) for key in keys]
            raise InputError(
                f"The {name} parameter of {CALLER} must name types of edges of the graph: {first_few(known, 10)}. "
                f"Got {one!r}."
            )
        found.update(dict.fromkeys(named, value))
    return found


def _check_has(table: RelationTable, role: str, column: Any) -> None:
    if isinstance(column, str) and column not in table.table.column_names:
        names = table.table.column_names
        raise InputError(
            f"{table.what} has no column {column!r} for the {role}. It has: {first_few(names, 20)}."
            f"{did_you_mean(column, names)}"
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
