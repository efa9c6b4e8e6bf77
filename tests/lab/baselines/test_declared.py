"""Declared parameters: the constructor, what is learned, and the documentation that base classes lend."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn.base import clone

from sparsecut.base.estimator import Estimator
from sparsecut.lab.baselines import methods
from sparsecut.lab.baselines.declared import declared, learned, read_entries

BASELINES = [name for name in methods.names() if name not in ("sce", "mosce")]


class Base(Estimator):
    """A base class.

    Parameters
    ----------
    epochs : int
        Passes of the training,
        at most.
    rate : float, default=9.0
        The step size.
    unused : int
        No method here has it.

    Attributes
    ----------
    weights_ : array
        What is learned.
    """


@declared
class Lender:
    """What two methods share.

    Parameters
    ----------
    rate : float
        A smaller step size.
    """

    rate: float = 0.5


@declared
class Toy(Lender, Base):
    """A toy.

    It has two paragraphs.

    Parameters
    ----------
    dimension : int, default=3
        Columns.

    Examples
    --------
    >>> 1 + 1
    2
    """

    epochs: int = 7
    dimension: int = 3
    word: str = "auto"

    weights_: Any = learned()


def test_the_constructor_takes_keywords_and_stores_them_untouched() -> None:
    signature = inspect.signature(Toy)
    assert {name: parameter.default for name, parameter in signature.parameters.items()} == {
        "rate": 0.5,
        "epochs": 7,
        "dimension": 3,
        "word": "auto",
    }
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in signature.parameters.values())
    given = [1, 2]
    assert Toy(epochs=given).epochs is given  # type: ignore[arg-type]
    assert Toy(n_components=5).dimension == 5  # type: ignore[call-arg]
    assert clone(Toy(rate=2.0)).get_params() == {"rate": 2.0, "epochs": 7, "dimension": 3, "word": "auto"}
    with pytest.raises(TypeError, match="weights_"):
        Toy(weights_=1)  # type: ignore[call-arg]
    assert not hasattr(Toy(), "weights_")


def test_the_docstring_describes_every_parameter_that_a_base_class_describes() -> None:
    assert inspect.getdoc(Toy) == inspect.cleandoc("""A toy.

    It has two paragraphs.

    Parameters
    ----------
    dimension : int, default=3
        Columns.
    rate : float, default=0.5
        A smaller step size.
    epochs : int, default=7
        Passes of the training,
        at most.

    Attributes
    ----------
    weights_ : array
        What is learned.

    Examples
    --------
    >>> 1 + 1
    2
    """)


@pytest.mark.parametrize("name", BASELINES)
def test_every_method_describes_its_parameters_and_their_defaults(name: str) -> None:
    kind = methods.find_method(name).estimator_class()
    entries = read_entries(kind.__doc__, "Parameters")
    for parameter in inspect.signature(kind).parameters.values():
        type_words, described = entries.pop(parameter.name)
        assert described
        _, _, default = type_words.partition("default=")
        assert eval(default, {"None": None}) == parameter.default
    assert not entries


def chain_length(kind: type) -> int:
    """How many classes stand above one another, the class itself counted and `object` not."""
    return 0 if kind is object else 1 + max(chain_length(base) for base in kind.__bases__)


@pytest.mark.parametrize("name", BASELINES)
def test_a_method_is_at_most_four_classes_deep(name: str) -> None:
    assert chain_length(methods.find_method(name).estimator_class()) <= 4
