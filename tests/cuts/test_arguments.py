"""Every function that cuts or measures takes what `fit` takes, and of anything else says which call converts it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.base.errors import InputError
from sparsecut.evaluation import evaluate_links

TRIANGLES = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
TRIANGLES[2, 3] = TRIANGLES[3, 2] = 1

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sparsest_cut": lambda graph: sc.sparsest_cut(graph).nodes.tolist(),
    "partition": lambda graph: sc.partition(graph, 2).parts.tolist(),
    "hierarchy": lambda graph: sc.hierarchy(graph).cut(parts=2).tolist(),
    "sweep_cut": lambda graph: sc.sweep_cut(graph, [0, 1, 2, 3, 4, 5]).nodes.tolist(),
    "edge_expansion": lambda graph: sc.edge_expansion(graph, [0, 1, 2]),
    "sparsity": lambda graph: sc.sparsity(graph, [0, 1, 2]),
    "evaluate_links": lambda graph: evaluate_links(graph, sc.SCE().fit_transform, n_runs=1, scorings=["dot"]).n_held_out,
}
ANSWERS = {
    "sparsest_cut": [3, 4, 5],
    "partition": [0, 0, 0, 1, 1, 1],
    "hierarchy": [0, 0, 0, 1, 1, 1],
    "sweep_cut": [3, 4, 5],
    "edge_expansion": 1 / 3,
    "sparsity": 1 / 9,
    "evaluate_links": 1,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "graph",
    [sc.Graph(TRIANGLES), TRIANGLES, sp.csr_array(TRIANGLES), sp.coo_matrix(TRIANGLES)],
    ids=lambda graph: type(graph).__name__,
)
def test_an_adjacency_is_taken_as_fit_takes_it(name: str, graph: Any) -> None:
    assert FUNCTIONS[name](graph) == ANSWERS[name]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "evaluate_links"])
def test_graphs_of_other_libraries_and_files_are_cut_as_they_are(name: str, tmp_path: Path) -> None:
    """Cutting needs no features, so nothing is left to choose."""
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in np.argwhere(np.triu(TRIANGLES))))
    others = (networkx.from_numpy_array(TRIANGLES), igraph.Graph.Adjacency(TRIANGLES, mode="undirected"), path, str(path))
    for graph in others:
        assert FUNCTIONS[name](graph) == ANSWERS[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_anything_else_names_the_call_that_converts_it_as_fit_does(name: str) -> None:
    frame = pandas.DataFrame({"source": [0, 1], "target": [1, 2]})
    with pytest.raises(InputError, match=r"sc\.from_edges\(frame\)") as fitted:
        sc.SCE().fit(frame)
    with pytest.raises(InputError, match=r"sc\.from_edges\(frame\)") as refused:
        FUNCTIONS[name](frame)
    assert str(refused.value) == str(fitted.value)


def test_a_directed_graph_is_still_told_from_an_undirected_one() -> None:
    directed = sc.Graph(np.triu(TRIANGLES), directed="out")
    with pytest.raises(InputError, match="needs an undirected graph"):
        sc.sparsest_cut(directed)
