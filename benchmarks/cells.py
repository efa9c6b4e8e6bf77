"""A benchmark whose results are cells, a method on a graph each: run one by one, saved as they end, resumed.

    python benchmarks/beyond.py [--dataset D]… [--method M]… [--splits N] [--seed S] [--force]

The cells go to `benchmarks/results/NAME.json`, each stamped with its machine; `render.py` draws `docs/beyond.md` from them.
What is there already with the same settings, seed and splits is not run again unless `--force` says so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from sparsecut.base.errors import InputError
from sparsecut.base.progress import reporting
from sparsecut.lab.paper.experiment_plan import Plan, Request
from sparsecut.lab.paper.runner import run_jobs, spell_request

FOLDER = Path(__file__).parent / "results"


def run_benchmark(
    name: str,
    plan: Callable[[Request], Plan],
    *,
    columns: Sequence[str],
    rows: Sequence[str],
    arguments: Sequence[str] | None = None,
) -> None:
    """The command line of such a benchmark."""
    parser = argparse.ArgumentParser(description=f"Results: {FOLDER / name}.json")
    parser.add_argument("--dataset", action="append", help="A column; may be repeated. [default: all]")
    parser.add_argument("--method", action="append", help="A row; may be repeated. [default: all]")
    parser.add_argument("--splits", type=int, help="How many splits or runs. [default: the benchmark's]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--force", action="store_true", help="Run again what is done already.")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="Folder of the results.")
    asked = parser.parse_args(arguments)
    try:
        request = spell_request(Request(asked.dataset, asked.method, asked.splits, asked.seed), columns, rows, name)
        with reporting(None) as report:
            _, tally = run_jobs(name, plan(request), asked.output, report, _note, is_forced=asked.force)
    except InputError as error:
        sys.exit(str(error))
    print(f"{name}: {tally.n_run} cells run, {tally.n_skipped} were done, {tally.n_absent} cannot be run here")


def _note(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
