"""Skip-gram by gensim: where its products end by theory, its rate, its loss by hand, vectors that stay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from gensim.models import Word2Vec

from sparsecut import Graph
from sparsecut.lab.baselines.skipgram import Known, SkipGram, _ways, skipgram_loss, tree_loss
from sparsecut.lab.baselines.walks import Walker


def test_products_of_vectors_end_where_theory_says() -> None:
    """x_u·y_v → log P(v | u) − log(k·Q(v)), Q the negatives' distribution (Levy and Goldberg, 2014), for every edge.

    v is no negative of its own pairs, so the last term is k·Q(v)·(1 − P(v | u)): on six nodes that matters.
    """
    generator = np.random.default_rng(0)
    weights = np.triu(generator.uniform(0.2, 3, (6, 6)), 1)
    walks = Walker(Graph(weights + weights.T).adjacency).walk(np.arange(6, dtype=np.int32).repeat(400), 20, generator)
    skipgram = SkipGram("test", dimension=12, window=1, n_negatives=5, learning_rate=0.05, epochs=20, workers=1)
    inputs, outputs = skipgram.train(lambda _: [walks], 6, seed=0)
    counts = np.zeros((6, 6))
    np.add.at(counts, (walks[:, :-1], walks[:, 1:]), 1)
    counts += counts.T
    negatives = np.bincount(walks.ravel()) ** 0.75
    off_diagonal = ~np.eye(6, dtype=bool)
    P = counts / counts.sum(axis=1, keepdims=True)
    expected = (P / (1 - P) / (5 * negatives / negatives.sum()))[off_diagonal]
    np.testing.assert_allclose((inputs @ outputs.T)[off_diagonal], np.log(expected), atol=0.25)


def test_the_softmax_ends_at_the_shares_of_the_pairs() -> None:
    """With as many columns as nodes the hierarchical softmax can say any P(v | u), and learns the share of v beside u."""
    generator = np.random.default_rng(0)
    weights = np.triu(generator.uniform(0.2, 3, (6, 6)), 1)
    walks = Walker(Graph(weights + weights.T).adjacency).walk(np.arange(6, dtype=np.int32).repeat(400), 20, generator)
    model = SkipGram("test", 12, window=1, n_negatives=5, learning_rate=0.02, epochs=60, workers=1, objective="hierarchical")
    made = []
    make = SkipGram._make

    def remember(self: SkipGram, *arguments: Any) -> Any:
        made.append(make(self, *arguments))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SkipGram, "_make", remember)
        inputs, outputs = model.train(lambda _: [walks], 6, seed=0)
    assert outputs.shape == (0, 12)  # there are branchings instead
    counts = np.zeros((6, 6))
    np.add.at(counts, (walks[:, :-1], walks[:, 1:]), 1)
    counts += counts.T
    ways, sides = _ways(made[0].wv, np.arange(6))
    P = [[probability(inputs, made[0].syn1, u, v, ways, sides) for v in range(6)] for u in range(6)]
    np.testing.assert_allclose(np.sum(P, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(P, counts / counts.sum(axis=1, keepdims=True), atol=0.04)


def probability(inputs: Any, branchings: Any, u: int, v: int, ways: Any, sides: Any) -> float:
    return math.exp(-tree_loss(inputs, branchings, np.array([[u, v]]), ways[[v]], sides[[v]]))


def test_the_releases_call_of_gensim() -> None:
    """sg=1, hs=1, min_count=0 and gensim's defaults, as they are in the installed version."""
    release = Word2Vec(vector_size=4, window=10, min_count=0, sg=1, hs=1, workers=1)
    ours = SkipGram("test", 4, 10, 5, 0.025, epochs=10, workers=1, objective="both", passes=5, subsample=0.001)
    model = ours._make(np.arange(1, 7), 0)
    for name in ("sg", "hs", "negative", "sample", "window", "alpha", "min_alpha", "min_count", "ns_exponent", "cbow_mean"):
        assert getattr(model, name) == getattr(release, name), name
    assert release.epochs == ours.passes


def test_walks_are_read_so_many_times_while_the_rate_falls_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rates, losses = [], []
    monkeypatch.setattr(Word2Vec, "train", lambda self, start_alpha, end_alpha, **_: rates.append((start_alpha, end_alpha)))
    corpus = {0: np.zeros((1, 4), dtype=np.int32), 1: np.ones((1, 4), dtype=np.int32)}
    asked: list[int] = []

    def walks(epoch: int) -> list[Any]:
        asked.append(epoch)
        return [corpus[epoch]]

    skipgram = SkipGram("test", 2, 1, 1, learning_rate=0.0401, epochs=2, workers=1, objective="both", passes=2)
    skipgram.train(walks, 2, seed=0, end_epoch=lambda loss, _: losses.append(loss))
    np.testing.assert_allclose(rates, [(0.0401, 0.0301), (0.0301, 0.0201), (0.0201, 0.0101), (0.0101, 0.0001)])
    assert asked == [0, 1, 0, 1, 0, 1]  # counted, then read twice
    # Nothing was trained: output vectors and branchings are 0, and each term is log 2: a pair, a negative, a side.
    np.testing.assert_allclose(losses, [3 * math.log(2)] * 4, rtol=1e-6)


def test_the_rate_falls_evenly_over_the_blocks_of_all_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = []
    monkeypatch.setattr(Word2Vec, "train", lambda self, start_alpha, end_alpha, **_: rates.append((start_alpha, end_alpha)))
    blocks = [np.zeros((3, 4), dtype=np.int32), np.ones((1, 4), dtype=np.int32)]
    SkipGram("test", dimension=2, window=1, n_negatives=1, learning_rate=0.0401, epochs=2, workers=1).train(
        lambda _: blocks, 2, seed=0
    )
    np.testing.assert_allclose(rates, [(0.0401, 0.0251), (0.0251, 0.0201), (0.0201, 0.0051), (0.0051, 0.0001)])


def test_the_loss_by_hand() -> None:
    inputs = np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    outputs = np.array([[0.5, 0.5], [-1.0, 1.0]], dtype=np.float32)
    pairs, negatives = np.array([[0, 1], [1, 0]]), np.array([[0, 1], [1, 1]])

    def log_sigmoid(value: float) -> float:
        return -math.log1p(math.exp(-value))

    expected = 0.0
    for (node, other), far in zip(pairs, negatives, strict=True):
        expected -= log_sigmoid(float(inputs[node] @ outputs[other]))
        expected -= sum(log_sigmoid(-float(inputs[node] @ outputs[negative])) for negative in far)
    assert skipgram_loss(inputs, outputs, pairs, negatives) == pytest.approx(expected / 2, rel=1e-6)


def test_the_softmax_by_hand() -> None:
    """Two branchings lead to node 1, to the + and the − side, and one to node 0."""
    inputs = np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    branchings = np.array([[0.5, 0.5], [-1.0, 1.0]], dtype=np.float32)
    ways, sides = np.array([[0, 1], [0, 0]]), np.array([[1, -1], [-1, 0]], dtype=np.float32)
    expected = math.log1p(math.exp(-0.5)) + math.log1p(math.exp(-1.0)) + math.log1p(math.exp(1.0))
    assert tree_loss(inputs, branchings, np.array([[0, 1], [1, 0]]), ways, sides) == pytest.approx(expected / 2, rel=1e-6)


def test_locked_vectors_stay_and_the_others_move() -> None:
    generator = np.random.default_rng(0)
    known = Known(np.array([0, 2, 3]), *generator.normal(size=(2, 3, 4)).astype(np.float32))
    walks = generator.integers(0, 6, (50, 8)).astype(np.int32)
    skipgram = SkipGram("test", dimension=4, window=3, n_negatives=2, learning_rate=0.05, epochs=2, workers=1)
    inputs, _ = skipgram.train(lambda _: [walks], 6, seed=0, known=known)
    np.testing.assert_array_equal(inputs[known.nodes], known.inputs)
    start = SkipGram("test", 4, 3, 2, 0.05, 2, 1)._make(np.ones(6, dtype=np.int64), 0).wv.vectors
    assert (np.abs(inputs[[1, 4, 5]] - start[[1, 4, 5]]).max(axis=1) > 0).all()
