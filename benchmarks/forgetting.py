"""Forgetting 1 % of the nodes against a fit without them, at ogbn-arxiv's size, and that both give the same.

    python benchmarks/forgetting.py [--repeats 3] [--share 0.01]

The graph is a stand-in (`standins.py`). A refit is what one does without `forget`: take the subgraph of the nodes that are
left and fit it, every choice made again. Both take turns in one process on one thread; seconds are those of the processor,
medians. `difference` is the largest one of two vectors, in units of their length, between `forget` and a fit with the
same choices.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from sparsecut import SCE, Power
from sparsecut.model.fit import fit
from sparsecut.model.kept_choices import with_choices
from standins import stand_in

MODELS: dict[str, Callable[[], SCE]] = {"two hops": lambda: SCE(filter=Power(order=2)), "default": SCE}


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """(result, processor seconds)."""
    used = time.process_time()
    result = call()
    return result, time.process_time() - used


def measure(name: str, graph: Any, share: float, repeats: int) -> dict[str, Any]:
    generator = np.random.default_rng(0)
    forgetting, refitting, fitting = [], [], []
    difference = 0.0
    for number in range(repeats + 1):
        gone = np.sort(generator.choice(graph.n_nodes, int(share * graph.n_nodes), replace=False))
        left = np.setdiff1d(np.arange(graph.n_nodes), gone)
        model, seconds = timed(lambda: MODELS[name]().fit(graph))
        ids = graph.node_ids[gone].tolist()
        chosen = with_choices(model._settings(), model.recipe_, len(model.offset_))
        _, used = timed(lambda model=model, ids=ids: model.forget(ids))
        _, refit = timed(lambda left=left: MODELS[name]().fit(graph.subgraph(positions=left)))
        if number:  # the first warms up
            forgetting.append(used)
            refitting.append(refit)
            fitting.append(seconds)
        if number == repeats:
            exact = fit(chosen, graph.subgraph(positions=left), output=None, on_epoch=None, progress=None).embedding
            assert exact is not None
            length = np.sqrt(np.square(exact).sum(axis=1).mean())
            difference = float(np.linalg.norm(model.embedding_ - exact, axis=1).max() / length)
    found = {
        "forget_processor_s": float(np.median(forgetting)),
        "refit_processor_s": float(np.median(refitting)),
        "fit_processor_s": float(np.median(fitting)),
        "times_faster": float(np.median(refitting) / np.median(forgetting)),
        "difference": difference,
    }
    print(name, found, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.01)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    graph = stand_in(n_nodes=169_343, n_edges=1_166_243, n_features=128, n_classes=40)
    for name in MODELS:
        measure(name, graph, arguments.share, arguments.repeats)


if __name__ == "__main__":
    main()
