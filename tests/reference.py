"""Oracles: dense, slow and obviously right. Nothing here imports the code under test."""

from __future__ import annotations

import math

import numpy as np


def dense_propagation(A: np.ndarray, filter: str = "row") -> np.ndarray:
    """P from its definition, in float64."""
    with_loops = A.astype(np.float64) + np.eye(len(A))
    degrees = with_loops.sum(axis=1)
    if filter.endswith("symmetric"):
        return np.diag(degrees**-0.5) @ with_loops @ np.diag(degrees**-0.5)
    P = np.diag(1 / degrees) @ with_loops
    return (P + np.eye(len(A))) / 2 if filter == "lazy" else P


def dense_filter(A: np.ndarray, filter: str, order: int, strength: float) -> np.ndarray:
    """The whole n×n matrix that a filter multiplies the features by, from its definition."""
    P = dense_propagation(A, filter)
    powers = [np.linalg.matrix_power(P, k) for k in range(order + 1)]
    name = filter.removesuffix("-symmetric")
    if name == "average":
        return sum(powers) / (order + 1)
    if name == "pagerank":
        walk = np.eye(len(A))
        for _ in range(order):
            walk = (1 - strength) * P @ walk + strength * np.eye(len(A))
        return walk
    if name == "heat":
        weights = np.array([strength**k / math.factorial(k) for k in range(order + 1)])
        return sum(weight * power for weight, power in zip(weights / weights.sum(), powers, strict=True))
    return powers[-1]


def dense_log_proximity(A: np.ndarray, share: float = 0.0, n_hops: int = 5) -> np.ndarray:
    """log max(1, q_ij·vol/d_j) made symmetric, q the mean of the powers of D⁻¹A, their entries below a share dropped."""
    degrees = A.sum(axis=1, dtype=np.float64)
    inverse = np.array([1 / degree if degree else 0.0 for degree in degrees])
    P = inverse[:, None] * A
    visits = power = P
    for _ in range(n_hops - 1):
        power = power @ P
        power = np.where(power < share, 0, power)
        visits = visits + power
    ratio = visits / n_hops * degrees.sum() * inverse
    return np.log(np.maximum((ratio + ratio.T) / 2, 1))


def dense_laplacian(n_nodes: int, pairs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """L = Σ w (e_i − e_j)(e_i − e_j)ᵀ, a pair at a time."""
    L = np.zeros((n_nodes, n_nodes))
    for (i, j), weight in zip(pairs, weights, strict=True):
        difference = np.zeros(n_nodes)
        difference[i] += 1
        difference[j] -= 1
        L += weight * np.outer(difference, difference)
    return L


def complete_pairs(n_nodes: int) -> np.ndarray:
    return np.array([(i, j) for i in range(n_nodes) for j in range(i + 1, n_nodes)]).reshape(-1, 2)


def pair_energy(Z: np.ndarray, pairs: np.ndarray, weights: np.ndarray) -> float:
    """Σ w ‖z_i − z_j‖², a pair at a time."""
    return float(sum(w * np.sum((Z[i] - Z[j]) ** 2) for (i, j), w in zip(pairs, weights, strict=True)))


def adam_on_rows(
    S: np.ndarray,
    L: np.ndarray,
    W: np.ndarray,
    *,
    alpha: float,
    l2: float,
    learning_rate: float,
    epochs: int,
    edges: np.ndarray | None = None,
) -> np.ndarray:
    """The paper's loop for one layer, in float64: Adam on α/tr((SW)ᵀL(SW)) with weight decay, gradients by hand.

    With the Laplacian of the edges, on equation opt: α·tr((SW)ᵀL_edges(SW)) / tr((SW)ᵀL(SW)).
    """
    W = W.astype(np.float64).copy()
    first, second = np.zeros_like(W), np.zeros_like(W)
    for step in range(1, epochs + 1):
        Z = S @ W
        energy = np.trace(Z.T @ L @ Z)
        if edges is None:
            gradient = -alpha / energy**2 * 2 * S.T @ L @ Z + l2 * W
        else:
            numerator = np.trace(Z.T @ edges @ Z)
            gradient = alpha * 2 * (energy * S.T @ edges @ Z - numerator * S.T @ L @ Z) / energy**2 + l2 * W
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        corrected = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        W -= learning_rate * corrected
    return W


def dense_effective_rank(Z: np.ndarray) -> float:
    """exp of the entropy of the normalised squared singular values of the centred rows."""
    values = np.linalg.svd(Z - Z.mean(axis=0), compute_uv=False) ** 2
    shares = values[values > 0] / values.sum()
    return math.exp(-sum(share * math.log(share) for share in shares))


def dense_table(fitted: dict[str, list], later: dict[str, list]) -> np.ndarray:
    """The features of a table by the rules of docs/features.md, fitted on one table; None is a gap, `datetime` a time.

    Numbers and times are standardised, numbers with a heavy tail on a log scale; truth values and 0 and 1 stay, words, also
    of lists, have a column each in alphabetical order; a column of one value is none, and one with gaps has a column more
    that marks them.
    """
    columns = []
    for name, first in fitted.items():
        known, has_gaps = [value for value in first if value is not None], any(value is None for value in first)
        values = later[name]
        if known and isinstance(known[0], str):
            words = sorted(set(known))
            if len(words) > 1 or has_gaps:
                columns += [[float(value == word) for value in values] for word in words]
        elif known and isinstance(known[0], list):
            heard = sorted({word for words in known for word in words})
            columns += [[float(word in (value or [])) for value in values] for word in heard]
            has_gaps = False  # a gap has none of the words, and no mark
        else:
            numbers = [_as_number(value) for value in known]
            is_mark, is_time = set(numbers) <= {0.0, 1.0}, any(hasattr(value, "timestamp") for value in known)
            scaled = _on_log if not is_mark and not is_time and _has_heavy_tail(numbers) else lambda x, _: x
            logs = np.array([scaled(number, numbers) for number in numbers])
            mean, deviation = (0.0, 1.0) if is_mark else (logs.mean(), logs.std())
            if len(set(numbers)) > 1:
                columns.append(
                    [0.0 if value is None else (scaled(_as_number(value), numbers) - mean) / deviation for value in values]
                )
        if has_gaps and known:
            columns.append([float(value is None) for value in values])
    return np.array(columns, dtype=np.float64).reshape(len(columns), -1).T


def _on_log(number: float, fitted: list[float]) -> float:
    """sign(x)·ln(1 + |x|/u): u is a power of two, by the mean of the exponents of the fitted numbers that are not 0."""
    exponents = [math.floor(math.log2(abs(one))) for one in fitted if one]
    return math.copysign(math.log1p(abs(number) / 2.0 ** (sum(exponents) // len(exponents))), number)


def _has_heavy_tail(numbers: list[float]) -> bool:
    """Whether the furthest number is over 10 deviations away, or √(n/2) of 30 and more, and half as far on a log scale."""

    def furthest(values: np.ndarray) -> float:
        return float(np.abs(values - values.mean()).max() / values.std()) if values.std() else 0.0

    far = furthest(np.array(numbers))
    if len(numbers) < 30 or far <= min(10.0, math.sqrt(len(numbers) / 2)):
        return False
    return 2 * furthest(np.array([_on_log(number, numbers) for number in numbers])) <= far


def _as_number(value: object) -> float:
    return value.timestamp() if hasattr(value, "timestamp") else float(value)  # type: ignore[arg-type]


def dense_weighting(name: str, fitted: np.ndarray, later: np.ndarray) -> np.ndarray:
    """Features weighted as those of the graph that was fitted: none, l2 or tf-idf."""
    if name == "none":
        return later
    if name == "tf-idf":
        later = later * (np.log((1 + len(fitted)) / (1 + (fitted != 0).sum(axis=0))) + 1)
    lengths = np.linalg.norm(later, axis=1, keepdims=True)
    return later / np.where(lengths > 0, lengths, 1)


def dense_closed_form(S: np.ndarray, width: int, rank: float, length: float = 9.0) -> np.ndarray:
    """W = V·g(Λ) of the closed form in all columns of S, at the length that it makes the rows."""
    centred = S - S.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    values, vectors, total = values[::-1][:width].clip(min=0), vectors[:, ::-1][:, :width], values.sum()
    values = np.where(values > 1e-10 * values[0], values, 0)

    def shares(power: float) -> np.ndarray:
        powers = np.where(values > 0, (values / values[0]) ** power, 0)
        return powers / powers.sum()

    def effective_rank(power: float) -> float:
        found = shares(power)
        return math.exp(-sum(share * math.log(share) for share in found if share > 0))

    low, high = 1.0, 64.0
    if effective_rank(low) > rank:
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if effective_rank(middle) > rank else (low, middle)
    weights = vectors * np.where(values > 0, (values / values[0]) ** ((low - 1) / 2), 0)
    variance = float(((values / values[0]) ** low).sum() * values[0])
    return weights * (length * math.sqrt(variance / total) / math.sqrt(variance / len(S)))


def dense_drift(before: np.ndarray, after: np.ndarray, width: int, rank: float) -> float:
    """By what part of their length the best rotation of the vectors of an old closed form misses those of a new one."""
    old = (after - before.mean(axis=0)) @ dense_closed_form(before, width, rank)
    new = (after - after.mean(axis=0)) @ dense_closed_form(after, width, rank)
    U, _, V = np.linalg.svd((old - old.mean(axis=0)).T @ new)
    turned = np.linalg.norm((old - old.mean(axis=0)) @ (U @ V) - new) ** 2
    return math.sqrt(turned + len(old) * np.linalg.norm(old.mean(axis=0)) ** 2) / np.linalg.norm(new)
