"""Which columns of a table of edges hold the two ends and the weight.

1. the columns that were named
2. a pair whose names are those of the ends of an edge: source and target, sender and receiver, user1 and user2
   (`edge_names`)
3. where a table has just two columns that can be ends by their names, those: user_id and movie_id beside rating and time
4. the values decide (`column_evidence`): dates, fractions, ids of the rows (different in every row, and in no other column)
   are no ends; of the others two that share values are

Columns without names are the source, the target and the weight in this order, unless the first shares no value with the
second, and two others do: the second and third, or of words the first and third, as in triples (head, relation, tail). Of
what is left out a note is made; where another choice was possible, a doubt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from sparsecut.base.errors import InputError, first_few
from sparsecut.io.edges.column_evidence import ColumnEvidence, evidence_of
from sparsecut.io.edges.edge_names import (
    WEIGHTS,
    are_one_kind,
    are_two_kinds,
    cannot_be_end,
    is_distance,
    is_strength,
    pairs_among,
    plausibility,
    side_words,
)

SOURCE_NAMES = ("source", "src", "from", "u", "id_1", "node_1", "node1", "head")
TARGET_NAMES = ("target", "dst", "to", "v", "id_2", "node_2", "node2", "tail")
HEADER_NAMES = frozenset((*SOURCE_NAMES, *TARGET_NAMES, *WEIGHTS))
MIN_OVERLAP = 0.1  # of the values of two columns, for them to be the ends of edges by that alone
SETTLE = "Name them to choose others: source=…, target=… (--source, --target)."


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of an edge table by their roles."""

    source: str
    target: str
    weight: str | None
    time: str | None = None
    is_asked: bool = False  # whether source and target were named, not guessed
    is_third: bool = False  # whether the weight is just the third of three columns without names
    key: str | None = None  # of the weight, where that column holds dictionaries
    is_asked_key: bool = False
    sides: tuple[str, str] | None = None  # what the two sides are called, where they are kept apart
    kinship: str = "one"  # what the names say of the nodes in both columns: of "one" kind, of "two", or "unknown"
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # notes worth a warning

    @property
    def may_be_sides(self) -> bool:
        """Whether the same id in both columns may be two nodes, which only the values can tell."""
        return self.kinship != "one"

    @property
    def weight_name(self) -> str | None:
        """What the weights are called in messages."""
        return self.weight if self.key is None else self.key

    def in_order(self) -> list[str]:
        """The names of the columns to read."""
        return [self.source, self.target, *(name for name in (self.weight, self.time) if name is not None)]

    def __str__(self) -> str:
        roles = {"source": self.source, "target": self.target, "weight": self.weight}
        named = ", ".join(f"{role} in column {name!r}" for role, name in roles.items() if name is not None)
        if self.weight is None:
            named = f"{named}, no weights"
        elif self.key is not None:
            named = f"{named} under {self.key!r}"
        return named if self.time is None else f"{named}, times in column {self.time!r}"


@dataclass(frozen=True)
class ColumnPlan:
    """What names alone say about the columns of a table, and which columns must be read before the ends are chosen."""

    names: tuple[str, ...]
    asked: Mapping[str, str | None]
    what: str
    bipartite: bool | None = None
    pairs: tuple[tuple[str, str], ...] = ()  # of ends, by their names
    unclear: tuple[str, ...] = ()  # columns whose values decide; none where names suffice

    @property
    def is_unnamed(self) -> bool:
        return _are_unnamed(self.names)

    @property
    def to_read(self) -> list[str]:
        """The columns that are needed to decide, and all that may be chosen."""
        if not self.unclear:
            return self.decide().in_order()
        weights = (name for name in self.names if name.lower() in WEIGHTS or name in self.asked.values())
        return list(dict.fromkeys([*self.unclear, *weights]))

    def decide(self, evidence: Mapping[str, ColumnEvidence] | None = None) -> EdgeColumns:
        """The columns, given the evidence for those that are unclear."""
        chosen = {role: name for role, name in self.asked.items() if name is not None}
        reasons = {name: reason for name in self.names if (reason := cannot_be_end(name))}
        doubts: tuple[str, ...] = ()
        if "source" not in chosen or "target" not in chosen:
            ends, doubts = self._ends(chosen, evidence or {}, reasons)
            chosen |= ends
        if "weight" not in chosen:
            usual = [name for name in self.names if name.lower() in WEIGHTS and name not in chosen.values()]
            chosen |= {"weight": usual[0]} if usual else {}
        free = [name for name in self.names if name not in chosen.values()]
        is_third = "weight" not in chosen and self.names == ("f0", "f1", "f2") and len(free) == 1
        if is_third:
            chosen["weight"] = free.pop()
        if is_distance(chosen.get("weight", "weight")):
            doubts = (
                *doubts,
                f"{self.what} has its weights from column {chosen['weight']!r}: a larger weight says nearer. If its numbers "
                "say how far, give 1/number or another one that falls with it.",
            )
        source, target = chosen["source"], chosen["target"]
        return EdgeColumns(
            source,
            target,
            chosen.get("weight"),
            chosen.get("time"),
            is_asked=self.asked["source"] is not None and self.asked["target"] is not None,
            is_third=is_third,
            sides=self._sides(source, target) if self.bipartite else None,
            kinship="one" if self.bipartite is not None or self.is_unnamed else _kinship(source, target),
            notes=_left_out(free, reasons, "weight" not in chosen),
            doubts=doubts,
        )

    def _ends(
        self, chosen: Mapping[str, str], evidence: Mapping[str, ColumnEvidence], reasons: dict[str, str]
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """(source and target, doubts); adds to the reasons why other columns are no ends."""
        named = {role: chosen[role] for role in ("source", "target") if role in chosen}
        free = [name for name in self.names if name not in chosen.values()]
        wanted = [role for role in ("source", "target") if role not in named]
        if len(free) < len(wanted):
            raise InputError(f"{self.what} has no column left for the {wanted[0]}. It has: {', '.join(self.names)}.")
        if self.is_unnamed:
            return self._by_position(named, free, wanted, evidence)
        able = [name for name in free if name not in reasons]
        free = able if len(able) >= len(wanted) else free
        reasons |= _reasons(evidence)
        pairs = [pair for pair in self.pairs if not any(evidence.get(name) and reasons.get(name) for name in pair)]
        pairs = [pair for pair in pairs if all(named.get(role, end) == end for role, end in _by_role(pair).items())]
        if pairs:
            # Accounts rather than their banks: of several pairs the one with the most different ids.
            pair = max(pairs, key=lambda ends: sum(len(evidence[name].values) for name in ends if name in evidence))
            others = [f"{one!r} and {two!r}" for one, two in pairs if (one, two) != pair]
            return {**_by_role(pair), **named}, self._doubts(pair, others) if others else ()
        able = [name for name in free if name not in reasons]
        free = able if len(able) >= len(wanted) else free
        free.sort(key=plausibility, reverse=True)  # stable: among equals the first
        taken = _nearest(free, evidence, named) or free[: len(wanted)]
        if len(wanted) == 2:
            taken = sorted(taken, key=self.names.index)
        ends = {**named, **dict(zip(wanted, taken, strict=True))}
        rest = [name for name in free if name not in taken]
        is_clear = not rest or (plausibility(taken[-1]) > plausibility(rest[0]) and plausibility(taken[-1]) >= 2)
        is_clear &= not any(name in reasons for name in taken) or len(self.names) == 2
        return ends, () if is_clear else self._doubts((ends["source"], ends["target"]), [repr(name) for name in rest])

    def _by_position(
        self, named: dict[str, str], free: list[str], wanted: list[str], evidence: Mapping[str, ColumnEvidence]
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        first = {**named, **dict(zip(wanted, free, strict=False))}
        if named or len(free) < 3 or not all(name in evidence for name in free):
            return first, ()
        if evidence[free[0]].shares_values(evidence[free[1]]):
            return first, ()
        # Numbers that a first column shares with a later one may be those of ratings or years; words are ids.
        near = _nearest(free[1:] if evidence[free[0]].is_integer else free, evidence, {})
        if near is None:
            return first, ()
        return _by_role((near[0], near[1])), self._doubts((near[0], near[1]), [f"{free[0]!r} and {free[1]!r}"])

    def _doubts(self, ends: tuple[str, str], others: list[str]) -> tuple[str, ...]:
        said = f"{self.what} does not say which columns hold the ends of its edges: {ends[0]!r} and {ends[1]!r} were taken"
        return (f"{said}{', and not ' + first_few_words(others) if others else ''}. {SETTLE}",)

    def _sides(self, source: str, target: str) -> tuple[str, str]:
        return ("source", "target") if self.is_unnamed else side_words(source, target)


def plan_columns(
    names: Sequence[str],
    asked: Mapping[str, str | None],
    what: str,
    bipartite: bool | None = None,
) -> ColumnPlan:
    """What the names of the columns of a table say; `unclear` are those whose values are needed too."""
    names = tuple(names)
    if len(names) < 2:
        raise InputError(f"{what} has one column, {names[0]!r}. An edge list needs a source and a target.")
    taken: list[str] = []
    for role in ("source", "target", "weight", "time"):
        name = asked.get(role)
        if name is not None and name not in names:
            raise InputError(f"{what} has no column {name!r} for the {role}. It has: {', '.join(names)}.")
        if name is not None and name in taken:
            raise InputError(f"{what} cannot have column {name!r} as its {role} and as another end too.")
        taken += [] if name is None else [name]
    plan = ColumnPlan(names, asked, what, bipartite)
    wanted = [role for role in ("source", "target") if asked[role] is None]
    if not wanted or (plan.is_unnamed and (len(wanted) < 2 or names[0] == "f0" or len(names) < 3)):
        return plan  # a text file without a header is read by position first
    if plan.is_unnamed:
        return replace(plan, unclear=tuple(name for name in names if name != asked.get("time")))
    ends = [
        name
        for name in names
        if name not in (asked["weight"], asked.get("time")) and (name in taken or not cannot_be_end(name))
    ]
    pairs = [pair for pair in pairs_among(ends) if all(asked[role] in (None, end) for role, end in _by_role(pair).items())]
    plan = replace(plan, pairs=tuple(pairs))
    if pairs:
        return replace(plan, unclear=tuple(name for pair in pairs for name in pair) if len(pairs) > 1 else ())
    free = sorted((name for name in ends if name not in taken), key=plausibility, reverse=True)
    levels = [plausibility(name) for name in free]
    is_clear = len(free) <= len(wanted) or (levels[len(wanted) - 1] > levels[len(wanted)] and levels[len(wanted) - 1] >= 2)
    return plan if is_clear else replace(plan, unclear=tuple(name for name in names if name in free))


def decide_by_table(plan: ColumnPlan, table: Any) -> EdgeColumns:
    """The columns of a table that is in memory, or of as many of its columns as are needed."""
    return plan.decide(evidence_of([table.select(plan.unclear)], table.num_rows) if plan.unclear else None)


def choose_before_dictionaries(
    names: Sequence[str], asked: Mapping[str, str | None], what: str, bipartite: bool | None
) -> EdgeColumns:
    """The columns of networkx's edge lists, whose last column holds dictionaries: the weight is a key in them."""
    columns = plan_columns(names[:-1], {**asked, "weight": None}, what, bipartite).decide()
    key = asked["weight"] or WEIGHTS[0]
    return replace(columns, weight=names[-1], key=key, is_asked_key=asked["weight"] is not None)


def first_few_words(words: Sequence[str]) -> str:
    """The first of some phrases, and how many more there are."""
    shown = ", ".join(words[:4])
    return shown if len(words) <= 4 else f"{shown} and {len(words) - 4} more"


def _kinship(source: str, target: str) -> str:
    return "one" if are_one_kind(source, target) else "two" if are_two_kinds(source, target) else "unknown"


def _are_unnamed(names: Sequence[str]) -> bool:
    """Whether columns have no names but their numbers: f0, f1 of a file, 0, 1 of pandas."""
    return any(list(names) == [f"{letter}{position}" for position in range(len(names))] for letter in ("f", ""))


def _by_role(ends: tuple[str, str]) -> dict[str, str]:
    return {"source": ends[0], "target": ends[1]}


def _reasons(evidence: Mapping[str, ColumnEvidence]) -> dict[str, str]:
    """Why columns are no ends, by their values."""
    found = {name: column.reason for name, column in evidence.items() if column.reason}
    able = {name: column for name, column in evidence.items() if name not in found}
    for name, column in able.items():
        others = [other for one, other in able.items() if one != name]
        if column.is_constant:
            found[name] = "one value throughout"
        elif (column.is_epoch or column.is_unique) and not any(column.shares_values(other) for other in others):
            if column.is_epoch:
                found[name] = "a time"
            elif column.is_unique:
                found[name] = "different in every row"
    return found


def _nearest(names: Sequence[str], evidence: Mapping[str, ColumnEvidence], named: Mapping[str, str]) -> list[str] | None:
    """The two columns that share most values, among those whose names say nothing; None where they share few."""
    able = [name for name in names if name in evidence and not evidence[name].reason]
    if named or len(able) < 2 or any(plausibility(name) >= 2 for name in names):
        return None
    pairs = {pair: evidence[pair[0]].overlap(evidence[pair[1]]) for pair in combinations(able[:50], 2)}
    best = max(pairs, key=lambda pair: pairs[pair])
    return list(best) if pairs[best] >= MIN_OVERLAP else None


def _left_out(names: Sequence[str], reasons: Mapping[str, str], is_unweighted: bool) -> tuple[str, ...]:
    """Notes about the columns that are not read."""
    if not names:
        return ()
    said = [f"{name!r} ({reasons[name]})" if reasons.get(name, "a number") != "a number" else repr(name) for name in names]
    notes = [f"Columns left out: {first_few_words(said)}."]
    strengths = [name for name in names if is_strength(name)]
    if is_unweighted and strengths:
        notes.append(
            f"{first_few(strengths, 4)} may hold weights, and is used where it is named: weight={strengths[0]!r} "
            f"(--weight {strengths[0]})."
        )
    return tuple(notes)
