"""What the paper leaves open: the settings that are ours, as a table. The list is `open` of every experiment's TOML file.

What was chosen is read from the settings of the method, in the file beside its class; how, and whether with test scores in
view, is said in the list.
"""

from __future__ import annotations

from typing import Any

from sparsecut.lab.baselines.methods import find_method
from sparsecut.lab.paper.experiments import EXPERIMENTS, read_experiment
from sparsecut.lab.paper.shown import ALONE, ResultsTable, Shown
from sparsecut.model.published import published_settings


def open_table() -> ResultsTable:
    """One row per choice: the experiment, the method, the settings, what they are and how that was chosen."""
    rows = []
    for experiment in EXPERIMENTS.values():
        content = read_experiment(experiment.name)
        for choice in content["open"]:
            name = f"{experiment.name}: {choice['method']}" if "method" in choice else experiment.name
            chosen = choice.get("chosen") or _chosen(
                settings_by_dataset(experiment.name, choice["method"]), choice["settings"]
            )
            in_view = "yes" if choice["by_test_scores"] else "no"
            rows.append((name, [Shown(words, verdict=ALONE) for words in (chosen, choice["how"], in_view)]))
    n_in_view = sum(cells[-1].ours == "yes" for _, cells in rows)
    return ResultsTable(
        "What the paper leaves open",
        "Settings on which its text is silent, or says two things; where test scores were in view, our figure confirms "
        "the paper's that much less.",
        ["chosen", "how", "in view of test scores"],
        rows,
        [f"{n_in_view} of these {len(rows)} choices were made in view of test scores."],
    )


def settings_by_dataset(experiment: str, method: str) -> dict[str, dict[str, Any]]:
    """The settings of a method in an experiment, by dataset."""
    return published_settings(find_method(method).estimator_class())[experiment]


def setting_of(settings: dict[str, Any], name: str) -> Any:
    """A setting by its dotted name; None where it is not given."""
    value: Any = settings
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _chosen(by_dataset: dict[str, dict[str, Any]], names: list[str]) -> str:
    return "; ".join(f"{name} {_values({d: setting_of(given, name) for d, given in by_dataset.items()})}" for name in names)


def _values(by_dataset: dict[str, Any]) -> str:
    """A setting's values, the graphs with one value together: "2", "1 (cora, citeseer), 2 (pubmed)"."""
    graphs: dict[str, list[str]] = {}
    for dataset, value in by_dataset.items():
        if value is not None:
            graphs.setdefault(_word(value), []).append(dataset)
    if [len(same) for same in graphs.values()] == [len(by_dataset)]:
        return next(iter(graphs))
    return ", ".join(f"{value} ({', '.join(same)})" for value, same in graphs.items())


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {_word(inner)}" for name, inner in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)
