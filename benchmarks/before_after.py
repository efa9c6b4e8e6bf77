"""Is it as fast as before? `front_door.py` of two checkouts, in turn: the seconds of each, and their ratio.

    python benchmarks/before_after.py ../older/checkout [--graphs cora,citeseer,pubmed,wide,middle] [--rounds 4]

The other checkout is one of an earlier commit (`git worktree add`), with the environment of this one. In every round each
checkout measures each graph in a process of its own, and the order is turned, so that a machine that grows slower or faster
does so for both. The best of all rounds counts. Nothing is written: a ratio belongs to the two commits, not to a page.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
CHILD = """
import json, sys
import front_door
from sparsecut import Power
graph = front_door.GRAPHS[sys.argv[1]][1]()
models = {"default": {}, "two hops": {"filter": Power(order=2)}}
front_door.best_of(models, graph, 1)
print(json.dumps(front_door.best_of(models, graph, int(sys.argv[2]))))
"""


def measure(checkout: Path, graph: str, repeats: int) -> dict[str, float]:
    """The best seconds of a checkout's own code, in a process of its own."""
    path = os.pathsep.join([str(checkout / "src"), str(checkout / "benchmarks")])
    command = [sys.executable, "-c", CHILD, graph, str(repeats)]
    ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{checkout}: {ran.stderr[-2000:]}")
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--graphs", default="cora,citeseer,pubmed,wide,middle")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    before, after = arguments.other.resolve(), HERE.resolve()
    for graph in arguments.graphs.split(","):
        best: dict[tuple[Path, str], float] = {}
        for number in range(arguments.rounds):
            for checkout in (before, after) if number % 2 == 0 else (after, before):
                for call, seconds in measure(checkout, graph, arguments.repeats).items():
                    best[checkout, call] = min(seconds, best.get((checkout, call), seconds))
        for call in ("default", "two hops"):
            old, new = best[before, call], best[after, call]
            print(f"{graph}, {call}: {old:.4f} s before, {new:.4f} s after, ratio {new / old:.3f}", flush=True)


if __name__ == "__main__":
    main()
