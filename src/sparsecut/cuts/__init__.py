"""Cuts of a graph: the sparsest one, how sparse a given one is, thresholds along a vector, k parts, a hierarchy.

Other rooms use the functions and results exported here. Below them, `solve` runs the search: candidates (`candidates`, from
`eigenvectors`, `communities` and `kmeans`), their improvement (`search`, by `improve`, `flow` and `local`), coarser graphs
for large ones (`coarsen`), and all cuts of small ones (`exact_cut`). `objective` holds what is minimised. k parts are found
by `kway_search`, from other libraries (`multilevel`) or from `solve`, and a tree by `recursion`.

The package is not called `partition`: importing a package binds its name in its parent, and `sparsecut.partition` is the
function.
"""

from sparsecut.cuts.cut import SparsestCut, sparsest_cut
from sparsecut.cuts.drawing import PICTURES
from sparsecut.cuts.kway import Partition, partition
from sparsecut.cuts.measures import edge_expansion, sparsity
from sparsecut.cuts.sweep import SweepCut, sweep_cut
from sparsecut.cuts.tree import Hierarchy, dasgupta_cost, hierarchy

__all__ = [
    "PICTURES",
    "Hierarchy",
    "Partition",
    "SparsestCut",
    "SweepCut",
    "dasgupta_cost",
    "edge_expansion",
    "hierarchy",
    "partition",
    "sparsest_cut",
    "sparsity",
    "sweep_cut",
]
