"""Skip-gram over walks, by gensim: a node predicts those at most `window` steps away.

    negative        Σ over pairs (u, v) of a walk   log σ(x_u·y_v) + Σ over negatives n   log σ(−x_u·y_n)
    hierarchical    Σ over pairs (u, v) of a walk   Σ over branchings b on the way to v   log σ(±x_u·w_b)
    both            the sum of the two, over the same x

x are the input vectors, the embedding; y the output vectors; negatives are drawn by (number of visits)^0.75. The ways lead
from the root of a Huffman tree of the nodes by visits to its leaves, + to one side and − to the other, so that the second
sum is the logarithm of a probability of v. The third is what gensim does where only the hierarchical softmax is
switched on, since its negatives are on by default: DeepWalk's release does so.

One worker gives the same bits for the same seed; several write over each other. On Cora (128 columns, two epochs) with both
cores of the machine busy otherwise, two workers took 1.6 to 2.4 s and one 1.6 to 2.1 s, so one is the default.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import import_extra
from sparsecut.lab.baselines.walks import WalkNodes

SLOWEST = 0.0001  # the rate at the end, as word2vec has it
N_PAIRS = 10_000  # steps of walks on which an epoch's loss is read: gensim's own sum is a float32 and soon stands still

Corpus = Callable[[int], Iterable[WalkNodes]]  # the walks of an epoch, a block at a time; the same ones for the same epoch
EpochEnd = Callable[[float, float], None]
Vectors = NDArray[np.float32]
OBJECTIVES = ("negative", "hierarchical", "both")


@dataclass(frozen=True)
class Known:
    """Vectors learned before, which are not to change: of these nodes, by input and output."""

    nodes: NDArray[np.int64]
    inputs: Vectors
    outputs: Vectors


@dataclass(frozen=True)
class SkipGram:
    """How to train; `sparsecut.lab.baselines.DeepWalk` explains each."""

    caller: str
    dimension: int
    window: int
    n_negatives: int
    learning_rate: float
    epochs: int
    workers: int
    objective: str = "negative"
    passes: int = 1
    subsample: float = 0.0

    def train(
        self, corpus: Corpus, n_nodes: int, seed: int, end_epoch: EpochEnd | None = None, known: Known | None = None
    ) -> tuple[Vectors, Vectors]:
        """The input and the output vectors, (n, dimension) each; no outputs where there are no negatives.

        `end_epoch` gets an epoch's loss and seconds. Vectors can stay only with negatives alone (`known`).
        """
        assert known is None or self.objective == "negative"
        visits = _count_visits(corpus, self.epochs, n_nodes)
        model = self._make(visits, seed)
        if known is not None:
            model.wv.vectors[known.nodes] = known.inputs
            model.wv.vectors_lockf = np.ones(n_nodes, dtype=np.float32)
            model.wv.vectors_lockf[known.nodes] = 0
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "walks.txt"
            n_done, n_all = 0, int(visits.sum()) * self.passes
            for epoch in [*range(self.epochs)] * self.passes:
                started = time.perf_counter()
                for walks in corpus(epoch):
                    if known is not None:
                        model.syn1neg[known.nodes] = known.outputs  # gensim cannot lock these: put back before every block
                    _write(walks, path)
                    self._train_block(model, path, walks, n_done / n_all, walks.size / n_all)
                    n_done += walks.size
                seconds = time.perf_counter() - started
                if end_epoch is not None:
                    end_epoch(
                        self._loss(model, visits, walks[:, :2][:N_PAIRS], np.random.default_rng([seed, epoch])), seconds
                    )
        outputs = model.syn1neg if self._with_negatives else np.empty((0, self.dimension), dtype=np.float32)
        return np.array(model.wv.vectors), np.array(outputs)

    @property
    def _with_negatives(self) -> bool:
        return self.objective != "hierarchical"

    @property
    def _with_tree(self) -> bool:
        return self.objective != "negative"

    def _loss(self, model: Any, visits: NDArray[np.int64], pairs: WalkNodes, generator: np.random.Generator) -> float:
        """What is minimised, the mean over some pairs."""
        loss = 0.0
        if self._with_negatives:
            negatives = _draw_negatives(visits, (len(pairs), self.n_negatives), generator)
            loss += skipgram_loss(model.wv.vectors, model.syn1neg, pairs, negatives)
        if self._with_tree:
            loss += tree_loss(model.wv.vectors, model.syn1, pairs, *_ways(model.wv, pairs[:, 1]))
        return loss

    def _make(self, visits: NDArray[np.int64], seed: int) -> Any:
        Word2Vec = import_extra("gensim.models", caller=self.caller, extra="baselines").Word2Vec
        model = Word2Vec(
            vector_size=self.dimension,
            window=self.window,
            negative=self.n_negatives if self._with_negatives else 0,
            hs=int(self._with_tree),
            sg=1,
            min_count=0,
            sample=self.subsample,
            alpha=self.learning_rate,
            sorted_vocab=0,  # row i is node i
            workers=self.workers,
            seed=seed,
        )
        model.build_vocab_from_freq({str(node): count for node, count in enumerate(visits.tolist())})
        return model

    def _train_block(self, model: Any, path: Path, walks: WalkNodes, share_done: float, share: float) -> None:
        """The rate falls evenly over all blocks of all epochs; this one is a `share` of them."""
        fall = max(self.learning_rate - SLOWEST, 0)
        model.train(
            corpus_file=str(path),
            total_examples=len(walks),
            total_words=walks.size,
            epochs=1,
            start_alpha=self.learning_rate - fall * share_done,
            end_alpha=self.learning_rate - fall * (share_done + share),
        )


def skipgram_loss(inputs: Vectors, outputs: Vectors, pairs: NDArray[Any], negatives: NDArray[Any]) -> float:
    """The mean loss of pairs (m, 2) against their negatives (m, k)."""
    x = inputs[pairs[:, 0]][:, :, None]  # (m, d, 1)
    near = outputs[pairs[:, 1]][:, None] @ x  # (m, 1, 1)
    far = outputs[negatives] @ x  # (m, k, 1)
    return float(np.logaddexp(0, -near).sum(axis=1).mean() + np.logaddexp(0, far).sum(axis=1).mean())


def tree_loss(
    inputs: Vectors, branchings: Vectors, pairs: NDArray[Any], ways: NDArray[np.int64], sides: NDArray[np.float32]
) -> float:
    """The mean of −log P(v | u) over pairs (u, v).

    `ways` are the branchings that lead to each v, `sides` +1, −1 or, behind the last one, 0.
    """
    products = np.einsum("md,mld->ml", inputs[pairs[:, 0]], branchings[ways])  # (m, longest way)
    return float((np.logaddexp(0, -sides * products) * (sides != 0)).sum(axis=1).mean())


def _ways(vectors: Any, nodes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The ways from the root of gensim's tree to some nodes, (m, longest) each. Its code 0 is the side of +."""
    points = [vectors.get_vecattr(str(node), "point") for node in nodes]
    codes = [vectors.get_vecattr(str(node), "code") for node in nodes]
    shape = (len(nodes), max(map(len, points)))
    ways, sides = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.float32)
    for row, (point, code) in enumerate(zip(points, codes, strict=True)):
        ways[row, : len(point)] = point
        sides[row, : len(code)] = 1 - 2 * np.asarray(code, dtype=np.float32)
    return ways, sides


def _count_visits(corpus: Corpus, epochs: int, n_nodes: int) -> NDArray[np.int64]:
    """How often the walks come by each node. They are drawn twice: drawing is cheap beside training, keeping them is not."""
    visits = np.zeros(n_nodes, dtype=np.int64)
    for epoch in range(epochs):
        for walks in corpus(epoch):
            visits += np.bincount(walks.ravel(), minlength=n_nodes)
    return np.maximum(visits, 1)  # gensim divides by them


def _draw_negatives(visits: NDArray[np.int64], shape: tuple[int, int], generator: np.random.Generator) -> NDArray[np.int64]:
    shares = np.cumsum(visits**0.75)
    return np.asarray(np.searchsorted(shares, generator.random(shape) * shares[-1], side="right"), dtype=np.int64)


def _write(walks: WalkNodes, path: Path) -> None:
    """One walk per line, as gensim's fast reader has it."""
    with path.open("w") as file:
        file.writelines(" ".join(map(str, walk.tolist())) + "\n" for walk in walks)
