"""Negative graphs H: the pairs an embedding must keep apart.

    Complete     all pairs, each with the same weight, exactly
    Degrees      all pairs, by the product of their degrees: the normalised cut
    Sampled      a few random partners for every node: the paper's
    Sparsifier   a random sparse graph with the energy of all pairs
    Pairs        given pairs, weighted or not

`NegativeGraph` is what each describes itself as: parts that an engine can sum, whatever they stand for.
"""

from sparsecut.operators.negatives.complete import Complete
from sparsecut.operators.negatives.degrees import Degrees
from sparsecut.operators.negatives.negative_graph import AllPairs, ListedPairs, NegativeGraph, complete_graph, quadratic_form
from sparsecut.operators.negatives.negatives import Negatives, with_apart, with_demands
from sparsecut.operators.negatives.pairs import Pairs
from sparsecut.operators.negatives.sampled import Sampled, sampled_weight
from sparsecut.operators.negatives.sparsifier import Sparsifier

__all__ = [
    "AllPairs",
    "Complete",
    "Degrees",
    "ListedPairs",
    "NegativeGraph",
    "Negatives",
    "Pairs",
    "Sampled",
    "Sparsifier",
    "complete_graph",
    "quadratic_form",
    "sampled_weight",
    "with_apart",
    "with_demands",
]
