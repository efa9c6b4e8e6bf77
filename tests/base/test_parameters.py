"""Parameters as scikit-learn has them: those of the constructor, seen through to the objects they hold."""

from __future__ import annotations

from typing import Any

import pytest

from sparsecut.base.errors import InputError
from sparsecut.base.parameters import call_of, get_params, set_params
from sparsecut.lab.baselines import RawFeatures


class Owner:
    """What `Estimator` and `Choice` have in common."""

    get_params = get_params
    set_params = set_params
    __repr__ = call_of

    def _held(self, name: str) -> Any:
        return getattr(self, name)


class Twofold(Owner):
    def __init__(self, *, second: Any = None, first: int = 1) -> None:
        self.second = second
        self.first = first


class Outer(Owner):
    def __init__(self, *, inner: Any = None, name: str = "a") -> None:
        self.inner = inner
        self.name = name


def test_parameters_are_those_of_the_constructor() -> None:
    model = Twofold(second=[3])
    assert list(model.get_params()) == ["first", "second"]
    assert model.set_params(first=2) is model
    assert model.first == 2
    assert RawFeatures().get_params() == {}


def test_repr_is_the_call_that_makes_it() -> None:
    assert repr(Twofold(second=[3], first=2)) == "Twofold(first=2, second=[3])"
    assert repr(Twofold()) == "Twofold()"
    assert repr(Outer(inner=Twofold(first=2))) == "Outer(inner=Twofold(first=2))"


def test_parameters_of_held_objects_are_seen_through_at_any_depth() -> None:
    outer = Outer(inner=Twofold(second=Twofold(first=5)))
    assert outer.get_params()["inner__second__first"] == 5
    assert list(outer.get_params(deep=False)) == ["inner", "name"]
    inner = outer.inner
    outer.set_params(inner__second__first=6, inner__first=7, name="b")
    assert (outer.inner.second.first, outer.inner.first, outer.name) == (6, 7, "b")
    assert inner.first == 1  # another object may hold it: it is copied, not changed
    assert inner.second.first == 5


def test_an_object_and_its_parameters_may_be_set_at_once_in_any_order() -> None:
    for given in ({"inner__first": 3, "inner": Twofold(second=1)}, {"inner": Twofold(second=1), "inner__first": 3}):
        outer = Outer().set_params(**given)
        assert (outer.inner.first, outer.inner.second) == (3, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"third": 3}, "Outer has no parameter 'third'. It has inner, name."),
        ({"third__x": 3}, "Outer has no parameter 'third__x'. It has inner, name."),
        ({"inner__third": 3}, "Twofold has no parameter 'third'. It has first, second."),
        ({"name__x": 3}, "Outer(name='b') holds no object to set x of. Set name to one first."),
    ],
)
def test_nothing_is_set_where_one_of_them_is_wrong(given: dict[str, Any], message: str) -> None:
    outer = Outer(inner=Twofold(first=2))
    with pytest.raises(InputError) as caught:
        outer.set_params(name="b", inner__first=9, **given)
    assert str(caught.value) == message
    assert repr(outer) == "Outer(inner=Twofold(first=2))"
