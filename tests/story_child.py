"""A second process that loads models and transforms files on request: what another program would do with what was saved.

`OtherProcess.transform(model, edges, features, directed)` asks it. One process serves many requests: starting it takes
longer than all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from types import TracebackType

import numpy as np


class OtherProcess:
    """Asked by a line of JSON; answers with a line, and with the vectors in a file."""

    def __enter__(self) -> OtherProcess:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.communicate(timeout=60)

    def transform(self, model: Path, edges: Path, features: Path, directed: str) -> tuple[list[str], np.ndarray]:
        """(the ids of the nodes as words, their vectors) by the saved model."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        out = model.with_suffix(".answer.npz")
        asked = {"model": str(model), "edges": str(edges), "features": str(features), "directed": directed, "out": str(out)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer == "done\n", answer
        with np.load(out) as held:
            return held["ids"].tolist(), held["Z"]


def serve() -> None:
    import sparsecut as sc

    for line in sys.stdin:
        asked = json.loads(line)
        graph = sc.read_graph(asked["edges"], features=asked["features"], directed=asked["directed"])
        Z = sc.load(asked["model"]).transform(graph)
        np.savez(asked["out"], ids=np.array([str(node) for node in graph.node_ids.tolist()]), Z=Z)
        print("done", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of new values: the parent's own transform shows them
    serve()
