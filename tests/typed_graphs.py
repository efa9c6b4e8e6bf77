"""A made graph of authors, papers and venues, for tests of types."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.features.feature_tables import FeatureMatrix
from sparsecut.graph.relations import Relations


def typed_graph(n_papers: int = 240, seed: int = 0, *, is_sparse: bool = False) -> sc.Graph:
    """Authors, papers and venues in two groups; authors and papers have features, each type its own, not centred."""
    generator = np.random.default_rng(seed)
    n_authors, n_venues = n_papers // 2, 4
    group = {"author": generator.integers(0, 2, n_authors), "paper": generator.integers(0, 2, n_papers)}
    group["venue"] = np.arange(n_venues) % 2
    starts = {"author": 0, "paper": n_authors, "venue": n_authors + n_papers}
    n_nodes = n_authors + n_papers + n_venues
    matrices = {}
    for source, name, target, n_each in (("author", "writes", "paper", 3), ("paper", "in", "venue", 1)):
        ends = []
        for node, own in enumerate(group[source]):
            same = np.flatnonzero(group[target] == own)
            chosen = (
                generator.choice(same, n_each)
                if generator.random() < 0.9
                else generator.integers(0, len(group[target]), n_each)
            )
            ends += [(starts[source] + node, starts[target] + other) for other in set(chosen.tolist())]
        i, j = np.array(ends).T
        half = sp.coo_array((np.ones(len(i), dtype=np.float32), (i, j)), shape=(n_nodes, n_nodes)).tocsr()
        matrices[(source, name, target)] = sp.csr_array(half + half.T)
    blocks = [
        generator.normal(1 + group["author"][:, None], 1, (n_authors, 6)),
        np.abs(generator.normal(group["paper"][:, None], 1, (n_papers, 5))),
    ]
    features = np.zeros((n_nodes, 11), dtype=np.float32)
    features[:n_authors, :6], features[n_authors : n_authors + n_papers, 6:] = blocks
    encoder: Any = SimpleNamespace(column_types=np.repeat([0, 1], [6, 5]).astype(np.int16), names_in=None, notes=())
    relations = Relations.of(matrices)
    ids = [f"{name}:{node}" for name, nodes in group.items() for node in range(len(nodes))]
    graph = sc.Graph(relations.added_up(), node_ids=ids, labels=np.concatenate(list(group.values())))
    matrix = sp.csr_array(features) if is_sparse else features
    return graph.replace(features=FeatureMatrix(matrix, encoder), relations=relations, node_types=tuple(group))


def with_noise(graph: sc.Graph, seed: int = 5) -> sc.Graph:
    """A further relation between papers and venues that goes with nothing."""
    generator = np.random.default_rng(seed)
    relations = graph.relations
    assert relations is not None
    papers = np.flatnonzero(graph.type_codes == 1)
    others = np.flatnonzero(graph.type_codes == 2)
    i, j = papers, generator.choice(others, len(papers))
    half = sp.coo_array((np.ones(len(i), dtype=np.float32), (i, j)), shape=graph.adjacency.shape).tocsr()
    known = dict(zip(relations.edge_types, relations.matrices, strict=True))
    more = Relations.of({**known, ("paper", "lies near", "venue"): sp.csr_array(half + half.T)})
    return graph.replace(adjacency=more.added_up(), relations=more)
