"""What the paper published, from the files under `paper/`: one an experiment, with its settings and its figures."""

from __future__ import annotations

import sys
from importlib import resources
from typing import Any

from sparsecut.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_experiment(name: str) -> dict[str, Any]:
    """One experiment of the paper: its settings and its published figures."""
    text = (resources.files("sparsecut") / "paper" / f"{name}.toml").read_text("utf-8")
    return dict(tomllib.loads(text))


def paper_settings(method: str, dataset: str) -> dict[str, Any]:
    """The paper's settings of a method for a dataset."""
    settings: dict[str, dict[str, Any]] = {}
    for experiment in ("table1", "inductive"):
        settings |= read_experiment(experiment)["settings"].get(method, {})
    if dataset not in settings:
        raise InputError(f"The paper has no settings for {dataset!r}. It has them for {', '.join(sorted(settings))}.")
    return settings[dataset]
