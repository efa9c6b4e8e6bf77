"""Choices as objects: words, rules, equality, and what a file holds of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.base.choice import Choice
from sparsecut.base.errors import InputError, check_integer


class Fruit(Choice):
    """A kind."""


class Apple(Fruit, word="apple"):
    def __init__(self, *, seeds: int = 5, colours: Any = ("red",), weights: Any = None) -> None:
        self.seeds = seeds
        self.colours = colours
        self.weights = weights

    def check(self) -> None:
        check_integer("Apple", "seeds", self.seeds, 0)


class Quince(Fruit, name="quince-1"):
    def __init__(self, kind: str) -> None:
        self.kind = kind


class Nameless(Fruit):
    pass


class Orange(Choice):
    """Another kind."""


def test_a_word_is_short_for_the_object_with_its_defaults() -> None:
    assert Fruit.words() == ("apple",)
    assert Fruit.of("apple", "Basket", "fruit") == Apple()
    mine = Apple(seeds=2)
    assert Fruit.of(mine, "Basket", "fruit") is mine
    assert Orange.words() == ()  # a kind knows its own members alone


@pytest.mark.parametrize("value", ["pear", "quince-1", 3, None, Apple, Orange()])
def test_anything_else_is_answered_with_what_there_is(value: Any) -> None:
    with pytest.raises(InputError) as caught:
        Fruit.of(value, "Basket", "fruit")
    assert str(caught.value) == (
        f"The fruit parameter of Basket must be one of 'apple', or a Fruit object. Got {value!r} instead."
    )


def test_an_object_is_held_to_its_rules() -> None:
    with pytest.raises(InputError, match=r"The seeds parameter of Apple must be an integer of at least 0\. Got -1 instead"):
        Fruit.of(Apple(seeds=-1), "Basket", "fruit")


def test_names_in_files() -> None:
    assert (Apple.name, Quince.name) == ("apple", "quince-1")
    assert Nameless.name == f"{Nameless.__module__}.Nameless"


def test_equal_are_the_same_class_with_the_same_parameters() -> None:
    assert Apple(seeds=2) == Apple(seeds=2)
    assert len({Apple(seeds=2), Apple(seeds=2), Apple(seeds=3)}) == 2
    assert Apple() != Apple(seeds=2)
    assert Quince("a") != Quince("b")
    assert Nameless() != Orange()


@pytest.mark.parametrize(
    "choice",
    [
        Apple(),
        Apple(seeds=np.int64(7), colours=["red", "green"]),
        Apple(weights=np.arange(6, dtype=np.float32).reshape(2, 3)),
        Apple(weights=Path("some") / "where"),
        Apple(weights=np.float32(0.1)),
        Quince("pear-shaped"),
        Nameless(),
    ],
    ids=repr,
)
def test_what_a_file_holds_comes_back(choice: Fruit) -> None:
    header, arrays = choice.to_header()
    again = Fruit.read(json.loads(json.dumps(header)), arrays)
    assert type(again) is type(choice)
    for name, value in choice.get_params().items():
        expected = str(value) if isinstance(value, Path) else value
        assert np.array_equal(getattr(again, name), expected), name


def test_what_no_file_can_hold_is_named() -> None:
    with pytest.raises(
        InputError, match=r"saved as JSON and arrays, which cannot hold the parameter weights of Apple\. Got <"
    ):
        Apple(weights=object()).to_header()


def test_a_class_that_is_not_defined_is_not_looked_for() -> None:
    with pytest.raises(InputError) as caught:
        Fruit.read({"choice": "os.path.Banana", "parameters": {}}, {})
    assert str(caught.value) == (
        "The model was made with the fruit os.path.Banana, which is not defined here. Import the module that defines it, "
        "then load the model."
    )
    with pytest.raises(InputError, match="made with the orange apple, which is not defined here"):
        Orange.read({"choice": "apple", "parameters": {}}, {})


def test_long_arrays_are_compared_number_by_number() -> None:
    pairs = np.arange(4000).reshape(-1, 2)
    other = pairs.copy()
    assert sc.Pairs(pairs) == sc.Pairs(other)
    other[1000, 0] += 1  # where a long array's text is left out
    assert repr(sc.Pairs(pairs)) == repr(sc.Pairs(other))
    assert sc.Pairs(pairs) != sc.Pairs(other)
    assert sc.Power(order=2) != sc.Symmetric(order=2)


def test_a_misspelled_word_is_answered_with_the_one_it_resembles() -> None:
    with pytest.raises(InputError, match=r"Got 'appel' instead\. Did you mean 'apple'\?"):
        Fruit.of("appel", "Basket", "fruit")
    with pytest.raises(InputError, match=r"Did you mean 'pagerank'\?"):
        sc.SCE(filter="page_rank").fit(sc.datasets.load("digits"))
