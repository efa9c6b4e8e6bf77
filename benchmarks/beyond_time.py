"""The seconds of beyond.py's cells, measured again on a quiet machine; their scores stay as they are.

    OMP_NUM_THREADS=1 python benchmarks/beyond_time.py [--dataset cora]… [--method default --method SCE]

Scores take minutes per graph and do not depend on what else the machine does; seconds take a few fits and do. A cell whose
seconds were not measured with its scores has the stamp of their measurement in `timed`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import beyond
from cells import FOLDER
from sparsecut.lab.paper.experiment_plan import Request
from sparsecut.lab.paper.results import Cell, Results
from sparsecut.lab.paper.row_methods import load_graph
from sparsecut.lab.paper.runner import run_stamp, spell_request

METHODS = (beyond.DEFAULT, "SCE")  # whose seconds are compared


def time_again(cell: Cell) -> Cell:
    """The cell with new seconds."""
    model = beyond._make(cell["method"], cell["dataset"], cell["seed"])
    _, seconds = beyond._fit_timed(model, load_graph(cell["dataset"]))
    return {**cell, **{name: round(value, 4) for name, value in seconds.items()}, "timed": run_stamp()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", action="append", help="A column; may be repeated. [default: all]")
    parser.add_argument("--method", action="append", help=f"A row; may be repeated. [default: {', '.join(METHODS)}]")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="Folder of the results.")
    asked = parser.parse_args(arguments)
    request = spell_request(Request(asked.dataset, asked.method or METHODS), beyond.COLUMNS, beyond.ROWS, beyond.NAME)
    results = Results(asked.output, beyond.NAME)
    for dataset in request.columns(beyond.COLUMNS):
        for method in request.rows(beyond.ROWS):
            cell = results.find(method=method, dataset=dataset)
            if cell is not None:
                timed = time_again(cell)
                results.add([timed])
                print(f"{method}, {dataset}: {cell['seconds']} s, now {timed['seconds']} s", flush=True)


if __name__ == "__main__":
    main()
