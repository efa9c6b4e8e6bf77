"""What the names of the columns of an edge table say: which two are the ends of an edge, and which cannot be one.

A name is read as words: `senderAccountId` is sender, account, id. Words that only say that a column holds ids are set aside
(`user_id` is user). Two names are **a pair** where they are the same but for two words that name the ends of an edge
(from_account, to_account; payer, payee) or for a number or letter (user1, user2; gene_a, gene_b). Such a pair is of one
kind: the same id in both columns is the same node. Names of two things (user_id, movie_id) are two kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sparsecut.io.edges.headers import ROLE_WORDS, same_stem

# The two ends of an edge between nodes of one kind, source first.
PAIRS = """
source target, source destination, source dest, source sink, source dst, src dst, src tgt, src dest, src target, src trg,
from to, origin destination, orig dest, origin dest, start end, start stop, begin end, head tail, subject object, subj obj,
sender receiver, sender recipient, sender addressee, payer payee, payer beneficiary, remitter beneficiary, debtor creditor,
debit credit, buyer seller, lender borrower, investor investee, caller callee, caller receiver, follower followee,
follower followed, follower following, citing cited, ego alter, donor recipient, giver receiver, giver taker,
exporter importer, rater ratee, rater rated, truster trustee, trustor trustee, inviter invitee, referrer referred,
referrer referee, mentor mentee, mentioner mentioned, predator prey, presynaptic postsynaptic, regulator regulated,
departure arrival, winner loser, asker answerer
"""
# The same of words that do not name an end where they stand alone.
MARKS = """
parent child, follower user, user friend, paper cites, paper cited, employee manager, employee boss, author coauthor,
husband wife, home away, pre post, row col, row column, left right, first second, one two, u v, i j, a b, x y, s t, s o, h t,
p q, 0 1, 1 2
"""


def _pairs(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(pair.split()) for pair in text.replace("\n", " ").split(","))


END_WORDS = frozenset(word for pair in _pairs(PAIRS) for word in pair)
END_PAIRS = _pairs(PAIRS) + _pairs(MARKS)


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


# One of these beside any other name says that both columns hold nodes of one kind: userId, followerId.
RELATIVES = _words(
    "follower followee followed following friend neighbor neighbour parent child mother father boss manager supervisor",
    "colleague peer spouse sibling mentor mentee inviter invitee referrer referred cites cited citing coauthor alter",
)
ID_WORDS = _words("id ids uid uuid guid key no nr num number code idx ref identifier pk fk")
INDEX_WORDS = _words("index idx rownames rownum edge edges link links relationship")
TIME_WORDS = _words(
    "time times timestamp ts date dates datetime day month year hour week when created updated modified epoch unixtime",
    "since until",
)
# Numbers that say how strong an edge is. They are proposed as weights, never taken unasked.
STRENGTHS = _words(
    "amount amt value val rating ratings score count counts cnt n freq frequency total sum price qty quantity volume",
    "strength similarity sim capacity usd eur gbp confidence probability prob intensity traffic stars votes likes views",
    "clicks hits plays calls messages",
)
# Other numbers of an edge, which are no ends and of which more is not nearer.
MEASURES = _words("distance dist cost duration length size fee age delay rank level percent percentage ratio")
# Of these a larger number says farther in most tables, and a larger weight says nearer.
DISTANCES = _words("distance dist cost length km miles metres meters")
# What an edge is, or more about an end; seldom an end itself.
KINDS = _words(
    "type types kind label labels relation rel predicate status comment comments note notes description text category class",
    "currency sign mode channel method interaction title name names country city directed",
)
WEIGHTS = ("weight", "weights", "w")


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name: senderAccountId, sender_account_id and userid are read as people read them."""
    found = re.findall(r"[A-Z]+(?![^\W\dA-Z_])|[A-Z]?[^\W\dA-Z_]+|\d+", name)
    words: list[str] = []
    for word in (one.lower() for one in found):
        stem = word.removesuffix("id")
        if stem != word and stem in ROLE_WORDS:
            words += [stem, "id"]
        elif word.startswith(("src", "dst")):
            words += [word[:3], *filter(None, [word[3:]])]
        else:
            words.append(word)
    return tuple(words)


def base_of(name: str) -> tuple[str, ...]:
    """The words of a name without those that only say that it holds ids; all of them where nothing else is left."""
    words = words_of(name)
    return tuple(word for word in words if word not in ID_WORDS) or words


def has_id_word(name: str) -> bool:
    """Whether a name says that its column holds ids: user_id, but not user, and not id alone."""
    return base_of(name) != words_of(name)


def is_distance(name: str) -> bool:
    """Whether a column's numbers say how far, by its name, and not how near."""
    return not DISTANCES.isdisjoint(base_of(name)[-1:])


def cannot_be_end(name: str) -> str:
    """Why a column of this name is no end of an edge; "" where it may be one."""
    base = base_of(name)
    if not base or base[0] == "unnamed" or name.startswith("__index_level") or base == ("level", "0"):
        return "the rows' numbers"
    if len(base) == 1 and (base[0] in INDEX_WORDS or (has_id_word(name) and base[0] in ("row", "line"))):
        return "the rows' ids" if has_id_word(name) else "the rows' numbers"
    if base[-1] in TIME_WORDS or base[0] in TIME_WORDS or base[-1] == "at":
        return "a time"
    if is_strength(name) or name.lower() in WEIGHTS or (base[-1] in MEASURES and not has_id_word(name)):
        return "a number"
    return ""


def is_strength(name: str) -> bool:
    """Whether a column of this name may hold weights."""
    base = base_of(name)
    return bool(base) and not has_id_word(name) and (base[-1] in STRENGTHS or base[0] in STRENGTHS)


def plausibility(name: str) -> float:
    """How much a name speaks for an end of an edge: source 3, user_id 2.5, user 2, order_id 1.5, x 1, type and id 0."""
    base = base_of(name)
    if not base or base[-1] in KINDS or all(word in ID_WORDS for word in base):
        return 0
    if base[0] in END_WORDS or base[-1] in END_WORDS:
        return 3
    is_role = any(singular(word) in ROLE_WORDS for word in base)
    return 1 + is_role + has_id_word(name) / 2


def pairs_among(names: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of ends among some names, source first. A pair of the words alone (source, target) leaves out all others."""
    by_base: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(names, key=has_id_word, reverse=True):  # source_id before source, which is perhaps a name
        by_base.setdefault(base_of(name), []).append(name)
    ranked: dict[tuple[str, str], tuple[bool, bool]] = {}
    for base, owners in by_base.items():
        for other, is_more in _partners(base):
            partner = by_base.get(other)
            if partner is not None:
                ranked.setdefault((owners[0], partner[0]), (base[-1] in KINDS, is_more))
    best = min(ranked.values(), default=())
    return [pair for pair, rank in ranked.items() if rank == best]


def are_one_kind(source: str, target: str) -> bool:
    """Whether the names of two ends say that they hold nodes of one kind."""
    if pairs_among([source, target]) or base_of(source) == base_of(target):
        return True
    first, second = ({singular(word) for word in base_of(name)} for name in (source, target))
    if first & RELATIVES or second & RELATIVES or (first & END_WORDS and second & END_WORDS):
        return True
    return bool(first & second & (ROLE_WORDS - ID_WORDS))  # sender_account, beneficiary_account


def are_two_kinds(source: str, target: str) -> bool:
    """Whether both names are names of things, and not of the same: user_id, movie_id."""
    return not are_one_kind(source, target) and all(plausibility(name) >= 2 for name in (source, target))


def are_columns(names: Sequence[str], others: Iterable[str]) -> bool:
    """Whether all of three or more cells are usual names of columns, and no cell below is built like one of them."""
    known = [bool(cannot_be_end(name)) or plausibility(name) >= 2 or base_of(name)[-1] in KINDS for name in names]
    return len(names) > 2 and all(known) and sum(map(bool, names)) > 1 and not same_stem(names, others)


def side_words(source: str, target: str) -> tuple[str, str]:
    """What the two sides of a table are called in ids: `user_id` and `movieId` are user and movie.

    The name without the words for an id; the whole name where nothing is left, or where both would be called the same.
    """
    words = tuple("_".join(base_of(name)) or name for name in (source, target))
    return (source, target) if words[0] == words[1] else (words[0], words[1])


def called_after(thing: str, names: Sequence[str]) -> list[str]:
    """The columns that are called after a thing: author_id and Authors after author."""
    wanted = [singular(word) for word in base_of(thing)]
    return [name for name in names if [singular(word) for word in base_of(name)] == wanted]


def _partners(base: tuple[str, ...]) -> list[tuple[tuple[str, ...], bool]]:
    """The second names that a first one may have, and whether there is more to them than the two words."""
    found = [((*base, "1"), True), ((*base, "2"), True)] if base and not base[-1].isdigit() else []  # account, account.1
    for at, word in enumerate(base):
        found += [
            ((*base[:at], second, *base[at + 1 :]), len(base) > 1 or word not in END_WORDS)
            for first, second in END_PAIRS
            if first == word
        ]
    return found


def singular(word: str) -> str:
    """A word without the s of a plural, unless it is a role that ends in one."""
    return word if word in ROLE_WORDS else word.removesuffix("s")
