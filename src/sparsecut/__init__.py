"""sparsecut: node embeddings from sparsest cuts.

    import sparsecut as sc

    graph = sc.datasets.load("digits")
    Z = sc.SCE().fit_transform(graph)

Names are imported when first used, so that `import sparsecut` and `sparsecut --help` do not wait for torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsecut.lazy import lazy_names
from sparsecut.version import __version__

if TYPE_CHECKING:
    from sparsecut import datasets
    from sparsecut.cuts import hierarchy, partition, sparsest_cut, sweep_cut
    from sparsecut.errors import InputError
    from sparsecut.evaluation import Split, evaluate
    from sparsecut.explore import Neighbors, layout, plot, report
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
    from sparsecut.model.estimators import SCE, MoSCE, load

_HOMES = {
    "Graph": "sparsecut.graph",
    "InputError": "sparsecut.errors",
    "MoSCE": "sparsecut.model.estimators",
    "Neighbors": "sparsecut.explore.neighbors",
    "SCE": "sparsecut.model.estimators",
    "Split": "sparsecut.evaluation",
    "__version__": "sparsecut.version",
    "add_embedding": "sparsecut.io",
    "build_store": "sparsecut.io",
    "datasets": "sparsecut.datasets",
    "evaluate": "sparsecut.evaluation",
    "from_anndata": "sparsecut.io",
    "from_edges": "sparsecut.io",
    "from_igraph": "sparsecut.io",
    "from_networkx": "sparsecut.io",
    "from_pyg": "sparsecut.io",
    "hierarchy": "sparsecut.cuts",
    "keep_close": "sparsecut.graph.pairs",
    "layout": "sparsecut.explore.layout",
    "load": "sparsecut.model.estimators",
    "open_store": "sparsecut.io",
    "partition": "sparsecut.cuts",
    "plot": "sparsecut.explore.plot",
    "read_embedding": "sparsecut.io",
    "read_graph": "sparsecut.io",
    "report": "sparsecut.explore.report",
    "sparsest_cut": "sparsecut.cuts",
    "sweep_cut": "sparsecut.cuts",
    "to_networkx": "sparsecut.io",
    "to_pyg": "sparsecut.io",
    "write_embedding": "sparsecut.io",
}

__all__ = [
    "SCE",
    "Graph",
    "InputError",
    "MoSCE",
    "Neighbors",
    "Split",
    "__version__",
    "add_embedding",
    "build_store",
    "datasets",
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
    "sweep_cut",
    "to_networkx",
    "to_pyg",
    "write_embedding",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
