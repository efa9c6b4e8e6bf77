"""What "auto" chooses for the features, on made and on real graphs, and what a file keeps of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import load_or_skip, random_graph
from sparsecut import SCE, Adam, Graph, Heat, MoSCE, PageRank, Power, Symmetric, load


def test_what_is_asked_for_is_taken_and_adam_takes_the_papers() -> None:
    graph = random_graph()
    for model, filters, why in (
        (SCE(filter=Heat(time=1.0)), (Heat(time=1.0),), "requested"),
        (SCE(solver=Adam(epochs=1)), (Power(),), "paper"),
        (SCE(solver=Adam(epochs=1), filter=PageRank(restart=0.4)), (PageRank(restart=0.4),), "requested"),
        (MoSCE(levels=3, filter="symmetric"), tuple(Symmetric(order=level) for level in (1, 2, 3)), "requested"),
        (MoSCE(), (Power(order=1), Power(order=2)), "paper"),
    ):
        recipe = model.fit(graph).recipe_
        assert recipe.filters == filters
        assert recipe.polynomials == tuple(filter.coefficients() for filter in filters)
        (reason,) = [reason for reason in recipe.reasons if reason.topic == "filter"]
        assert (reason.chosen, reason.because) == (filters[-1].describe(), why)


def test_a_saved_model_transforms_as_before(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    graph = Graph(random_graph(80).adjacency, features=sp.csr_array(generator.poisson(0.3, (80, 20)).astype(np.float32)))
    model = SCE().fit(graph)
    assert model.recipe_.weighting.name == "tf-idf"
    model.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert np.array_equal(again.transform(graph), model.transform(graph))
    assert again.explain(details=True) == model.explain(details=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "floors"),
    [("cora", (77.0, 82.5)), ("citeseer", (68.5, 71.8)), ("pubmed", (69.0, 78.3))],
)
def test_the_default_is_ahead_of_the_paper_on_its_own_splits(name: str, floors: tuple[float, float]) -> None:
    from sparsecut.evaluation import probe, published_splits

    graph = load_or_skip(name)
    Z = SCE().fit_transform(graph)
    for per_class, floor in zip((5, 20), floors, strict=True):
        splits = published_splits(name, per_class, graph.n_nodes)
        assert round(probe(Z, graph.labels, splits).mean, 1) >= floor
