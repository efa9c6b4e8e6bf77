"""Cuts of a graph: the sparsest one, how sparse a given one is, thresholds along a vector, k parts, a hierarchy.

Other rooms use the functions and results exported here. Below them, `solve` runs the search: candidates (`candidates`, from
`eigenvectors`, `communities` and `kmeans`), their improvement (`search`, by `improve`, `flow` and `local`), coarser graphs
for large ones (`coarsen`), and all cuts of small ones (`exact_cut`). `objective` holds what is minimised. k parts are found
by `kway_search`, from other libraries (`multilevel`) or from `solve`, and a tree by `recursion`.

The package is not called `partition`: importing a package binds its name in its parent, and `sparsecut.partition` is the
function.
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.cuts.cut import SparsestCut as SparsestCut
    from sparsecut.cuts.cut import sparsest_cut as sparsest_cut
    from sparsecut.cuts.drawing import PICTURES as PICTURES
    from sparsecut.cuts.kway import Partition as Partition
    from sparsecut.cuts.kway import partition as partition
    from sparsecut.cuts.measures import edge_expansion as edge_expansion
    from sparsecut.cuts.measures import sparsity as sparsity
    from sparsecut.cuts.sweep import SweepCut as SweepCut
    from sparsecut.cuts.sweep import sweep_cut as sweep_cut
    from sparsecut.cuts.tree import Hierarchy as Hierarchy
    from sparsecut.cuts.tree import dasgupta_cost as dasgupta_cost
    from sparsecut.cuts.tree import hierarchy as hierarchy
else:
    __getattr__, __dir__ = lazy_names(__name__)
