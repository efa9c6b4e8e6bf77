"""The weights of structure and roles beside the features, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsecut.model.auto.graph_channels import weigh_graph_channels
from sparsecut.operators.reason import Reason

SMOOTHED = {"smoothed": 1.0}


def trial(auc: float) -> Reason:
    return Reason("trial", "second", "held-out edges", {"first": 0.1, "second": auc})


@pytest.mark.parametrize(("auc", "weight"), [(1.0, 0.1), (0.95, 0.11), (0.75, 0.2), (0.6, 0.5), (0.55, 1.0), (0.2, 1.0)])
def test_structure_weighs_the_more_the_less_the_embedding_knows_of_the_edges(auc: float, weight: float) -> None:
    weights, reason = weigh_graph_channels(SMOOTHED, trial(auc), 3)
    assert weights == {"structure": weight, "roles": 0.1}
    assert reason == Reason("graph channels", "structure and roles", "held-out edges", {"counts": 3, "AUC": auc})


def test_an_auc_that_says_nothing_about_the_channels_decides_nothing() -> None:
    too_few = Reason("trial", "usual", "few edges", {"edges": 300})
    for channels, measured in ((SMOOTHED, None), (SMOOTHED, too_few), ({"own": 1.0}, trial(0.55))):
        weights, reason = weigh_graph_channels(channels, measured, 3)
        assert weights == {"structure": 0.2, "roles": 0.1}
        assert reason.because == "unmeasured"
    assert weigh_graph_channels({"own": 1.0, "smoothed": 0.4}, trial(0.55), 3)[0]["structure"] == 1


def test_roles_weigh_by_what_they_are_made_of() -> None:
    """Three counts in a plain graph, nine where edges have directions and weights."""
    found = [weigh_graph_channels(SMOOTHED, trial(0.95), n_counts)[0].get("roles") for n_counts in (0, 3, 4, 6, 9, 99)]
    assert found == [None, 0.1, 0.13, 0.2, 0.3, 1.0]


def test_without_features_structure_leads() -> None:
    assert weigh_graph_channels({}, None, 3)[0] == {"structure": 1.0, "roles": 0.25}
    assert weigh_graph_channels({}, None, 9, with_structure=False)[0] == {"roles": 1.0}
    assert weigh_graph_channels({}, None, 0)[0] == {"structure": 1.0}
    assert weigh_graph_channels({}, None, 3)[1].because == "no features"


def test_structure_that_costs_too_much_is_left_out() -> None:
    assert weigh_graph_channels(SMOOTHED, trial(0.95), 3, with_structure=False)[0] == {"roles": 0.1}


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 1))
def test_no_channel_is_heavier_than_the_features(auc: float, other: float, heaviest: float) -> None:
    """And structure is never heavier where the embedding knows more."""
    channels = {"own": heaviest / 2, "smoothed": heaviest}
    weights = [weigh_graph_channels(channels, trial(value), 6)[0] for value in sorted((auc, other))]
    assert weights[0]["structure"] >= weights[1]["structure"]
    for found in weights:
        assert 0 < found["structure"] <= round(heaviest, 2)
        assert 0 < found["roles"] <= round(heaviest, 2)


def test_features_that_hardly_go_with_the_edges_leave_more_to_structure() -> None:
    doubted = weigh_graph_channels({"own": 1.0}, trial(0.95), 3, is_doubted=True)[0]
    assert doubted == {"structure": 0.3, "roles": 0.1}
    assert weigh_graph_channels(SMOOTHED, trial(0.55), 3, is_doubted=True)[0]["structure"] == 1
