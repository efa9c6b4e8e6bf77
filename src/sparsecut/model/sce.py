"""`SCE`, the estimator of the paper: Z = P^k F·W₁···W_l."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sparsecut.engines import EngineChoice
from sparsecut.features.weighting import WeightingWord
from sparsecut.model.channels import FeaturesWord
from sparsecut.model.embedding_model import SparsestCutEmbedding
from sparsecut.model.solver import Solver
from sparsecut.operators.aggregation import Aggregation
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import Negatives


class SCE(SparsestCutEmbedding):
    """Sparsest Cut network Embedding: one vector per node from a graph and its node features, without labels.

    Z = S·W, where S = Σ c_k P^k F are the features smoothed over the graph and W keeps the nodes of a negative graph apart.

    Parameters
    ----------
    dimension : int or "auto", default="auto"
        Columns of the embedding; `n_components` is another name for it. "auto" takes what holds 99.9 % of the variance in
        closed form, at most 128, and min(512, features) with `Adam`. In closed form an embedding has no more columns than
        its features fill: where more are requested there are fewer, and a `DimensionWarning` names their number.
    features : {"auto", "given", "structure", "both"}, default="auto"
        What is embedded. "auto" takes the node features, where there are any, and beside them what the graph says by
        itself: each node's place in it and counts around the node. "given" takes the features alone, "structure" the graph
        alone. "both" is "auto" where a filter of your own or the size of the graph would leave the graph's part out.
    weighting : {"auto", "none", "l2", "tf-idf"}, default="auto"
        How the features are weighted. "auto" chooses by what they are: counts by tf-idf, other amounts by the length of
        their row, measurements with signs not at all. With `Adam` it is "none", the paper's.
    filter : str or Filter, default="auto"
        The low-pass filter applied to the features before anything is learned. "auto" is personalised PageRank with a
        restart chosen from the graph, and with `Adam` the paper's `Power(order=2)`. `Power(order=0)` leaves the features as
        they are, for graphs whose neighbours differ. Words: "power", "symmetric", "lazy", "paired", "pagerank", "heat",
        "average", "difference".
    channels : str, sequence of str, or dict of str to float, default="auto"
        What is put side by side: "own" (the node's own row), "smoothed" (the filter), "neighbors" (the mean over two hops,
        the own row not added back), "difference" (own row less neighbourhood), "structure" (the place in the graph),
        "roles" (degrees, triangles and other counts around the node). A dictionary has their weights: {"own": 0.5,
        "smoothed": 1}. "auto" chooses own and smoothed, structure and roles and their weights from the graph, where
        filter="auto"; a filter of your own is one channel.
    relations : "auto" or dict of str to float, default="auto"
        Of a graph with types of edges how much each weighs in sum: {"writes": 2.0}, or by ("author", "writes", "paper");
        those that are not named weigh 1. "auto" weighs all the same, and less those that say nothing about their nodes.
    negatives : str or Negatives, default="complete"
        The pairs of nodes to keep apart: "complete" (all pairs, exactly), "degrees", "sampled" (the paper's), "sparsifier",
        or `Pairs` of your own.
    apart : array, list or frame of shape (m, 2) or (m, 3), optional
        Pairs of node ids, weighted or not, that must differ, on top of the negatives; together they demand as much as those
        do. They are ids, never positions: `[("anna", "ben"), ("anna", "carl")]`. Pairs to keep close are edges:
        `sparsecut.keep_close`.
    solver : str or Solver, default="closed_form"
        How the weights are found. "closed_form" (`ClosedForm`) has no epochs and no seed; "adam" (`Adam`) is the paper's
        training loop.
    engine : str or EngineChoice, default="memory"
        Where the rows live: "memory" (`Memory`: CPU or GPU, single or half precision), "disk" (`Disk`: under a limit of
        memory) or "dask" (`Dask`: on a cluster).
    random_state : int or None, default=0
        The seed of Adam's start and of sampled negatives; None draws a new one. The same seed gives the same
        bits on the same machine with the same versions; with `Adam` also the same number of threads (`OMP_NUM_THREADS`).

    Attributes
    ----------
    embedding_ : numpy.ndarray of shape (n_nodes, dimension)
        The vectors of the nodes, float32.
    weights_ : list of numpy.ndarray of shape (n_features, columns)
        W, one matrix per channel.
    channels_ : dict of str to slice
        The columns of each channel.
    offset_ : numpy.ndarray of shape (dimension,) or (n_types + 1, dimension)
        What is taken off every row; of a graph with types of nodes off the rows of each, the last for nodes of no type.
    columns_ : GraphColumns
        What is kept of the graph itself: the places of its nodes by their ids, the scale of the counts.
    recipe_ : Recipe
        Weighting and filter as chosen; `explain()` says why.
    history_ : History
        The route that was taken, the time of each stage, the loss of each epoch.
    encoder_ : encoder or None
        How a table became features, kept for `transform`; None where they were an array without names.
    n_features_in_ : int
        Columns as they were given.
    feature_names_in_ : numpy.ndarray
        Their names, where they have names.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.datasets.load("digits")
    >>> Z = sc.SCE().fit_transform(graph)
    >>> Z.shape[0] == graph.n_nodes
    True
    >>> paper = sc.SCE(dimension=32, filter=sc.Power(order=2), solver=sc.Adam(epochs=20)).fit(graph)
    >>> paper.set_params(solver__epochs=5)
    SCE(dimension=32, filter=Power(order=2), solver=Adam(epochs=5))
    """

    paper_method = "sce"

    def __init__(
        self,
        *,
        dimension: int | Literal["auto"] = "auto",
        features: FeaturesWord = "auto",
        weighting: WeightingWord = "auto",
        filter: str | Filter = "auto",
        channels: str | Sequence[str] | Mapping[str, float] = "auto",
        relations: str | Mapping[Any, float] = "auto",
        negatives: str | Negatives = "complete",
        apart: Any = None,
        solver: str | Solver = "closed_form",
        engine: str | EngineChoice = "memory",
        random_state: int | None = 0,
    ) -> None:
        self.dimension = dimension
        self.features = features
        self.weighting = weighting
        self.filter = filter
        self.channels = channels
        self.relations = relations
        self.negatives = negatives
        self.apart = apart
        self.solver = solver
        self.engine = engine
        self.random_state = random_state

    def _levels(self) -> tuple[int | None, Aggregation]:
        return None, "mean"  # of one level: itself
