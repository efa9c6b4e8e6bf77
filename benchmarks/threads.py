"""How far an embedding moves with the number of threads: the same seed, other sums.

    python benchmarks/threads.py [--graphs digits,cora,pubmed] [--threads 1,2,4]

Every number of threads in a process of its own (`OMP_NUM_THREADS`). For each model and graph: the largest difference of one
number between any two of them, and the largest difference of the whole embedding relative to its size.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut.base.environment import environment_stamp
from sparsecut.io import write_whole

RESULTS = Path(__file__).parent / "results" / "threads.json"
MODELS = ("SCE()", "MoSCE()", "SCE() on structure alone", "SCE.paper('cora')")
SCRIPT = """
import sys
import numpy as np
import sparsecut as sc

graph = sc.datasets.load(sys.argv[1])
models = {"SCE()": sc.SCE(), "MoSCE()": sc.MoSCE(), "SCE.paper('cora')": sc.SCE.paper("cora")}
embeddings = {name: model.fit_transform(graph) for name, model in models.items()}
embeddings["SCE() on structure alone"] = sc.SCE().fit_transform(graph.replace(features=None))
np.savez(sys.argv[2], **embeddings)
"""


def measure(graph: str, threads: list[int]) -> dict[str, Any]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for n_threads in threads:
            path = Path(folder) / f"{n_threads}.npz"
            environment = {**os.environ, "OMP_NUM_THREADS": str(n_threads), "OMP_WAIT_POLICY": "PASSIVE"}
            subprocess.run([sys.executable, "-c", SCRIPT, graph, str(path)], env=environment, check=True)
            with np.load(path) as arrays:
                found.append(dict(arrays))
    row: dict[str, Any] = {"graph": graph, "threads": threads}
    for model in MODELS:
        pairs = list(itertools.combinations([embeddings[model] for embeddings in found], 2))
        largest = max(float(np.abs(a - b).max()) for a, b in pairs)
        whole = max(float(np.linalg.norm(a - b) / np.linalg.norm(a)) for a, b in pairs)
        row[model] = {"largest": largest, "relative": whole}
    print(row, flush=True)
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as `docs/method.md` has them."""

    def shown(cell: dict[str, float]) -> str:
        return "0" if cell["largest"] == 0 else f"{cell['largest']:.1e} ({cell['relative']:.0e})"

    names = " | ".join(row["graph"].capitalize() for row in rows)
    lines = [f"| largest difference of a number (of the whole, relative) | {names} |", "|---" * (len(rows) + 1) + "|"]
    lines += [f"| `{model}` | {' | '.join(shown(row[model]) for row in rows)} |" for model in MODELS]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default="digits,cora,pubmed")
    parser.add_argument("--threads", default="1,2,4")
    options = parser.parse_args()
    rows = [measure(graph, [int(n) for n in options.threads.split(",")]) for graph in options.graphs.split(",")]
    with write_whole(RESULTS) as temporary:
        temporary.write_text(json.dumps({"environment": environment_stamp(), "rows": rows}, indent=1) + "\n", "utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()
