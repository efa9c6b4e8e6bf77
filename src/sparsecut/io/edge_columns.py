"""Which columns of a table of edges hold the two ends and the weight: those asked for, those of a usual name, the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparsecut.errors import InputError

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
    key: str | None = None  # of the weight, where that column holds dictionaries
    is_asked_key: bool = False

    def in_order(self) -> list[str]:
        """The names of the columns to read."""
        return [self.source, self.target, *([self.weight] if self.weight is not None else [])]

    def __str__(self) -> str:
        roles = {"source": self.source, "target": self.target, "weight": self.weight}
        named = ", ".join(f"{role} in column {name!r}" for role, name in roles.items() if name is not None)
        if self.weight is None:
            return f"{named}, no weights"
        return named if self.key is None else f"{named} under {self.key!r}"


def choose_columns(
    names: Sequence[str], asked: dict[str, str | None], what: str, has_dictionaries: bool = False
) -> EdgeColumns:
    """The columns asked for, and for the rest those with a usual name, or the first ones.

    Where the last column holds dictionaries, the weight is a key in them.
    """
    if has_dictionaries:
        columns = choose_columns(names[:-1], {**asked, "weight": None}, what)
        key = asked["weight"] or WEIGHT_NAMES[0]
        return replace(columns, weight=names[-1], key=key, is_asked_key=asked["weight"] is not None)
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
