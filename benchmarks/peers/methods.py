"""The methods by name: what each reads, which package runs it, whether it has chance in it, and how its fit is made.

The files of the methods import their libraries, so each is imported only in the process that fits it. Those of other
packages take any graph with an adjacency and features: they run in an interpreter that has no sparsecut too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

Fit = Callable[[Any, int], Any]  # a graph and a seed; one row per node
BOTH, EDGES = "features, edges", "edges"
DGI_WIDTHS = {"pubmed": 256}  # of its authors, who had no memory for more; elsewhere 512
OWN = "written here"


@dataclass(frozen=True)
class Method:
    reads: str
    runs: str  # the package, or that it is written here
    make: Callable[[str], Fit]  # of the graph's name: some have settings for each graph
    is_random: bool = True


def _from(module: str, name: str) -> Callable[[str], Fit]:
    return lambda graph_name: getattr(import_module(f"peers.{module}"), name)  # type: ignore[no-any-return]


def _for_graph(module: str) -> Callable[[str], Fit]:
    return lambda graph_name: import_module(f"peers.{module}").embed_as(graph_name)  # type: ignore[no-any-return]


def _from_scikit_network(name: str, width: int | None = None) -> Callable[[str], Fit]:
    return lambda graph_name: import_module("peers.scikit_network").embed_with(name, width)  # type: ignore[no-any-return]


def _dgi(graph_name: str) -> Fit:
    dgi = import_module("peers.dgi").dgi
    return lambda graph, seed: dgi(graph, DGI_WIDTHS.get(graph_name, 512), seed)[0]


def _sce(**options: Any) -> Callable[[str], Fit]:
    return lambda graph_name: lambda graph, seed: import_module("sparsecut").SCE(**options).fit_transform(graph)


METHODS = {
    "SCE": Method(BOTH, "sparsecut", _sce(), is_random=False),
    "SlimG": Method(BOTH, OWN, _from("slimg", "embed")),
    "Cleora with features": Method(BOTH, "pycleora", _from("cleora", "embed_features")),
    "Cleora with features, 3 steps": Method(BOTH, "pycleora", _from("cleora", "embed_features_in_few_steps")),
    "FastRP with features": Method(BOTH, OWN, _from("fastrp", "embed_features")),
    "TENE": Method(BOTH, "karateclub", _from("karate", "embed_tene")),
    "CCA-SSG": Method(BOTH, OWN, _for_graph("cca_ssg")),
    "GRACE": Method(BOTH, OWN, _for_graph("grace")),
    "DGI": Method(BOTH, "torch-geometric", _dgi),
    "SCE(features='structure')": Method(EDGES, "sparsecut", _sce(features="structure"), is_random=False),
    "Cleora": Method(EDGES, "pycleora", _from("cleora", "embed"), is_random=False),
    "FastRP": Method(EDGES, OWN, _from("fastrp", "embed")),
    "ProNE": Method(EDGES, "nodevectors", _from("node_vectors", "embed")),
    "ProNE, from its paper": Method(EDGES, OWN, _from("prone", "embed")),
    **{
        f"{name}, {width} columns": Method(EDGES, "scikit-network", _from_scikit_network(name, width), is_random)
        for name, is_random in (("Spectral", False), ("GSVD", False), ("SVD", False), ("RandomProjection", True))
        for width in (32, 128)
    },
    "LouvainEmbedding": Method(EDGES, "scikit-network", _from_scikit_network("LouvainEmbedding")),
    "NetMF": Method(EDGES, "karateclub", _from("karate", "embed_netmf")),
}

# Measured at three sizes beside those above (`benchmarks/at_sizes.py`).
AT_SIZES = {
    "SCE(channels='smoothed')": Method(BOTH, "sparsecut", _sce(channels="smoothed"), is_random=False),
    "Node2Vec, pecanpy": Method(EDGES, "pecanpy", _from("walks", "embed_pecanpy")),
    "Node2Vec, NetworKit": Method(EDGES, "networkit", _from("walks", "embed_networkit")),
    "Node2Vec, GRAPE, 1 epoch": Method(EDGES, "ensmallen", _from("walks", "embed_grape")),
    "LINE, GRAPE": Method(EDGES, "ensmallen", _from("walks", "embed_line")),
    "Laplacian, NetworKit": Method(EDGES, "networkit", _from("network_kit", "embed_spectral"), is_random=False),
}
