"""What names of columns say: words, pairs of ends, one kind or two, what the sides are called."""

import pytest

from sparsecut.io.edges.edge_names import (
    are_columns,
    are_one_kind,
    are_two_kinds,
    base_of,
    cannot_be_end,
    is_strength,
    pairs_among,
    side_words,
    words_of,
)


@pytest.mark.parametrize(
    ("name", "words", "base"),
    [
        ("user_id", ("user", "id"), ("user",)),
        ("userId", ("user", "id"), ("user",)),
        ("UserID", ("user", "id"), ("user",)),
        ("userid", ("user", "id"), ("user",)),
        ("From Bank", ("from", "bank"), ("from", "bank")),
        ("Account.1", ("account", "1"), ("account", "1")),
        ("nameOrig", ("name", "orig"), ("name", "orig")),
        ("id_1", ("id", "1"), ("1",)),
        ("srcip", ("src", "ip"), ("src", "ip")),
        ("id", ("id",), ("id",)),
        ("Käufer", ("käufer",), ("käufer",)),
        ("", (), ()),
    ],
)
def test_a_name_is_read_as_words(name, words, base):
    assert (words_of(name), base_of(name)) == (words, base)


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        ("to,from", [("from", "to")]),
        ("receiver_id,sender_id", [("sender_id", "receiver_id")]),
        ("user2,user1", [("user1", "user2")]),
        ("account,account.1", [("account", "account.1")]),
        ("from_bank,from_account,to_account,to_bank", [("from_bank", "to_bank"), ("from_account", "to_account")]),
        ("source,target,from_bank,to_bank", [("source", "target")]),
        ("source,source_id,target_id,target", [("source_id", "target_id")]),
        ("user_id,movie_id", []),
        ("source,user", []),
    ],
)
def test_pairs_of_ends(names, pairs):
    assert sorted(pairs_among(names.split(","))) == sorted(pairs)


@pytest.mark.parametrize(
    "names",
    [
        *(
            "source,target",
            "userId,followerId",
            "user1,user2",
            "from_account,to_account",
            "buyer,seller",
            "employee,manager",
        ),
        *("sender_account,beneficiary_account", "person,friend", "paper,cited_paper", "i,j", "author,coauthor", "id1,id2"),
    ],
)
def test_names_of_one_kind(names):
    source, target = names.split(",")
    assert are_one_kind(source, target)
    assert are_one_kind(target, source)
    assert not are_two_kinds(source, target)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("user_id,item_id", ("user", "item")),
        ("userId,movieId", ("user", "movie")),
        ("author,paper", ("author", "paper")),
        ("customer_no,product_code", ("customer", "product")),
        ("movie_1,user_2", ("movie_1", "user_2")),
    ],
)
def test_names_of_two_kinds_and_of_their_sides(names, words):
    source, target = names.split(",")
    assert are_two_kinds(source, target)
    assert are_two_kinds(target, source)
    assert side_words(source, target) == words


def test_sides_that_would_be_called_the_same_keep_their_names():
    assert side_words("user_id", "user_no") == ("user_id", "user_no")
    assert side_words("id", "key") == ("id", "key")
    assert side_words("", "target") == ("", "target")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "the rows' numbers"),
        ("Unnamed: 0", "the rows' numbers"),
        ("__index_level_0__", "the rows' numbers"),
        ("edge_id", "the rows' ids"),
        ("created_at", "a time"),
        ("Timestamp", "a time"),
        ("start_time", "a time"),
        ("amount_usd", "a number"),
        ("weight", "a number"),
        ("distance", "a number"),
        ("row", ""),
        ("id", ""),
        ("value_id", ""),
        ("timer", ""),
    ],
)
def test_names_that_are_no_ends(name, reason):
    assert cannot_be_end(name) == reason


def test_distances_are_not_proposed_as_weights():
    assert [is_strength(name) for name in ("amount", "rating", "Count", "n", "distance", "count_id")] == [
        *(True, True, True, True, False, False)
    ]


def test_a_line_of_names_is_no_line_of_data():
    assert are_columns(["timestamp", "payer", "payee"], ["2024", "anna", "ben"])
    assert not are_columns(["payer", "payee"], ["anna", "ben"])  # two words may be an edge: `headers` decides
    assert not are_columns(["timestamp", "anna", "ben"], [])
    assert not are_columns(["user1", "item", "shop"], ["user2", "item", "shop"])
