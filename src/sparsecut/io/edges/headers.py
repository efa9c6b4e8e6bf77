"""Is the first line of a text table a header? Decided from its words, and for edge lists from the data as well.

A first line is a header where one of its names is on a list, where it has words above numbers, or where all its names are
words for roles (follower, followee) that no other line resembles. Whatever the first lines speak for, an edge list is asked
again once all of it is read:

- names of a header that are also nodes further down: the line is an edge, or a note names the doubt.
- a first edge whose two ids occur nowhere else: a header where they are unlike all others (words above codes), differ only
  at their ends (gene_a, gene_b), or where the file of features knows all other ids. Where it could be either it stays an
  edge, and a note names the doubt.

A doubt is a sentence for `Graph.notes` and a `ReadingWarning`. `header=True` or `False` settles it beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.io.edges.ids import positions_of

# What people call the ends of an edge. A word here is a header only where it occurs nowhere else in the file.
ROLES = """
source target src dst dest destination origin from to start end begin stop left right head tail first second
node vertex id uid uuid index idx key name label code number num ref identifier entity item element object subject
predicate relation user account member person people individual actor agent player character customer client buyer seller
vendor supplier merchant shop store company firm product brand category sender receiver recipient caller callee payer payee
lender borrower donor follower followee followed following follow leader influencer friend contact partner colleague
neighbor neighbour parent child mother father boss manager employee employer teacher student doctor patient host guest
author coauthor writer editor reviewer reader artist director movie film book song album paper article document doc
publication patent cite citing cited citation reference page url link site website domain ip device router server
gene protein residue atom molecule compound drug disease pathway species taxon prey predator enzyme substrate regulator
interactor cell neuron presynaptic postsynaptic pre post region city country state town airport station route departure
arrival street intersection word term token concept synset tag topic keyword package dependency dependent module class
function method file repo repository team club group community event ego alter one two tweet thread question answer asker
answerer
"""
ROLE_WORDS = frozenset(ROLES.split())
IDENTIFIER = re.compile(r"[^\W\d][\w .\-]{0,40}")
MIN_OTHERS = 10  # ids or edges, before what they have in common means anything
SAMPLE = 10_000
SETTLE = "Say which it is: header=True or header=False (--header, --no-header)."


@dataclass(frozen=True)
class Beside:
    """What the files beside an edge list know: the names of their id columns, and the nodes of the features."""

    id_names: frozenset[str] = frozenset()
    ids: NDArray[Any] | None = None


@dataclass(frozen=True)
class Verdict:
    """Whether the first line of an edge list is a header after all, and what the user should know about that choice."""

    has_header: bool
    doubt: str | None = None


def looks_like_name(word: str) -> bool:
    """Whether a word could be the name of a column: letters first, and not too long."""
    return IDENTIFIER.fullmatch(word) is not None


def are_roles(names: Sequence[str], others: Iterable[str]) -> bool:
    """Whether all of some names are words for the ends of an edge, and none of the other cells is built like one."""
    if not names or not all(_role_words(name) for name in names):
        return False
    return not same_stem(names, others)


def same_stem(names: Iterable[str], others: Iterable[str]) -> bool:
    """Whether some other cell is built like one of the names: gene3 below gene1."""
    stems = {_stem(name) for name in names}
    return any(_stem(other) in stems for other in others)


def review_header(
    names: Sequence[str],
    is_listed: bool,
    is_guessed: bool,
    words: Any,
    beside: Callable[[], Beside],
    what: str,
    line: str,
) -> Verdict:
    """A header that was found, after the ids have been read: are its names of the two ends among them?"""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = [name for name in names if pc.index(words, pa.scalar(name, words.type)).as_py() >= 0]
    first = f"The first line of {what}, {line!r}, was taken for"
    if not found and is_guessed:
        known = beside().ids
        if known is not None and (positions_of(np.array(names), known) >= 0).any():
            return Verdict(False, f"{first} an edge, because the features have rows for its nodes. {SETTLE}")
    if not found:
        return Verdict(True, f"{first} a header: its names occur in no other line. {SETTLE}" if is_guessed else None)
    elsewhere = f"{' and '.join(map(repr, found))} {'is' if len(found) == 1 else 'are'} also in other lines"
    if len(found) == 1 and is_listed and min(map(len, names)) > 1:  # a flow network may have a node "source"
        return Verdict(True, f"{first} a header, although {elsewhere}. {SETTLE}")
    return Verdict(False, f"{first} an edge, because {elsewhere}. {SETTLE}")


def review_first_edge(
    i: NDArray[Any], j: NDArray[Any], words: Any, beside: Callable[[], Beside], what: str, line: str
) -> Verdict:
    """A first line that was read as an edge: do the data say that it is a header?"""
    names = [words[int(end[0])].as_py() for end in (i, j)]
    if len(i) < 2 or names[0] == names[1] or not all(map(looks_like_name, names)):
        return Verdict(False)
    if any(np.count_nonzero(i == end[0]) + np.count_nonzero(j == end[0]) > 1 for end in (i, j)):
        return Verdict(False)
    reason, is_strong = _evidence(i, j, names, words, beside())
    if is_strong:
        return Verdict(True, f"The first line of {what}, {line!r}, was taken for a header: {reason}. {SETTLE}")
    if reason:
        return Verdict(False, f"The first line of {what}, {line!r}, was taken for an edge, but {reason}. {SETTLE}")
    return Verdict(False)


def _evidence(i: NDArray[Any], j: NDArray[Any], names: list[str], words: Any, beside: Beside) -> tuple[str, bool]:
    """(what speaks for a header, or "", and whether that is enough). The two ids are known to occur nowhere else."""
    others = _others(words, (int(i[0]), int(j[0])))
    nowhere = "its two names occur nowhere else"
    if not others:
        return "", False
    if {name.lower() for name in names} & {name.lower() for name in beside.id_names}:
        return f"{nowhere}, and a file beside it has a column of ids with such a name", True
    if beside.ids is not None and (positions_of(np.array(names), beside.ids) >= 0).any():
        return "", False
    if beside.ids is not None:
        is_known = positions_of(np.array(others), beside.ids) >= 0
        if is_known.mean() > 0.9:
            return f"{nowhere}, and the features have rows for the others but not for them", True
    is_many = len(others) >= MIN_OTHERS
    if {_stem(name) for name in names} & set(map(_stem, others)):  # gene1 and gene2, above gene3
        return "", False
    unlike = _unlike(names, others)
    if unlike:
        return f"{nowhere}, and {unlike}", is_many
    stem = _common_stem(*names)
    if stem and not any(other.lower().startswith(stem) for other in others):
        return f"{nowhere}, and differ only at their ends", is_many
    if any(map(_role_words, names)):
        return f"{nowhere}, and one is a usual name of a column", False
    if len(i) > MIN_OTHERS and _is_only_pair(i, j, len(words)):
        return f"{nowhere}, and no other line is like that", False
    return "", False


def _unlike(names: list[str], others: list[str]) -> str:
    """How two names differ from nearly all other ids: words above codes."""
    rules = (
        ("nearly all other ids have digits and these have none", r"\d"),
        ("nearly all other ids have no small letters and these have no large ones", r"^[^a-z]*$"),
    )
    plain = [re.sub(r"[_ .\-]?\d$", "", name) for name in names]  # gene1 and gene2 are names of columns
    for said, pattern in rules:
        is_code = [re.search(pattern, other) is not None for other in others]
        if np.mean(is_code) > 0.9 and not any(re.search(pattern, name) for name in plain):
            if pattern.startswith("^") and any(re.search("[A-Z]", name) for name in names):
                continue
            return said
    return ""


def _is_only_pair(i: NDArray[Any], j: NDArray[Any], n_ids: int) -> bool:
    """Whether the first edge alone joins two nodes that have no other edge."""
    is_single = np.bincount(i, minlength=n_ids) + np.bincount(j, minlength=n_ids) == 1
    return int(np.count_nonzero(is_single[i] & is_single[j])) == 1


def _others(words: Any, left_out: tuple[int, int]) -> list[str]:
    """A sample of the other ids, spread over all of them."""
    step = -(-len(words) // SAMPLE)
    rows = np.arange(0, len(words), step)
    rows = rows[~np.isin(rows, left_out)]
    if step == 1 or len(words) < 3:
        return [words[int(row)].as_py() for row in rows]
    return [str(word) for word in words.take(rows).to_pylist()]


def _role_words(name: str) -> list[str]:
    """The words of a name, if all of them are roles: gene1, protein_a, UserID; [] otherwise."""
    if not looks_like_name(name):
        return []
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    words = [word for word in words if len(word) > 1]
    is_role = [word in ROLE_WORDS or word.removesuffix("s") in ROLE_WORDS for word in words]
    return words if words and all(is_role) else []


def _stem(name: str) -> str:
    """A name without a number or a letter at its end: gene1 → gene, protein_a → protein."""
    return re.sub(r"[_ .\-]?(\d+|(?<=[_ .\-])[A-Za-z])$", "", name.strip()).lower()


def _common_stem(one: str, other: str) -> str:
    """What two names have in common, if they differ by no more than two characters at their ends."""
    n_common = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:n_common].lower() if n_common >= 3 and max(len(one), len(other)) - n_common <= 2 else ""
