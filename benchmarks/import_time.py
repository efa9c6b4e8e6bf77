"""How long the package takes to import, beside torch, which it needs.

    python benchmarks/import_time.py [--repeats 9]
    python benchmarks/import_time.py --modules        # instead: how many modules a fit and a command load, and run through

Every import in a process of its own, the statements in turn, the best of each: what is left is the work, not the disk.
`import sparsecut` alone imports next to nothing, for names are imported when first used; so the estimator is asked for too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

from results_file import write_results

TARGET = 1.5
STATEMENTS = {
    "import torch": "import torch",
    "import sparsecut": "import sparsecut",
    "from sparsecut import SCE": "import sparsecut; from sparsecut import SCE",
    "every public name": "from sparsecut import *",
}
HELP = "sparsecut --help"
PROGRAM = """
import json, sys, time
started = time.perf_counter()
{statement}
seconds = time.perf_counter() - started
print(json.dumps([seconds, "torch" in sys.modules]), file=sys.stderr)
"""
# What the command does, up to the end of its help; typer ends it by an exit.
HELP_STATEMENT = """
sys.argv = ["sparsecut", "--help"]
try:
    from sparsecut.cli import main
    main()
except SystemExit:
    pass
"""

# What is loaded, and what runs: the modules of the package in which a function is called.
MODULES_PROGRAM = """
import json, os, sys, tempfile
os.chdir(tempfile.mkdtemp())
called = set()
def watch(frame, event, argument):
    if event == "call" and frame.f_code.co_name != "<module>":
        called.add(frame.f_globals.get("__name__", ""))
{before}
sys.setprofile(watch)
try:
    {run}
except SystemExit:
    pass
sys.setprofile(None)
of_ours = [{{name for name in names if name.partition(".")[0] == "sparsecut"}} for names in (sys.modules, called)]
print(json.dumps([len(names) for names in of_ours]), file=sys.stderr)
"""
WAYS = {
    "SCE().fit_transform(digits)": (
        "import sparsecut as sc; graph = sc.datasets.load('digits')",
        "sc.SCE().fit_transform(graph)",
    ),
    "sparsecut embed edges.csv": (
        "open('edges.csv', 'w').write('a,b\\nb,c\\nc,d\\nd,a\\na,c\\n'); from sparsecut.cli import main; "
        "sys.argv = ['sparsecut', 'embed', 'edges.csv', '-o', 'z.npy', '--quiet']",
        "main()",
    ),
}


def count_modules() -> None:
    """Print how many modules of the package each way loads, and in how many of them a function is called."""
    for name, (before, run) in WAYS.items():
        program = MODULES_PROGRAM.format(before=before, run=run)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        n_loaded, n_called = json.loads(done.stderr.splitlines()[-1])
        print(f"{name}: {n_loaded} modules loaded, {n_called} run through")


def measure(statement: str) -> tuple[float, bool]:
    """The seconds of a statement in a new process, and whether torch was imported by it."""
    program = PROGRAM.format(statement=statement)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    seconds, with_torch = json.loads(done.stderr.splitlines()[-1])
    return seconds, with_torch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--modules", action="store_true", help="count modules instead")
    arguments = parser.parse_args()
    if arguments.modules:
        count_modules()
        return
    statements = {**STATEMENTS, HELP: HELP_STATEMENT}
    runs: dict[str, list[tuple[float, bool]]] = {name: [] for name in statements}
    for _ in range(arguments.repeats):
        for name, statement in statements.items():
            runs[name].append(measure(statement))
    best = {name: min(seconds for seconds, _ in values) for name, values in runs.items()}
    rows = []
    for name in statements:
        ratio = best[name] / best["import torch"]
        with_torch = runs[name][0][1]
        target, is_met = (f"≤ {TARGET} × torch", ratio <= TARGET) if name != "import torch" else (None, None)
        if name == HELP:
            target, is_met = "without torch", not with_torch
        rows.append([name, round(best[name], 4), round(ratio, 3), with_torch, target, is_met])
        print(rows[-1], flush=True)
    write_results(
        "import_time",
        title="Import",
        about=f"Every statement in a process of its own, in turn, the best of {arguments.repeats}.",
        command="python benchmarks/import_time.py",
        tables=[
            {
                "caption": "Seconds to import, and whether torch came with it.",
                "columns": ["statement", "seconds", "times import torch", "torch imported", "target", "met"],
                "rows": rows,
            }
        ],
        notes=[],
        points=runs,
    )


if __name__ == "__main__":
    main()
