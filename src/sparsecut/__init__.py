"""sparsecut: node embeddings from sparsest cuts.

    import sparsecut as sc

    graph = sc.datasets.load("digits")
    Z = sc.SCE().fit_transform(graph)

Names are imported when first used, so that `import sparsecut` and `sparsecut --help` do not wait for torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names
from sparsecut.base.package_version import __version__

if TYPE_CHECKING:
    from sparsecut import datasets
    from sparsecut.base.errors import InputError
    from sparsecut.cuts import edge_expansion, hierarchy, partition, sparsest_cut, sparsity, sweep_cut
    from sparsecut.engines import Dask, Disk, Memory
    from sparsecut.evaluation import Split, evaluate
    from sparsecut.explore import Neighbors, layout
    from sparsecut.explore.html_report import report
    from sparsecut.explore.scatter import plot
    from sparsecut.graph import Graph, keep_close
    from sparsecut.io import (
        add_embedding,
        build_store,
        from_anndata,
        from_edges,
        from_igraph,
        from_networkx,
        from_pyg,
        open_store,
        read_embedding,
        read_graph,
        to_networkx,
        to_pyg,
        write_embedding,
    )
    from sparsecut.lab.comparison import compare
    from sparsecut.model.adam import Adam
    from sparsecut.model.closed_form import ClosedForm
    from sparsecut.model.cost_estimate import estimate
    from sparsecut.model.loading import load
    from sparsecut.model.mosce import MoSCE
    from sparsecut.model.node_features import NodeFeatures
    from sparsecut.model.sce import SCE
    from sparsecut.model.solver import Solution, Solver
    from sparsecut.operators.aggregation import Projection
    from sparsecut.operators.filters import Average, Difference, Filter, Heat, Lazy, PageRank, Power, Symmetric
    from sparsecut.operators.negatives import Complete, Degrees, Negatives, Pairs, Sampled, Sparsifier

_HOMES = {
    "Adam": "sparsecut.model.adam",
    "Average": "sparsecut.operators.filters",
    "ClosedForm": "sparsecut.model.closed_form",
    "Complete": "sparsecut.operators.negatives",
    "Dask": "sparsecut.engines",
    "Degrees": "sparsecut.operators.negatives",
    "Difference": "sparsecut.operators.filters",
    "Disk": "sparsecut.engines",
    "Filter": "sparsecut.operators.filters",
    "Heat": "sparsecut.operators.filters",
    "Lazy": "sparsecut.operators.filters",
    "Projection": "sparsecut.operators.aggregation",
    "Memory": "sparsecut.engines",
    "Negatives": "sparsecut.operators.negatives",
    "PageRank": "sparsecut.operators.filters",
    "Pairs": "sparsecut.operators.negatives",
    "Power": "sparsecut.operators.filters",
    "Sampled": "sparsecut.operators.negatives",
    "Solution": "sparsecut.model.solver",
    "Solver": "sparsecut.model.solver",
    "Sparsifier": "sparsecut.operators.negatives",
    "Symmetric": "sparsecut.operators.filters",
    "Graph": "sparsecut.graph",
    "InputError": "sparsecut.base.errors",
    "MoSCE": "sparsecut.model.mosce",
    "Neighbors": "sparsecut.explore.nearest",
    "NodeFeatures": "sparsecut.model.node_features",
    "SCE": "sparsecut.model.sce",
    "Split": "sparsecut.evaluation",
    "__version__": "sparsecut.base.package_version",
    "add_embedding": "sparsecut.io",
    "build_store": "sparsecut.io",
    "compare": "sparsecut.lab.comparison",
    "datasets": "sparsecut.datasets",
    "edge_expansion": "sparsecut.cuts",
    "estimate": "sparsecut.model.cost_estimate",
    "evaluate": "sparsecut.evaluation",
    "from_anndata": "sparsecut.io",
    "from_edges": "sparsecut.io",
    "from_igraph": "sparsecut.io",
    "from_networkx": "sparsecut.io",
    "from_pyg": "sparsecut.io",
    "hierarchy": "sparsecut.cuts",
    "keep_close": "sparsecut.graph.pair_lists",
    "layout": "sparsecut.explore.layout",
    "load": "sparsecut.model.loading",
    "open_store": "sparsecut.io",
    "partition": "sparsecut.cuts",
    "plot": "sparsecut.explore.scatter",
    "read_embedding": "sparsecut.io",
    "read_graph": "sparsecut.io",
    "report": "sparsecut.explore.html_report",
    "sparsest_cut": "sparsecut.cuts",
    "sparsity": "sparsecut.cuts",
    "sweep_cut": "sparsecut.cuts",
    "to_networkx": "sparsecut.io",
    "to_pyg": "sparsecut.io",
    "write_embedding": "sparsecut.io",
}

__all__ = [
    "SCE",
    "Adam",
    "Average",
    "ClosedForm",
    "Complete",
    "Dask",
    "Degrees",
    "Difference",
    "Disk",
    "Filter",
    "Graph",
    "Heat",
    "InputError",
    "Lazy",
    "Memory",
    "MoSCE",
    "Negatives",
    "Neighbors",
    "NodeFeatures",
    "PageRank",
    "Pairs",
    "Power",
    "Projection",
    "Sampled",
    "Solution",
    "Solver",
    "Sparsifier",
    "Split",
    "Symmetric",
    "__version__",
    "add_embedding",
    "build_store",
    "compare",
    "datasets",
    "edge_expansion",
    "estimate",
    "evaluate",
    "from_anndata",
    "from_edges",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "hierarchy",
    "keep_close",
    "layout",
    "load",
    "open_store",
    "partition",
    "plot",
    "read_embedding",
    "read_graph",
    "report",
    "sparsest_cut",
    "sparsity",
    "sweep_cut",
    "to_networkx",
    "to_pyg",
    "write_embedding",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
