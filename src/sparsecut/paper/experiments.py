"""The paper's experiments by name: the one list that the command, the runner and the pages read.

An experiment is a TOML file with its settings and published figures, and a module with

    ROWS, COLUMNS        the methods and the graphs of its table
    plan(request)        the jobs, before any work is done
    tables(results)      what the page shows of its results

Modules are imported when they are asked for, so that the names alone cost nothing.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Experiment:
    """What an experiment measures, in a few words, and the module that runs it."""

    about: str
    home: str

    def module(self) -> ModuleType:
        """The module itself, imported now."""
        return importlib.import_module(self.home)


EXPERIMENTS = {
    "table1": Experiment("accuracy", "sparsecut.paper.table1"),
    "loss": Experiment("its ablation", "sparsecut.paper.loss"),
    "time": Experiment("training seconds", "sparsecut.paper.timing"),
    "inductive": Experiment("unseen nodes", "sparsecut.paper.inductive"),
    "figure": Experiment("accuracy against time", "sparsecut.paper.figure"),
}  # in the order of the page
