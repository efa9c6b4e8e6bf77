"""DeepWalk (Perozzi et al., 2014) and node2vec (Grover and Leskovec, 2016): random walks read as sentences by skip-gram."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_choice, check_integer, check_real
from sparsecut.graph import Graph
from sparsecut.lab.baselines.baseline import Baseline, Inductive, Run, seeded
from sparsecut.lab.baselines.declared import declared, learned
from sparsecut.lab.baselines.skipgram import OBJECTIVES, Corpus, EpochEnd, Known, SkipGram, Vectors
from sparsecut.lab.baselines.walks import Walker, WalkNodes
from sparsecut.model.published import from_paper


@declared
class ReadsWalks:
    """For a `Baseline` that reads random walks by skip-gram; only how a walk chooses its next node differs.

    Parameters
    ----------
    epochs : int
        Walks from each node. An epoch is one walk from each, in random order, and one pass of skip-gram over them.
    walk_length : int
        Nodes of a walk.
    window : int
        How many steps apart two nodes of a walk may be to predict each other; each time a number up to it is drawn.
    n_negatives : int
        Negatives for each pair, unless `objective` is "hierarchical".
    learning_rate : float
        Step size of skip-gram at the start; it falls evenly towards zero.
    objective : {"negative", "hierarchical", "both"}
        How a node predicts another: against a few negatives; by a hierarchical softmax over all nodes, as in DeepWalk's
        article; or by both at once over the same vectors. The softmax takes longer, the more so the larger the graph.
    passes : int
        How often skip-gram reads all the walks. More of them take as much longer; more `epochs`, which bring new walks,
        are the better use of the time.
    subsample : float
        Visits of a node whose share of all visits is above this are left out at random, the more the larger its share; 0
        leaves out none. gensim's default, 0.001, leaves out most visits on a graph of a few hundred nodes.
    workers : int
        Threads. With more than one, runs of the same seed differ.

    Attributes
    ----------
    history_ : History
        Loss and seconds per epoch, of one pass after another. The loss is measured after each epoch on 10,000 steps of
        walks.
    """

    needs_features: ClassVar[bool] = False

    dimension: int = 128
    epochs: int = 10
    walk_length: int = 40
    window: int = 10
    n_negatives: int = 5
    learning_rate: float = 0.025
    objective: str = "negative"
    passes: int = 1
    subsample: float = 0.0
    workers: int = 1
    random_state: int | None = 0

    def _make_walker(self, graph: Graph) -> Walker:
        return Walker(graph.adjacency)

    def _check(self) -> None:
        name = type(self).__name__
        for option in ("dimension", "window", "n_negatives", "epochs", "passes", "workers"):
            check_integer(name, option, getattr(self, option), 1)
        check_integer(name, "walk_length", self.walk_length, 2)
        check_real(name, "learning_rate", self.learning_rate, above=0)
        check_real(name, "subsample", self.subsample)
        check_choice(name, "objective", self.objective, OBJECTIVES)

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        return self._train_all(graph, run)[0]

    def _train_all(self, graph: Graph, run: Run) -> tuple[Vectors, Vectors]:
        def end_epoch(loss: float, seconds: float) -> None:
            run.end_epoch(loss, seconds, self.epochs * self.passes)

        return self._train(graph, np.arange(graph.n_nodes, dtype=np.int32), run.generator, end_epoch)

    def _train(
        self,
        graph: Graph,
        starts: WalkNodes,
        generator: np.random.Generator,
        end_epoch: EpochEnd | None = None,
        known: Known | None = None,
    ) -> tuple[Vectors, Vectors]:
        """The input and output vectors of a graph's nodes, from one walk per epoch and start."""
        walks_seed, skipgram_seed = (int(seed) for seed in generator.integers(0, 2**31, 2))
        options = {option.name: getattr(self, option.name) for option in fields(SkipGram) if option.name != "caller"}
        skipgram = SkipGram(caller=type(self).__name__, **options)
        corpus = _corpus(self._make_walker(graph), starts, self.walk_length, walks_seed)
        return skipgram.train(corpus, graph.n_nodes, skipgram_seed, end_epoch, known)


@declared
class DeepWalk(ReadsWalks, Baseline):
    """DeepWalk (Perozzi et al., 2014): uniform random walks, by weight where edges have one, read by skip-gram.

    It uses the edges alone and needs no features; it needs the extra `baselines`. Its authors' release is
    `DeepWalk(objective="both", passes=5, subsample=0.001)`, which is what `DeepWalk.paper` takes: they ask gensim for a
    hierarchical softmax and leave all else to its defaults. Without these three it scores higher on the citation graphs, in
    less time.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import DeepWalk
    >>> graph = sc.Graph([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> DeepWalk(dimension=4, epochs=2).fit_transform(graph).shape
    (3, 4)
    """

    paper_method = "deepwalk"
    paper = classmethod(from_paper)


@declared
class Node2Vec(ReadsWalks, Baseline):
    """node2vec (Grover and Leskovec, 2016): walks of second order, read by skip-gram. Needs no features.

    Parameters
    ----------
    p : float, default=1.0
        The larger, the less often a walk goes back to where it just was.
    q : float, default=1.0
        The larger, the nearer a walk stays to where it was before; below 1 it goes outward.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import Node2Vec
    >>> graph = sc.Graph([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> Node2Vec(p=0.5, q=2.0, dimension=4, epochs=2).fit_transform(graph).shape
    (3, 4)
    """

    p: float = 1.0
    q: float = 1.0
    walk_length: int = 80

    def _check(self) -> None:
        super()._check()
        check_real("Node2Vec", "p", self.p, above=0)
        check_real("Node2Vec", "q", self.q, above=0)

    def _make_walker(self, graph: Graph) -> Walker:
        return Walker(graph.adjacency, p=self.p, q=self.q)


@declared
class DeepWalkFeatures(ReadsWalks, Inductive, Baseline):
    """DeepWalk's embedding with the raw features beside it: [X, F], (n, dimension + features).

    `transform` embeds nodes that came later as GraphSAGE's authors did (Hamilton et al., 2017): new walks from them on the
    graph as it is now, and only their vectors are trained. Nodes of the training keep theirs. A node is known by its id
    (`Graph.node_ids`), so both graphs need ids that mean the same nodes; `Graph.subgraph` keeps them.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import DeepWalkFeatures
    >>> graph = sc.Graph([[0, 1, 1], [1, 0, 1], [1, 1, 0]], features=np.eye(3, 2))
    >>> DeepWalkFeatures(dimension=4, epochs=2).fit_transform(graph).shape
    (3, 6)
    """

    needs_features = True
    needs_known_nodes = True
    paper_method = "deepwalk-and-features"
    paper = classmethod(from_paper)

    node_ids_: NDArray[Any] = learned()
    inputs_: Vectors = learned()
    outputs_: Vectors = learned()

    def _check(self) -> None:
        super()._check()
        if self.objective != "negative":
            raise InputError(
                "DeepWalkFeatures embeds new nodes beside the output vectors of known ones, which a hierarchical softmax "
                f'does not have. Got objective="{self.objective}". Take "negative".'
            )

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        self.inputs_, self.outputs_ = self._train_all(graph, run)
        self.node_ids_ = graph.node_ids
        self.n_features_in_ = graph.n_features
        return _with_features(self.inputs_, graph)

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        place = {node: row for row, node in enumerate(self.node_ids_.tolist())}
        rows = np.array([place.get(node, -1) for node in graph.node_ids.tolist()], dtype=np.int64)
        here, new = np.flatnonzero(rows >= 0), np.flatnonzero(rows < 0)
        if not len(here):
            raise InputError(
                "DeepWalkFeatures embeds a new node by walks to nodes it was trained on, and this graph has none of them. "
                "Give both graphs node_ids under which a node keeps its name."
            )
        known = Known(here, self.inputs_[rows[here]], self.outputs_[rows[here]])
        if not len(new):
            return _with_features(known.inputs, graph)
        with seeded(self.random_state, torch.device("cpu")) as generator:
            inputs, _ = self._train(graph, new.astype(np.int32), generator, known=known)
        return _with_features(inputs, graph)


def _with_features(inputs: Vectors, graph: Graph) -> NDArray[np.float32]:
    F: Any = graph.features
    return np.hstack([inputs, F.toarray() if sp.issparse(F) else F])


def _corpus(walker: Walker, starts: WalkNodes, length: int, seed: int) -> Corpus:
    """The walks of an epoch by its number alone, so that they can be drawn again."""

    def walks_of(epoch: int) -> Iterable[WalkNodes]:
        generator = np.random.default_rng([seed, epoch])
        return walker.blocks(generator.permutation(starts), length, generator)

    return walks_of
