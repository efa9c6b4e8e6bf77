"""Settings of one flat list, and words that have changed: each is answered with its new place, which works."""

from __future__ import annotations

import pytest

import sparsecut as sc
from conftest import random_graph
from sparsecut.model.moved import MOVED, MOVED_WORDS

GRAPH = random_graph()

# What each flat setting is now, tried out.
NOW = {
    "order": {"filter": sc.Power(order=2)},
    "strength": {"filter": sc.PageRank(restart=0.2)},
    "effective_rank": {"solver": sc.ClosedForm(effective_rank=4.0)},
    "length": {"solver": sc.ClosedForm(length=3.0)},
    "n_negatives": {"negatives": sc.Sampled(n_negatives=2)},
    "epochs": {"solver": sc.Adam(epochs=2)},
    "learning_rate": {"solver": sc.Adam(learning_rate=0.1)},
    "loss": {"solver": sc.Adam(loss="none")},
    "alpha": {"solver": sc.Adam(alpha=2.0)},
    "l2": {"solver": sc.Adam(l2=0.1)},
    "depth": {"solver": sc.Adam(depth=2)},
    "widths": {"solver": sc.Adam(widths=3)},
    "batch_size": {"solver": sc.Adam(batch_size=10)},
    "route": {"solver": sc.Adam(route="gram")},
    "depths": {"solver": sc.Adam(depth=[2])},
    "device": {"engine": sc.Memory(device="cpu")},
    "precision": {"engine": sc.Memory(precision="half")},
    "memory_limit": {"engine": sc.Disk(memory_limit="1GiB")},
    "scratch": {"engine": sc.Disk(scratch=".")},
}


@pytest.mark.parametrize("name", MOVED)
def test_a_flat_setting_is_answered_with_its_new_place(name: str) -> None:
    for call in (lambda: sc.SCE(**{name: 1}), lambda: sc.SCE().set_params(**{name: 1})):
        with pytest.raises(sc.InputError) as caught:
            call()
        assert str(caught.value) == f"SCE has no parameter {name!r} of its own. It is now SCE({MOVED[name]})."
    ((parameter, choice),) = NOW[name].items()
    kind = f"{parameter}={type(choice).__name__}("
    assert kind in MOVED[name]  # the sentence names the class that takes it …
    setting = MOVED[name].partition(kind)[2].partition("=")[0]
    assert setting in choice.get_params()  # … and the parameter of it
    sc.SCE(dimension=3, **NOW[name])._settings()  # which serves


def test_the_order_of_several_levels_is_their_number() -> None:
    for call in (lambda: sc.MoSCE(order=3), lambda: sc.MoSCE().set_params(order=3)):
        with pytest.raises(sc.InputError) as caught:
            call()
        assert str(caught.value) == "MoSCE has no parameter 'order' of its own. It is now MoSCE(levels=…)."


def test_a_setting_that_never_was_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'temperature'"):
        sc.SCE(temperature=1)


@pytest.mark.parametrize(("name", "word"), MOVED_WORDS)
def test_a_word_that_changed_is_answered_with_the_new_one(name: str, word: str) -> None:
    new = MOVED_WORDS[name, word]
    with pytest.raises(sc.InputError) as caught:
        sc.SCE(**{name: word}).fit(GRAPH)
    assert str(caught.value) == f"{name}={word!r} is now {new}."
    names = {key: getattr(sc, key) for key in ("Average", "PageRank", "Heat")}
    model = eval(f"SCE({new})", {"SCE": sc.SCE, **names})
    model._settings()
