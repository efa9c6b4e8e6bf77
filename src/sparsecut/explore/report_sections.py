"""The sections of a report that say what a model chose, and how the page was made."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsecut.explore.findings import Section, choices_section, curve_section
from sparsecut.explore.nearest import Neighbors


def model_sections(model: Any) -> list[Section]:
    """What a model chose, and its training curve."""
    sections = []
    explain = getattr(model, "explain", None)
    if callable(explain):
        sections.append(choices_section(str(explain()).splitlines()))
    loss = list(getattr(getattr(model, "history_", None), "loss", []) or [])
    if len(loss) > 1 and np.isfinite(loss).all():
        sections.append(curve_section([float(value) for value in loss]))
    return sections


def how_section(drawn_by: str, near: Neighbors | None, command: str | None, seed: int, why_not: list[str]) -> Section:
    """How positions and neighbours were found, what is not in the page and why, and the command that writes it again."""
    sentences = [
        f"Layout: {drawn_by}, seed {seed}. Nodes that are near on the map are near in the embedding; longer distances mean "
        "little."
    ]
    if near is not None:
        how = (
            "exact" if near.is_exact else f"by an approximate index with recall@10 {near.recall_:.3f}, measured on a sample"
        )
        sentences.append(f"Nearest neighbours: {near.metric}, {how}.")
    sentences += [sentence for sentence in why_not if sentence]
    section: Section = {"id": "repeat", "title": "How to repeat this", "sentences": sentences, "isWide": True}
    return section if command is None else {**section, "code": command}
