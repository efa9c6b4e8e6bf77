"""sparsecut: node embeddings from sparsest cuts.

    import sparsecut as sc

    graph = sc.datasets.load("digits")
    Z = sc.SCE().fit_transform(graph)

Names are imported when first used, so that `import sparsecut` and `sparsecut --help` do not wait for torch. The block below
is the list of public names: type checkers read it as it stands, and `lazy_names` finds in it where each name is.
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut import datasets as datasets
    from sparsecut.base.errors import InputError as InputError
    from sparsecut.base.package_version import __version__ as __version__
    from sparsecut.cuts import edge_expansion as edge_expansion
    from sparsecut.cuts import hierarchy as hierarchy
    from sparsecut.cuts import partition as partition
    from sparsecut.cuts import sparsest_cut as sparsest_cut
    from sparsecut.cuts import sparsity as sparsity
    from sparsecut.cuts import sweep_cut as sweep_cut
    from sparsecut.evaluation import Split as Split
    from sparsecut.evaluation import evaluate as evaluate
    from sparsecut.explore.html_report import report as report
    from sparsecut.explore.layout import layout as layout
    from sparsecut.explore.nearest import Neighbors as Neighbors
    from sparsecut.explore.scatter import plot as plot
    from sparsecut.graph import Graph as Graph
    from sparsecut.graph.pair_lists import keep_close as keep_close
    from sparsecut.io import add_embedding as add_embedding
    from sparsecut.io import build_store as build_store
    from sparsecut.io import from_anndata as from_anndata
    from sparsecut.io import from_edges as from_edges
    from sparsecut.io import from_igraph as from_igraph
    from sparsecut.io import from_networkx as from_networkx
    from sparsecut.io import from_pyg as from_pyg
    from sparsecut.io import from_tables as from_tables
    from sparsecut.io import open_store as open_store
    from sparsecut.io import read_embedding as read_embedding
    from sparsecut.io import read_graph as read_graph
    from sparsecut.io import to_networkx as to_networkx
    from sparsecut.io import to_pyg as to_pyg
    from sparsecut.io import write_embedding as write_embedding
    from sparsecut.lab.comparison import compare as compare
    from sparsecut.links import Links as Links
    from sparsecut.links import Nearness as Nearness
    from sparsecut.links import Why as Why
    from sparsecut.model.choices import *  # noqa: F403
    from sparsecut.model.cost_estimate import estimate as estimate
    from sparsecut.model.loading import load as load
    from sparsecut.model.mosce import MoSCE as MoSCE
    from sparsecut.model.node_features import NodeFeatures as NodeFeatures
    from sparsecut.model.sce import SCE as SCE
    from sparsecut.model.solver import Solution as Solution
    from sparsecut.model.solver import Solver as Solver
    from sparsecut.operators.aggregation import Projection as Projection
    from sparsecut.operators.filters import Filter as Filter
    from sparsecut.operators.negatives import Negatives as Negatives

__getattr__, __dir__ = lazy_names(__name__)
__all__ = __dir__()  # noqa: PLE0605  the names above, which type checkers read there
