"""Choices that are kept: a fit with them is the fit that made them, and its reasons say that they were kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conftest import random_graph
from sparsecut import SCE, Adam, Graph, MoSCE, Power
from sparsecut.model.fit import fit
from sparsecut.model.kept_choices import keep_reasons, with_choices
from sparsecut.operators.reason import KEPT, Reason


@pytest.mark.parametrize(
    "model", [SCE(), SCE(filter=Power(order=2)), SCE(features="structure"), SCE(features="both"), MoSCE(levels=2)], ids=str
)
def test_the_same_graph_with_the_same_choices_is_the_same_embedding(model: Any, digits: Graph) -> None:
    """As many columns as "auto" took, of the whole spectrum that it looks at: to the last bit but for the roles' √3."""
    model.fit(digits)
    chosen = with_choices(model._settings(), model.recipe_, len(model.offset_))
    again = fit(chosen, digits, output=None, on_epoch=None, progress=None)
    np.testing.assert_allclose(again.embedding, model.embedding_, atol=1e-5)
    assert again.recipe.filters == model.recipe_.filters
    assert again.recipe.channels == pytest.approx(model.recipe_.channels)


def test_a_solver_that_chooses_nothing_has_its_settings_as_they_are() -> None:
    model = SCE(solver=Adam(epochs=1), dimension=2).fit(random_graph(20, 4))
    settings = model._settings()
    assert with_choices(settings, model.recipe_, 2) is settings


def test_reasons_say_what_was_kept_and_have_no_figures_of_the_graph_before(digits: Graph) -> None:
    recipe = SCE().fit(digits).recipe_
    kept = {reason.topic: reason for reason in keep_reasons(recipe, recipe.reasons).reasons if not reason.channel}
    assert {topic: reason.because for topic, reason in kept.items()} == dict.fromkeys(
        ("weighting", "filter", "channels", "graph channels", "dimension"), KEPT
    )
    assert kept["filter"].figures.keys() == {"hops"}
    assert not kept["channels"].figures
    requested = keep_reasons(recipe, [Reason("filter", "Power, 2 hops", "requested", {"hops": 2})])
    assert requested.reasons[0] == Reason("filter", "Power, 2 hops", "requested", {"hops": 2})
