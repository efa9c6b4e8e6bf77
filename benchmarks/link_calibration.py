"""Whether probabilities of links are what they say: predicted against found, on links that nothing has seen.

    python benchmarks/link_calibration.py [--graphs cora,wiki] [--force]

A tenth of the links of each graph is held out (`evaluation.hold_out_edges`, seed 3), and `Links(SCE(), rest)` gives their
probability and that of up to 200,000 pairs without a link. Each held-out link stands for so many links of the graph, each
other pair for so many pairs without one, so that a bin of pairs of about the same probability has the share of links that
was found. `off` is the number of links that are in another bin than predicted, over all links: Σ |predicted − found| of the
bins, halved.

Points are kept as they end and are not measured again without --force. Data that is not there is left out.
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from links import load
from results_file import read_points, write_results
from sparsecut import SCE, Graph, Links
from sparsecut.evaluation import hold_out_edges
from sparsecut.kernels.hashing import hash_order
from sparsecut.links.held_out_links import are_linked, draw_others

NAME = "link_calibration"
GRAPHS = (
    *("cornell", "chameleon_filtered", "wiki", "cora", "citeseer", "actor", "movielens", "bitcoin_otc"),
    *(f"partition/{name}.graph" for name in ("polblogs", "power", "airfoil1", "hep-th", "PGPgiantcompo")),
    *(f"walshaw/{name}.graph.gz" for name in ("add20", "data", "uk")),
)
EDGES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)  # of the bins
SEED, N_OTHERS = 3, 200_000

Array = np.ndarray


def bins_of(links: Array, others: Array, n_links: float, n_others: float) -> list[dict[str, float]]:
    """For each bin the mean probability and the share of links, and how many links are predicted and found there."""
    p = np.concatenate([links, others])
    weights = np.repeat([n_links / len(links), n_others / len(others)], [len(links), len(others)])
    is_link = np.arange(len(p)) < len(links)
    place = np.minimum(np.searchsorted(EDGES, p, side="right") - 1, len(EDGES) - 2)
    found = []
    for number in range(len(EDGES) - 1):
        here = place == number
        total = float(weights[here].sum())
        predicted, linked = float((weights * p)[here].sum()), float(weights[here & is_link].sum())
        shares = {"predicted": predicted / total, "found": linked / total} if total else {}
        found.append(
            {**shares, "links_predicted": predicted, "links_found": linked, "held_out": int((here & is_link).sum())}
        )
    return found


def off_of(bins: list[dict[str, float]], n_links: float) -> float:
    """The share of all links that are in another bin than predicted."""
    return sum(abs(one["links_predicted"] - one["links_found"]) for one in bins) / 2 / n_links


def measure(graph: Graph) -> dict[str, Any]:
    start = time.process_time()
    split = hold_out_edges(graph, 0.1, SEED)
    links = Links(SCE(), split.graph)
    order, generator = hash_order(graph.node_ids), np.random.default_rng(SEED)
    others = draw_others(partial(are_linked, graph.adjacency), N_OTHERS, links.ends, order, generator)
    others = np.unique(links.ends.oriented(others), axis=0)  # all of a small graph, each once
    n_links, ends = split.graph.n_edges, links.ends
    n_sources, n_targets = int(ends.is_source.sum()), int(ends.is_target.sum())
    n_pairs = n_sources * n_targets if ends.has_sides else n_sources * (n_sources - 1) // (1 if ends.is_directed else 2)
    ids = graph.node_ids
    bins = bins_of(*(links.probability(ids[pairs]) for pairs in (split.positive, others)), n_links, n_pairs - n_links)
    return {
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "bins": bins,
        "off": off_of(bins, n_links),
        "cpu_seconds": time.process_time() - start,
    }


def tables(points: dict[str, Any]) -> list[dict[str, Any]]:
    names = [f"{low:.0%} to {high:.0%}" for low, high in pairwise(EDGES)]
    rows = [
        [
            Path(name).name.split(".")[0],
            point["nodes"],
            point["edges"],
            *(f"{one['predicted']:.2%} / {one['found']:.2%}" if one.get("held_out") else "" for one in point["bins"]),
            f"{point['off']:.1%}",
        ]
        for name, point in points.items()
    ]
    caption = "Predicted / found, by the probability that is predicted; a bin without a held-out link is empty"
    return [{"caption": caption, "columns": ["graph", "nodes", "edges", *names, "off"], "rows": rows}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs")
    parser.add_argument("--force", action="store_true")
    asked = parser.parse_args()
    points = read_points(NAME)

    def keep() -> None:
        write_results(
            NAME,
            title="Probabilities of links",
            about="`Links.probability` of links that were held out and of other pairs, in bins by what is predicted.",
            command="python benchmarks/link_calibration.py",
            tables=tables({name: points[name] for name in GRAPHS if name in points}),
            notes=["`off` is the share of all links that are in another bin than predicted."],
            points=points,
        )

    for name in GRAPHS if asked.graphs is None else asked.graphs.split(","):
        if asked.force or name not in points:
            try:
                graph = load(name)
            except (OSError, ValueError) as error:
                print(f"{name} is left out: {error}")
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                points[name] = measure(graph)
            print(
                name, f"{points[name]['off']:.3f}", [round(one["links_found"]) for one in points[name]["bins"]], flush=True
            )
            keep()
    keep()


if __name__ == "__main__":
    main()
