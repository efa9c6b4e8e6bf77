"""Cora, Citeseer and Pubmed from the Planetoid repository's raw files, which `io.planetoid` reads."""

from __future__ import annotations

from pathlib import Path

from sparsecut.datasets.dataset import Roles
from sparsecut.graph import Graph
from sparsecut.io import PLANETOID_PARTS, read_planetoid_folder, read_planetoid_split


def planetoid_files(name: str, folder: str) -> tuple[str, ...]:
    return tuple(f"Planetoid/{folder}/raw/ind.{name}.{part}" for part in PLANETOID_PARTS)


def read_planetoid(name: str, folder: str, root: Path) -> Graph:
    """The whole graph. Citeseer's test nodes without a row get no features and class 0, as in the published splits."""
    return read_planetoid_folder(root / "Planetoid" / folder / "raw", name)


def read_public_split(name: str, folder: str, root: Path) -> tuple[Roles, ...]:
    """The one split that papers call public: 20 nodes per class, 500 and 1,000."""
    return (Roles(*read_planetoid_split(root / "Planetoid" / folder / "raw", name)),)
