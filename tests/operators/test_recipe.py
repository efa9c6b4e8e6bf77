"""What a file keeps of a recipe."""

from __future__ import annotations

import json

import numpy as np

from conftest import random_graph
from sparsecut import SCE, Graph, Heat, MoSCE
from sparsecut.operators.recipe import read_recipe


def test_a_recipe_survives_json() -> None:
    graph = Graph(random_graph(80).adjacency, features=np.random.default_rng(0).poisson(0.3, (80, 20)))
    for model in (SCE(filter=Heat(time=2.0, order=4)), MoSCE(levels=3)):
        recipe = model.fit(graph).recipe_
        header, arrays = recipe.to_header()
        again = read_recipe(json.loads(json.dumps(header)), arrays)
        assert (again.filters, again.aggregation, again.reasons) == (recipe.filters, recipe.aggregation, recipe.reasons)
        assert again.weighting.name == recipe.weighting.name == "tf-idf"
        assert np.array_equal(again.weighting.columns, recipe.weighting.columns)
