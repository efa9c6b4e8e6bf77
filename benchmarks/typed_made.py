"""Made graphs with types: what each type of edges says is known, and so is how well its weight was chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparsecut as sc

N_THINGS = 1500  # of the type that is judged
N_OTHERS = 240  # nodes of each other type
N_COLUMNS = 24


@dataclass(frozen=True)
class Made:
    """A graph and what its nodes of type "thing" are."""

    graph: sc.Graph
    labels: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.graph.types == "thing")


def _ends(
    generator: np.random.Generator, own: NDArray[Any] | None, others: NDArray[Any], n_each: float, purity: float
) -> NDArray[np.int64]:
    """Edges from things to nodes of groups `others`; a share `purity` to the thing's own group, else to any by its fame."""
    counts = generator.poisson(n_each, N_THINGS if own is None else len(own))
    sources = np.repeat(np.arange(len(counts)), counts)
    fame = generator.pareto(2.0, len(others)) + 0.3
    targets = generator.choice(len(others), len(sources), p=fame / fame.sum())
    if own is not None:
        is_own = generator.random(len(sources)) < purity
        for group in np.unique(own):
            here = np.flatnonzero(is_own & (own[sources] == group))
            members = np.flatnonzero(others == group)
            targets[here] = generator.choice(members, len(here), p=fame[members] / fame[members].sum())
    return np.unique(np.column_stack([sources, targets]), axis=0)


def _columns(generator: np.random.Generator, labels: NDArray[Any], signal: float) -> NDArray[np.float32]:
    means = generator.normal(size=(int(labels.max()) + 1, N_COLUMNS))
    return (signal * means[labels] + generator.normal(size=(len(labels), N_COLUMNS))).astype(np.float32)


def _made(
    generator: np.random.Generator,
    labels: NDArray[np.int64],
    relations: dict[str, tuple[NDArray[Any] | None, float, float]],
    *,
    n_groups: int,
    signal: float,
    is_plain: bool,
) -> Made:
    """Things and one further type for each relation: name → (groups that it tells or None, edges per thing, purity)."""
    nodes: dict[str, Any] = {"thing": np.arange(len(labels)) if is_plain else _columns(generator, labels, signal)}
    edges: dict[Any, Any] = {}
    for name, (own, n_each, purity) in relations.items():
        others = np.arange(N_OTHERS) % (n_groups if own is None else int(own.max()) + 1)
        nodes[f"of_{name}"] = np.arange(N_OTHERS)
        edges[("thing", name, f"of_{name}")] = _ends(generator, own, others, n_each, purity)
    return Made(sc.from_tables(nodes, edges), labels)


def useful_and_noise(seed: int, *, is_plain: bool = False) -> Made:
    """One relation tells the class, one goes with nothing."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 6, N_THINGS)
    relations = {"tells": (labels, 3.0, 0.5), "noise": (None, 3.0, 0.0)}
    return _made(generator, labels, relations, n_groups=6, signal=0.15, is_plain=is_plain)


def much_noise(seed: int, *, is_plain: bool = False) -> Made:
    """One relation of few edges tells the class; two of many edges go with nothing."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 6, N_THINGS)
    relations = {"tells": (labels, 3.0, 0.5), "noise": (None, 20.0, 0.0), "more": (None, 10.0, 0.0)}
    return _made(generator, labels, relations, n_groups=6, signal=0.15, is_plain=is_plain)


def two_halves(seed: int, *, is_plain: bool = False) -> Made:
    """A class is two things, and each relation tells one of them."""
    generator = np.random.default_rng(seed)
    first, second = generator.integers(0, 3, N_THINGS), generator.integers(0, 3, N_THINGS)
    relations = {"one": (first, 3.0, 0.6), "two": (second, 3.0, 0.6)}
    return _made(generator, 3 * first + second, relations, n_groups=3, signal=0.15, is_plain=is_plain)


def twice(seed: int, *, is_plain: bool = False) -> Made:
    """As two halves, with three copies of the first relation, each with its own type at the other end."""
    generator = np.random.default_rng(seed)
    first, second = generator.integers(0, 3, N_THINGS), generator.integers(0, 3, N_THINGS)
    made = _made(
        generator, 3 * first + second, {"one": (first, 3.0, 0.6), "two": (second, 3.0, 0.6)}, n_groups=3, signal=0.15,
        is_plain=is_plain,
    )  # fmt: skip
    own = made.graph
    assert own.relations is not None
    rows = np.flatnonzero(own.types == "thing")
    start = np.flatnonzero(own.types == "of_one")[0]
    one = own.relations.matrices[0][rows].tocoo()
    copied = np.column_stack([one.row, one.col - start])
    two_start = np.flatnonzero(own.types == "of_two")[0]
    two = own.relations.matrices[1][rows].tocoo()
    nodes: dict[str, Any] = {"thing": np.arange(N_THINGS) if is_plain else np.asarray(own.features)[rows]}
    nodes |= {
        "of_one": np.arange(N_OTHERS),
        "of_two": np.arange(N_OTHERS),
        "of_copy": np.arange(N_OTHERS),
        "of_third": np.arange(N_OTHERS),
    }
    edges = {
        ("thing", "one", "of_one"): copied,
        ("thing", "two", "of_two"): np.column_stack([two.row, two.col - two_start]),
        ("thing", "copy", "of_copy"): copied,
        ("thing", "third", "of_third"): copied,
    }
    return Made(sc.from_tables(nodes, edges), made.labels)


def sizes(seed: int, *, is_plain: bool = False) -> Made:
    """Two relations tell one half of the class each; one has twenty times the edges of the other and is less pure."""
    generator = np.random.default_rng(seed)
    first, second = generator.integers(0, 3, N_THINGS), generator.integers(0, 3, N_THINGS)
    relations = {"many": (first, 20.0, 0.25), "few": (second, 1.0, 0.9)}
    return _made(generator, 3 * first + second, relations, n_groups=3, signal=0.15, is_plain=is_plain)


def unlike(seed: int, *, is_plain: bool = False) -> Made:
    """One relation tells the class, another within the type links each class to the next one."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 6, N_THINGS)
    made = _ends(generator, labels, np.arange(N_OTHERS) % 6, 3.0, 0.5)
    next_one = _ends(generator, (labels + 1) % 6, labels, 3.0, 0.7)
    nodes = {"thing": np.arange(N_THINGS) if is_plain else _columns(generator, labels, 0.3), "shop": np.arange(N_OTHERS)}
    edges = {("thing", "in", "shop"): made, ("thing", "opposes", "thing"): next_one[next_one[:, 0] != next_one[:, 1]]}
    return Made(sc.from_tables(nodes, edges), labels)


def many(seed: int, *, is_plain: bool = False) -> Made:
    """Twenty relations: four tell the class, sixteen go with nothing."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 6, N_THINGS)
    relations: dict[str, Any] = {f"tells{i}": (labels, 1.5, 0.5) for i in range(4)}
    relations |= {f"noise{i}": (None, float(generator.integers(1, 6)), 0.0) for i in range(16)}
    return _made(generator, labels, relations, n_groups=6, signal=0.15, is_plain=is_plain)


KINDS: dict[str, Callable[..., Made]] = {
    "useful and noise": useful_and_noise,
    "much noise": much_noise,
    "two halves": two_halves,
    "twice": twice,
    "sizes": sizes,
    "unlike": unlike,
    "many": many,
}
