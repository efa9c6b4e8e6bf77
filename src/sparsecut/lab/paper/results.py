"""The results of an experiment as data: one JSON file, one line per cell, written whole each time a cell ends.

A cell says what was run (method, dataset, settings, seed, …), what came out, and the versions, the machine and the date it
ran on. What could not be run is kept too, with the reason, so that a page drawn from the file can say it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.io import check_readable, write_whole

Cell = dict[str, Any]

IDENTITY = ("method", "dataset", "per_class")  # one cell each in a file, unless an experiment has more; see `Results`


class Results:
    """The cells of one experiment in a folder.

    Cells that agree in all of `identity` are one cell: a new run takes the place of the old. With "seed" among it the runs
    of several seeds stand side by side, and `find_all` gives them.
    """

    def __init__(self, folder: Path, experiment: str, identity: Sequence[str] = IDENTITY) -> None:
        self.path = folder / f"{experiment}.json"
        self.experiment = experiment
        self.identity = tuple(identity)
        self.cells: list[Cell] = []
        self.absent: list[Cell] = []
        if self.path.exists():
            self.cells, self.absent = _read(self.path, experiment)

    def has(self, planned: Mapping[str, Any]) -> bool:
        """Whether a cell was run already, with the same settings, seed and splits."""
        return any(all(cell.get(name) == value for name, value in planned.items()) for cell in self.cells)

    def find(self, **identity: Any) -> Cell | None:
        """The first cell of a method, a dataset and, where cells have one, a number of labels."""
        return next(iter(self.find_all(**identity)), None)

    def find_all(self, **identity: Any) -> list[Cell]:
        """All runs of a method, a dataset and a number of labels: of every seed, every round."""
        wanted = _place(identity)
        return [cell for cell in self.cells if _place(cell) == wanted]

    def why_absent(self, **identity: Any) -> str:
        """The reason a cell is empty."""
        wanted = _place(identity)
        return next((cell["reason"] for cell in self.absent if _place(cell) == wanted), "not run")

    def add(self, cells: Sequence[Cell]) -> None:
        """Keep cells that have ended, and save."""
        for cell in cells:
            self.absent = [other for other in self.absent if _place(other) != _place(cell)]
            own = self._identify(cell)
            places = [place for place, other in enumerate(self.cells) if self._identify(other) == own]
            if places:
                self.cells[places[0]] = cell
            else:
                self.cells.append(cell)
        self._save()

    def mark_absent(self, cell: Mapping[str, Any], reason: str) -> None:
        """Say why a cell is empty, unless it was filled before."""
        if self.find_all(**cell):
            return
        self.absent = [other for other in self.absent if _place(other) != _place(cell)]
        self.absent.append({**cell, "reason": reason})
        self._save()

    def to_dict(self) -> dict[str, Any]:
        return {"experiment": self.experiment, "cells": self.cells, "absent": self.absent}

    def _identify(self, cell: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(cell.get(name) for name in self.identity)

    def _save(self) -> None:
        parts = [f'"experiment": {json.dumps(self.experiment)}']
        for name, cells in (("cells", self.cells), ("absent", self.absent)):
            lines = ",\n".join("  " + json.dumps(cell, ensure_ascii=False) for cell in cells)
            parts.append(f'"{name}": [\n{lines}\n ]' if cells else f'"{name}": []')
        with write_whole(self.path) as temporary:
            temporary.write_text("{\n " + ",\n ".join(parts) + "\n}\n", encoding="utf-8")


def _place(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    """Where a page shows a cell, whichever its seed or round."""
    return tuple(cell.get(name) for name in IDENTITY)


def _read(path: Path, experiment: str) -> tuple[list[Cell], list[Cell]]:
    try:
        data = json.loads(check_readable(path, "result").read_text("utf-8"))
        cells, absent = list(data["cells"]), list(data.get("absent", []))
        if data["experiment"] != experiment or not all(isinstance(cell, dict) for cell in [*cells, *absent]):
            raise ValueError("it is of another experiment")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} does not hold the results of {experiment}: {error}. Move it away, or name another folder with -o."
        ) from error
    return cells, absent
