"""Skip-gram by gensim: where its products end by theory, its rate, its loss by hand, vectors that stay."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gensim.models import Word2Vec

from sparsecut import Graph
from sparsecut.baselines.skipgram import Known, SkipGram, skipgram_loss
from sparsecut.baselines.walks import Walker


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


def test_locked_vectors_stay_and_the_others_move() -> None:
    generator = np.random.default_rng(0)
    known = Known(np.array([0, 2, 3]), *generator.normal(size=(2, 3, 4)).astype(np.float32))
    walks = generator.integers(0, 6, (50, 8)).astype(np.int32)
    skipgram = SkipGram("test", dimension=4, window=3, n_negatives=2, learning_rate=0.05, epochs=2, workers=1)
    inputs, _ = skipgram.train(lambda _: [walks], 6, seed=0, known=known)
    np.testing.assert_array_equal(inputs[known.nodes], known.inputs)
    start = SkipGram("test", 4, 3, 2, 0.05, 2, 1)._make(np.ones(6, dtype=np.int64), 0).wv.vectors
    assert (np.abs(inputs[[1, 4, 5]] - start[[1, 4, 5]]).max(axis=1) > 0).all()
