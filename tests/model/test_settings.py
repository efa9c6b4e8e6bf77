"""What a fit is asked for: structure or features, what an engine must serve, and how many columns are useful."""

from __future__ import annotations

import pytest

from conftest import random_graph
from sparsecut import SCE, Adam, Disk, Graph, InputError, MoSCE, Pairs, Power, Sampled
from sparsecut.base.errors import DimensionWarning
from sparsecut.model.settings import check_dimension

GRAPH = random_graph()
BARE = Graph(GRAPH.adjacency)


BOTH = ("structure", "roles")


@pytest.mark.parametrize(
    ("model", "graph", "with_features", "of_graph"),
    [
        (SCE(), GRAPH, True, BOTH),
        (SCE(), BARE, False, BOTH),
        (SCE(features="given"), GRAPH, True, ()),
        (SCE(features="structure"), GRAPH, False, BOTH),
        (SCE(features="both", filter="power"), GRAPH, True, BOTH),
        (SCE(filter="power"), GRAPH, True, ()),  # a filter of one's own is one channel
        (SCE(filter="power"), BARE, False, BOTH),
        (SCE(channels=("own", "roles")), GRAPH, True, ("roles",)),
        (SCE(channels="structure"), GRAPH, False, ("structure",)),
        (SCE(solver="adam"), GRAPH, True, ()),
        (SCE(solver="adam"), BARE, False, ("structure",)),
        (MoSCE(), GRAPH, True, ()),
        (MoSCE(), BARE, False, ("structure",)),
        (MoSCE(features="both"), GRAPH, True, ("structure",)),
    ],
)
def test_what_is_embedded(model: SCE | MoSCE, graph: Graph, with_features: bool, of_graph: tuple[str, ...]) -> None:
    settings = model._settings()
    assert settings.embeds_features(graph) == with_features
    assert settings.graph_channels(graph) == of_graph


def test_what_an_engine_must_serve() -> None:
    for model, needs in (
        (SCE(), set()),
        (SCE(solver=Adam(batch_size=8)), {"batches"}),
        (SCE(solver=Adam(route="rows")), {"rows"}),
        (MoSCE(aggregation="max", solver="adam"), {"max"}),
    ):
        assert model._settings().needs(with_output=False) == needs
        assert model._settings().needs(with_output=True) == needs | {"output"}


def test_pairs_are_counted_together() -> None:
    assert SCE()._settings().n_pairs(40) == 0
    assert SCE(negatives=Sampled(n_negatives=3), apart=[(0, 1), (0, 2)])._settings().n_pairs(40) == 122
    assert SCE(negatives=Pairs([(0, 1)]))._settings().n_pairs(40) == 1


def test_columns_that_are_useful() -> None:
    for model, n_useful in (
        (SCE(dimension=50, filter="power"), 12),
        (SCE(dimension=50), 24),  # own row and smoothed, if both are chosen
        (SCE(dimension=50, channels=("own", "smoothed", "difference")), 36),
        (MoSCE(dimension=50, levels=3), 36),  # the closed form takes the levels side by side
        (MoSCE(dimension=50, levels=3, solver="adam"), 12),  # a mean has the width of one
        (MoSCE(dimension=50, levels=3, aggregation="concat", solver="adam"), 36),
    ):
        settings = model._settings()
        assert settings.dimension_for(12) == 50
        # The closed form has the columns it fills; Adam those it was asked for, of which the others follow.
        n_columns, said = (
            (n_useful, f"has {n_useful}, and") if settings.solver.chooses_dimension else (50, f"50 columns {n_useful} ")
        )
        with pytest.warns(DimensionWarning, match=said):
            (note,) = settings.say_dimension(12, n_columns)
        assert said in note
        assert model.set_params(dimension=n_useful)._settings().say_dimension(12, n_useful) == []
    assert SCE()._settings().dimension_for(12) is None  # the closed form chooses it
    assert SCE(solver="adam")._settings().dimension_for(12) == 12
    assert SCE(solver="adam")._settings().dimension_for(4000) == 512


def test_the_engine_is_no_part_of_what_the_result_depends_on() -> None:
    here, there = (SCE(filter=Power(order=1), engine=engine)._settings().parameters for engine in ("memory", Disk()))
    assert here == there
    assert here != SCE(filter=Power(order=2))._settings().parameters


@pytest.mark.parametrize("dimension", [0, -3, 2.5, True, "many", None])
def test_a_dimension_that_cannot_be(dimension: object) -> None:
    with pytest.raises(InputError, match=r"The dimension parameter of SCE must be .*an integer of at least 1\. Got"):
        check_dimension("SCE", dimension)
