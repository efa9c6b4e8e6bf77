"""The constants by which "auto" chooses settings from a graph, all of them, in two kinds.

- The `…Rule` classes hold thresholds, exponents and sizes of the result. Another value is another answer. None of them was
  fitted to a dataset: `benchmarks/leave_out.py` and `benchmarks/channels.py` choose the important ones without each graph in
  turn, and `docs/method.md` lists them.
- The `…Cost` classes hold sample sizes, numbers of products, and sizes from which on a shortcut is taken. They bound what a
  choice costs. Larger samples and more products measure the same figures more exactly.

Functions of this room receive the values they need; `Settings.constants` carries them through a fit. The candidates for the
restart of PageRank are in its own class (`operators.filters.pagerank`), those of structure in `features.places`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WeightingRule:
    """When rows are scaled to one length (`weighting_choice`)."""

    length_agreement: float = 0.35  # correlation of a row's length with its neighbours'; from here on the length is kept
    min_lengths: int = 3  # rows with neighbours: fewer correlate by chance
    min_deviation: float = 1e-3  # standard deviation of the lengths' logarithms: smaller ones are rounding
    least_length: float = 1e-3  # of the longest row: shorter ones count as so long


@dataclass(frozen=True)
class FilterRule:
    """The trial on held-out edges (`filter_choice`), and the doubt about features that follows from it (`edge_trial`)."""

    held_out: float = 0.1  # share of the edges
    min_edges: int = 2_000  # of the graph: of fewer, less than 200 are held out, too few to rank the candidates
    tie: float = 5e-4  # of the AUC: another sample of edges changes it by more, so the filter with fewer hops is taken
    n_hops: int = 2  # after which the directions of the trial's embedding lead
    max_alike: float = 0.6  # AUC of the features alone: from here on they go with the edges and nothing is doubted
    structure_hops: int = 5  # of the random walks that score edges without features


@dataclass(frozen=True)
class ChannelRule:
    """Own row, smoothed row or both, and their weights (`channel_choice`, `channels`)."""

    even_gain: float = 0.03  # g₀: (gain − its standard error)/own at which own and smoothed weigh the same
    steepness: float = 2.0  # q: the own row weighs (g₀/g)^q
    least_weight: float = 0.1  # a channel that weighs less is left out: a hundredth of the variance
    least_own: float = 1e-3  # R² between halves of the columns: below, or …
    own_errors: float = 3.0  # … below so many of its standard errors, they cannot measure what neighbours add
    even_neighbor_r2: float = 0.06  # r₀: R² of a row from its neighbours, less its error, at which both weigh the same
    min_columns: int = 4  # of the features: two in each half
    min_nodes: int = 64  # with neighbours


@dataclass(frozen=True)
class RegressionRule:
    """How columns are predicted from others (`channel_choice`, `relation_gains`)."""

    ridges: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0)  # in units of the predictors' mean variance; the best is taken
    least_left: float = 0.01  # 1 − leverage, at least: a row that decides its own prediction is not weighted without limit


@dataclass(frozen=True)
class GraphChannelRule:
    """Structure and roles beside the features (`graph_channels`)."""

    structure: float = 0.1  # s: structure weighs s/(2·AUC − 1), with the AUC of the embedding on held-out edges
    unmeasured_structure: float = 0.2  # its weight where that is not known
    role_count: float = 0.033  # weight of roles for each count they are made of: 0.1 for those of a plain graph
    roles_beside_structure: float = 0.25  # their weight where there are no features
    signed_roles: float = 1.0  # the same in a signed graph: who is unfriendly to whom is in no other channel
    doubted: float = 0.3  # least weight of structure where the features hardly go with the edges (`edge_trial`)
    columns_each: int = 4  # of a requested dimension, for each channel: with fewer the graph's own are left out


@dataclass(frozen=True)
class RelationRule:
    """Types of edges that say nothing about their nodes (`relation_choice`), and structure beside features of types."""

    usual: float = 0.2  # 2·AUC − 1 of held-out edges of a relation that says something, and …
    spread: float = 0.1  # … how far relations differ in it
    even_gain: float = 0.003  # share of the prediction error: a relation that surely adds less weighs less
    doubt: float = 2.0  # standard errors of a gain that count against what is concluded from it
    unlike: float = 3.0  # standard errors by which neighbours are less alike than any two nodes
    least: float = 0.01  # weight of a relation that says nothing: its edges still hold together what nothing else does
    copies: float = 0.5  # cosine above which relations say the same: those that merely agree have a few hundredths
    most_expected: float = 4.0  # edges on a pair by chance, above which none without an edge is to be had
    least_deviation: float = 0.1  # of ranks between 0 and 1, which is not known of a few edges
    structure: float = 0.5  # weight of structure, which types of edges shape, beside features that differ by type


@dataclass(frozen=True)
class SpectrumRule:
    """The closed form: how many directions, how long the rows, how many columns (`closed_form`, `channels`)."""

    effective_rank: float = 16.0  # enough directions for dozens of groups, few enough for five labels per group
    length: float = 9.0  # of the smoothed rows before sharpening: a logistic regression with C = 1 then fits well
    kept_share: float = 0.999  # of the sharpened variance: dimension="auto" keeps the columns that hold it …
    n_directions: int = 128  # … and no more columns than this: after sharpening the others hold next to nothing
    trained_dimension: int = 512  # columns with Adam, which does not choose them: the paper's for most of its graphs


@dataclass(frozen=True)
class WeightingCost:
    """What a look at the features' numbers may cost."""

    first_rows: int = 4096  # that are read before all are: most features show by so many what they are not


@dataclass(frozen=True)
class FilterCost:
    """What the trial on held-out edges may cost."""

    max_held_out: int = 10_000  # edges: more do not change the order of the candidates
    n_directions: int = 32  # columns that are smoothed for the trial …
    many_nodes: int = 1 << 14  # … from here on directions and spectrum come from a sample of the nodes, and …
    few_directions: int = 16  # … so many columns suffice
    n_sampled: int = 4096  # nodes that the directions are found from
    n_products: int = 3  # with the sample that find them


@dataclass(frozen=True)
class ChannelCost:
    """What the evidence for the channels may cost."""

    n_halvings: int = 4  # of the columns, over which the figures are averaged …
    many_entries: int = 1 << 25  # … of features with fewer entries; of larger ones one halving is measured
    n_directions: int = 32  # of each half, at most …
    least_directions: int = 8  # … at least, and …
    nodes_per_direction: int = 64  # … between the two in proportion to the nodes
    n_sampled: int = 4096  # nodes that the directions are found from
    n_iterations: int = 3  # of the subspace iteration that finds them
    most_nodes: int = 4096  # that the gain is measured on
    wider: float = 2.0  # times the columns of all X: features up to here are taken at the nodes as they are


@dataclass(frozen=True)
class NarrowingCost:
    """When fewer columns are smoothed, and how many (`narrowing`)."""

    least_hops: int = 4  # of the filter: with fewer, little is saved
    least_nodes: int = 1 << 14  # below, a fit takes a fraction of a second anyway
    share: float = 0.5  # of the columns that is smoothed at most, or …
    spare: int = 32  # … so many columns beyond those of the embedding, where those are more; fewer where …
    lost: float = 1e-5  # … the others hold no more of the sharpened variance
    product_cost: float = 0.25  # of a multiply-add of F·B beside one of a hop, all other work included
    line: int = 16  # columns are a multiple of it: a cache line of float32
    n_probes: int = 16  # random columns that estimate what lies outside the directions
    n_sampled: int = 4096  # nodes that the directions are found from
    n_near: int = 2  # products with one hop that find the directions of wide features …
    n_itself: int = 1  # … and products with the filter itself


@dataclass(frozen=True)
class GraphCost:
    """Up to which size the graph's own channels stand beside features by default."""

    most_edges: int = 2_500_000  # of more they would take longer than the rest of a fit


@dataclass(frozen=True)
class RelationCost:
    """What the evidence for the types of edges may cost."""

    n_sampled: int = 2048  # nodes of each type that the gain is measured on
    least_nodes: int = 64  # with the relation: of fewer nothing is concluded
    least_columns: int = 4  # of a type: two in each half
    n_directions: int = 16  # of each half of the columns
    n_products: int = 3  # with the sample that find them
    most_nodes: int = 1 << 13  # of each type, whose edges are tried …
    most_edges: int = 50_000  # … and of each relation among them
    held_out: float = 0.2  # of a relation's edges
    least_held_out: int = 20  # of fewer nothing is concluded


@dataclass(frozen=True)
class SpectrumCost:
    """How the eigenvectors of M are found (`closed_form`)."""

    exact_columns: int = 1024  # up to here M is built and solved whole; beyond, products with S are cheaper
    n_probes: int = 64  # random columns that estimate the trace of an M that is not built
    n_iterations: int = 3  # of block Krylov iteration: accuracies as after six of one block, or twelve


@dataclass(frozen=True)
class Constants:
    """All of them: first those that change the answer, then those that only bound the cost."""

    weighting: WeightingRule = WeightingRule()
    filter: FilterRule = FilterRule()
    channels: ChannelRule = ChannelRule()
    regressions: RegressionRule = RegressionRule()
    graph_channels: GraphChannelRule = GraphChannelRule()
    relations: RelationRule = RelationRule()
    spectrum: SpectrumRule = SpectrumRule()

    weighting_cost: WeightingCost = WeightingCost()
    filter_cost: FilterCost = FilterCost()
    channel_cost: ChannelCost = ChannelCost()
    narrowing_cost: NarrowingCost = NarrowingCost()
    graph_cost: GraphCost = GraphCost()
    relation_cost: RelationCost = RelationCost()
    spectrum_cost: SpectrumCost = SpectrumCost()


CONSTANTS = Constants()
