"""The paper's experiments by name: the one list that the command, the runner and the pages read.

An experiment is a TOML file with its published figures, and a module with

    ROWS, COLUMNS        the methods and the graphs of its table
    plan(request)        the jobs, before any work is done
    tables(results)      what the page shows of its results

An experiment with several runs per cell, of more than one seed or in rounds, keeps each of them: `runs_by` names the keys
that distinguish them. Modules are imported when they are used, so that the names alone cost nothing. A method's settings
stand beside its class (`sparsecut.model.published`).
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparsecut.lab.paper.results import Results


@dataclass(frozen=True)
class Experiment:
    """An experiment: its name, what it measures in a few words, the module that runs it, and what of it is quick to run."""

    name: str
    about: str
    home: str
    runs_by: tuple[str, ...] = ()
    quick: tuple[tuple[str, ...], tuple[str, ...]] = (("cora",), ("SCE",))  # datasets and methods

    def results(self, folder: Path) -> Results:
        """Its results in a folder."""
        from sparsecut.lab.paper.results import IDENTITY, Results

        return Results(folder, self.name, (*IDENTITY, *self.runs_by))

    def module(self) -> ModuleType:
        """The module itself, imported now."""
        return importlib.import_module(self.home)


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "table1", "accuracy", "sparsecut.lab.paper.table1", runs_by=("seed",), quick=(("cora",), ("SCE", "MoSCE"))
        ),
        Experiment(
            "loss",
            "its ablation",
            "sparsecut.lab.paper.loss",
            runs_by=("seed",),
            quick=(("cora",), ("none", "negative", "inverse")),
        ),
        Experiment("time", "training seconds", "sparsecut.lab.paper.timing", runs_by=("run",)),
        Experiment(
            "inductive",
            "unseen nodes",
            "sparsecut.lab.paper.inductive",
            quick=(("amazon_photo",), ("raw-features", "smoothed-features", "SCE")),
        ),
        Experiment("figure", "accuracy against time", "sparsecut.lab.paper.figure"),
    )
}  # in the order of the page


def read_experiment(name: str) -> dict[str, Any]:
    """The TOML file of an experiment: its published figures and what the paper leaves open. Read, not to be changed."""
    from sparsecut.model.published import read_toml

    return read_toml(Path(__file__).with_name(f"{name}.toml"))
