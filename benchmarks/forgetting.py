"""Forgetting 1 % of the nodes against a fit without them, at ogbn-arxiv's size, and that both give the same.

    python benchmarks/forgetting.py [--repeats 3] [--share 0.01]

The graph is a stand-in (`standins.py`). A refit is what one does without `forget`: take the subgraph of the nodes that are
left and fit it, every choice made again. Both take turns in one process on one thread; seconds are those of the processor,
medians. `times_faster` compares them in memory; `times_faster_on_disk` compares `forget` of a model that is loaded in place,
which is on the disk when it returns, with a refit that is saved with its state. `difference` is the largest one of two
vectors, in units of their length, between `forget` and a fit with the same choices. `rows_changed` is the share of the
nodes within two hops of those that go: the rows of S = P²F that are others.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sparsecut import SCE, Power, load
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
    forgetting, refitting, in_place, saving = [], [], [], []
    difference = 0.0
    folder = Path(tempfile.mkdtemp())
    for number in range(repeats + 1):
        gone = np.sort(generator.choice(graph.n_nodes, int(share * graph.n_nodes), replace=False))
        left = np.setdiff1d(np.arange(graph.n_nodes), gone)
        model = MODELS[name]().fit(graph)
        model.save(folder / "m.safetensors", with_state=True, overwrite=True)
        ids = graph.node_ids[gone].tolist()
        chosen = with_choices(model._settings(), model.recipe_, len(model.offset_))
        _, used = timed(lambda model=model, ids=ids: model.forget(ids))
        refitted, refit = timed(lambda left=left: MODELS[name]().fit(graph.subgraph(positions=left)))
        _, written = timed(
            lambda refitted=refitted: refitted.save(folder / "refit.safetensors", with_state=True, overwrite=True)
        )
        del refitted
        loaded = load(folder / "m.safetensors", in_place=True)
        _, durable = timed(lambda loaded=loaded, ids=ids: loaded.forget(ids))
        del loaded
        if number:  # the first warms up
            forgetting.append(used)
            refitting.append(refit)
            in_place.append(durable)
            saving.append(refit + written)
        if number == repeats:
            exact = fit(chosen, graph.subgraph(positions=left), output=None, on_epoch=None, progress=None).embedding
            assert exact is not None
            length = np.sqrt(np.square(exact).sum(axis=1).mean())
            difference = float(np.linalg.norm(model.embedding_ - exact, axis=1).max() / length)
    shutil.rmtree(folder)
    found = {
        "forget_processor_s": float(np.median(forgetting)),
        "refit_processor_s": float(np.median(refitting)),
        "forget_on_disk_processor_s": float(np.median(in_place)),
        "refit_and_save_processor_s": float(np.median(saving)),
        "times_faster": float(np.median(refitting) / np.median(forgetting)),
        "times_faster_on_disk": float(np.median(saving) / np.median(in_place)),
        "rows_changed": rows_changed(graph, gone),
        "difference": difference,
    }
    print(name, found, flush=True)
    return found


def rows_changed(graph: Any, gone: np.ndarray) -> float:
    near = np.zeros(graph.n_nodes, dtype=np.float32)
    near[gone] = 1
    for _ in range(2):
        near = (graph.adjacency @ near + near > 0).astype(np.float32)
    return float(near.mean())


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
